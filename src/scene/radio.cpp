// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "scene/checks.h"
#include "scene/device_builders.h"
#include "wbt/eras/version.h"

namespace servosim {

namespace {

constexpr double kTurn = 6.283185307179586;

RadioType read_radio_type(const CheckedFields& checked) {
  const std::string& type = checked.node().string("type");
  if (type == "serial") {
    return RadioType::Serial;
  }
  if (type == "infra-red") {
    return RadioType::InfraRed;
  }
  if (type != "radio") {
    checked.warn_and_substitute("type", '"' + type + '"', std::string("radio"),
                                "it must be \"radio\", \"serial\" or \"infra-red\"");
  }
  return RadioType::Radio;
}

int read_count(const CheckedFields& checked, std::string_view field, int low, int substitute,
               std::string_view rule) {
  const int value = checked.node().integer(field);
  if (value >= low || value == substitute) {
    return value;
  }
  checked.warn_and_substitute(field, fmt::format("{}", value), substitute, rule);
  return substitute;
}

int read_channel(const CheckedFields& checked) {
  const int channel = read_count(checked, "channel", -1, 0, "it must be >= -1");
  if (checked.node().type->field("allowedChannels") == nullptr) {
    return channel;
  }
  const std::vector<std::int32_t>& allowed = checked.node().integers("allowedChannels");
  if (allowed.empty() || std::find(allowed.begin(), allowed.end(), channel) != allowed.end()) {
    return channel;
  }
  const int first = std::max(-1, allowed.front());
  checked.warn_and_substitute("channel", fmt::format("{}", channel), first,
                              "it must be one of allowedChannels");
  return first;
}

void read_radio_spec(const CheckedFields& checked, int solid, RadioSpec& spec) {
  spec.solid = solid;
  spec.type = read_radio_type(checked);
  spec.axis =
      wbt::geometry_axis_is_z(checked.node().version) ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 0.0, 1.0};
  spec.aperture = checked.number(
      "aperture", [](double x) { return (x < 0.0 && x != -1.0) || x > kTurn + 1e-4; }, -1.0,
      "it must be -1 or in [0, 2*pi]");
  spec.channel = read_channel(checked);
  spec.buffer_size = read_count(checked, "bufferSize", 0, -1, "it must be -1 or >= 0");
}

EmitterSpec read_emitter(const CheckedFields& checked, int solid) {
  EmitterSpec spec;
  read_radio_spec(checked, solid, spec);
  spec.max_range = checked.non_negative_or_none("maxRange");
  spec.range = checked.non_negative_or_none("range");
  if (spec.max_range >= 0.0 && (spec.range < 0.0 || spec.range > spec.max_range)) {
    if (spec.range >= 0.0) {  // the default of range is valid with any maxRange
      checked.warn_and_substitute("range", fmt::format("{}", spec.range), spec.max_range,
                                  "it must be <= maxRange");
    }
    spec.range = spec.max_range;
  }
  spec.baud_rate = read_count(checked, "baudRate", 1, -1, "it must be -1 or > 0");
  spec.byte_size = read_count(checked, "byteSize", 8, 8, "it must be >= 8");
  return spec;
}

}  // namespace

void read_radio(const wbt::Node& node, int solid, DeviceSpec& spec, Findings& findings) {
  const CheckedFields checked(node, findings);
  const RadioSpec* common = nullptr;
  if (node.type->name == "Emitter") {
    spec.emitter = read_emitter(checked, solid);
    common = &*spec.emitter;
    tell_controller(spec.fields, "range", spec.emitter->range);
    tell_controller(spec.fields, "maxRange", spec.emitter->max_range);
  } else if (node.type->name == "Receiver") {
    spec.receiver.emplace();
    read_radio_spec(checked, solid, *spec.receiver);
    spec.receiver->strength_noise = checked.non_negative("signalStrengthNoise", 0.0);
    spec.receiver->direction_noise = checked.non_negative("directionNoise", 0.0);
    common = &*spec.receiver;
  } else if (node.type->name == "Radio") {
    RadioSpec radio;
    radio.solid = solid;
    radio.type = RadioType::Network;
    radio.channel = read_count(checked, "channel", 0, 0, "it must be >= 0");
    spec.emitter.emplace(EmitterSpec{radio});
    spec.receiver.emplace(ReceiverSpec{radio});
    tell_controller(spec.fields, "channel", radio.channel);
    return;
  } else {
    return;
  }
  tell_controller(spec.fields, "channel", common->channel);
  tell_controller(spec.fields, "bufferSize", common->buffer_size);
}

}  // namespace servosim
