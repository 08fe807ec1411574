// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "sim/watch.h"

namespace servosim {

/// What the joints that are watched did during a run.
class JointSummary {
 public:
  /// `simulation` must outlive it; the positions now are the start.
  JointSummary(const Simulation& simulation, const Watch& watched);
  /// To be called after each step.
  void update();
  /// A table with a line for each; one sentence if there are none.
  std::string table() const;

 private:
  struct Extremes {
    int joint;
    double start;
    double min;
    double max;
    double velocity = 0.0;  // largest magnitude
    double effort = 0.0;    // largest magnitude
  };

  const Simulation& simulation_;
  std::vector<Extremes> joints_;
  std::size_t propellers_;
};

}  // namespace servosim
