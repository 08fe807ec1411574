/* SPDX-License-Identifier: Apache-2.0 */
/* Radio nodes: which node receives a message, when, and with which strength. */
#include <string.h>
#include <webots/radio.h>
#include <webots/robot.h>

#include "api.h"

enum { kStep = 16 };

static WbDeviceTag last_radio;
static int count;
static char text[64];
static char sender[64];
static double rssi;

static void hear(const WbRadioEvent event) {
  ++count;
  last_radio = wb_radio_event_get_radio(event);
  memcpy(text, wb_radio_event_get_data(event), (size_t)wb_radio_event_get_data_size(event));
  text[wb_radio_event_get_data_size(event)] = '\0';
  strcpy(sender, wb_radio_event_get_emitter(event));
  rssi = wb_radio_event_get_rssi(event);
}

static WbDeviceTag listen(const char *name) {
  const WbDeviceTag tag = wb_robot_get_device(name);
  wb_radio_enable(tag, kStep);
  wb_radio_set_callback(tag, hear);
  return tag;
}

static int heard(WbDeviceTag from, const char *body, const char *to) {
  const WbRadioMessage message = wb_radio_message_new((int)strlen(body), body, to);
  count = 0;
  wb_radio_send(from, message, 0.0);
  wb_radio_message_delete(message); /* it is under way */
  wb_robot_step(0);
  EXPECT(count == 0);
  wb_robot_step(kStep);
  return count;
}

static void makes_messages(void) {
  WbRadioMessage message = wb_radio_message_new(5, "hello", "10.0.0.2");
  EXPECT(wb_radio_message_get_length(message) == 5);
  EXPECT_TEXT(wb_radio_message_get_body(message), "hello");
  EXPECT_TEXT(wb_radio_message_get_destination(message), "10.0.0.2");
  wb_radio_message_delete(message);
  EXPECT(wb_radio_message_new(0, "hello", "") == NULL);
  EXPECT_MESSAGE("Error: wb_radio_message_new(): ");
  EXPECT(wb_radio_event_get_radio(NULL) == 0 && wb_radio_event_get_data(NULL) == NULL);
  EXPECT(wb_radio_event_get_data_size(NULL) == 0 && wb_radio_event_get_emitter(NULL) == NULL);
  EXPECT_NAN(wb_radio_event_get_rssi(NULL));
  wb_radio_send(wb_robot_get_device("base"), NULL, 0.0);
  EXPECT_MESSAGE("Error: wb_radio_send(): the message is NULL.");
}

static void who_hears(WbDeviceTag base, WbDeviceTag near, WbDeviceTag far) {
  EXPECT(heard(base, "hello", "10.0.0.2") == 1);
  EXPECT(last_radio == near);
  EXPECT_TEXT(text, "hello");
  EXPECT_TEXT(sender, "10.0.0.1");
  /* 5 dBm, 2 m, 2.4 GHz: 5 - 20 lg(4 pi 2 f / c) */
  EXPECT_NEAR(rssi, 5.0 - 46.0724, 1e-3);
  EXPECT(heard(base, "nobody", "10.0.0.9") == 0);
  EXPECT(heard(base, "all", "") == 1); /* far is too weak, other on another channel */
  EXPECT(heard(base, "all", NULL) == 1);
  EXPECT(heard(base, "all", "255.255.255.255") == 1);
  wb_radio_set_rx_sensitivity(far, -90.0);
  EXPECT_IS(wb_radio_get_rx_sensitivity(far), -90.0);
  EXPECT(heard(base, "far", "10.0.0.3") == 1);
  EXPECT(last_radio == far);
  wb_radio_set_tx_power(base, -30.0);
  EXPECT_IS(wb_radio_get_tx_power(base), -30.0);
  EXPECT(heard(base, "far", "10.0.0.3") == 0);
  wb_radio_set_tx_power(base, 5.0);
}

static void settings(WbDeviceTag base, WbDeviceTag near, WbDeviceTag other) {
  EXPECT(wb_radio_get_channel(near) == 3);
  wb_radio_set_channel(near, 4);
  EXPECT(wb_radio_get_channel(near) == 4);
  EXPECT(heard(base, "three", "10.0.0.2") == 0);
  wb_radio_set_channel(base, 4);
  wb_radio_set_address(other, "10.0.0.4");
  EXPECT_TEXT(wb_radio_get_address(other), "10.0.0.4");
  EXPECT(heard(base, "four", "10.0.0.2") == 1);
  EXPECT(last_radio == near);
  EXPECT(heard(base, "four", "10.0.0.4") == 1);
  EXPECT(last_radio == other);
  wb_radio_set_frequency(base, 1e9);
  EXPECT_IS(wb_radio_get_frequency(base), 1e9);
  EXPECT(heard(base, "low", "") == 0);
  wb_radio_set_frequency(base, 2.4e9);
  wb_radio_disable(near);
  EXPECT(heard(base, "off", "10.0.0.2") == 0);
  wb_radio_enable(near, kStep);
  wb_radio_set_callback(near, NULL);
  EXPECT(heard(base, "deaf", "10.0.0.2") == 0);
  wb_radio_set_callback(near, hear);
  EXPECT(heard(base, "again", "10.0.0.2") == 1);
  wb_radio_set_bitrate(base, 9600);
  EXPECT(wb_radio_get_bitrate(base) == 9600);
  EXPECT_SILENCE();
  wb_radio_set_channel(base, -1);
  EXPECT_MESSAGE("Error: wb_radio_set_channel(): ");
}

/* Messages are not stored while no callback is set. */
static void unheard(WbDeviceTag base, WbDeviceTag near) {
  wb_radio_enable(near, kStep);
  heard(base, "early", "");
  wb_radio_set_callback(near, hear);
  wb_robot_step(kStep);
  EXPECT(count == 0);
}

static WbDeviceTag to_hush;

static void hush(const WbRadioEvent event) {
  hear(event);
  wb_radio_set_callback(to_hush, NULL);
}

/* A setting that is made while messages are delivered takes effect at once. */
static void hushes(WbDeviceTag base, WbDeviceTag near, WbDeviceTag other) {
  wb_radio_set_channel(base, 4);
  EXPECT(heard(base, "both", "") == 2);
  to_hush = other;
  wb_radio_set_callback(near, hush);
  EXPECT(heard(base, "both", "") == 1);
  EXPECT(last_radio == near);
  wb_radio_set_callback(other, hear);
  to_hush = near;
  EXPECT(heard(base, "both", "") == 2);
  EXPECT(heard(base, "other", "") == 1);
  EXPECT_SILENCE();
}

int main(void) {
  api_begin();
  wb_robot_init();
  unheard(wb_robot_get_device("base"), wb_robot_get_device("near"));
  const WbDeviceTag base = listen("base");
  const WbDeviceTag near = listen("near");
  const WbDeviceTag far = listen("far");
  const WbDeviceTag other = listen("other");
  makes_messages();
  who_hears(base, near, far);
  settings(base, near, other);
  hushes(base, near, other);
  wb_robot_cleanup();
  return api_end();
}
