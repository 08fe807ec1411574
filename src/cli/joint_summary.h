// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "servosim/simulation.h"

namespace servosim {

/// What every joint did during a run.
class JointSummary {
 public:
  /// `simulation` must outlive it; the positions now are the start.
  explicit JointSummary(const Simulation& simulation);
  /// To be called after each step.
  void update();
  /// A table with a line for each joint; one sentence if there are none.
  std::string table() const;

 private:
  struct Extremes {
    double start;
    double min;
    double max;
    double velocity = 0.0;  // largest magnitude
    double effort = 0.0;    // largest magnitude
  };

  const Simulation& simulation_;
  std::vector<Extremes> joints_;
};

}  // namespace servosim
