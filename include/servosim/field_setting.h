// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace servosim {

/// A field of a world that gets another value before the world is built, as if the file had that
/// value.
///
/// `path` is `OWNER.field`, or `OWNER.field.field[i]` and so on through the nodes that fields hold.
/// OWNER is one of these:
///
/// - a name as in traces: `robot`, `robot/joint`, `robot/device`, `robot/Solid`
/// - such a name without its robot, where that is unique
/// - a DEF name or a DEF path, such as `ARM.HAND`
/// - a node type or a PROTO of which the world has one node, such as `WorldInfo`
///
/// `robot/joint` means the joint node, its parameters and its motor; the name of a Solid means the
/// Solid and its Physics. The field is looked for in each of them. `.x`, `.y` and `.z` are the
/// numbers of a vector, and `.angle` is that of a rotation. The field `servo` of a motor
/// has the fields of its servo, such as `arm/shoulder.servo.firmware.p`. A PROTO instance has the
/// fields of its interface and those of the node that it consists of. Setting the position of a
/// joint moves its endpoint too.
///
/// Threads: a plain value.
struct FieldSetting {
  std::string path;
  /// The value as it is written in a world file. A string may also be given without its quotes.
  std::string value;
  /// From where the setting comes, such as the name of a file, for messages. They also name the
  /// column in `path=value`. Empty: "setting".
  std::string place = {};
  int line = 1;  ///< The line of `place`, from 1, for messages.
};

}  // namespace servosim
