// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

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
  /// Reads the rates of all axes. `model` is of a world of the same scene. @returns false if the
  /// next step does not follow from the model, the positions and these rates
  bool read_rates(const JointLaneModel& model, std::span<double> rates) const;
  /// Moves all bodies and joints to these positions and rates of the models.
  void put(std::span<const double> positions, std::span<const double> rates);

 private:
  Trees& of_;
};

}  // namespace servosim
