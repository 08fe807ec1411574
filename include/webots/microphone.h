/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_MICROPHONE_H
#define WB_MICROPHONE_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Deaf: there is no sound. */

void wb_microphone_enable(WbDeviceTag tag, int sampling_period);
void wb_microphone_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_microphone_get_sampling_period(WbDeviceTag tag);
/* NULL */
const void *wb_microphone_get_sample_data(WbDeviceTag tag);
/* 0 */
int wb_microphone_get_sample_size(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_MICROPHONE_H */
