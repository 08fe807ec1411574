/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_TOUCH_SENSOR_H
#define WB_TOUCH_SENSOR_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The field type: whether something touches the sensor, the force that presses on it, or the whole
 * force. */
typedef enum {
  WB_TOUCH_SENSOR_BUMPER = 0,
  WB_TOUCH_SENSOR_FORCE,
  WB_TOUCH_SENSOR_FORCE3D
} WbTouchSensorType;

/* Measures periodically. The first sample comes one period later; the true period is the next
 * multiple of the basic time step [ms]. `sampling_period` is 0 or more; 0 stops the measurement. A
 * negative one is an error. */
void wb_touch_sensor_enable(WbDeviceTag tag, int sampling_period);
/* Stops the measurement. The last sample can still be read, with an error message. */
void wb_touch_sensor_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_touch_sensor_get_sampling_period(WbDeviceTag tag);
/* The number of rows of the field lookupTable; 0 without a table. */
int wb_touch_sensor_get_lookup_table_size(WbDeviceTag tag);
/* The rows one after the other, three numbers each: physical value, reading, standard deviation of
 * the noise relative to the reading. NULL without a table. A table that a supervisor makes longer
 * must be queried again. */
const double *wb_touch_sensor_get_lookup_table(WbDeviceTag tag);
/* bumper: 1 if anything has touched it since the last sample, else 0. force: the lookup table's
 * reading for the force [N] that presses on it along its main axis. force-3d: the first of its
 * three values. NaN before the first sample. */
double wb_touch_sensor_get_value(WbDeviceTag tag);
/* force-3d: x, y, z [N] in the frame of the sensor, the force that it passes on to what carries it.
 * The other types have one value. NaN before the first sample. Valid until the next step. */
const double *wb_touch_sensor_get_values(WbDeviceTag tag);
/* The field type; WB_TOUCH_SENSOR_BUMPER for a text that is none of the others. */
WbTouchSensorType wb_touch_sensor_get_type(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_TOUCH_SENSOR_H */
