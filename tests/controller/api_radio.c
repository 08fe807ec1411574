/* SPDX-License-Identifier: Apache-2.0 */
/* Emitters and receivers, all on one robot that stands at 1 2 0.5, turned left by a quarter. */
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

static WbDeviceTag listen(const char *name) {
  const WbDeviceTag tag = find(name);
  wb_receiver_enable(tag, kStep);
  EXPECT(wb_receiver_get_sampling_period(tag) == kStep);
  return tag;
}

/* Takes away everything that was received. */
static int drain(WbDeviceTag tag) {
  int count = 0;
  for (; wb_receiver_get_queue_length(tag) > 0; ++count) wb_receiver_next_packet(tag);
  return count;
}

static void one_step_later(WbDeviceTag tx, WbDeviceTag near, WbDeviceTag far, WbDeviceTag all) {
  EXPECT(wb_emitter_send(tx, "hello", 6) == 1);
  EXPECT(wb_receiver_get_queue_length(near) == 0);
  wb_robot_step(0);
  EXPECT(wb_receiver_get_queue_length(near) == 0);
  wb_robot_step(kStep);
  EXPECT(wb_receiver_get_queue_length(near) == 1);
  EXPECT(wb_receiver_get_data_size(near) == 6);
  EXPECT_TEXT((const char *)wb_receiver_get_data(near), "hello");
  EXPECT_NEAR(wb_receiver_get_signal_strength(near), 0.25, 1e-12);
  /* From (2, 0) the emitter is at -x, which is +y in a frame turned by a quarter. */
  const double *to = wb_receiver_get_emitter_direction(near);
  EXPECT_NEAR(to[0], 0.0, 1e-12);
  EXPECT_NEAR(to[1], 1.0, 1e-12);
  EXPECT_NEAR(to[2], 0.0, 1e-12);
  EXPECT(wb_receiver_get_queue_length(far) == 0);
  EXPECT(wb_receiver_get_queue_length(all) == 1);
  EXPECT_NEAR(wb_receiver_get_signal_strength(all), 1.0, 1e-12);
  EXPECT(drain(near) == 1 && drain(all) == 1);
  wb_robot_step(kStep);
  EXPECT(wb_receiver_get_queue_length(near) == 0);
  EXPECT_SILENCE();
}

static void range(WbDeviceTag tx, WbDeviceTag near, WbDeviceTag far) {
  EXPECT_IS(wb_emitter_get_range(tx), 3.0);
  wb_emitter_set_range(tx, 9.0);
  EXPECT_IS(wb_emitter_get_range(tx), 5.0);
  wb_emitter_send(tx, "reach", 5);
  wb_emitter_set_range(tx, 1.0); /* what was sent before keeps its range */
  wb_emitter_send(tx, "short", 5);
  wb_robot_step(kStep);
  EXPECT(drain(near) == 1 && drain(far) == 1);
  EXPECT_SILENCE();
  wb_emitter_set_range(tx, -2.0);
  EXPECT_MESSAGE("Error: wb_emitter_set_range(): ");
  wb_emitter_set_range(tx, 3.0);
}

static void channels(WbDeviceTag tx, WbDeviceTag near, WbDeviceTag all, WbDeviceTag other) {
  drain(all);
  wb_emitter_set_channel(tx, 7);
  EXPECT_MESSAGE("Error: wb_emitter_set_channel(): the channel is none of");
  wb_emitter_set_channel(tx, -3);
  EXPECT_MESSAGE("Error: wb_emitter_set_channel(): ");
  EXPECT(wb_emitter_get_channel(tx) == 1);
  wb_emitter_set_channel(tx, 2);
  wb_emitter_send(tx, "two", 4);
  wb_robot_step(kStep);
  EXPECT(drain(near) == 0 && drain(all) == 1 && drain(other) == 1);
  wb_emitter_set_channel(tx, WB_CHANNEL_BROADCAST);
  wb_emitter_send(tx, "any", 4);
  wb_robot_step(kStep);
  EXPECT(drain(near) == 1 && drain(all) == 1 && drain(other) == 1);
  wb_emitter_set_channel(tx, 1);
  wb_receiver_set_channel(other, 1);
  EXPECT(wb_receiver_get_channel(other) == 1);
  wb_emitter_send(tx, "one", 4);
  wb_robot_step(kStep);
  EXPECT(drain(near) == 1 && drain(all) == 1 && drain(other) == 1);
  wb_receiver_set_channel(other, 2);
  EXPECT_SILENCE();
}

