// SPDX-License-Identifier: Apache-2.0
#include "controller_api/protocol/protocol.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <type_traits>

namespace servosim {
namespace {

constexpr std::uint32_t kMagic = 0x4d495353;  // "SSIM"

// The first byte of a message.
enum class MessageKind : std::uint8_t {
  Hello = 0x10,
  Step,
  Urdf,
  Goodbye,
  SupervisorRequest,
  Welcome = 0x80,
  StepAnswer,
  Text,
  Failure,
  SupervisorResponse,
};

// What a reading of a ReadingKind has after its tag and kind. A Sample has its number of values in
// addition.
struct ReadingInfo {
  std::uint8_t numbers;
  bool has_text;
};
constexpr ReadingInfo kReadings[] = {{1, false}, {1, false}, {1, false}, {4, true},  {0, true},
                                     {0, true},  {0, true},  {0, true},  {1, false}, {3, true},
                                     {3, true},  {3, true},  {0, true},  {0, true},  {3, true}};
static_assert(std::size(kReadings) == static_cast<std::size_t>(ReadingKind::Drawn) + 1);

/// Writes the fields of a message.
class Encoder {
 public:
  explicit Encoder(Writer& writer) : writer_(writer) {}
  void operator()(std::uint8_t value) { writer_.u8(value); }
  void operator()(std::uint16_t value) { writer_.u16(value); }
  void operator()(std::uint32_t value) { writer_.u32(value); }
  void operator()(std::int32_t value) { writer_.i32(value); }
  void operator()(double value) { writer_.f64(value); }
  void operator()(std::string_view value) { writer_.text(value); }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void operator()(Enum value) { writer_.u8(static_cast<std::uint8_t>(value)); }
  /// Writes bools into one byte, from the lowest bit on.
  template <typename... Bools>
  void flags(const Bools&... bits) {
    unsigned all = 0;
    unsigned place = 0;
    ((all |= static_cast<unsigned>(bits) << place++), ...);
    writer_.u8(static_cast<std::uint8_t>(all));
  }
  /// Writes the first `count` numbers.
  template <std::size_t kSize>
  void numbers(const std::array<double, kSize>& values, std::size_t count) {
    writer_.numbers(std::span(values).first(count));
  }
  void numbers(const std::vector<double>& values) {
    writer_.u32(static_cast<std::uint32_t>(values.size()));
    writer_.numbers(std::span(values));
  }
  /// Writes doubles that the reader leaves in the message.
  void numbers_in_place(Bytes doubles) {
    writer_.u32(static_cast<std::uint32_t>(doubles.size() / sizeof(double)));
    writer_.numbers(doubles);
  }
  template <typename Items, typename Each>
  void list(const Items& items, const Each& each) {
    writer_.u16(static_cast<std::uint16_t>(items.size()));
    for (const auto& item : items) {
      each(item);
    }
  }
  /// Does nothing, since only a reader checks.
  static bool check(bool right) { return right; }

 private:
  Writer& writer_;
};

/// Reads the fields of a message, by the function that writes them. It allocates no more than the
/// received bytes can fill.
class Decoder {
 public:
  explicit Decoder(Reader& reader) : reader_(reader) {}
  void operator()(std::uint8_t& value) { value = reader_.u8(); }
  void operator()(std::uint16_t& value) { value = reader_.u16(); }
  void operator()(std::uint32_t& value) { value = reader_.u32(); }
  void operator()(std::int32_t& value) { value = reader_.i32(); }
  void operator()(double& value) { value = reader_.f64(); }
  void operator()(std::string_view& value) { value = reader_.text(); }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void operator()(Enum& value) { value = static_cast<Enum>(reader_.u8()); }
  template <typename... Bools>
  void flags(Bools&... bits) {
    const unsigned all = reader_.u8();
    unsigned place = 0;
    ((bits = (all >> place++ & 1u) != 0), ...);
  }
  template <std::size_t kSize>
  void numbers(std::array<double, kSize>& values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = reader_.f64();
    }
  }
  void numbers(std::vector<double>& values) {
    const std::uint32_t count = reader_.u32();
    while (reader_.ok() && values.size() < count) {
      values.push_back(reader_.f64());
    }
  }
  void numbers_in_place(Bytes& doubles) {
    const std::uint64_t count = reader_.u32();
    doubles = reader_.take(count * sizeof(double));
  }
  template <typename Items, typename Each>
  void list(Items& items, const Each& each) {
    const std::uint16_t count = reader_.u16();
    while (reader_.ok() && items.size() < count) {
      each(items.emplace_back());
    }
  }
  /// Makes the message malformed unless `right`. @returns whether it is well-formed so far
  bool check(bool right) {
    valid_ = valid_ && right;
    return right;
  }
  bool valid() const { return valid_ && reader_.ok(); }

