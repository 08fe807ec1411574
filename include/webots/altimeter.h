/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_ALTIMETER_H
#define WB_ALTIMETER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measures periodically. The first sample comes one period later; the true period is the next
 * multiple of the basic time step [ms]. `sampling_period` is 0 or more; 0 stops the measurement. A
 * negative one is an error. */
void wb_altimeter_enable(WbDeviceTag tag, int sampling_period);
/* Stops the measurement. The last sample can still be read, with an error message. */
void wb_altimeter_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_altimeter_get_sampling_period(WbDeviceTag tag);
/* The coordinate of the sensor against gravity, in the world [m]; NaN before the first sample. */
double wb_altimeter_get_value(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_ALTIMETER_H */
