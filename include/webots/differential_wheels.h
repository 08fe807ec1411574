/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_DIFFERENTIAL_WHEELS_H
#define WB_DIFFERENTIAL_WHEELS_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The DifferentialWheels node of Webots before R2019: a robot with two wheels. Every function is an
 * error for another robot. */

/* The speeds of the wheels, in units of the field speedUnit [rad/s]; positive drives forwards. The
 * simulation clamps them to the field maxSpeed, with one message. NaN is an error. */
void wb_differential_wheels_set_speed(double left, double right);
/* The number that was set last, also where the simulation has clamped it; 0 at first. */
double wb_differential_wheels_get_left_speed(void);
/* The same for the right wheel. */
double wb_differential_wheels_get_right_speed(void);
/* Reads the counters of the wheels every `sampling_period` ms, 0 or more; 0 stops. A robot whose
 * field encoderNoise or encoderResolution is negative, as by default, has no encoders: a message
 * says so. */
void wb_differential_wheels_enable_encoders(int sampling_period);
/* Stops reading them. */
void wb_differential_wheels_disable_encoders(void);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_differential_wheels_get_encoders_sampling_period(void);
/* What the left wheel has turned [pulses]: encoderResolution pulses per radian, as a whole number.
 * NaN before the first sample, and for ever without encoders. */
double wb_differential_wheels_get_left_encoder(void);
/* The same for the right wheel. */
double wb_differential_wheels_get_right_encoder(void);
/* Sets the counters [pulses], which go on from there. Both numbers must be finite. */
void wb_differential_wheels_set_encoders(double left, double right);
/* The field maxSpeed [rad/s]. */
double wb_differential_wheels_get_max_speed(void);
/* The field speedUnit [rad/s]. */
double wb_differential_wheels_get_speed_unit(void);

#ifdef __cplusplus
}
#endif

#endif /* WB_DIFFERENTIAL_WHEELS_H */
