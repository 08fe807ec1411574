// SPDX-License-Identifier: Apache-2.0
#include "controller/protocol/protocol.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace servosim {

namespace {

constexpr std::uint8_t kPacketNumbers = 4;
constexpr std::uint32_t kMagic = 0x4d495353;  // "SSIM"

enum class Payload {
  Number,
  Finite,
  Pair,
  Gains,
  Period,
  Integer,
  Channel,
  Range,
  Text,
  Packet,
  None
};

Payload payload_of(CommandKind kind) {
  switch (kind) {
    case CommandKind::Position:
    case CommandKind::Velocity:
    case CommandKind::AvailableForce:
    case CommandKind::Force:
    case CommandKind::Acceleration:
      return Payload::Number;
    case CommandKind::BrakeDamping:
      return Payload::Finite;
    case CommandKind::ControlPid:
      return Payload::Gains;
    case CommandKind::WheelSpeeds:
    case CommandKind::SetEncoders:
      return Payload::Pair;
    case CommandKind::ForceFeedback:
    case CommandKind::Sampling:
    case CommandKind::BatterySampling:
    case CommandKind::EncoderSampling:
      return Payload::Period;
    case CommandKind::Lock:
    case CommandKind::Led:
    case CommandKind::Pin:
    case CommandKind::Quit:
      return Payload::Integer;
    case CommandKind::CustomData:
      return Payload::Text;
    case CommandKind::Channel:
      return Payload::Channel;
    case CommandKind::Range:
      return Payload::Range;
    case CommandKind::Send:
      return Payload::Packet;
  }
  return Payload::None;
}

// Numbers of a reading; a Sample says itself how many it has.
std::uint8_t count_of(ReadingKind kind) {
  switch (kind) {
    case ReadingKind::Packet:
      return kPacketNumbers;
    case ReadingKind::Setup:
    case ReadingKind::CustomData:
    case ReadingKind::NewDevice:
    case ReadingKind::Tracked:
      return 0;
    default:
      return 1;
  }
}

bool has_text(ReadingKind kind) { return kind >= ReadingKind::Packet; }

bool is_finite(double value) { return std::isfinite(value); }

bool is_range(double value) { return value == -1.0 || value >= 0.0; }

bool read_packet(Reader& reader, Command& command) {
  command.integer = reader.i32();
  command.numbers[0] = reader.f64();
  command.text = reader.text();
  return command.integer >= -1 && is_range(command.numbers[0]);
}

bool read_command(Reader& reader, Command& command) {
  command.tag = reader.u16();
  command.kind = static_cast<CommandKind>(reader.u8());
  switch (payload_of(command.kind)) {
    case Payload::Number:
      command.numbers[0] = reader.f64();
      return !std::isnan(command.numbers[0]);
    case Payload::Finite:
      command.numbers[0] = reader.f64();
      return is_finite(command.numbers[0]);
    case Payload::Pair:
      command.numbers = {reader.f64(), reader.f64()};
      return !std::isnan(command.numbers[0]) && !std::isnan(command.numbers[1]);
    case Payload::Gains:
      for (double& number : command.numbers) {
        number = reader.f64();
      }
      return std::all_of(command.numbers.begin(), command.numbers.end(), is_finite);
    case Payload::Period:
      command.integer = reader.i32();
      return command.integer >= 0;
    case Payload::Integer:
      command.integer = reader.i32();
      return true;
    case Payload::Text:
      command.text = reader.text();
      return true;
    case Payload::Channel:
      command.integer = reader.i32();
      return command.integer >= -1;
    case Payload::Range:
      command.numbers[0] = reader.f64();
      return is_range(command.numbers[0]);
    case Payload::Packet:
      return read_packet(reader, command);
    case Payload::None:
      break;
  }
  return false;
}

Request decode_step(Reader& reader, std::vector<Command>& commands) {
  StepRequest request;
  request.duration_ms = reader.i32();
  if (!reader.ok() || request.duration_ms < 0) {
    return ProtocolError{"a step without a valid duration"};
  }
  commands.clear();
  while (reader.left() > 0) {
    Command command;
    if (!read_command(reader, command) || !reader.ok()) {
      return ProtocolError{"a malformed command"};
    }
    commands.push_back(command);
  }
  request.commands = commands;
  return request;
}

Request decode_hello(Reader& reader) {
  if (reader.u32() != kMagic) {
    return ProtocolError{"not a controller of servosim"};
  }
  const Hello hello{reader.u32()};
  return complete<Request>(reader, hello);
}

}  // namespace