 private:
  Reader& reader_;
  bool valid_ = true;
};

// ---- the fields of each message, in their order on the wire

template <typename T, typename Message>
concept Is = std::same_as<std::remove_const_t<T>, Message>;

void fields(auto& archive, Is<Hello> auto& hello) { archive(hello.version); }

void fields(auto& archive, Is<UrdfRequest> auto& request) { archive(request.prefix); }

void fields(auto&, Is<Goodbye> auto&) {}

bool is_finite(double value) { return std::isfinite(value); }

bool is_range(double value) { return value == -1.0 || value >= 0.0; }

void fields(auto& archive, Is<DeviceCommand> auto& command) {
  archive(command.tag);
  archive(command.kind);
  if (!archive.check(static_cast<std::size_t>(command.kind) < std::size(kCommands))) {
    return;
  }
  auto& numbers = command.numbers;
  switch (kCommands[static_cast<std::size_t>(command.kind)].payload) {
    case Payload::Number:
      archive(numbers[0]);
      archive.check(!std::isnan(numbers[0]));
      return;
    case Payload::Finite:
      archive(numbers[0]);
      archive.check(is_finite(numbers[0]));
      return;
    case Payload::Pair:
      archive.numbers(numbers, 2);
      archive.check(!std::isnan(numbers[0]) && !std::isnan(numbers[1]));
      return;
    case Payload::Gains:
      archive.numbers(numbers, 3);
      archive.check(std::all_of(numbers.begin(), numbers.end(), is_finite));
      return;
    case Payload::Period:
      archive(command.integer);
      archive.check(command.integer >= 0);
      return;
    case Payload::Integer:
      return archive(command.integer);
    case Payload::Channel:
      archive(command.integer);
      archive.check(command.integer >= -1);
      return;
    case Payload::Range:
      archive(numbers[0]);
      archive.check(is_range(numbers[0]));
      return;
    case Payload::Text:
      return archive(command.text);
    case Payload::Packet:
      archive(command.integer);
      archive(numbers[0]);
      archive(command.text);
      archive.check(command.integer >= -1 && is_range(numbers[0]));
      return;
  }
}

void fields(auto& archive, Is<SupervisorRequest> auto& request) {
  archive(request.kind);
  archive(request.node);
  archive(request.level);
  archive(request.field);
  archive(request.type);
  archive(request.index);
  archive(request.integer);
  archive(request.count);
  if (!archive.check(request.kind <= kLastSupervisorRequest &&
                     request.count <= kMaxRequestNumbers && request.node >= kNoNode)) {
    return;
  }
  archive.numbers(request.numbers, request.count);
  archive(request.text);
  archive(request.more);
  archive(request.slot);
  archive(request.period_ms);
  archive.check(request.period_ms >= 0);
}

void fields(auto& archive, Is<SupervisorResponse> auto& response) {
  archive(response.integer);
  archive(response.node);
  archive(response.type);
  archive(response.flags);
  archive(response.level);
  archive.numbers_in_place(response.numbers);
  archive(response.text);
  archive(response.more[0]);
  archive(response.more[1]);
}

void fields(auto& archive, Is<StepAnswer> auto& answer) {
  archive(answer.result);
  archive(answer.time);
}

void fields(auto& archive, Is<Reading> auto& reading) {
  archive(reading.tag);
  archive(reading.kind);
  if (!archive.check(static_cast<std::size_t>(reading.kind) < std::size(kReadings))) {
    return;
  }
  const ReadingInfo& info = kReadings[static_cast<std::size_t>(reading.kind)];
  std::uint8_t count = info.numbers;
  if (reading.kind == ReadingKind::Sample) {
    count = reading.count;
    archive(count);
  }
  if (!archive.check(count <= reading.numbers.size())) {
    return;
  }
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(reading)>>) {
    reading.count = count;
    reading.text = {};
  }
  archive.numbers(reading.numbers, count);
  if (info.has_text) {
    archive(reading.text);
  }
}

void fields(auto& archive, Is<Text> auto& text) { archive(text.text); }

void fields(auto& archive, Is<Failure> auto& failure) { archive(failure.text); }

