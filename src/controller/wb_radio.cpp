// SPDX-License-Identifier: Apache-2.0
#include <webots/radio.h>

#include <limits>
#include <memory>
#include <string>

#include "controller/headless_device.h"

using servosim::boundary;
using servosim::Client;
using servosim::device_integer;
using servosim::device_number;
using servosim::refuse;

namespace {

constexpr WbNodeType kRadio = WB_NODE_RADIO;
constexpr const char* kNoRadio =
    "servosim does not simulate Radio nodes; an Emitter and a Receiver work";
constexpr double kMost = std::numeric_limits<double>::max();

struct Message {
  std::string destination;
  std::string body;
};

const Message* message_of(WbRadioMessage message) { return static_cast<const Message*>(message); }

void set_number(const char* function, WbDeviceTag tag, const char* field, double value, double low,
                double high) {
  servosim::set_device_number(function, tag, kRadio, field, value, low, high, field);
}

}  // namespace

// ---- messages: they need no simulation

WbRadioMessage wb_radio_message_new(int length, const char* body, const char* destination) {
  return boundary(__func__, [=](Client&, Client::Lock&) -> WbRadioMessage {
    refuse(length < 1, "the length is smaller than 1.");
    refuse(body == nullptr, "the body is NULL.");
    return new Message{destination != nullptr ? destination : "",
                       std::string(body, static_cast<std::size_t>(length))};
  });
}

void wb_radio_message_delete(WbRadioMessage message) { delete static_cast<Message*>(message); }

const char* wb_radio_message_get_destination(WbRadioMessage message) {
  return message != nullptr ? message_of(message)->destination.c_str() : nullptr;
}

int wb_radio_message_get_length(WbRadioMessage message) {
  return message != nullptr ? static_cast<int>(message_of(message)->body.size()) : 0;
}

const char* wb_radio_message_get_body(WbRadioMessage message) {
  return message != nullptr ? message_of(message)->body.c_str() : nullptr;
}

// ---- settings

void wb_radio_enable(WbDeviceTag tag, int sampling_period) {
  servosim::say_absent(__func__, tag, kRadio, kNoRadio);
  servosim::enable_sampling(__func__, tag, kRadio, sampling_period);
}

void wb_radio_disable(WbDeviceTag tag) { servosim::enable_sampling(__func__, tag, kRadio, 0); }

void wb_radio_set_address(WbDeviceTag tag, const char* address) {
  boundary(__func__, [=](Client& client, Client::Lock&) {
    servosim::ClientDevice& radio = client.device(tag, kRadio);
    radio.setting("address");
    for (servosim::ClientField& field : radio.fields) {
      if (field.name == "address") {
        field.text = address != nullptr ? address : "";
      }
    }
  });
}

const char* wb_radio_get_address(WbDeviceTag tag) {
  return boundary(__func__, [=](Client& client, Client::Lock&) {
    return client.device(tag, kRadio).field("address").text.c_str();
  });
}

void wb_radio_set_frequency(WbDeviceTag tag, double hz) {
  set_number(__func__, tag, "frequency", hz, 0.0, kMost);
}

double wb_radio_get_frequency(WbDeviceTag tag) {
  return device_number(__func__, tag, kRadio, "frequency");
}

void wb_radio_set_channel(WbDeviceTag tag, int channel) {
  set_number(__func__, tag, "channel", channel, 0.0, kMost);
}

int wb_radio_get_channel(WbDeviceTag tag) {
  return device_integer(__func__, tag, kRadio, "channel");
}

void wb_radio_set_bitrate(WbDeviceTag tag, int bits_per_second) {
  set_number(__func__, tag, "bitrate", bits_per_second, 1.0, kMost);
}

int wb_radio_get_bitrate(WbDeviceTag tag) {
  return device_integer(__func__, tag, kRadio, "bitrate");
}

void wb_radio_set_rx_sensitivity(WbDeviceTag tag, double dBm) {
  set_number(__func__, tag, "rxSensitivity", dBm, -kMost, kMost);
}

double wb_radio_get_rx_sensitivity(WbDeviceTag tag) {
  return device_number(__func__, tag, kRadio, "rxSensitivity");
}

void wb_radio_set_tx_power(WbDeviceTag tag, double dBm) {
  set_number(__func__, tag, "txPower", dBm, -kMost, kMost);
}

double wb_radio_get_tx_power(WbDeviceTag tag) {
  return device_number(__func__, tag, kRadio, "txPower");
}

// ---- reception: there is none

void wb_radio_set_callback(WbDeviceTag tag, void (*)(const WbRadioEvent)) {
  servosim::say_absent(__func__, tag, kRadio, kNoRadio);
}

void wb_radio_send(WbDeviceTag tag, const WbRadioMessage, double) {
  servosim::say_absent(__func__, tag, kRadio, kNoRadio);
}

WbDeviceTag wb_radio_event_get_radio(const WbRadioEvent) { return 0; }
char* wb_radio_event_get_data(const WbRadioEvent) { return nullptr; }
int wb_radio_event_get_data_size(const WbRadioEvent) { return 0; }
char* wb_radio_event_get_emitter(const WbRadioEvent) { return nullptr; }
double wb_radio_event_get_rssi(const WbRadioEvent) {
  return std::numeric_limits<double>::quiet_NaN();
}
