/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_DISTANCE_SENSOR_H
#define WB_DISTANCE_SENSOR_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  WB_DISTANCE_SENSOR_GENERIC = 0,
  WB_DISTANCE_SENSOR_INFRA_RED,
  WB_DISTANCE_SENSOR_SONAR,
  WB_DISTANCE_SENSOR_LASER
} WbDistanceSensorType;

/* Measures every sampling_period ms, 0 or more; 0 stops. */
void wb_distance_sensor_enable(WbDeviceTag tag, int sampling_period);
void wb_distance_sensor_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_distance_sensor_get_sampling_period(WbDeviceTag tag);
/* The lookup table's value for the distance [m] that its rays find; NaN before the first sample.
 */
double wb_distance_sensor_get_value(WbDeviceTag tag);
/* Largest and smallest reading of the lookup table; infinity and 0 without one. */
double wb_distance_sensor_get_max_value(WbDeviceTag tag);
double wb_distance_sensor_get_min_value(WbDeviceTag tag);
/* The aperture field [rad]. */
double wb_distance_sensor_get_aperture(WbDeviceTag tag);
/* Rows of three numbers: physical value, reading, relative noise. The size counts rows. */
int wb_distance_sensor_get_lookup_table_size(WbDeviceTag tag);
const double *wb_distance_sensor_get_lookup_table(WbDeviceTag tag);
WbDistanceSensorType wb_distance_sensor_get_type(WbDeviceTag tag);
/* The names of wb_distance_sensor_get_max_value() and ..._min_value() before R2018a. */
double wb_distance_sensor_get_max_range(WbDeviceTag tag);
double wb_distance_sensor_get_min_range(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_DISTANCE_SENSOR_H */
