/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_DIFFERENTIAL_WHEELS_H
#define WB_DIFFERENTIAL_WHEELS_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The DifferentialWheels node of Webots before R2019: a robot with two wheels. Every function is
 * for such a robot only. */

/* Speeds of the wheels: these numbers times the speedUnit field [rad/s], at most maxSpeed. Positive
 * drives forwards. */
void wb_differential_wheels_set_speed(double left, double right);
/* What was set last. */
double wb_differential_wheels_get_left_speed(void);
double wb_differential_wheels_get_right_speed(void);
/* Counts the turns of the wheels every sampling_period ms, 0 or more; 0 stops. */
void wb_differential_wheels_enable_encoders(int sampling_period);
void wb_differential_wheels_disable_encoders(void);
/* The requested period [ms]; 0 while disabled. */
int wb_differential_wheels_get_encoders_sampling_period(void);
/* encoderResolution pulses per radian, whole ones; NaN before the first sample. */
double wb_differential_wheels_get_left_encoder(void);
double wb_differential_wheels_get_right_encoder(void);
/* Counts on from these numbers [pulses]. */
void wb_differential_wheels_set_encoders(double left, double right);
/* The maxSpeed field [rad/s] and the speedUnit field [rad/s]. */
double wb_differential_wheels_get_max_speed(void);
double wb_differential_wheels_get_speed_unit(void);

#ifdef __cplusplus
}
#endif

#endif /* WB_DIFFERENTIAL_WHEELS_H */
