/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_COMPASS_H
#define WB_COMPASS_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measures every sampling_period ms, 0 or more; 0 stops. */
void wb_compass_enable(WbDeviceTag tag, int sampling_period);
void wb_compass_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_compass_get_sampling_period(WbDeviceTag tag);
/* Rows of three numbers: physical value, reading, relative noise. The size counts rows. */
int wb_compass_get_lookup_table_size(WbDeviceTag tag);
const double *wb_compass_get_lookup_table(WbDeviceTag tag);
/* The direction of north, in the frame of the sensor. NaN before the first sample and for
 * an axis that is switched off. Valid until the next step. */
const double *wb_compass_get_values(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_COMPASS_H */
