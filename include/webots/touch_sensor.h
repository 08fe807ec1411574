/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_TOUCH_SENSOR_H
#define WB_TOUCH_SENSOR_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  WB_TOUCH_SENSOR_BUMPER = 0,
  WB_TOUCH_SENSOR_FORCE,
  WB_TOUCH_SENSOR_FORCE3D
} WbTouchSensorType;

/* Measures every sampling_period ms, 0 or more; 0 stops. */
void wb_touch_sensor_enable(WbDeviceTag tag, int sampling_period);
void wb_touch_sensor_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_touch_sensor_get_sampling_period(WbDeviceTag tag);
/* Rows of three numbers: physical value, reading, relative noise. The size counts rows. */
int wb_touch_sensor_get_lookup_table_size(WbDeviceTag tag);
const double *wb_touch_sensor_get_lookup_table(WbDeviceTag tag);
/* bumper: 1 if anything touched it since the last sample, else 0. force: the lookup table's value
 * for the pressing force [N] along its main axis. force-3d: the first of its values. NaN before the
 * first sample. */
double wb_touch_sensor_get_value(WbDeviceTag tag);
/* force-3d: x, y, z [N] in the frame of the sensor; the others: one value. NaN before the first
 * sample. Valid until the next step. */
const double *wb_touch_sensor_get_values(WbDeviceTag tag);
WbTouchSensorType wb_touch_sensor_get_type(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_TOUCH_SENSOR_H */
