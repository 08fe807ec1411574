/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RECEIVER_H
#define WB_RECEIVER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef WB_CHANNEL_BROADCAST
#define WB_CHANNEL_BROADCAST (-1)
#endif

/* Fetches the packets that arrived every sampling_period ms, 0 or more; 0 stops. What arrives at a
 * disabled receiver is lost. */
void wb_receiver_enable(WbDeviceTag tag, int sampling_period);
void wb_receiver_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_receiver_get_sampling_period(WbDeviceTag tag);
/* 0 or more, or WB_CHANNEL_BROADCAST: receives from emitters of every channel. One of the field
 * allowedChannels, where that has any. */
void wb_receiver_set_channel(WbDeviceTag tag, int channel);
int wb_receiver_get_channel(WbDeviceTag tag);
/* Packets in the queue. */
int wb_receiver_get_queue_length(WbDeviceTag tag);
/* Drops the first packet of the queue. */
void wb_receiver_next_packet(WbDeviceTag tag);

/* Of the first packet; the queue must not be empty. Pointers are valid until
 * wb_receiver_next_packet(). */
/* [bytes]; -1 when the queue is empty. */
int wb_receiver_get_data_size(WbDeviceTag tag);
const void *wb_receiver_get_data(WbDeviceTag tag);
/* 1 / (distance from the emitter [m])², when it was sent; NaN when the queue is empty. */
double wb_receiver_get_signal_strength(WbDeviceTag tag);
/* Unit vector towards the emitter, in the axes of the receiver. */
const double *wb_receiver_get_emitter_direction(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_RECEIVER_H */
