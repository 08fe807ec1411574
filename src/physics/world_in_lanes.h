// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  /// Reads the state of one lane, in the order of the model. @returns false if the next step does
  /// not follow from it, or if it is out of the range of lanes
  /// @param begins  see TreesForLanes::read()
  bool read(const JointLaneModel& model, const JointLaneState& state, bool& begins) const;
  /// Moves the world to this state of one lane, as if a step had ended there.
  void write(const JointLaneModel& model, const JointLaneState& state);

 private:
  PhysicsWorld& world_;
};

}  // namespace servosim
