/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_LIGHT_SENSOR_H
#define WB_LIGHT_SENSOR_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measures periodically. The first sample comes one period later; the true period is the next
 * multiple of the basic time step [ms]. `sampling_period` is 0 or more; 0 stops the measurement. A
 * negative one is an error. */
void wb_light_sensor_enable(WbDeviceTag tag, int sampling_period);
/* Stops the measurement. The last sample can still be read, with an error message. */
void wb_light_sensor_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_light_sensor_get_sampling_period(WbDeviceTag tag);
/* The number of rows of the field lookupTable; 0 without a table. */
int wb_light_sensor_get_lookup_table_size(WbDeviceTag tag);
/* The rows one after the other, three numbers each: physical value, reading, standard deviation of
 * the noise relative to the reading. NULL without a table. A table that a supervisor makes longer
 * must be queried again. */
const double *wb_light_sensor_get_lookup_table(WbDeviceTag tag);
/* The lookup table's reading for the irradiance along its x axis [W/m²]. The model is simple, and
 * light does not reflect (docs/explanation/deviations.md#sensors-that-touch-and-look). NaN before
 * the first sample. */
double wb_light_sensor_get_value(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_LIGHT_SENSOR_H */
