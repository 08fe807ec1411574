// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/bytes.h"

namespace servosim {

class Device;
class Simulation;

/// Makes records of what the Cameras and RangeFinders of a simulation have seen that controllers
/// have enabled. It takes no pictures of its own.
///
/// Threads: one at a time, with the Simulation.
class PictureSource {
 public:
  /// At most this many sensors of a world are recorded, the first ones.
  static constexpr int kMaxSensors = 16;

  /// Appends the picture of each sensor that has a new one. Sensors of a robot with equal names get
  /// numbers from the second one on. `time` [s]
  void add_pictures(const Simulation& simulation, double time, Writer& records);
  /// Returns the names of the sensors that had pictures but were not recorded, since others came
  /// before them.
  const std::set<std::string>& left_out() const { return left_out_; }
  /// Continues with another simulation of the world.
  void go_on() { seen_.clear(); }

 private:
  std::set<std::string> left_out_;
  std::map<const Device*, std::uint64_t> seen_;  // samples of a sensor when it was recorded last
};

}  // namespace servosim
