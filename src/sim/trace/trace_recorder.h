// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/report.h"
#include "sim/trace/trace_format.h"

namespace servosim {

class Motor;
class Simulation;

/// Reads the numbers of a trace, step by step: the time, then the columns of the items.
///
/// Threads: one at a time, with the simulation.
class TraceRecorder {
 public:
  /// `simulation` must outlive it.
  TraceRecorder(const Simulation& simulation, const ReportedParts& watched);

  /// The items, in the order of TraceKind.
  const std::vector<TraceItem>& items() const { return items_; }
  /// The number of values of a row.
  std::size_t width() const { return width_; }
  /// Writes the present row to `row`; NaN or infinite where there is no value.
  void read(double* row) const;

 private:
  struct Joint {
    int index;
    const Motor* motor;  // nullptr: none
    std::optional<JointRange> range;
    // Whether it had a real servo, and a force-torque sensor, when the recorder was made.
    bool is_servo = false;
    bool has_load = false;
    std::size_t columns = 0;
  };
  struct Muscle {
    int joint;
    int index;
  };

  struct RobotRoot {
    const Robot* robot;
    Mat3 start;  // its rotation when the recorder was made
  };
  struct Body {
    std::uint32_t node;  // wbt::Node::id
    int solid;           // in the scene of version_; -1: it is gone
  };

  void add_joint(int index);
  void add_muscles(int joint);
  void add_propeller(int index);
  void add_robot(int index);
  void add_body(int solid);
  void follow_tree() const;
  double* read_turn(int solid, double* cell) const;
  double* read_joint(const Joint& joint, double* cell) const;

  const Simulation& simulation_;
  std::vector<TraceItem> items_;
  std::size_t width_ = 1;
  std::vector<Joint> joints_;
  std::vector<Muscle> muscles_;
  std::vector<int> propellers_;
  std::vector<RobotRoot> robots_;
  mutable std::vector<Body> bodies_;
  mutable std::uint64_t version_;  // WorldInspector::tree_version() of the Solids of bodies_
};

}  // namespace servosim
