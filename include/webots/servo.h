/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_SERVO_H
#define WB_SERVO_H

#include <math.h> /* INFINITY, the position of a motor that is to turn without end */
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The Servo node of V6 and V7: joint, motor and position sensor in one. Every function takes a
 * RotationalMotor or LinearMotor too. Each does what the function of that name in webots/motor.h
 * does, which has its units, its limits and its errors. */

/* The target [rad|m], as wb_motor_set_position(); INFINITY selects velocity control. */
void wb_servo_set_position(WbDeviceTag tag, double position);
/* The largest speed, or in velocity control the velocity [rad/s|m/s]. */
void wb_servo_set_velocity(WbDeviceTag tag, double velocity);
/* 0 or more [rad/s²|m/s²], or -1 for no limit. */
void wb_servo_set_acceleration(WbDeviceTag tag, double acceleration);
/* The largest effort of the motor [N·m|N], as wb_motor_set_available_force(). */
void wb_servo_set_motor_force(WbDeviceTag tag, double motor_force);
/* Begins force control with this effort [N·m|N], as wb_motor_set_force(). */
void wb_servo_set_force(WbDeviceTag tag, double force);
/* The gain P of position control [1/s], > 0; the other gains stay. */
void wb_servo_set_control_p(WbDeviceTag tag, double p);
/* What was set last [rad|m]; not measured. */
double wb_servo_get_target_position(WbDeviceTag tag);
/* The fields minPosition and maxPosition [rad|m]; equal values mean that there are no limits. */
double wb_servo_get_min_position(WbDeviceTag tag);
double wb_servo_get_max_position(WbDeviceTag tag);

/* Measures the position every `ms` milliseconds, 0 or more; 0 stops. */
void wb_servo_enable_position(WbDeviceTag tag, int ms);
void wb_servo_disable_position(WbDeviceTag tag);
int wb_servo_get_position_sampling_period(WbDeviceTag tag);
/* The last sample [rad|m]; NaN before the first one. An error while it is disabled, which still
 * returns the last one. */
double wb_servo_get_position(WbDeviceTag tag);

/* Measures the effort of the joint every `ms` milliseconds, as wb_motor_enable_force_feedback(). */
void wb_servo_enable_motor_force_feedback(WbDeviceTag tag, int ms);
void wb_servo_disable_motor_force_feedback(WbDeviceTag tag);
int wb_servo_get_motor_force_feedback_sampling_period(WbDeviceTag tag);
/* The last sample [N·m|N]; NaN before the first one. */
double wb_servo_get_motor_force_feedback(WbDeviceTag tag);

/* WB_SERVO_ROTATIONAL or WB_SERVO_LINEAR. */
int wb_servo_get_type(WbDeviceTag tag);

#define WB_SERVO_ROTATIONAL 0
#define WB_SERVO_LINEAR 1
#define WB_SERVO_INFINITY INFINITY /* V6.0 and V6.1 */

#ifdef __cplusplus
}
#endif

#endif /* WB_SERVO_H */
