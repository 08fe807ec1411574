/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_ALTIMETER_H
#define WB_ALTIMETER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measures every sampling_period ms, 0 or more; 0 stops. */
void wb_altimeter_enable(WbDeviceTag tag, int sampling_period);
void wb_altimeter_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_altimeter_get_sampling_period(WbDeviceTag tag);
/* The last height [m]; NaN before the first sample. */
double wb_altimeter_get_value(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_ALTIMETER_H */
