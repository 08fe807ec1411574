// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/tree/joint_lanes.h"

namespace servosim {

class Trees;

/// What lanes that move trees without bodies read of Trees, and write.
///
/// Threads: one at a time, with the whole Trees.
class TreesForLanes {
 public:
  /// `trees` must outlive the use of this object.
  explicit TreesForLanes(Trees& trees) : of_(trees) {}

  /// Describes the trees. @returns why lanes cannot move them; null if they can
  const char* describe(JointLaneModel& model) const;
  /// Reads the state of one lane, which has the positions. `model` is of a world of the same scene.
  /// @param begins  becomes true if there was no step before, so that the second one has to take
  ///   the accelerations of the first for those of both
  /// @returns false if the next step does not follow from the model and this state
  bool read(const JointLaneModel& model, const JointLaneState& state, bool& begins) const;
  /// Moves all bodies and joints to this state of one lane. Positions are those of the models.
  void put(const JointLaneState& state);

 private:
  Trees& of_;
};

}  // namespace servosim
