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

/* Fetches the packets that have arrived every `sampling_period` ms, 0 or more; 0 stops. A packet
 * that arrives at a disabled receiver, or finds no room in its buffer, is lost without a message.
 */
void wb_receiver_enable(WbDeviceTag tag, int sampling_period);
/* Stops fetching packets; the queue stays. */
void wb_receiver_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_receiver_get_sampling_period(WbDeviceTag tag);
/* 0 or more, or WB_CHANNEL_BROADCAST to hear emitters of every channel. Another number is an error,
 * and so is one that the field allowedChannels, unless it is empty, does not list. */
void wb_receiver_set_channel(WbDeviceTag tag, int channel);
/* The channel that was set last, by the controller or a supervisor; -1 also after an error. */
int wb_receiver_get_channel(WbDeviceTag tag);
/* The number of packets in the queue; -1 for another kind of device. */
int wb_receiver_get_queue_length(WbDeviceTag tag);
/* Removes the first packet of the queue, so that the next one becomes the first. An error when the
 * queue is empty. */
void wb_receiver_next_packet(WbDeviceTag tag);

/* The functions below are about the first packet, and are errors when the queue is empty. Pointers
 * are valid until wb_receiver_next_packet(). */
/* The size of the data of the first packet [bytes]; -1 when the queue is empty. */
int wb_receiver_get_data_size(WbDeviceTag tag);
/* The bytes as they were sent; NULL when the queue is empty. */
const void *wb_receiver_get_data(WbDeviceTag tag);
/* 1 / (distance from the emitter [m])² at the beginning of the step in which it arrived, with the
 * noise of the receiver. NaN when the queue is empty. */
double wb_receiver_get_signal_strength(WbDeviceTag tag);
/* x, y, z of a unit vector towards the emitter at the end of that step, in the axes of the
 * receiver. NULL when the queue is empty. */
const double *wb_receiver_get_emitter_direction(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_RECEIVER_H */
