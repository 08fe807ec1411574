/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_POSITION_SENSOR_H
#define WB_POSITION_SENSOR_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measures periodically. The first sample comes one period later; the true period is the next
 * multiple of the basic time step [ms]. `sampling_period` is 0 or more; 0 stops the measurement. A
 * negative one is an error. */
void wb_position_sensor_enable(WbDeviceTag tag, int sampling_period);
/* Stops the measurement. The last sample can still be read, with an error message. */
void wb_position_sensor_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_position_sensor_get_sampling_period(WbDeviceTag tag);
/* The last sample [rad|m], with all turns of a hinge; NaN before the first one. For a joint with
 * backlash it is the position on the motor's side. */
double wb_position_sensor_get_value(WbDeviceTag tag);
/* The kind of the joint, which tells the unit of the position. */
WbJointType wb_position_sensor_get_type(WbDeviceTag tag);
/* The motor on the same joint; 0 if there is none. */
WbDeviceTag wb_position_sensor_get_motor(WbDeviceTag tag);
/* The brake on the same joint; 0 if there is none. */
WbDeviceTag wb_position_sensor_get_brake(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_POSITION_SENSOR_H */
