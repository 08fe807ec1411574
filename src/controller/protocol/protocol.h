// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "controller/protocol/requests.h"

// The protocol between a controller and its Session. Numbers are little-endian. Every message
// starts with one byte that says what it is:
//
//     controller                       simulation
//     Hello              ──────────▶
//                        ◀──────────   Welcome             robot, devices, fields
//     StepRequest        ──────────▶                       duration, commands
//                        ◀──────────   Answer              result, time, new readings
//     UrdfRequest        ──────────▶
//                        ◀──────────   Text
//     SupervisorRequest  ──────────▶                       a query or a change, answered at once
//                        ◀──────────   SupervisorResponse
//     Goodbye            ──────────▶
//
// In place of any answer a Failure may come: a text, and the controller exits with 1; after a
// UrdfRequest or a SupervisorRequest only the call fails. Decoding never throws and allocates no
// more than the bytes received can fill.

namespace servosim {

inline constexpr std::uint32_t kProtocolVersion = 8;
/// Longest message, in bytes; what claims to be longer is refused.
inline constexpr std::size_t kMaxMessage = 16u << 20;
/// Longest text a controller sends, in bytes; what else is in a request always fits beside it.
inline constexpr std::size_t kMaxText = 1u << 20;
/// Most bytes of packets in one message, in either direction.
inline constexpr std::size_t kMaxPacketBytes = 8u << 20;
/// Most devices of one robot: their tags, from 1, are of 16 bits.
inline constexpr std::size_t kMaxDevices = 65534;

/// The last value of an LED travels as a field of this name.
inline constexpr std::string_view kLedValue = "value";

// ---- controller → simulation

struct Hello {
  std::uint32_t version = kProtocolVersion;
};

/// What a Command asks. Kinds of one device travel in this order.
enum class CommandKind : std::uint8_t {
  Position,         ///< number [rad|m], ±infinity
  Velocity,         ///< number [rad/s|m/s]
  AvailableForce,   ///< number [N·m|N]
  Force,            ///< number [N·m|N]
  ForceFeedback,    ///< period [ms]
  Acceleration,     ///< number [rad/s²|m/s²]
  ControlPid,       ///< numbers P, I, D
  Sampling,         ///< period [ms]; sensor, or motor for wb_motor_enable_position()
  BrakeDamping,     ///< number [N·m·s/rad|N·s/m]
  Lock,             ///< integer 0 or 1; a Connector, a VacuumGripper
  Channel,          ///< integer >= -1: of an emitter or receiver
  Range,            ///< number [m] or -1: of an emitter
  BatterySampling,  ///< period [ms]; the robot
  Pin,              ///< integer 0 or 1; the robot
  CustomData,       ///< text; the robot
  Quit,             ///< integer: exit status; the robot
  Send,             ///< text: a packet; integer: its channel >= -1; number: its range [m] or -1
  WheelSpeeds,      ///< numbers left, right [speedUnit]; the robot, a DifferentialWheels
  SetEncoders,      ///< numbers left, right [pulses]; likewise
  EncoderSampling,  ///< period [ms]; likewise
  Led,              ///< integer: see Led::set()
};

/// One order to a device (tag >= 1) or to the robot (tag 0). Only the member its kind names counts.
struct Command {
  std::uint16_t tag = 0;
  CommandKind kind = CommandKind::Position;
  std::array<double, 3> numbers{};
  std::int32_t integer = 0;
  std::string_view text;  ///< in the message
};

/// Commands, then a step of `duration_ms` (0: the commands only).
struct StepRequest {
  std::int32_t duration_ms = 0;
  std::span<const Command> commands;
};

struct UrdfRequest {
  std::string_view prefix;
};

struct Goodbye {};

using Request =
    std::variant<Hello, StepRequest, UrdfRequest, SupervisorRequest, Goodbye, ProtocolError>;

/// Views in the result point into `message` and `commands`. No number in it is NaN, gains and
/// damping are finite, and no period or duration is negative.
Request decode_request(Bytes message, std::vector<Command>& commands);

void encode_hello(Writer& writer, const Hello& hello);
/// Starts a step request; encode_command() adds to it.
void encode_step(Writer& writer, std::int32_t duration_ms);
void encode_command(Writer& writer, const Command& command);
void encode_urdf_request(Writer& writer, std::string_view prefix);
void encode_supervisor_request(Writer& writer, const SupervisorRequest& request);
void encode_goodbye(Writer& writer);

// ---- simulation → controller

/// A motor's fields and the values it starts with; units as in servosim::Motor.
struct WelcomeMotor {
  std::uint8_t linear = 0;
  std::uint16_t coupling = 0;  ///< motors with equal numbers > 0 are coupled
  double min_position = 0.0;
  double max_position = 0.0;
  double max_velocity = 0.0;
  double max_force = 0.0;
  double multiplier = 1.0;
  double position = 0.0;
  double velocity = 0.0;
  double acceleration = -1.0;
  double available_force = 0.0;
  std::array<double, 3> pid{};
};

/// A field of a device; with neither a text nor numbers there is none of that name.
struct WelcomeField {
  std::string_view name;
  std::string_view text;
  std::vector<double> numbers;
};

struct WelcomeDevice {
  std::string_view name;
  std::string_view model;
  std::string_view node_type;
  std::int32_t joint = -1;  ///< devices with equal numbers >= 0 sit on the same joint
  bool has_motor = false;
  bool has_sensor = false;  ///< a PositionSensor or a Servo
  bool has_brake = false;
  WelcomeMotor motor;
  std::uint8_t sensor_linear = 0;
  std::uint8_t brake_linear = 0;
  std::vector<WelcomeField> fields;  ///< of a device without a joint
};

/// All a controller may ask about its robot without asking the simulation.
struct Welcome {
  bool spin = false;  ///< spin for each answer before blocking
  std::string_view robot_name;
  std::string_view model;
  std::string_view custom_data;
  std::string_view controller;
  std::string_view controller_arguments;  ///< joined by spaces
  std::string_view world_path;
  std::string_view project_path;
  double basic_time_step_ms = 0.0;
  double time = 0.0;  ///< [s]
  bool synchronization = true;
  bool supervisor = false;
  bool has_battery = false;
  bool gps_in_degrees = false;
  bool has_wheels = false;  ///< a DifferentialWheels
  double max_speed = 0.0;   ///< of its wheels [rad/s]
  double speed_unit = 0.0;  ///< likewise
  std::vector<WelcomeDevice> devices;
};

enum class ReadingKind : std::uint8_t {
  Sample,         ///< `count` numbers as the kind of sensor has them; tag 0: the encoders
  ForceFeedback,  ///< a sample [N·m|N]
  Battery,        ///< a sample [J]; tag 0
  Packet,         ///< text; signal strength, direction of the emitter
  Setup,          ///< `text`: the device as it is now, for decode_setup()
  CustomData,     ///< `text`: a supervisor changed it; tag 0
  NewDevice,      ///< `text`: one that has come, for decode_setup(); its tag follows the last one
  Tracked,        ///< `text`: an answer, for decode_supervisor_response_body(); tag: its slot
};

/// Most numbers of one reading.
inline constexpr std::size_t kMaxReadingNumbers = 7;

struct Reading {
  std::uint16_t tag = 0;
  ReadingKind kind = ReadingKind::Sample;
  std::array<double, kMaxReadingNumbers> numbers{};  ///< one; `count` of a Sample; else as said
  std::uint8_t count = 1;
  std::string_view text = {};  ///< of a Packet, and of all kinds from Setup on, in the message
};

/// The head of an answer; next_reading() then gives its readings, while bytes are left.
struct Answer {
  std::int32_t result = 0;  ///< what wb_robot_step() returns; −1: the simulation ends
  double time = 0.0;        ///< [s]
};

struct Text {
  std::string_view text;
};

struct Failure {
  std::string_view text;
};

using Reply = std::variant<Welcome, Answer, Text, SupervisorResponse, Failure, ProtocolError>;

/// Views in the result point into `message`. After an Answer, `readings` stands at the first of its
/// readings.
Reply decode_reply(Bytes message, Reader& readings);
/// False, and a `reading` of no meaning, when the bytes are malformed.
bool next_reading(Reader& readings, Reading& reading);

/// With more than kMaxDevices devices, a Failure that says so.
void encode_welcome(Writer& writer, const Welcome& welcome);
/// Starts an answer; encode_reading() adds to it.
void encode_answer(Writer& writer, const Answer& answer);
void encode_reading(Writer& writer, const Reading& reading);
/// The text of a Setup, a device with those of its fields that changed, or of a NewDevice.
void encode_setup(Writer& writer, const WelcomeDevice& device);
/// False when the text is malformed; the views in `device` point into it.
bool decode_setup(std::string_view text, WelcomeDevice& device);
void encode_text(Writer& writer, std::string_view text);
void encode_supervisor_response(Writer& writer, const SupervisorResponse& response);
void encode_failure(Writer& writer, std::string_view text);

// What all messages of the protocol have in common; for protocol*.cpp alone.

enum class MessageKind : std::uint8_t {
  Hello = 0x10,
  Step,
  Urdf,
  Goodbye,
  SupervisorRequest,
  Welcome = 0x80,
  Answer,
  Text,
  Failure,
  SupervisorResponse,
};

inline void start(Writer& writer, MessageKind kind) {
  writer.clear();
  writer.u8(static_cast<std::uint8_t>(kind));
}

// The decoded message, if it was there completely and nothing follows it.
template <typename Result>
Result complete(const Reader& reader, Result result) {
  if (!reader.ok()) {
    return ProtocolError{"a message that ends too early"};
  }
  if (reader.left() > 0) {
    return ProtocolError{"a message that is too long"};
  }
  return result;
}

/// After the kind of message.
Reply decode_welcome(Reader& reader);

}  // namespace servosim
