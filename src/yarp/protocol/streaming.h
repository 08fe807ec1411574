// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "yarp/protocol/bottle.h"

// The bodies of periodic messages, written from arrays of numbers without Bottles.

namespace servosim::yarp {

/// Appends a list of n doubles, as on NAME/state:o: 0a 01 00 00 (4.0: 14 01 00 00), n, n · 8 bytes.
void encode_vector(Writer& writer, std::span<const double> values, Generation generation);
/// Appends a list of n int32: 01 01 00 00, n, n · 4 bytes.
void encode_vector(Writer& writer, std::span<const std::int32_t> values);

/// One quantity of all joints, one value for each joint also if it is not valid.
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
  JointValues<std::int32_t> control_modes;      ///< vocab codes
  JointValues<std::int32_t> interaction_modes;  ///< vocab codes
  JointValues<double> temperatures;             ///< [°C] in 4.0 only
};

/// Appends the message of NAME/stateExt:o: a list of 22 items, 00 01 00 00 16 00 00 00, that are 11
/// pairs of a vector and [ok] or [fail] in the order above. In 4.0 of 24, with temperatures at the
/// end, and these and the duty cycles in float32.
void encode_joint_states(Writer& writer, const JointStates& states, Generation generation);

/// A message of NAME/command:i: the command, as in `[vmo] 2`, and its numbers.
struct StreamedCommand {
  Bottle head;
  std::vector<double> values;
};
using StreamedCommandOrError = std::variant<StreamedCommand, ProtocolError>;

/// Appends 00 01 00 00 02 00 00 00, the head as a Bottle, and the vector.
void encode_streamed(Writer& writer, const Bottle& head, std::span<const double> values,
                     Generation generation);
/// From a message in binary or in text, as in `([vmo] 2) (10.5)`. Numbers of any type are accepted.
StreamedCommandOrError to_streamed(BottleOrError message);

/// Appends the reply of 4.0 to getRemoteProtocolVersion, which is no Bottle:
/// 00 01 00 00 01 00 00 00 and the int16 0 (protocol) 4 0 0 (YARP).
void encode_protocol_version_v4(Writer& writer);

}  // namespace servosim::yarp
