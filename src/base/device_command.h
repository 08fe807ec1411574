// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace servosim {

// The commands of a controller to its robot and the devices of it: controller/protocol/ sends them,
// and devices/ apply them.

/// The target of a command.
enum class CommandTarget : std::uint8_t { Device, Robot, Wheels };

/// The contents of a command after its tag and kind, which its reader checks.
enum class Payload : std::uint8_t {
  Number,   ///< numbers[0], not NaN
  Finite,   ///< numbers[0], finite
  Pair,     ///< numbers[0], numbers[1], not NaN
  Gains,    ///< three numbers, finite
  Period,   ///< integer >= 0 [ms]
  Integer,  ///< integer
  Channel,  ///< integer >= -1
  Range,    ///< numbers[0] >= 0 or -1 [m]
  Text,     ///< text
  Packet,   ///< integer: channel >= -1; numbers[0]: range >= 0 or -1 [m]; text
};

// The only table of commands: X(kind, target, payload), in the order of their numbers on the wire,
// which is also that of the commands to one device in a message.
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
  X(Led, Device, Integer)             /* see Led::set() */                                       \
  X(BlindRead, Device, Integer)       /* 0; its picture was read, which is not drawn */
// clang-format on

enum class CommandKind : std::uint8_t {
#define SERVOSIM_COMMAND_KIND(kind, target, payload) kind,
  SERVOSIM_COMMANDS(SERVOSIM_COMMAND_KIND)
#undef SERVOSIM_COMMAND_KIND
};

struct CommandInfo {
  const char* name;
  CommandTarget target;
  Payload payload;
};

/// By CommandKind.
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

/// One command to a device (tag >= 1), or to the robot or its wheels (tag 0). Only what the payload
/// of its kind names is on the wire.
struct DeviceCommand {
  std::uint16_t tag = 0;
  CommandKind kind = CommandKind::Position;
  std::array<double, 3> numbers{};
  std::int32_t integer = 0;
  std::string_view text;  ///< in the message
};

/// The last value of an LED is a field of this name, which no file has.
inline constexpr std::string_view kLedValue = "value";

}  // namespace servosim
