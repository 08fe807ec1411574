// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "physics/tree/body_row.h"
#include "physics/tree/joint_geometry.h"
#include "physics/tree/motion_subspace.h"
#include "physics/tree/tree_body.h"
#include "physics/tree/tree_graph.h"

struct dJointFeedback;

namespace servosim {

/// A joint of ODE with its rows, or one without rows and the feedback that ODE would write.
struct SolvedJoint {
  SolvedJoint() = default;
  /// A fixed joint that was made while the world ran.
  SolvedJoint(const JointGeometry& fixed, const TreeBody& child, const TreeBody* parent,
              dJointFeedback* feedback);
  /// Both bodies must be where they were when the joint was created. `parent`: null for the world.
  SolvedJoint(const TreeGraph::Edge& edge, const TreeBody& child, const TreeBody* parent);

  void place(double position_gain, PlacedJoint& placed) const;
  bool has_subspace() const { return rows != nullptr && axis == nullptr; }
  /// Sets the free directions of a ball or Hinge2, and their rows.
  void set_subspace(const StepSettings& settings, const PlacedJoint& placed,
                    MotionSubspace& subspace) const;
  /// Sets the rows on the axis of a hinge or slider.
  void set_axis_rows(const StepSettings& settings, AxisRows& to) const;
  /// The travel of a suspension [m]; 0 without one.
  double travel(const PlacedJoint& placed) const;
  /// What the rows of a hinge or slider have put on the child: `force` about the anchor, `effort`
  /// along the axis, both without springs and gaps, and `on_gap`.
  void write_axis(const PlacedJoint& placed, const SpatialVector& force, double effort,
                  double on_gap) const;
  /// The same of a ball or Hinge2. `force` is that of the joint with all its rows.
  void write_subspace(const PlacedJoint& placed, const AxesRows& axis_rows,
                      const SpatialVector& force) const;
  /// That of a fixed joint, if anybody reads it.
  void write_feedback(const PlacedJoint& placed, const SpatialVector& force) const;

  JointGeometry geometry;
  const TreeBody* child = nullptr;
  const TreeBody* parent = nullptr;
  JointRows* rows = nullptr;           // null for a fixed joint
  HingeRows* axis = nullptr;           // the same, of a hinge or slider
  dJointFeedback* feedback = nullptr;  // of a fixed joint
  bool ends_at_world = false;          ///< as an edge of TreeGraph

 private:
  void set_on_body(const PlacedJoint& placed, const SpatialVector& force) const;
};

/// The joint of a node with its parent.
class TreeJoint {
 public:
  TreeJoint() = default;
  explicit TreeJoint(const SolvedJoint& joint) : joint_(joint) {}

  /// Whether only measure() of its joint and saved states read its results.
  bool is_read_on_demand() const { return joint_.rows != nullptr; }
  [[gnu::always_inline]] const SolvedJoint& solved() const { return joint_; }
  /// Places the joint at the child's node and adds the rows on its axis there, for the next step.
  void read(const StepSettings& settings) const;
  /// Writes what the joint has put on its bodies.
  void write_results() const;

 private:
  SolvedJoint joint_;
};

/// A joint whose rows are rows of bodies: it closes a loop.
class LoopJoint {
 public:
  explicit LoopJoint(const SolvedJoint& joint) : joint_(joint) {}
  /// Links a ball or Hinge2. `subspace` must outlive this object.
  LoopJoint(const SolvedJoint& joint, MotionSubspace& subspace)
      : joint_(joint), subspace_(&subspace) {}

  /// Adds all rows of the joint in the next step.
  void read(const StepSettings& settings, std::vector<BodyRow>& rows);
  /// Takes over the results of the rows that it has added.
  void take_results(std::span<const BodyRow> rows);
  void write_results() const;

 private:
  void read_subspace(const StepSettings& settings, std::vector<BodyRow>& rows);
  void add_row(const SpatialVector& direction, const Row& row, std::vector<BodyRow>& rows) const;

  SolvedJoint joint_;
  MotionSubspace* subspace_ = nullptr;
  AxisRows axis_rows_;
  PlacedJoint placed_;
  std::size_t first_ = 0;       // index of its first row among those of the step
  std::size_t first_axis_ = 0;  // index of its first row on an axis among those
  SpatialVector force_;         // of the joint, on the child, about the anchor
};

}  // namespace servosim
