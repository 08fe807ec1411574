/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_LIGHT_SENSOR_H
#define WB_LIGHT_SENSOR_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measures every sampling_period ms, 0 or more; 0 stops. */
void wb_light_sensor_enable(WbDeviceTag tag, int sampling_period);
void wb_light_sensor_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_light_sensor_get_sampling_period(WbDeviceTag tag);
/* Rows of three numbers: physical value, reading, relative noise. The size counts rows. */
int wb_light_sensor_get_lookup_table_size(WbDeviceTag tag);
const double *wb_light_sensor_get_lookup_table(WbDeviceTag tag);
/* The lookup table's value for the irradiance [W/m²] along its x axis; NaN before the first
 * sample. */
double wb_light_sensor_get_value(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_LIGHT_SENSOR_H */
