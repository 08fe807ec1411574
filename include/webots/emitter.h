/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_EMITTER_H
#define WB_EMITTER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef WB_CHANNEL_BROADCAST
#define WB_CHANNEL_BROADCAST (-1)
#endif

/* Queues a packet of `size` > 0 bytes, sent with the next step; receivers have it one basic time
 * step later or, with a baudRate, when it has been transmitted. Returns 1, or 0 and does nothing
 * when the bytes that wait leave no room for it in the buffer. */
int wb_emitter_send(WbDeviceTag tag, const void *data, int size);
/* [bytes]; -1: no limit */
int wb_emitter_get_buffer_size(WbDeviceTag tag);
/* 0 or more, or WB_CHANNEL_BROADCAST: receivers of every channel. One of the field
 * allowedChannels, where that has any. */
void wb_emitter_set_channel(WbDeviceTag tag, int channel);
int wb_emitter_get_channel(WbDeviceTag tag);
/* [m]; -1: no limit */
double wb_emitter_get_range(WbDeviceTag tag);
/* -1, or 0 to the field maxRange; more is taken as maxRange. */
void wb_emitter_set_range(WbDeviceTag tag, double range);

#ifdef __cplusplus
}
#endif

#endif /* WB_EMITTER_H */
