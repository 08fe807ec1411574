// SPDX-License-Identifier: Apache-2.0
// What a controller is told of its robot: all of it at first, a device when that has changed.
#include <array>
#include <utility>

#include "controller/protocol_parts.h"

namespace servosim {

namespace {

// The numbers of a motor in the order in which they travel.
template <typename Motor>
auto numbers_of(Motor& motor) {
  return std::array{&motor.min_position, &motor.max_position, &motor.max_velocity,
                    &motor.max_force,    &motor.multiplier,   &motor.position,
                    &motor.velocity,     &motor.acceleration, &motor.available_force,
                    &motor.pid[0],       &motor.pid[1],       &motor.pid[2]};
}

void encode_motor(Writer& writer, const WelcomeMotor& motor) {
  writer.u8(motor.linear);
  writer.u16(motor.coupling);
  for (const double* number : numbers_of(motor)) {
    writer.f64(*number);
  }
}

void decode_motor(Reader& reader, WelcomeMotor& motor) {
  motor.linear = reader.u8();
  motor.coupling = reader.u16();
  for (double* number : numbers_of(motor)) {
    *number = reader.f64();
  }
}

void encode_field(Writer& writer, const WelcomeField& field) {
  writer.text(field.name);
  writer.text(field.text);
  writer.u32(static_cast<std::uint32_t>(field.numbers.size()));
  writer.numbers(std::span<const double>(field.numbers));
}

WelcomeField decode_field(Reader& reader) {
  WelcomeField field;
  field.name = reader.text();
  field.text = reader.text();
  const std::uint32_t count = reader.u32();
  while (reader.ok() && field.numbers.size() < count) {
    field.numbers.push_back(reader.f64());
  }
  return field;
}

void encode_device(Writer& writer, const WelcomeDevice& device) {
  writer.text(device.name);
  writer.text(device.model);
  writer.text(device.node_type);
  writer.i32(device.joint);
  writer.u8(static_cast<std::uint8_t>((device.has_motor ? 1 : 0) | (device.has_sensor ? 2 : 0) |
                                      (device.has_brake ? 4 : 0)));
  if (device.has_motor) {
    encode_motor(writer, device.motor);
  }
  writer.u8(device.sensor_linear);
  writer.u8(device.brake_linear);
  writer.u16(static_cast<std::uint16_t>(device.fields.size()));
  for (const WelcomeField& field : device.fields) {
    encode_field(writer, field);
  }
}

WelcomeDevice decode_device(Reader& reader) {
  WelcomeDevice device;
  device.name = reader.text();
  device.model = reader.text();
  device.node_type = reader.text();
  device.joint = reader.i32();
  const std::uint8_t parts = reader.u8();
  device.has_motor = (parts & 1) != 0;
  device.has_sensor = (parts & 2) != 0;
  device.has_brake = (parts & 4) != 0;
  if (device.has_motor) {
    decode_motor(reader, device.motor);
  }
  device.sensor_linear = reader.u8();
  device.brake_linear = reader.u8();
  const std::uint16_t fields = reader.u16();
  while (reader.ok() && device.fields.size() < fields) {
    device.fields.push_back(decode_field(reader));
  }
  return device;
}

}  // namespace

void encode_setup(Writer& writer, const WelcomeDevice& device) {
  writer.clear();
  encode_device(writer, device);
}

bool decode_setup(std::string_view text, WelcomeDevice& device) {
  Reader reader(as_bytes(text));
  device = decode_device(reader);
  return reader.ok() && reader.left() == 0;
}

Reply decode_welcome(Reader& reader) {
  Welcome welcome;
  const std::uint8_t flags = reader.u8();
  welcome.spin = (flags & 1) != 0;
  welcome.synchronization = (flags & 2) != 0;
  welcome.supervisor = (flags & 4) != 0;
  welcome.has_battery = (flags & 8) != 0;
  welcome.gps_in_degrees = (flags & 16) != 0;
  welcome.has_wheels = (flags & 32) != 0;
  for (std::string_view* text :
       {&welcome.robot_name, &welcome.model, &welcome.custom_data, &welcome.controller,
        &welcome.controller_arguments, &welcome.world_path, &welcome.project_path}) {
    *text = reader.text();
  }
  welcome.basic_time_step_ms = reader.f64();
  welcome.time = reader.f64();
  welcome.max_speed = reader.f64();
  welcome.speed_unit = reader.f64();
  const std::uint16_t count = reader.u16();
  while (reader.ok() && welcome.devices.size() < count) {
    welcome.devices.push_back(decode_device(reader));
  }
  return complete<Reply>(reader, std::move(welcome));
}

void encode_welcome(Writer& writer, const Welcome& welcome) {
  if (welcome.devices.size() > kMaxDevices) {
    return encode_failure(writer, "the robot has more than 65534 devices");
  }
  start(writer, MessageKind::Welcome);
  writer.u8(static_cast<std::uint8_t>((welcome.spin ? 1 : 0) | (welcome.synchronization ? 2 : 0) |
                                      (welcome.supervisor ? 4 : 0) | (welcome.has_battery ? 8 : 0) |
                                      (welcome.gps_in_degrees ? 16 : 0) |
                                      (welcome.has_wheels ? 32 : 0)));
  for (const std::string_view text :
       {welcome.robot_name, welcome.model, welcome.custom_data, welcome.controller,
        welcome.controller_arguments, welcome.world_path, welcome.project_path}) {
    writer.text(text);
  }
  writer.f64(welcome.basic_time_step_ms);
  writer.f64(welcome.time);
  writer.f64(welcome.max_speed);
  writer.f64(welcome.speed_unit);
  writer.u16(static_cast<std::uint16_t>(welcome.devices.size()));
  for (const WelcomeDevice& device : welcome.devices) {
    encode_device(writer, device);
  }
}

}  // namespace servosim
