// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "yarp/protocol/bottle.h"

// Writes the bodies of periodic messages from arrays of numbers, without Bottles.

namespace servosim::yarp {

/// Appends a list of n doubles, as on NAME/state:o: 0a 01 00 00 (4.0: 14 01 00 00), n, n · 8 bytes.
void encode_vector(Writer& writer, std::span<const double> values, Generation generation);
/// Appends a list of n int32: 01 01 00 00, n, n · 4 bytes.
void encode_vector(Writer& writer, std::span<const std::int32_t> values);

/// Appends the beginning of a list whose items have their tags: 00 01 00 00, n.
void begin_list(Writer& writer, std::size_t count);
/// Appends a double with its tag, as an item of such a list.
void encode_item(Writer& writer, double value, Generation generation);

/// One quantity of all joints. There is a value for each joint even if `valid` is false.
template <typename T>
struct JointValues {
  std::span<const T> values;
  bool valid = false;
};

/// The state of every joint, in the units of yarp.md: deg or m, N·m or N, %, A.
struct JointStates {
  JointValues<double> positions;
  JointValues<double> velocities;
  JointValues<double> accelerations;
  JointValues<double> motor_positions;
  JointValues<double> motor_velocities;
  JointValues<double> motor_accelerations;
  JointValues<double> torques;
  JointValues<double> duty_cycles;
  JointValues<double> currents;
  JointValues<std::int32_t> control_modes;      ///< codes of vocabs
  JointValues<std::int32_t> interaction_modes;  ///< codes of vocabs
  JointValues<double> temperatures;             ///< [°C]; only in 4.0
};

/// Appends the message of NAME/stateExt:o: a list of 22 items, 00 01 00 00 16 00 00 00. They are 11
/// pairs of a vector and [ok] or [fail], in the order above. In 4.0 the list has 24 items with
/// temperatures at the end, and temperatures and duty cycles are float32.
void encode_joint_states(Writer& writer, const JointStates& states, Generation generation);

/// A message of NAME/command:i: the command, such as `[vmo] 2`, and its numbers.
struct StreamedCommand {
  Bottle head;
  std::vector<double> values;
};
using StreamedCommandOrError = std::variant<StreamedCommand, ProtocolError>;

/// Appends 00 01 00 00 02 00 00 00, the head as a Bottle, and the vector.
void encode_streamed(Writer& writer, const Bottle& head, std::span<const double> values,
                     Generation generation);
/// Converts a message in binary or in text, such as `([vmo] 2) (10.5)`. Accepts numbers of any
/// type.
StreamedCommandOrError to_streamed(BottleOrError message);

/// Appends the reply of 4.0 to getRemoteProtocolVersion, which is no Bottle: 00 01 00 00 01 00 00
/// 00, then the int16 0 (protocol) and 4 0 0 (YARP).
void encode_protocol_version_v4(Writer& writer);

}  // namespace servosim::yarp
