// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/simulation.h"

namespace servosim::yarp::server {

/// The time that clients of YARP see: that of the simulation, shifted by what they have set.
class Timeline {
 public:
  /// The simulation must outlive it.
  explicit Timeline(const Simulation& simulation) : simulation_(simulation) {}

  /// Returns the time [s].
  double now() const { return simulation_.time() + shift_; }
  /// Makes `time` [s] the present time.
  void set(double time) { shift_ = time - simulation_.time(); }
  /// Makes the simulation's time the present time.
  void follow() { shift_ = 0.0; }

 private:
  const Simulation& simulation_;
  double shift_ = 0.0;  // [s]
};

}  // namespace servosim::yarp::server