static void buffers(WbDeviceTag tx, WbDeviceTag near) {
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
  /* The receiver has room for 20: the last packet was lost. */
  EXPECT(wb_receiver_get_queue_length(near) == 2);
  EXPECT(wb_receiver_get_data_size(near) == 10);
  wb_receiver_next_packet(near);
  EXPECT(wb_receiver_get_data_size(near) == 6);
  wb_receiver_next_packet(near);
  wb_receiver_next_packet(near);
  EXPECT_MESSAGE("Error: wb_receiver_next_packet(): the receiver's queue is empty");
  EXPECT(wb_receiver_get_data(near) == NULL);
  EXPECT_MESSAGE("Error: wb_receiver_get_data(): the receiver's queue is empty");
  EXPECT(wb_receiver_get_data_size(near) == -1);
  EXPECT_NAN(wb_receiver_get_signal_strength(near));
  EXPECT(wb_receiver_get_emitter_direction(near) == NULL);
  take_messages();
}

/* 5 bytes of 10 bits at 1000 bit/s take 50 ms: they are there at the end of the fourth step. */
static void baud_rate(WbDeviceTag slow, WbDeviceTag patient) {
  int steps = 0;
  EXPECT(wb_emitter_send(slow, "12345", 5) == 1);
  while (wb_receiver_get_queue_length(patient) == 0 && steps < 10) {
    wb_robot_step(kStep);
    ++steps;
    EXPECT(steps >= 4 || wb_emitter_send(slow, "1234", 4) == 0); /* 5 of 8 bytes wait */
  }
  EXPECT(steps == 4);
  EXPECT_NEAR(wb_receiver_get_signal_strength(patient), 4.0, 1e-12);
  EXPECT_NEAR(wb_receiver_get_emitter_direction(patient)[2], -1.0, 1e-12);
  EXPECT(wb_emitter_send(slow, "1234", 4) == 1);
  EXPECT_SILENCE();
}

/* The lamp shines along +x, half a radian to each side. */
static void infra_red(void) {
  const WbDeviceTag front = listen("front");
  const WbDeviceTag side = listen("side");
  const WbDeviceTag turned = listen("turned");
  const WbDeviceTag facing = listen("facing");
  wb_emitter_send(find("lamp"), "light", 6);
  wb_robot_step(kStep);
  EXPECT(drain(front) == 1);
  EXPECT(drain(side) == 0);
  EXPECT(drain(turned) == 0); /* it looks away */
  EXPECT(drain(facing) == 1);
  EXPECT_SILENCE();
}

static void wrong_tags(WbDeviceTag tx, WbDeviceTag near) {
  EXPECT(wb_emitter_send(near, "x", 1) == 0);
  EXPECT_MESSAGE("Error: wb_emitter_send(): invalid device tag");
  EXPECT(wb_receiver_get_queue_length(tx) == 0);
  EXPECT_MESSAGE("Error: wb_receiver_get_queue_length(): invalid device tag");
  wb_receiver_disable(near);
  wb_emitter_send(tx, "lost", 5);
  wb_robot_step(kStep);
  EXPECT(wb_receiver_get_queue_length(near) == 0);
  EXPECT_MESSAGE("Error: wb_receiver_get_queue_length(): called for a disabled device");
}

int main(void) {
  api_begin();
  wb_robot_init();
  const WbDeviceTag tx = find("tx");
  const WbDeviceTag near = listen("near");
  const WbDeviceTag far = listen("far");
  const WbDeviceTag all = listen("all");
  const WbDeviceTag other = listen("other");
  one_step_later(tx, near, far, all);
  range(tx, near, far);
  channels(tx, near, all, other);
  buffers(tx, near);
  baud_rate(find("slow"), listen("patient"));
  infra_red();
  wrong_tags(tx, near);
  wb_robot_cleanup();
  return api_end();
}
