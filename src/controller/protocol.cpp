// SPDX-License-Identifier: Apache-2.0
#include "controller/protocol.h"

#include <algorithm>
#include <cmath>

#include "controller/protocol_parts.h"

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
    case MessageKind::Ask: {
      Ask ask;
      if (!decode_ask_body(reader, ask)) {
        return ProtocolError{"a malformed question"};
      }
      return complete<Request>(reader, ask);
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

void encode_ask(Writer& writer, const Ask& ask) {
  start(writer, MessageKind::Ask);
  encode_ask_body(writer, ask);
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
    case MessageKind::Told: {
      Told told;
      if (!decode_told_body(reader, told)) {
        return ProtocolError{"an answer that ends too early"};
      }
      return complete<Reply>(reader, told);
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

void encode_told(Writer& writer, const Told& told) {
  start(writer, MessageKind::Told);
  encode_told_body(writer, told);
}

void encode_failure(Writer& writer, std::string_view text) {
  start(writer, MessageKind::Failure);
  writer.text(text);
}

}  // namespace servosim
