// SPDX-License-Identifier: Apache-2.0
#include "yarp/protocol/streaming.h"

#include <utility>

namespace servosim::yarp {

namespace {

constexpr std::int32_t kInt32 = 1;
constexpr std::int32_t kVocab = 9;
constexpr std::int32_t kFloat32V4 = 10;

void begin_list(Writer& writer, std::int32_t speciality, std::size_t count) {
  writer.i32(kListTag + speciality);
  writer.u32(static_cast<std::uint32_t>(count));
}

constexpr std::int32_t double_tag(Generation generation) {
  return generation == Generation::V3 ? 10 : 20;
}

void encode_float32s(Writer& writer, std::span<const double> values) {
  begin_list(writer, kFloat32V4, values.size());
  for (const double value : values) {
    writer.f32(static_cast<float>(value));
  }
}

void encode_valid(Writer& writer, bool valid) {
  writer.i32(kVocab);
  writer.i32(valid ? vocab("ok") : vocab("fail"));
}

}  // namespace

void encode_vector(Writer& writer, std::span<const double> values, Generation generation) {
  begin_list(writer, double_tag(generation), values.size());
  writer.numbers(values);
}

void begin_list(Writer& writer, std::size_t count) { begin_list(writer, 0, count); }

void encode_item(Writer& writer, double value, Generation generation) {
  writer.i32(double_tag(generation));
  writer.f64(value);
}

void encode_vector(Writer& writer, std::span<const std::int32_t> values) {
  begin_list(writer, kInt32, values.size());
  writer.numbers(values);
}

void encode_joint_states(Writer& writer, const JointStates& states, Generation generation) {
  const bool v4 = generation == Generation::V4;
  const auto doubles = [&](const JointValues<double>& quantity) {
    encode_vector(writer, quantity.values, generation);
    encode_valid(writer, quantity.valid);
  };
  const auto floats = [&](const JointValues<double>& quantity) {
    encode_float32s(writer, quantity.values);
    encode_valid(writer, quantity.valid);
  };
  begin_list(writer, v4 ? 24 : 22);
  for (const auto* quantity :
       {&states.positions, &states.velocities, &states.accelerations, &states.motor_positions,
        &states.motor_velocities, &states.motor_accelerations, &states.torques}) {
    doubles(*quantity);
  }
  v4 ? floats(states.duty_cycles) : doubles(states.duty_cycles);
  doubles(states.currents);
  for (const auto* modes : {&states.control_modes, &states.interaction_modes}) {
    encode_vector(writer, modes->values);
    encode_valid(writer, modes->valid);
  }
  if (v4) {
    floats(states.temperatures);
  }
}

void encode_streamed(Writer& writer, const Bottle& head, std::span<const double> values,
                     Generation generation) {
  begin_list(writer, 2);
  encode_bottle(writer, head, generation);
  encode_vector(writer, values, generation);
}

StreamedCommandOrError to_streamed(BottleOrError message) {
  if (auto* error = std::get_if<ProtocolError>(&message)) {
    return std::move(*error);
  }
  auto& items = std::get<Bottle>(message).items;
  if (items.size() != 2 || !as_list(items[0]) || !as_list(items[1])) {
    return ProtocolError{"not a streamed command: two lists, as in ([vmo] 0) (10.5)"};
  }
  StreamedCommand command;
  for (const BottleValue& item : as_list(items[1])->items) {
    const std::optional<double> number = as_number(item);
    if (!number) {
      return ProtocolError{"a streamed command whose second list is not of numbers"};
    }
    command.values.push_back(*number);
  }
  command.head = std::move(std::get<Bottle>(items[0]));
  return command;
}

void encode_protocol_version_v4(Writer& writer) {
  begin_list(writer, 1);
  for (const std::uint16_t part : {0, 4, 0, 0}) {
    writer.u16(part);
  }
}

}  // namespace servosim::yarp
