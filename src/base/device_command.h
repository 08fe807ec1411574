// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace servosim {

// The commands of a controller to its robot and the robot's devices. The folder
// controller_api/protocol/ encodes them, and devices/ applies them.

/// The target of a command.
enum class CommandTarget : std::uint8_t { Device, Robot, Wheels };

/// The contents of a command after its tag and kind. decode_request() checks them, so that devices
/// get only values in these ranges.
enum class Payload : std::uint8_t {
  Number,   ///< numbers[0], not NaN
  Finite,   ///< numbers[0], finite
  Pair,     ///< numbers[0] and numbers[1], not NaN
  Gains,    ///< all three numbers, finite
  Period,   ///< integer >= 0 [ms]
  Integer,  ///< integer, any value
  Channel,  ///< integer >= -1
  Range,    ///< numbers[0] >= 0 or -1 [m]
  Text,     ///< text
  Packet,   ///< integer: channel >= -1; numbers[0]: range >= 0 or -1 [m]; text: the data
};

// The only table of commands: X(kind, target, payload). Its order is that of their numbers on the
// wire, and of the commands to one device in a message. The comments have the units and, where only
// some devices take the command, these devices.
// clang-format off
#define SERVOSIM_COMMANDS(X)                                                                      \
  X(Position, Device, Number)         /* [rad|m], ±infinity */                                    \
  X(Velocity, Device, Number)         /* [rad/s|m/s] */                                           \
  X(AvailableForce, Device, Number)   /* [N·m|N] */                                               \
  X(Force, Device, Number)            /* [N·m|N] */                                               \
  X(ForceFeedback, Device, Period)                                                                \
  X(Acceleration, Device, Number)     /* [rad/s²|m/s²] */                                         \
  X(ControlPid, Device, Gains)                                                                    \
  X(Sampling, Device, Period)         /* sensor, or motor for wb_motor_enable_position() */       \
  X(BrakeDamping, Device, Finite)     /* [N·m·s/rad|N·s/m] */                                     \
  X(Lock, Device, Integer)            /* 0 or 1; a Connector, a VacuumGripper */                  \
  X(Channel, Device, Channel)         /* emitter or receiver */                                   \
  X(Range, Device, Range)             /* emitter */                                               \
  X(BatterySampling, Robot, Period)                                                               \
  X(Pin, Robot, Integer)              /* 0 or 1 */                                                \
  X(CustomData, Robot, Text)                                                                      \
  X(Quit, Robot, Integer)             /* exit status */                                           \
  X(Send, Device, Packet)             /* emitter */                                               \
  X(WheelSpeeds, Wheels, Pair)        /* left, right [speedUnit] */                               \
  X(SetEncoders, Wheels, Pair)        /* left, right [pulses] */                                  \
  X(EncoderSampling, Wheels, Period)                                                              \
  X(Led, Device, Integer)             /* see Led::set() */                                        \
  X(BlindRead, Device, Integer)       /* 0; its sound was read, which does not exist */           \
  X(Frequency, Device, Number)        /* [1/s]; a Lidar */                                        \
  X(FieldOfView, Device, Number)      /* [rad]; a Camera, as the next four */                     \
  X(Exposure, Device, Number)         /* [J/m²] */                                                \
  X(FocalDistance, Device, Number)    /* [m] */                                                   \
  X(Recognition, Device, Period)                                                                  \
  X(Segmentation, Device, Integer)    /* 0 or 1 */                                                \
  X(Draw, Device, Text)               /* a piece of the stream of base/drawing_call.h; a Display */ \
  X(Write, Device, Integer)           /* 0 or 1; a Pen */                                         \
  X(Ink, Device, Pair)                /* 0xRRGGBB, density; a Pen */
// clang-format on

/// The number of a command on the wire.
enum class CommandKind : std::uint8_t {
#define SERVOSIM_COMMAND_KIND(kind, target, payload) kind,
  SERVOSIM_COMMANDS(SERVOSIM_COMMAND_KIND)
#undef SERVOSIM_COMMAND_KIND
};

/// A row of the table of commands.
struct CommandInfo {
  const char* name;
  CommandTarget target;
  Payload payload;
};

/// The table of commands, by CommandKind.
inline constexpr CommandInfo kCommands[] = {
#define SERVOSIM_COMMAND_INFO(kind, target, payload) \
  {#kind, CommandTarget::target, Payload::payload},
    SERVOSIM_COMMANDS(SERVOSIM_COMMAND_INFO)
#undef SERVOSIM_COMMAND_INFO
};

constexpr const char* name_of(CommandKind kind) {
  return kCommands[static_cast<std::size_t>(kind)].name;
}
constexpr CommandTarget target_of(CommandKind kind) {
  return kCommands[static_cast<std::size_t>(kind)].target;
}

/// One command to a device (tag >= 1), or to the robot or its wheels (tag 0). Only the members that
/// the payload of its kind names are on the wire and have a meaning.
///
/// Threads: a plain value.
struct DeviceCommand {
  std::uint16_t tag = 0;
  CommandKind kind = CommandKind::Position;
  std::array<double, 3> numbers{};
  std::int32_t integer = 0;
  std::string_view text;  ///< points into the message, and is valid as long as the message
};

/// The name under which the axes of a Lidar's points are a setting: nine numbers, the rows of the
/// rotation from x forward, y to the left and z up. No file has a field of this name.
inline constexpr std::string_view kPointAxes = "pointAxes";

/// The name under which it is a setting whether a Camera makes pictures of what it recognises. No
/// file has a field of this name.
inline constexpr std::string_view kSegmentation = "recognition.segmentation.on";

/// The name under which the last value of an LED is a setting. No file has a field of this name.
inline constexpr std::string_view kLedValue = "value";

}  // namespace servosim
