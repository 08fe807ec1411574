/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_MOTOR_H
#define WB_MOTOR_H

#include <math.h> /* INFINITY, the position of a motor that is to turn without end */
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Units are rad, rad/s, rad/s², N·m for a RotationalMotor and m, m/s, m/s², N for a LinearMotor.
 * Every function takes a Servo too. Setters act with the next step; NaN is refused. */

/* Target; INFINITY or -INFINITY: turn at the velocity set below, for ever. */
void wb_motor_set_position(WbDeviceTag tag, double position);
/* -1: unlimited; else 0 or more. */
void wb_motor_set_acceleration(WbDeviceTag tag, double acceleration);
/* 0 or more; any sign after wb_motor_set_position(tag, INFINITY). */
void wb_motor_set_velocity(WbDeviceTag tag, double velocity);
/* Drives by this effort instead of position or velocity; `torque` is the same by another name. */
void wb_motor_set_force(WbDeviceTag tag, double force);
void wb_motor_set_torque(WbDeviceTag tag, double torque);
/* Bound on the effort, 0 or more, at most the motor's maximum. */
void wb_motor_set_available_force(WbDeviceTag tag, double force);
void wb_motor_set_available_torque(WbDeviceTag tag, double torque);
/* p [1/s] > 0, i [1/s²] >= 0, d >= 0. */
void wb_motor_set_control_pid(WbDeviceTag tag, double p, double i, double d);

/* Measures the effort on the joint every sampling_period ms, 0 or more; 0 stops. */
void wb_motor_enable_force_feedback(WbDeviceTag tag, int sampling_period);
void wb_motor_disable_force_feedback(WbDeviceTag tag);
int wb_motor_get_force_feedback_sampling_period(WbDeviceTag tag);
/* NaN before the first measurement. */
double wb_motor_get_force_feedback(WbDeviceTag tag);
void wb_motor_enable_torque_feedback(WbDeviceTag tag, int sampling_period);
void wb_motor_disable_torque_feedback(WbDeviceTag tag);
int wb_motor_get_torque_feedback_sampling_period(WbDeviceTag tag);
double wb_motor_get_torque_feedback(WbDeviceTag tag);

WbJointType wb_motor_get_type(WbDeviceTag tag);
/* What was set last, as it was set; nothing of this is measured. */
double wb_motor_get_target_position(WbDeviceTag tag);
double wb_motor_get_velocity(WbDeviceTag tag);
double wb_motor_get_acceleration(WbDeviceTag tag);
double wb_motor_get_available_force(WbDeviceTag tag);
double wb_motor_get_available_torque(WbDeviceTag tag);
/* Fields of the motor. */
double wb_motor_get_min_position(WbDeviceTag tag);
double wb_motor_get_max_position(WbDeviceTag tag);
double wb_motor_get_max_velocity(WbDeviceTag tag);
double wb_motor_get_max_force(WbDeviceTag tag);
double wb_motor_get_max_torque(WbDeviceTag tag);
double wb_motor_get_multiplier(WbDeviceTag tag);
/* The other device on the same joint; 0 if there is none. */
WbDeviceTag wb_motor_get_brake(WbDeviceTag tag);
WbDeviceTag wb_motor_get_position_sensor(WbDeviceTag tag);

/* Spellings of V7.2 to V7.4, when a motor measured its position itself. */
void wb_motor_enable_position(WbDeviceTag tag, int ms);
void wb_motor_disable_position(WbDeviceTag tag);
int wb_motor_get_position_sampling_period(WbDeviceTag tag);
double wb_motor_get_position(WbDeviceTag tag);
void wb_motor_set_control_p(WbDeviceTag tag, double p);

#define WB_MOTOR_ROTATIONAL 0
#define WB_MOTOR_LINEAR 1

#ifdef __cplusplus
}
#endif

#endif /* WB_MOTOR_H */
