/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_JOYSTICK_H
#define WB_JOYSTICK_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* There is no user input: no joystick is ever connected, and commands to it do nothing. */

/* Stores the period [ms], 0 or more; a negative one is an error. */
void wb_joystick_enable(int sampling_period);
/* Sets the period to 0. */
void wb_joystick_disable(void);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_joystick_get_sampling_period(void);
/* Always false. */
bool wb_joystick_is_connected(void);
/* Always NULL. */
const char *wb_joystick_get_model(void);
/* These four are always 0. */
int wb_joystick_get_number_of_axes(void);
int wb_joystick_get_axis_value(int axis);
int wb_joystick_get_number_of_povs(void);
int wb_joystick_get_pov_value(int pov);
/* Always -1: no button is pressed. */
int wb_joystick_get_pressed_button(void);

/* The functions for force feedback accept every number. */
void wb_joystick_set_constant_force(int level);
void wb_joystick_set_constant_force_duration(double duration);
void wb_joystick_set_auto_centering_gain(double gain);
void wb_joystick_set_resistance_gain(double gain);
void wb_joystick_set_force_axis(int axis);

#ifdef __cplusplus
}
#endif

#endif /* WB_JOYSTICK_H */
