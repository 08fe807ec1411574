/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_MICROPHONE_H
#define WB_MICROPHONE_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* servosim makes no sounds: a microphone hears nothing. A message says so once for each of them. */

/* Switches the device on, with this period [ms]; 0 switches it off, and a negative one is an error.
 * It has no sound to deliver: see above. */
void wb_microphone_enable(WbDeviceTag tag, int sampling_period);
/* Switches the device off. */
void wb_microphone_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_microphone_get_sampling_period(WbDeviceTag tag);
/* Always NULL. */
const void *wb_microphone_get_sample_data(WbDeviceTag tag);
/* The size of these data [bytes]: always 0. */
int wb_microphone_get_sample_size(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_MICROPHONE_H */