void fields(auto& archive, Is<WelcomeMotor> auto& motor) {
  archive(motor.linear);
  archive(motor.coupling);
  archive(motor.min_position);
  archive(motor.max_position);
  archive(motor.max_velocity);
  archive(motor.max_force);
  archive(motor.multiplier);
  archive(motor.position);
  archive(motor.velocity);
  archive(motor.acceleration);
  archive(motor.available_force);
  archive.numbers(motor.pid, motor.pid.size());
}

void fields(auto& archive, Is<WelcomeField> auto& field) {
  archive(field.name);
  archive(field.text);
  archive.numbers(field.numbers);
}

void fields(auto& archive, Is<WelcomeDevice> auto& device) {
  archive(device.name);
  archive(device.model);
  archive(device.node_type);
  archive(device.joint);
  archive.flags(device.has_motor, device.has_sensor, device.has_brake);
  if (device.has_motor) {
    fields(archive, device.motor);
  }
  archive(device.sensor_linear);
  archive(device.brake_linear);
  archive.list(device.fields, [&](auto& field) { fields(archive, field); });
}

void fields(auto& archive, Is<WireObject> auto& object) {
  archive(object.id);
  archive.numbers(object.position, object.position.size());
  archive.numbers(object.orientation, object.orientation.size());
  archive.numbers(object.size, object.size.size());
  for (auto* const pair : {&object.position_on_image, &object.size_on_image}) {
    archive((*pair)[0]);
    archive((*pair)[1]);
  }
  archive.numbers(object.colors);
  archive(object.model);
}

void fields(auto& archive, Is<std::vector<WireObject>> auto& objects) {
  archive.list(objects, [&](auto& object) { fields(archive, object); });
}

void fields(auto& archive, Is<WireTarget> auto& target) {
  archive(target.distance);
  archive(target.received_power);
  archive(target.speed);
  archive(target.azimuth);
}

void fields(auto& archive, Is<std::vector<WireTarget>> auto& targets) {
  archive.list(targets, [&](auto& target) { fields(archive, target); });
}

void fields(auto& archive, Is<Welcome> auto& welcome) {
  archive.flags(welcome.spin, welcome.synchronization, welcome.supervisor, welcome.has_battery,
                welcome.gps_in_degrees, welcome.has_wheels);
  archive(welcome.robot_name);
  archive(welcome.model);
  archive(welcome.custom_data);
  archive(welcome.controller);
  archive(welcome.controller_arguments);
  archive(welcome.world_path);
  archive(welcome.project_path);
  archive(welcome.basic_time_step_ms);
  archive(welcome.time);
  archive(welcome.max_speed);
  archive(welcome.speed_unit);
  archive.list(welcome.devices, [&](auto& device) { fields(archive, device); });
}

// ---- whole messages

void write(Writer& writer, const auto& message) {
  Encoder encoder(writer);
  fields(encoder, message);
}

// @returns false if the message is malformed or ends too early
bool read(Reader& reader, auto& message) {
  Decoder decoder(reader);
  fields(decoder, message);
  return decoder.valid();
}

void start(Writer& writer, MessageKind kind) {
  writer.clear();
  writer.u8(static_cast<std::uint8_t>(kind));
}

void encode(Writer& writer, MessageKind kind, const auto& message) {
  start(writer, kind);
  write(writer, message);
}

// Reads the rest of a message after its kind. Nothing may follow it.
template <typename Variant, typename Message>
Variant decode(Reader& reader) {
  Message message;
  if (!read(reader, message)) {
    return ProtocolError{"a message that is malformed or ends too early"};
  }
  if (reader.left() > 0) {
    return ProtocolError{"a message that is too long"};
  }
  return message;
}

Request decode_hello(Reader& reader) {
  return reader.u32() == kMagic ? decode<Request, Hello>(reader)
                                : ProtocolError{"not a controller of servosim"};
}

Request decode_step(Reader& reader, std::vector<DeviceCommand>& commands) {
  StepRequest request;
  request.duration_ms = reader.i32();
  if (!reader.ok() || request.duration_ms < 0) {
    return ProtocolError{"a step without a valid duration"};
  }
  commands.clear();
  while (reader.left() > 0) {
    DeviceCommand command;
    if (!read(reader, command)) {
      return ProtocolError{"a malformed command"};
    }
    commands.push_back(command);
  }
  request.commands = commands;
  return request;
}

