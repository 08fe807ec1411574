/* SPDX-License-Identifier: Apache-2.0 */
/* A robot's emitters and receivers: it does not receive its own packets.
 * tests/programs/radio_test.cpp and tests/devices/radio_test.cpp have several robots. */
#include <webots/emitter.h>
#include <webots/receiver.h>
#include <webots/robot.h>

#include "api.h"

enum { kStep = 16 };

static WbDeviceTag find(const char *name) {
  const WbDeviceTag tag = wb_robot_get_device(name);
  EXPECT(tag != 0);
  return tag;
}

static void range(WbDeviceTag tx) {
  EXPECT_IS(wb_emitter_get_range(tx), 3.0);
  wb_emitter_set_range(tx, 9.0);
  EXPECT_IS(wb_emitter_get_range(tx), 5.0);
  EXPECT_SILENCE();
  wb_emitter_set_range(tx, -2.0);
  EXPECT_MESSAGE("Error: wb_emitter_set_range(): ");
  wb_emitter_set_range(tx, 3.0);
}

static void channels(WbDeviceTag tx, WbDeviceTag rx) {
  wb_emitter_set_channel(tx, 7);
  EXPECT_MESSAGE("Error: wb_emitter_set_channel(): the channel is none of");
  wb_emitter_set_channel(tx, -3);
  EXPECT_MESSAGE("Error: wb_emitter_set_channel(): ");
  EXPECT(wb_emitter_get_channel(tx) == 1);
  wb_emitter_set_channel(tx, WB_CHANNEL_BROADCAST);
  EXPECT(wb_emitter_get_channel(tx) == WB_CHANNEL_BROADCAST);
  wb_emitter_set_channel(tx, 1);
  EXPECT(wb_receiver_get_channel(rx) == 1);
  wb_receiver_set_channel(rx, 2);
  EXPECT(wb_receiver_get_channel(rx) == 2);
  wb_receiver_set_channel(rx, 1);
  EXPECT_SILENCE();
}

static void buffers(WbDeviceTag tx, WbDeviceTag rx) {
  const char text[32] = "0123456789abcdef";
  EXPECT(wb_emitter_get_buffer_size(tx) == 16);
  EXPECT(wb_emitter_send(tx, text, 10) == 1);
  EXPECT(wb_emitter_send(tx, text, 7) == 0); /* no room: 17 bytes */
  EXPECT(wb_emitter_send(tx, text, 6) == 1);
  EXPECT_SILENCE();
  EXPECT(wb_emitter_send(tx, text, 17) == 0);
  EXPECT_MESSAGE("Error: wb_emitter_send(): the packet of 17 bytes is larger than the buffer");
  EXPECT(wb_emitter_send(tx, text, 0) == 0);
  EXPECT_MESSAGE("Error: wb_emitter_send(): the size is");
  EXPECT(wb_emitter_send(tx, NULL, 4) == 0);
  EXPECT_MESSAGE("Error: wb_emitter_send(): the data is NULL");
  wb_robot_step(kStep);
  EXPECT(wb_emitter_send(tx, text, 16) == 1); /* room again */
  wb_robot_step(kStep);
  EXPECT(wb_receiver_get_queue_length(rx) == 0); /* its own voice */
  EXPECT_SILENCE();
}

static void empty_queue(WbDeviceTag rx) {
  wb_receiver_next_packet(rx);
  EXPECT_MESSAGE("Error: wb_receiver_next_packet(): the receiver's queue is empty");
  EXPECT(wb_receiver_get_data(rx) == NULL);
  EXPECT_MESSAGE("Error: wb_receiver_get_data(): the receiver's queue is empty");
  EXPECT(wb_receiver_get_data_size(rx) == -1);
  EXPECT_NAN(wb_receiver_get_signal_strength(rx));
  EXPECT(wb_receiver_get_emitter_direction(rx) == NULL);
  take_messages();
}

/* 5 bytes of 10 bits at 1000 bit/s take 50 ms, which ends in the fourth step. */
static void baud_rate(WbDeviceTag slow) {
  int steps = 0;
  EXPECT(wb_emitter_send(slow, "12345", 5) == 1);
  for (; wb_emitter_send(slow, "1234", 4) == 0 && steps < 10; ++steps) wb_robot_step(kStep);
  EXPECT(steps == 4);
  EXPECT_SILENCE();
}

static void wrong_tags(WbDeviceTag tx, WbDeviceTag rx) {
  EXPECT(wb_emitter_send(rx, "x", 1) == 0);
  EXPECT_MESSAGE("Error: wb_emitter_send(): invalid device tag");
  EXPECT(wb_receiver_get_queue_length(tx) == -1);
  EXPECT_MESSAGE("Error: wb_receiver_get_queue_length(): invalid device tag");
  EXPECT(wb_receiver_get_channel(tx) == -1);
  EXPECT_MESSAGE("Error: wb_receiver_get_channel(): invalid device tag");
  EXPECT(wb_emitter_get_channel(99) == -1);
  EXPECT_MESSAGE("Error: wb_emitter_get_channel(): ");
  EXPECT(wb_emitter_get_buffer_size(rx) == -1);
  EXPECT_MESSAGE("Error: wb_emitter_get_buffer_size(): invalid device tag");
  EXPECT_NAN(wb_emitter_get_range(rx));
  EXPECT_MESSAGE("Error: wb_emitter_get_range(): invalid device tag");
  wb_receiver_disable(rx);
  EXPECT(wb_receiver_get_queue_length(rx) == 0);
  EXPECT_MESSAGE("Error: wb_receiver_get_queue_length() called for a disabled device");
}

int main(void) {
  api_begin();
  wb_robot_init();
  const WbDeviceTag tx = find("tx");
  const WbDeviceTag rx = find("rx");
  wb_receiver_enable(rx, kStep);
  EXPECT(wb_receiver_get_sampling_period(rx) == kStep);
  range(tx);
  channels(tx, rx);
  buffers(tx, rx);
  empty_queue(rx);
  baud_rate(find("slow"));
  wrong_tags(tx, rx);
  wb_robot_cleanup();
  return api_end();
}
