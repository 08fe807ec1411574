/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_MOTOR_H
#define WB_MOTOR_H

#include <math.h> /* INFINITY, the position of a motor that is to turn without end */
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Units are rad, rad/s, rad/s², N·m for a RotationalMotor and m, m/s, m/s², N for a LinearMotor.
 * Every function takes a Servo too. NaN is an error in each setter, and nothing changes then.
 *
 * The simulation multiplies position, velocity and force by the field multiplier, and clamps what
 * is beyond a limit; it reports the first value of each kind, where Webots reports every one.
 * Position, velocity and force also reach the motors that are coupled to this one. */

/* The target of position control, which ends force control. INFINITY or -INFINITY selects velocity
 * control: the motor turns for ever at the velocity that is set below. */
void wb_motor_set_position(WbDeviceTag tag, double position);
/* The largest change of the velocity per time: 0 or more, or -1 for no limit. Another number is an
 * error. */
void wb_motor_set_acceleration(WbDeviceTag tag, double acceleration);
/* In position control the largest speed, 0 or more; a negative one is an error. In velocity
 * control, after wb_motor_set_position(tag, INFINITY), the velocity, of any sign. At first it is
 * the field maxVelocity. */
void wb_motor_set_velocity(WbDeviceTag tag, double velocity);
/* Begins force control: the motor puts this effort on the joint until wb_motor_set_position(). The
 * effort is at most the available force. */
void wb_motor_set_force(WbDeviceTag tag, double force);
/* The same by another name. */
void wb_motor_set_torque(WbDeviceTag tag, double torque);
/* The largest effort of the motor: 0 or more, at most the field maxForce or maxTorque. Coupled
 * motors do not get it. */
void wb_motor_set_available_force(WbDeviceTag tag, double force);
/* The same by another name. */
void wb_motor_set_available_torque(WbDeviceTag tag, double torque);
/* The gains of position control: p [1/s] > 0, i [1/s²] >= 0, d >= 0, all finite. The error integral
 * becomes 0. */
void wb_motor_set_control_pid(WbDeviceTag tag, double p, double i, double d);

/* Measures the effort of the joint every `sampling_period` ms, 0 or more; 0 stops. The motor of a
 * Propeller and a joint without Physics on both sides have no feedback, which a message says. */
void wb_motor_enable_force_feedback(WbDeviceTag tag, int sampling_period);
/* Stops the measurement. */
void wb_motor_disable_force_feedback(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_motor_get_force_feedback_sampling_period(WbDeviceTag tag);
/* The last sample [N·m|N]: what motor, friction and stop put on the joint's end along the positive
 * axis. NaN before the first sample. */
double wb_motor_get_force_feedback(WbDeviceTag tag);
/* The same four functions by another name. */
void wb_motor_enable_torque_feedback(WbDeviceTag tag, int sampling_period);
void wb_motor_disable_torque_feedback(WbDeviceTag tag);
int wb_motor_get_torque_feedback_sampling_period(WbDeviceTag tag);
double wb_motor_get_torque_feedback(WbDeviceTag tag);

/* WB_LINEAR for a LinearMotor, else WB_ROTATIONAL. */
WbJointType wb_motor_get_type(WbDeviceTag tag);
/* These return what was set last, as it was set: before the multiplier and the limits. Nothing of
 * it is measured.
 *
 * The target [rad|m]; INFINITY in velocity control. */
double wb_motor_get_target_position(WbDeviceTag tag);
/* The speed limit, or in velocity control the velocity [rad/s|m/s]. */
double wb_motor_get_velocity(WbDeviceTag tag);
/* [rad/s²|m/s²]; -1: no limit. */
double wb_motor_get_acceleration(WbDeviceTag tag);
/* The largest effort [N·m|N]; the other name is for rotational motors. */
double wb_motor_get_available_force(WbDeviceTag tag);
double wb_motor_get_available_torque(WbDeviceTag tag);
/* These return fields of the motor, which a supervisor may change.
 *
 * The limits of the target [rad|m]; equal values mean that there are none. */
double wb_motor_get_min_position(WbDeviceTag tag);
double wb_motor_get_max_position(WbDeviceTag tag);
/* The limit of the velocity [rad/s|m/s]. */
double wb_motor_get_max_velocity(WbDeviceTag tag);
/* The limit of the effort [N·m|N], by both names. */
double wb_motor_get_max_force(WbDeviceTag tag);
double wb_motor_get_max_torque(WbDeviceTag tag);
/* The factor by which the simulation multiplies position, velocity and force. */
double wb_motor_get_multiplier(WbDeviceTag tag);
/* The brake on the same joint; 0 if there is none. */
WbDeviceTag wb_motor_get_brake(WbDeviceTag tag);
/* The position sensor on the same joint; 0 if there is none. */
WbDeviceTag wb_motor_get_position_sensor(WbDeviceTag tag);

/* Functions of V7.2 to V7.4, when a motor measured its position itself. The position is in [rad|m],
 * and NaN before the first sample; wb_motor_set_control_p() sets p alone. */
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
