// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/device_command.h"

// The protocol between a controller and its Session. Numbers are little-endian. Every message
// starts with one byte for its kind:
//
//     controller                       simulation
//     Hello              ──────────▶
//                        ◀──────────   Welcome             robot, devices, fields
//     StepRequest        ──────────▶                       duration, commands
//                        ◀──────────   StepAnswer          result, time, new readings
//     UrdfRequest        ──────────▶
//                        ◀──────────   Text
//     SupervisorRequest  ──────────▶                       a query or a change, answered at once
//                        ◀──────────   SupervisorResponse
//     Goodbye            ──────────▶
//
// A Failure may replace any answer. It has a text, and the controller exits with status 1; after a
// UrdfRequest or a SupervisorRequest only the call fails. Decoding never throws, and allocates no
// more memory than the received bytes can fill.

namespace servosim {

inline constexpr std::uint32_t kProtocolVersion = 13;
/// The longest message [bytes], but for an answer with pictures. A message whose length claims to
/// be greater is refused.
inline constexpr std::size_t kMaxMessage = 16u << 20;
/// The longest answer with pictures that come in the message [bytes]: those of 32 of the largest
/// sensors.
inline constexpr std::size_t kMaxAnswer = 256u << 20;
/// The longest text that a controller sends [bytes]. A request with such a text fits into a
/// message.
inline constexpr std::size_t kMaxText = 1u << 20;
/// The most bytes of packets in one message, in either direction.
inline constexpr std::size_t kMaxPacketBytes = 8u << 20;
/// The largest number of devices of a robot: tags count from 1 and have 16 bits.
inline constexpr std::size_t kMaxDevices = 65534;

// ---- controller → simulation

struct Hello {
  std::uint32_t version = kProtocolVersion;
};

/// Requests a step after some commands.
struct StepRequest {
  std::int32_t duration_ms = 0;  ///< [ms]; 0: only the commands, without a step
  std::span<const DeviceCommand> commands;
};

/// Requests the URDF model of the robot.
struct UrdfRequest {
  std::string_view prefix;
};

/// Ends the connection. It has no answer.
struct Goodbye {};

// The requests of a supervisor. The simulation answers each one at once, between steps, by one
// SupervisorResponse.

/// The topic of a request decides which class answers it.
enum class RequestTopic : std::uint8_t {
  Query,   ///< finds or describes nodes and fields, reads values
  Edit,    ///< changes the node tree
  Motion,  ///< reads or sets poses, velocities, forces, contacts, stored states
  Run,     ///< controls the simulation as a whole
};

// The only table of requests: X(kind, topic, changes), in the order of their numbers on the wire.
// `changes` is 1 if the request changes something. Its response then has only a text that is shown.
//
// The comments name the members of the request that have a meaning and, after "->", those of the
// response. A response gives a node in `node` or `integer`: its number, kNoNode for none, and 0 for
// the root.
// clang-format off
#define SERVOSIM_SUPERVISOR_REQUESTS(X)                                                           \
  X(Self, Query, 0)                                                                               \
  X(FindDef, Query, 0)           /* text */                                                       \
  X(FindProtoDef, Query, 0)      /* node, text */                                                 \
  X(FindId, Query, 0)            /* node */                                                       \
  X(FindDevice, Query, 0)        /* index: its tag */                                             \
  X(Parent, Query, 0)            /* node */                                                       \
  X(Describe, Query, 0)          /* node -> flags: NodeFlag; texts: type, base type, DEF */       \
  X(DescribeProto, Query, 0)     /* node, level -> integer: levels below; text: its name */       \
  /* Fields: node, level, and field unless stated otherwise. */                                   \
  X(FindField, Query, 0)         /* text -> integer: its number or -1; type; flags; text: name */ \
  X(NthField, Query, 0)          /* index -> the same */                                          \
  X(CountFields, Query, 0)       /* -> integer */                                                 \
  X(ActualField, Query, 0)       /* -> node, level and number of the field that has its value */  \
  X(CountItems, Query, 0)        /* -> integer */                                                 \
  X(Get, Query, 0)               /* index, type -> numbers, text, or a node */                    \
  X(Set, Edit, 1)                /* index, type, numbers, text */                                 \
  X(Insert, Edit, 1)             /* the same */                                                   \
  X(RemoveItem, Edit, 1)         /* index; -1: of an SFNode */                                    \
  X(Import, Edit, 1)             /* index; -1: of an SFNode; text */                              \
  /* Nodes as a whole: node. */                                                                   \
  X(Remove, Edit, 1)                                                                              \
  X(Export, Query, 0)            /* -> text */                                                    \
  X(SaveState, Motion, 1)        /* text */                                                       \
  X(LoadState, Motion, 1)        /* text */                                                       \
  X(SetJointPosition, Motion, 1) /* index: axis from 1; a number */                               \
  X(RestartController, Run, 1)                                                                    \
  X(Pose, Motion, 0)             /* -> 16 numbers, 4x4, in the world */                           \
  X(Velocity, Motion, 0)         /* -> 6 */                                                       \
  X(SetVelocity, Motion, 1)      /* 6 */                                                          \
  X(ResetPhysics, Motion, 1)     /* kNoNode: of all */                                            \
  X(AddForce, Motion, 1)         /* 3, then 3 of an offset; index: bits relative, offset */       \
  X(AddTorque, Motion, 1)        /* 3; index: bit 0 relative */                                   \
  X(CenterOfMass, Motion, 0)     /* -> 3 */                                                       \
  X(Contacts, Motion, 0)         /* index: with descendants -> by point x, y, z, node */          \
  X(Balance, Motion, 0)          /* -> integer */                                                 \
  /* The run. */                                                                                  \
  X(LoadWorld, Run, 1)           /* text */                                                       \
  X(Reload, Run, 1)                                                                               \
  X(SaveWorld, Query, 0)         /* text */                                                       \
  X(Reset, Run, 1)                                                                                \
  X(Untrack, Run, 0)             /* index: the slot */                                            \
  X(Label, Run, 1)               /* index: its number; 4 numbers: x, y, size, transparency;       \
                                    field: 0; integer: colour; texts */                          \
  X(ExportImage, Run, 1)         /* a picture of the scene, which is not drawn */                 \
  X(SetVisibility, Motion, 1)    /* node; index: that of a sensor; integer: 1 if it sees the node */
// clang-format on

/// The number of a request on the wire.
enum class SupervisorRequestKind : std::uint8_t {
#define SERVOSIM_REQUEST_KIND(kind, topic, changes) kind,
  SERVOSIM_SUPERVISOR_REQUESTS(SERVOSIM_REQUEST_KIND)
#undef SERVOSIM_REQUEST_KIND
};

/// A row of the table of requests.
struct SupervisorRequestInfo {
  const char* name;
  RequestTopic topic;
  bool changes;
};

/// The table of requests, by SupervisorRequestKind.
inline constexpr SupervisorRequestInfo kSupervisorRequests[] = {
#define SERVOSIM_REQUEST_INFO(kind, topic, changes) {#kind, RequestTopic::topic, changes != 0},
    SERVOSIM_SUPERVISOR_REQUESTS(SERVOSIM_REQUEST_INFO)
#undef SERVOSIM_REQUEST_INFO
};

constexpr const char* name_of(SupervisorRequestKind kind) {
  return kSupervisorRequests[static_cast<std::size_t>(kind)].name;
}
constexpr RequestTopic topic_of(SupervisorRequestKind kind) {
  return kSupervisorRequests[static_cast<std::size_t>(kind)].topic;
}
inline constexpr SupervisorRequestKind kLastSupervisorRequest{std::size(kSupervisorRequests) - 1};

/// Whether the request changes something. Its response then has only a text that is shown.
constexpr bool is_change(SupervisorRequestKind kind) {
  return kSupervisorRequests[static_cast<std::size_t>(kind)].changes;
}

inline constexpr std::int32_t kNoNode = -1;
inline constexpr std::size_t kMaxRequestNumbers = 9;
/// The longest text of a node that is imported [bytes].
inline constexpr std::size_t kMaxImport = 8u << 20;

enum NodeFlag : std::uint8_t { kIsProto = 1, kIsInternal = 2 };

/// One request of a supervisor. Only the members that its kind names have a meaning.
struct SupervisorRequest {
  SupervisorRequestKind kind = SupervisorRequestKind::Self;
  std::int32_t node = kNoNode;  ///< a wbt::Node::id; 0: the root
  std::uint8_t level = 0;       ///< see wbt::FieldKey
  std::uint16_t field = 0;      ///< the number of the field
  std::uint8_t type = 0;        ///< the WbFieldType of one item
  std::int32_t index = 0;
  std::int32_t integer = 0;
  std::uint8_t count = 0;                            ///< how many `numbers` there are
  std::array<double, kMaxRequestNumbers> numbers{};  ///< not checked here
  std::string_view text;
  std::string_view more;
  /// For Pose, Get and Contacts. If it is not 0, the answers of steps repeat the response under
  /// this number, every `period_ms` [ms].
  std::uint16_t slot = 0;
  std::int32_t period_ms = 0;
};

using Request =
    std::variant<Hello, StepRequest, UrdfRequest, SupervisorRequest, Goodbye, ProtocolError>;

/// Decodes a message of a controller. Views in the result point into `message` and `commands`. No
/// number of a command is NaN, gains and damping are finite, and no period or duration is negative;
/// otherwise the result is a ProtocolError.
Request decode_request(Bytes message, std::vector<DeviceCommand>& commands);

void encode_hello(Writer& writer, const Hello& hello);
/// Starts a step request. encode_command() adds its commands.
void encode_step(Writer& writer, std::int32_t duration_ms);
void encode_command(Writer& writer, const DeviceCommand& command);
void encode_urdf_request(Writer& writer, std::string_view prefix);
void encode_supervisor_request(Writer& writer, const SupervisorRequest& request);
void encode_goodbye(Writer& writer);

// ---- simulation → controller

/// The fields of a motor and the values with which it starts, in the units of servosim::Motor.
struct WelcomeMotor {
  std::uint8_t linear = 0;
  std::uint16_t coupling = 0;  ///< motors with equal numbers above 0 are coupled
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

/// A field of a device. Without a text and numbers it means that the device has no field of that
/// name.
struct WelcomeField {
  std::string_view name;
  std::string_view text;
  std::vector<double> numbers;
};

/// The description of a device node.
struct WelcomeDevice {
  std::string_view name;
  std::string_view model;
  std::string_view node_type;
  std::int32_t joint = -1;  ///< devices with equal numbers >= 0 are on the same joint
  bool has_motor = false;
  bool has_sensor = false;  ///< a PositionSensor or a Servo
  bool has_brake = false;
  WelcomeMotor motor;
  std::uint8_t sensor_linear = 0;
  std::uint8_t brake_linear = 0;
  std::vector<WelcomeField> fields;  ///< for a device without a joint
};

/// Everything that a controller may read of its robot without a request.
struct Welcome {
  bool spin = false;  ///< whether the controller spins for each answer before it blocks
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
  bool has_wheels = false;  ///< whether it is a DifferentialWheels
  double max_speed = 0.0;   ///< the limit of the speed of each wheel [rad/s]
  double speed_unit = 0.0;  ///< the speed that a commanded 1 means [rad/s]
  std::vector<WelcomeDevice> devices;
};

/// What a reading is, and which of its members have a meaning.
enum class ReadingKind : std::uint8_t {
  Sample,         ///< a sample: `count` numbers, by the kind of sensor; tag 0: encoders
  ForceFeedback,  ///< a sample [N·m|N]
  Battery,        ///< a sample [J]; tag 0
  Packet,         ///< text; numbers: signal strength, direction of the emitter
  Setup,          ///< `text`: the present state of the device, for decode_setup()
  CustomData,     ///< `text`: the value that a supervisor has set; tag 0
  NewDevice,      ///< `text`: a new device, for decode_setup(); its tag follows the last one
  Tracked,        ///< `text`: for decode_supervisor_response_body(); tag: its slot
  Supervisor,     ///< whether the robot is now a supervisor, 1 or 0; tag 0
  Distances,      ///< a picture of distances: see PictureTransfer; `text`: its floats [m]
  Pixels,         ///< the same of a picture of colours; `text`: its bytes
  Segments,       ///< the same of a picture of recognised objects
  Objects,        ///< recognised objects; `text`: for decode_objects()
  Targets,        ///< of a Radar; `text`: for decode_targets()
  Drawn,          ///< a DrawingAnswer of a Display: `numbers`: whether it is done, the size of the
                  ///< image; `text`: its bytes
};

/// Where the bytes of a picture are. The numbers of its reading are the time when it was taken [s],
/// this place, and the number of its bytes.
enum class PictureTransfer : std::uint8_t {
  Text,       ///< in the text of the reading
  NewMemory,  ///< in shared memory, whose descriptor comes with the message
  Memory,     ///< in the same memory as the picture before
};

/// An object that a Camera recognises, as WbCameraRecognitionObject.
struct WireObject {
  std::int32_t id = 0;
  std::array<double, 3> position{};
  std::array<double, 4> orientation{};
  std::array<double, 2> size{};
  std::array<std::int32_t, 2> position_on_image{};
  std::array<std::int32_t, 2> size_on_image{};
  std::vector<double> colors;  ///< three for each
  std::string_view model;
};

/// What a Radar measures, as WbRadarTarget.
struct WireTarget {
  double distance = 0.0;
  double received_power = 0.0;
  double speed = 0.0;
  double azimuth = 0.0;
};

/// The most objects or targets of one reading.
inline constexpr std::size_t kMaxObjects = 65535;

/// The most numbers of one reading.
inline constexpr std::size_t kMaxReadingNumbers = 7;

/// A value of a device, or of the robot where `tag` is 0, in an answer.
struct Reading {
  std::uint16_t tag = 0;
  ReadingKind kind = ReadingKind::Sample;
  /// A Sample has `count` numbers, a Packet four, and the others have one or none.
  std::array<double, kMaxReadingNumbers> numbers{};
  std::uint8_t count = 1;
  /// For a Packet, and for kinds from Setup on but Supervisor; points into the message.
  std::string_view text = {};
};

/// The head of an answer. next_reading() reads the readings that follow it, while bytes are left.
struct StepAnswer {
  std::int32_t result = 0;  ///< the result of wb_robot_step(); −1: the simulation ends
  double time = 0.0;        ///< [s]
};

/// The answer to a SupervisorRequest.
struct SupervisorResponse {
  std::int32_t integer = 0;
  std::int32_t node = kNoNode;
  std::uint8_t type = 0;  ///< a WbFieldType
  std::uint8_t flags = 0;
  std::uint8_t level = 0;
  Bytes numbers;  ///< doubles in the message, of any alignment
  std::string_view text;
  std::array<std::string_view, 2> more;

