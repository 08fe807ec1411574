/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_DISTANCE_SENSOR_H
#define WB_DISTANCE_SENSOR_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The field type. Sensors of the types "generic" and "laser" measure boundingObjects, infra-red
 * ones Shapes; docs/explanation/deviations.md#sensors-that-touch-and-look has the models. */
typedef enum {
  WB_DISTANCE_SENSOR_GENERIC = 0,
  WB_DISTANCE_SENSOR_INFRA_RED,
  WB_DISTANCE_SENSOR_SONAR,
  WB_DISTANCE_SENSOR_LASER
} WbDistanceSensorType;

/* Measures periodically. The first sample comes one period later; the true period is the next
 * multiple of the basic time step [ms]. `sampling_period` is 0 or more; 0 stops the measurement. A
 * negative one is an error. */
void wb_distance_sensor_enable(WbDeviceTag tag, int sampling_period);
/* Stops the measurement. The last sample can still be read, with an error message. */
void wb_distance_sensor_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_distance_sensor_get_sampling_period(WbDeviceTag tag);
/* The lookup table's reading for the distance [m] that its rays find. A ray that meets nothing
 * counts as the last distance of the table, or as infinity without a table. NaN before the first
 * sample. */
double wb_distance_sensor_get_value(WbDeviceTag tag);
/* The largest reading of the lookup table; infinity without a table. */
double wb_distance_sensor_get_max_value(WbDeviceTag tag);
/* The smallest reading of the lookup table; 0 without a table. */
double wb_distance_sensor_get_min_value(WbDeviceTag tag);
/* The field aperture [rad]. */
double wb_distance_sensor_get_aperture(WbDeviceTag tag);
/* The number of rows of the field lookupTable; 0 without a table. */
int wb_distance_sensor_get_lookup_table_size(WbDeviceTag tag);
/* The rows one after the other, three numbers each: physical value, reading, standard deviation of
 * the noise relative to the reading. NULL without a table. A table that a supervisor makes longer
 * must be queried again. */
const double *wb_distance_sensor_get_lookup_table(WbDeviceTag tag);
/* The field type; WB_DISTANCE_SENSOR_GENERIC for a text that is none of the others. */
WbDistanceSensorType wb_distance_sensor_get_type(WbDeviceTag tag);
/* The names of wb_distance_sensor_get_max_value() and wb_distance_sensor_get_min_value() before
 * R2018a. */
double wb_distance_sensor_get_max_range(WbDeviceTag tag);
double wb_distance_sensor_get_min_range(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_DISTANCE_SENSOR_H */
