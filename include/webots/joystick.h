/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_JOYSTICK_H
#define WB_JOYSTICK_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No joystick is ever connected. */

void wb_joystick_enable(int sampling_period);
void wb_joystick_disable(void);
/* The requested period [ms]; 0 while disabled. */
int wb_joystick_get_sampling_period(void);
bool wb_joystick_is_connected(void);
/* NULL */
const char *wb_joystick_get_model(void);
/* 0 */
int wb_joystick_get_number_of_axes(void);
int wb_joystick_get_axis_value(int axis);
int wb_joystick_get_number_of_povs(void);
int wb_joystick_get_pov_value(int pov);
/* -1: none */
int wb_joystick_get_pressed_button(void);

void wb_joystick_set_constant_force(int level);
/* [s] */
void wb_joystick_set_constant_force_duration(double duration);
void wb_joystick_set_auto_centering_gain(double gain);
void wb_joystick_set_resistance_gain(double gain);
void wb_joystick_set_force_axis(int axis);

#ifdef __cplusplus
}
#endif

#endif /* WB_JOYSTICK_H */
