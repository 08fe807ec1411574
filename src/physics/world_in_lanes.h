// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "physics/tree/joint_lanes.h"

namespace servosim {

class PhysicsWorld;

/// Takes the motion of a world over into a lane, where it goes on without bodies, and back.
///
/// Threads: one at a time, with the whole PhysicsWorld.
class WorldInLanes {
 public:
  /// `world` must outlive the use of this object.
  explicit WorldInLanes(PhysicsWorld& world) : world_(world) {}

  /// Describes the world. @returns why lanes cannot move it; null if they can
  const char* describe(JointLaneModel& model) const;
  /// Reads the positions and the rates of all axes, in the order of the model. @returns false if
  /// the next step does not follow from them, or if they are out of the range of lanes
  bool read(const JointLaneModel& model, std::span<double> positions,
            std::span<double> rates) const;
  /// Moves the world to these positions and rates, as if a step had ended there.
  void write(const JointLaneModel& model, std::span<const double> positions,
             std::span<const double> rates);

 private:
  PhysicsWorld& world_;
};

}  // namespace servosim