Request decode_request(Bytes message, std::vector<Command>& commands) {
  Reader reader(message);
  switch (static_cast<MessageKind>(reader.u8())) {
    case MessageKind::Hello:
      return decode_hello(reader);
    case MessageKind::Step:
      return decode_step(reader, commands);
    case MessageKind::Urdf: {
      const std::string_view prefix = reader.text();
      return complete<Request>(reader, UrdfRequest{prefix});
    }
    case MessageKind::SupervisorRequest: {
      SupervisorRequest request;
      if (!decode_supervisor_request_body(reader, request)) {
        return ProtocolError{"a malformed question"};
      }
      return complete<Request>(reader, request);
    }
    case MessageKind::Goodbye:
      return complete<Request>(reader, Goodbye{});
    default:
      return ProtocolError{"an unknown kind of message"};
  }
}

void encode_hello(Writer& writer, const Hello& hello) {
  start(writer, MessageKind::Hello);
  writer.u32(kMagic);
  writer.u32(hello.version);
}

void encode_step(Writer& writer, std::int32_t duration_ms) {
  start(writer, MessageKind::Step);
  writer.i32(duration_ms);
}

void encode_command(Writer& writer, const Command& command) {
  writer.u16(command.tag);
  writer.u8(static_cast<std::uint8_t>(command.kind));
  switch (payload_of(command.kind)) {
    case Payload::Number:
    case Payload::Finite:
    case Payload::Range:
      return writer.f64(command.numbers[0]);
    case Payload::Pair:
      writer.f64(command.numbers[0]);
      return writer.f64(command.numbers[1]);
    case Payload::Gains:
      for (const double number : command.numbers) {
        writer.f64(number);
      }
      return;
    case Payload::Period:
    case Payload::Integer:
    case Payload::Channel:
      return writer.i32(command.integer);
    case Payload::Text:
      return writer.text(command.text);
    case Payload::Packet:
      writer.i32(command.integer);
      writer.f64(command.numbers[0]);
      return writer.text(command.text);
    case Payload::None:
      return;
  }
}

void encode_urdf_request(Writer& writer, std::string_view prefix) {
  start(writer, MessageKind::Urdf);
  writer.text(prefix);
}

void encode_supervisor_request(Writer& writer, const SupervisorRequest& request) {
  start(writer, MessageKind::SupervisorRequest);
  encode_supervisor_request_body(writer, request);
}

void encode_goodbye(Writer& writer) { start(writer, MessageKind::Goodbye); }

Reply decode_reply(Bytes message, Reader& readings) {
  Reader reader(message);
  switch (static_cast<MessageKind>(reader.u8())) {
    case MessageKind::Welcome:
      return decode_welcome(reader);
    case MessageKind::Answer: {
      const Answer answer{reader.i32(), reader.f64()};
      readings = reader;
      return reader.ok() ? Reply(answer) : ProtocolError{"an answer that ends too early"};
    }
    case MessageKind::Text: {
      const std::string_view text = reader.text();
      return complete<Reply>(reader, Text{text});
    }
    case MessageKind::SupervisorResponse: {
      SupervisorResponse response;
      if (!decode_supervisor_response_body(reader, response)) {
        return ProtocolError{"an answer that ends too early"};
      }
      return complete<Reply>(reader, response);
    }
    case MessageKind::Failure: {
      const std::string_view text = reader.text();
      return complete<Reply>(reader, Failure{text});
    }
    default:
      return ProtocolError{"an unknown kind of message"};
  }
}

bool next_reading(Reader& readings, Reading& reading) {
  reading.tag = readings.u16();
  reading.kind = static_cast<ReadingKind>(readings.u8());
  reading.count = reading.kind == ReadingKind::Sample ? readings.u8() : count_of(reading.kind);
  if (reading.kind > ReadingKind::Tracked || reading.count > reading.numbers.size()) {
    return false;
  }
  for (std::size_t i = 0; i < reading.count; ++i) {
    reading.numbers[i] = readings.f64();
  }
  reading.text = has_text(reading.kind) ? readings.text() : std::string_view();
  return readings.ok();
}

void encode_answer(Writer& writer, const Answer& answer) {
  start(writer, MessageKind::Answer);
  writer.i32(answer.result);
  writer.f64(answer.time);
}

void encode_reading(Writer& writer, const Reading& reading) {
  writer.u16(reading.tag);
  writer.u8(static_cast<std::uint8_t>(reading.kind));
  std::size_t count = count_of(reading.kind);
  if (reading.kind == ReadingKind::Sample) {
    count = reading.count;
    writer.u8(reading.count);
  }
  writer.numbers(std::span(reading.numbers).first(count));
  if (has_text(reading.kind)) {
    writer.text(reading.text);
  }
}

void encode_text(Writer& writer, std::string_view text) {
  start(writer, MessageKind::Text);
  writer.text(text);
}

void encode_supervisor_response(Writer& writer, const SupervisorResponse& response) {
  start(writer, MessageKind::SupervisorResponse);
  encode_supervisor_response_body(writer, response);
}

void encode_failure(Writer& writer, std::string_view text) {
  start(writer, MessageKind::Failure);
  writer.text(text);
}

// The description of the robot: all of it in the welcome, later each device that has changed.

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
