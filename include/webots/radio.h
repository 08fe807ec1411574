/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RADIO_H
#define WB_RADIO_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A message arrives with the next step, at each Radio that is enabled, has the same channel and
 * frequency and the address of the message, and receives at least the power rxSensitivity. The
 * power is that of free space between the two places; nothing in between counts. Webots' reference
 * describes little of Radio nodes: the model is servosim's own
 * (docs/explanation/deviations.md#emitters-and-receivers). */

/* A message to be sent; it belongs to the program until wb_radio_message_delete(). */
typedef void *WbRadioMessage;
/* A message that has arrived; it exists as long as the callback that gets it. */
typedef void *WbRadioEvent;

/* A message of `length` >= 1 bytes, which are copied. The destination is the address of a Radio;
 * NULL, "" and "255.255.255.255" mean all of them. NULL for a NULL body or a bad length. */
WbRadioMessage wb_radio_message_new(int length, const char *body, const char *destination);
/* Deletes a message; NULL is allowed. A message that was sent may be deleted at once. */
void wb_radio_message_delete(WbRadioMessage message);
/* These read a message; NULL, or 0, for NULL. The texts are valid until the message is deleted. */
const char *wb_radio_message_get_destination(WbRadioMessage message);
int wb_radio_message_get_length(WbRadioMessage message);
const char *wb_radio_message_get_body(WbRadioMessage message);

/* Receives messages while the period is above 0 [ms]; 0 stops, and a negative one is an error. */
void wb_radio_enable(WbDeviceTag tag, int sampling_period);
/* Stops receiving: messages are lost. */
void wb_radio_disable(WbDeviceTag tag);

/* The address of this Radio; NULL means "". */
void wb_radio_set_address(WbDeviceTag tag, const char *address);
/* The address; valid until it is set again. */
const char *wb_radio_get_address(WbDeviceTag tag);
/* The frequency [Hz], 1 or more; another number is an error. */
void wb_radio_set_frequency(WbDeviceTag tag, double hz);
double wb_radio_get_frequency(WbDeviceTag tag);
/* The channel, 0 or more; another number is an error. */
void wb_radio_set_channel(WbDeviceTag tag, int channel);
int wb_radio_get_channel(WbDeviceTag tag);
/* 1 or more [bit/s]. The bitrate is stored and has no effect: messages take no time. */
void wb_radio_set_bitrate(WbDeviceTag tag, int bits_per_second);
int wb_radio_get_bitrate(WbDeviceTag tag);
/* The smallest power that is received [dBm]. */
void wb_radio_set_rx_sensitivity(WbDeviceTag tag, double dBm);
double wb_radio_get_rx_sensitivity(WbDeviceTag tag);
/* The power that is sent [dBm]. */
void wb_radio_set_tx_power(WbDeviceTag tag, double dBm);
double wb_radio_get_tx_power(WbDeviceTag tag);

/* Called in wb_robot_step() for each message; the event is gone when it returns. A C++ exception
   may not leave it: that ends the controller. */
/* wb_robot_step() calls `callback` once for each message, in the thread that steps; NULL ends that,
 * and messages without a callback are lost. The callback may take a step itself. A C++ exception
 * that leaves it ends the controller. */
void wb_radio_set_callback(WbDeviceTag tag, void (*callback)(const WbRadioEvent));
/* The Radio that has received the message. */
WbDeviceTag wb_radio_event_get_radio(const WbRadioEvent event);
/* The bytes of the message; they, and all below, are valid as long as the callback runs. */
char *wb_radio_event_get_data(const WbRadioEvent event);
/* The number of these bytes. */
int wb_radio_event_get_data_size(const WbRadioEvent event);
/* The address of the Radio that has sent it. */
char *wb_radio_event_get_emitter(const WbRadioEvent event);
/* The power with which it was received [dBm]. */
double wb_radio_event_get_rssi(const WbRadioEvent event);

/* Sends a message with the next step, with the present channel, frequency and power. `delay` is not
 * used. More than 8 MiB of packets in one step are an error. */
void wb_radio_send(WbDeviceTag tag, const WbRadioMessage message, double delay);

#ifdef __cplusplus
}
#endif

#endif /* WB_RADIO_H */
