// SPDX-License-Identifier: Apache-2.0
#include <webots/radio.h>

#include <atomic>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "controller_api/c/device_handle.h"
#include "controller_api/client/radio_message.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::ControllerClient;
using servosim::device_integer;
using servosim::device_number;
using servosim::refuse;

namespace {

constexpr WbNodeType kRadio = WB_NODE_RADIO;
constexpr double kMax = std::numeric_limits<double>::max();

using Callback = void (*)(const WbRadioEvent);

struct Event {
  WbDeviceTag radio;
  servosim::RadioMessage message;
  double rssi;  // [dBm]
};

std::atomic<bool> has_listeners{false};
thread_local bool delivering = false;

struct Message {
  std::string destination;
  std::string body;
};

Event* event_of(const WbRadioEvent event) { return static_cast<Event*>(event); }

const Message* message_of(WbRadioMessage message) { return static_cast<const Message*>(message); }

void set_number(const char* function, WbDeviceTag tag, const char* field, double value, double low,
                double high) {
  servosim::set_device_number(function, tag, kRadio, field, value, low, high, field);
}

}  // namespace

// ---- messages: they need no simulation

WbRadioMessage wb_radio_message_new(int length, const char* body, const char* destination) {
  return api_call(__func__, [=](ControllerClient&, ControllerClient::Lock&) -> WbRadioMessage {
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
  servosim::enable_sampling(__func__, tag, kRadio, sampling_period);
}

void wb_radio_disable(WbDeviceTag tag) { servosim::enable_sampling(__func__, tag, kRadio, 0); }

void wb_radio_set_address(WbDeviceTag tag, const char* address) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
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
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.device(tag, kRadio).field("address").text.c_str();
  });
}

void wb_radio_set_frequency(WbDeviceTag tag, double hz) {
  set_number(__func__, tag, "frequency", hz, 1.0, kMax);
}

double wb_radio_get_frequency(WbDeviceTag tag) {
  return device_number(__func__, tag, kRadio, "frequency");
}

void wb_radio_set_channel(WbDeviceTag tag, int channel) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& radio = client.device(tag, kRadio);
    refuse(channel < 0, "the channel is smaller than 0.");
    servosim::set_channel(radio, channel);
  });
}

int wb_radio_get_channel(WbDeviceTag tag) {
  return device_integer(__func__, tag, kRadio, "channel");
}

void wb_radio_set_bitrate(WbDeviceTag tag, int bits_per_second) {
  set_number(__func__, tag, "bitrate", bits_per_second, 1.0, kMax);
}

int wb_radio_get_bitrate(WbDeviceTag tag) {
  return device_integer(__func__, tag, kRadio, "bitrate");
}

void wb_radio_set_rx_sensitivity(WbDeviceTag tag, double dBm) {
  set_number(__func__, tag, "rxSensitivity", dBm, -kMax, kMax);
}

double wb_radio_get_rx_sensitivity(WbDeviceTag tag) {
  return device_number(__func__, tag, kRadio, "rxSensitivity");
}

void wb_radio_set_tx_power(WbDeviceTag tag, double dBm) {
  set_number(__func__, tag, "txPower", dBm, -kMax, kMax);
}

double wb_radio_get_tx_power(WbDeviceTag tag) {
  return device_number(__func__, tag, kRadio, "txPower");
}

// ---- messages on their way

void wb_radio_send(WbDeviceTag tag, const WbRadioMessage message, double) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& radio = client.device(tag, kRadio);
    refuse(message == nullptr, "the message is NULL.");
    const Message& sent = *message_of(message);
    servosim::transmit(
        client, radio, -1.0,
        servosim::encode_radio_message({radio.number("txPower"), radio.number("frequency"),
                                        radio.field("address").text.c_str(),
                                        sent.destination.c_str(), sent.body}));
  });
}

void wb_radio_set_callback(WbDeviceTag tag, Callback callback) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    client.device(tag, kRadio).packets.on_message = callback;
    has_listeners = true;
  });
}

namespace {

// The messages that a Radio has received since the last step and that are addressed to it.
void take_events(ClientDevice& radio, WbDeviceTag tag, std::vector<Event>& events) {
  for (const servosim::ReceivedPacket& packet : radio.packets.received) {
    auto message = servosim::decode_radio_message(packet.data);
    if (!message || message->frequency != radio.number("frequency") ||
        !servosim::is_for(message->destination, radio.field("address").text)) {
      continue;
    }
    const double rssi = servosim::received_power(*message, packet.signal_strength);
    if (rssi >= radio.number("rxSensitivity")) {
      events.push_back({tag, std::move(*message), rssi});
    }
  }
  radio.packets.received.clear();
  radio.packets.received_bytes = 0;
}

}  // namespace

// A callback may take a step, replace the callbacks that wait, or throw.
void servosim::deliver_radio_messages() {
  if (!has_listeners || delivering) {
    return;
  }
  std::vector<Event> events;
  api_call("wb_robot_step", [&](ControllerClient& client, ControllerClient::Lock&) {
    for (std::size_t i = 0; i < client.devices().size(); ++i) {
      if (client.devices()[i].node_type == kRadio) {
        take_events(client.devices()[i], static_cast<WbDeviceTag>(i + 1), events);
      }
    }
  });
  struct Delivery {
    Delivery() { delivering = true; }
    ~Delivery() { delivering = false; }
  } const delivery;
  for (Event& event : events) {
    const Callback callback =
        api_call("wb_robot_step", [&](ControllerClient& client, ControllerClient::Lock&) {
          return client.device(event.radio, kRadio).packets.on_message;
        });
    if (callback != nullptr) {
      callback(&event);
    }
  }
}

WbDeviceTag wb_radio_event_get_radio(const WbRadioEvent event) {
  return event != nullptr ? event_of(event)->radio : WbDeviceTag{0};
}

char* wb_radio_event_get_data(const WbRadioEvent event) {
  return event != nullptr ? event_of(event)->message.body.data() : nullptr;
}

int wb_radio_event_get_data_size(const WbRadioEvent event) {
  return event != nullptr ? static_cast<int>(event_of(event)->message.body.size()) : 0;
}

char* wb_radio_event_get_emitter(const WbRadioEvent event) {
  return event != nullptr ? event_of(event)->message.source.data() : nullptr;
}

double wb_radio_event_get_rssi(const WbRadioEvent event) {
  return event != nullptr ? event_of(event)->rssi : std::numeric_limits<double>::quiet_NaN();
}
