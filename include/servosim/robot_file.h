// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace servosim {

/// What a robot gets around it that is loaded from its own file, such as a URDF. A world file needs
/// none of this.
///
/// Threads: a plain value.
struct RobotFileOptions {
  /// Whether there is a floor at z = 0. A robot that is not held stands on it.
  bool floor = true;
  /// Whether the root of the robot is held where it is, also if its file leaves it free.
  bool fixed_base = false;
};

}  // namespace servosim
