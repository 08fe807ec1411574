/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_POSITION_SENSOR_H
#define WB_POSITION_SENSOR_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measures every sampling_period ms, 0 or more; 0 stops. */
void wb_position_sensor_enable(WbDeviceTag tag, int sampling_period);
void wb_position_sensor_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_position_sensor_get_sampling_period(WbDeviceTag tag);
/* The last measurement [rad|m]; NaN before the first. */
double wb_position_sensor_get_value(WbDeviceTag tag);
WbJointType wb_position_sensor_get_type(WbDeviceTag tag);
/* The other device on the same joint; 0 if there is none. */
WbDeviceTag wb_position_sensor_get_motor(WbDeviceTag tag);
WbDeviceTag wb_position_sensor_get_brake(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_POSITION_SENSOR_H */
