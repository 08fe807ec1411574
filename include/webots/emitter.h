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

/* Queues a packet of `size` > 0 bytes on the present channel, with the present range. It is sent
 * with the next step; receivers have it after that step or, with a baudRate, after the one in which
 * its last bit is sent. Returns 1, or 0 without a message if the bytes that wait leave no room for
 * it in the buffer. A packet that is larger than the buffer is an error (0), and so are more than 8
 * MiB of packets in one step. */
int wb_emitter_send(WbDeviceTag tag, const void *data, int size);
/* The field bufferSize [bytes]; -1: no limit. */
int wb_emitter_get_buffer_size(WbDeviceTag tag);
/* 0 or more, or WB_CHANNEL_BROADCAST for receivers of every channel. Another number is an error,
 * and so is one that the field allowedChannels, unless it is empty, does not list. */
void wb_emitter_set_channel(WbDeviceTag tag, int channel);
/* The channel that was set last, by the controller or a supervisor; -1 also after an error. */
int wb_emitter_get_channel(WbDeviceTag tag);
/* The range [m]; -1: no limit. */
double wb_emitter_get_range(WbDeviceTag tag);
/* The range [m]: 0 or more, or -1 or INFINITY for no limit. More than the field maxRange is taken
 * as maxRange. Another number is an error. */
void wb_emitter_set_range(WbDeviceTag tag, double range);

#ifdef __cplusplus
}
#endif

#endif /* WB_EMITTER_H */