  std::size_t count() const { return numbers.size() / sizeof(double); }
  /// Copies as many numbers as `into` takes and the response has.
  void copy_to(std::span<double> into) const {
    if (const std::size_t size = std::min(numbers.size(), into.size_bytes()); size > 0) {
      // Memcpy() accepts no null pointer, not even for 0 bytes.
      std::memcpy(into.data(), numbers.data(), size);
    }
  }
};

/// The answer to a UrdfRequest.
struct Text {
  std::string_view text;
};

/// Replaces any answer; see the head of this file.
struct Failure {
  std::string_view text;
};

using SimulationReply =
    std::variant<Welcome, StepAnswer, Text, SupervisorResponse, Failure, ProtocolError>;

/// Decodes a message of the simulation. Views in the result point into `message`. After a
/// StepAnswer, `readings` is at the first of its readings.
SimulationReply decode_reply(Bytes message, Reader& readings);
/// Decodes the next reading of an answer; its views point into the message.
/// @returns false, and a `reading` without a meaning, if the bytes are malformed
bool next_reading(Reader& readings, Reading& reading);

/// Writes a Failure with an error if there are more than kMaxDevices devices.
void encode_welcome(Writer& writer, const Welcome& welcome);
/// Starts an answer. encode_reading() adds its readings.
void encode_answer(Writer& writer, const StepAnswer& answer);
void encode_reading(Writer& writer, const Reading& reading);
/// Writes the text of a Setup, which has a device with its changed fields, or of a NewDevice.
void encode_setup(Writer& writer, const WelcomeDevice& device);
/// Decodes the text of a Setup or NewDevice. The views in `device` point into the text.
/// @returns false if the text is malformed
bool decode_setup(std::string_view text, WelcomeDevice& device);
/// Writes the text of an Objects reading: at most kMaxObjects of them.
void encode_objects(Writer& writer, const std::vector<WireObject>& objects);
/// Decodes that text. The views in `objects` point into it. @returns false if it is malformed
bool decode_objects(std::string_view text, std::vector<WireObject>& objects);
/// Writes the text of a Targets reading: at most kMaxObjects of them.
void encode_targets(Writer& writer, const std::vector<WireTarget>& targets);
/// Decodes that text. @returns false if it is malformed
bool decode_targets(std::string_view text, std::vector<WireTarget>& targets);
void encode_text(Writer& writer, std::string_view text);
void encode_supervisor_response(Writer& writer, const SupervisorResponse& response);
void encode_failure(Writer& writer, std::string_view text);

/// Writes a response in the form that the text of a Tracked reading has.
void encode_supervisor_response_body(Writer& writer, const SupervisorResponse& response);
/// Decodes the text of a Tracked reading. @returns false if it is malformed
bool decode_supervisor_response_body(Reader& reader, SupervisorResponse& response);

}  // namespace servosim
