// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace servosim {

/// A field of a world that gets another value before the world is built, as if it stood so in the
/// file. `path` is `OWNER.field`, or `OWNER.field.field[i]` and so on through the nodes that fields
/// hold. OWNER is a name as traces have it (`robot`, `robot/joint`, `robot/device`, `robot/Solid`),
/// a DEF name or DEF path (`ARM.HAND`), or a type or PROTO of which the world has one node
/// (`WorldInfo`), or a name without its robot where that is unique. `robot/joint` is the joint with
/// its parameters and its motor, a Solid one with its Physics: whichever has the field. `.x`, `.y`
/// and `.z` are the numbers of a vector, `.angle` is that of a rotation. A PROTO instance has the
/// fields of its interface and those of the node that it is. Positions of joints take their
/// endpoints along.
///
/// Threads: a plain value.
struct FieldSetting {
  std::string path;
  std::string value;  ///< as it would stand in the file; a string also without quotes
  /// For messages: they name this and the column in `path=value`. Empty: "setting".
  std::string place = {};
  int line = 1;  ///< in `place`
};

}  // namespace servosim