// The readings that follow stay in the message.
SimulationReply decode_answer(Reader& reader, Reader& readings) {
  StepAnswer answer;
  const bool complete = read(reader, answer);
  readings = reader;
  return complete ? SimulationReply(answer) : ProtocolError{"an answer that ends too early"};
}

}  // namespace

Request decode_request(Bytes message, std::vector<DeviceCommand>& commands) {
  Reader reader(message);
  switch (static_cast<MessageKind>(reader.u8())) {
    case MessageKind::Hello:
      return decode_hello(reader);
    case MessageKind::Step:
      return decode_step(reader, commands);
    case MessageKind::Urdf:
      return decode<Request, UrdfRequest>(reader);
    case MessageKind::SupervisorRequest:
      return decode<Request, SupervisorRequest>(reader);
    case MessageKind::Goodbye:
      return decode<Request, Goodbye>(reader);
    default:
      return ProtocolError{"an unknown kind of message"};
  }
}

SimulationReply decode_reply(Bytes message, Reader& readings) {
  Reader reader(message);
  switch (static_cast<MessageKind>(reader.u8())) {
    case MessageKind::Welcome:
      return decode<SimulationReply, Welcome>(reader);
    case MessageKind::StepAnswer:
      return decode_answer(reader, readings);
    case MessageKind::Text:
      return decode<SimulationReply, Text>(reader);
    case MessageKind::Failure:
      return decode<SimulationReply, Failure>(reader);
    case MessageKind::SupervisorResponse:
      return decode<SimulationReply, SupervisorResponse>(reader);
    default:
      return ProtocolError{"an unknown kind of message"};
  }
}

void encode_hello(Writer& writer, const Hello& hello) {
  start(writer, MessageKind::Hello);
  writer.u32(kMagic);
  write(writer, hello);
}

void encode_step(Writer& writer, std::int32_t duration_ms) {
  start(writer, MessageKind::Step);
  writer.i32(duration_ms);
}

void encode_command(Writer& writer, const DeviceCommand& command) { write(writer, command); }

void encode_urdf_request(Writer& writer, std::string_view prefix) {
  encode(writer, MessageKind::Urdf, UrdfRequest{prefix});
}

void encode_supervisor_request(Writer& writer, const SupervisorRequest& request) {
  encode(writer, MessageKind::SupervisorRequest, request);
}

void encode_goodbye(Writer& writer) { start(writer, MessageKind::Goodbye); }

void encode_welcome(Writer& writer, const Welcome& welcome) {
  if (welcome.devices.size() > kMaxDevices) {
    return encode_failure(writer, "the robot has more than 65534 devices");
  }
  encode(writer, MessageKind::Welcome, welcome);
}

void encode_answer(Writer& writer, const StepAnswer& answer) {
  encode(writer, MessageKind::StepAnswer, answer);
}

void encode_reading(Writer& writer, const Reading& reading) { write(writer, reading); }

bool next_reading(Reader& readings, Reading& reading) { return read(readings, reading); }

void encode_setup(Writer& writer, const WelcomeDevice& device) {
  writer.clear();
  write(writer, device);
}

bool decode_setup(std::string_view text, WelcomeDevice& device) {
  Reader reader(as_bytes(text));
  device = {};
  return read(reader, device) && reader.left() == 0;
}

void encode_objects(Writer& writer, const std::vector<WireObject>& objects) {
  writer.clear();
  write(writer, objects);
}

bool decode_objects(std::string_view text, std::vector<WireObject>& objects) {
  Reader reader(as_bytes(text));
  objects.clear();
  return read(reader, objects) && reader.left() == 0;
}

void encode_targets(Writer& writer, const std::vector<WireTarget>& targets) {
  writer.clear();
  write(writer, targets);
}

bool decode_targets(std::string_view text, std::vector<WireTarget>& targets) {
  Reader reader(as_bytes(text));
  targets.clear();
  return read(reader, targets) && reader.left() == 0;
}

void encode_text(Writer& writer, std::string_view text) {
  encode(writer, MessageKind::Text, Text{text});
}

void encode_failure(Writer& writer, std::string_view text) {
  encode(writer, MessageKind::Failure, Failure{text});
}

void encode_supervisor_response(Writer& writer, const SupervisorResponse& response) {
  encode(writer, MessageKind::SupervisorResponse, response);
}

void encode_supervisor_response_body(Writer& writer, const SupervisorResponse& response) {
  write(writer, response);
}

bool decode_supervisor_response_body(Reader& reader, SupervisorResponse& response) {
  return read(reader, response);
}

}  // namespace servosim
