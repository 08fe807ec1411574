// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "physics/rows/joint_rows.h"
#include "physics/tree/body_row.h"
#include "physics/tree/joint_geometry.h"
#include "physics/tree/motion_subspace.h"
#include "physics/tree/tree_body.h"
#include "physics/tree/tree_graph.h"

struct dJointFeedback;

// A joint of ODE as the tree solver sees it. TreeJoint belongs to a node of a tree, and leaves the
// equations of its hard rows to the elimination. LoopJoint closes a loop; all of its rows are rows
// on bodies:
//
//     b·(t_c − t_p) + softness·λ = b·d    for each direction b that the joint does not leave free
//
// with the drift d of joint_place.h, and the rows of axis_laws.h along the free directions. Forces
// act on the child along +b, and the opposite acts on the parent.

namespace servosim {

/// Returns a motion, or a force, along the axis of a hinge or slider.
inline SpatialVector along(TreeNode::Kind kind, const Vec3& axis) {
  return kind == TreeNode::Kind::Hinge ? SpatialVector{{}, axis} : SpatialVector{axis, {}};
}

/// A joint of ODE with its rows, or a fixed joint with the feedback that ODE would write.
struct SolvedJoint {
  SolvedJoint() = default;
  /// Makes a fixed joint that was made while the world ran.
  SolvedJoint(const JointGeometry& fixed, const TreeBody& child, const TreeBody* parent,
              dJointFeedback* feedback);
  /// Makes a joint of the scene. Both bodies must be in the poses in which it was created. `parent`
  /// is null for the world.
  SolvedJoint(const TreeGraph::Edge& edge, const TreeBody& child, const TreeBody* parent);

  /// Computes arms, axis and drift for the present poses. `position_gain` is ERP / h².
  void place(double position_gain, PlacedJoint& placed) const;
  /// Returns whether it is a ball or a Hinge2.
  bool has_subspace() const { return rows != nullptr && axis == nullptr; }
  /// Sets the free directions of a ball or Hinge2, and their rows for the next step.
  void set_subspace(const StepSettings& settings, const PlacedJoint& placed,
                    MotionSubspace& subspace) const;
  /// Sets the rows on the axis of a hinge or slider for the next step.
  void set_axis_rows(const StepSettings& settings, AxisRows& to) const;
  /// Sets what a row does whose force acts on the child along `direction`, and on the parent
  /// against it, at the anchor. Returns an upper bound of the mobility that the row sees.
  double set_ends(const PlacedJoint& placed, const SpatialVector& direction, BodyRow& row) const;
  /// Returns the travel of a suspension, positive where the child moves along axis 1 [m]; 0 without
  /// one.
  double travel(const PlacedJoint& placed) const;
  /// Writes what the rows of a hinge or slider have put on the child. `force` is about the anchor,
  /// and `effort` is along the axis, both without springs and gaps. `on_gap` is the effort of the
  /// gap.
  void write_axis(const PlacedJoint& placed, const SpatialVector& force, double effort,
                  double on_gap) const;
  /// Writes the force of the joint with all its rows, about the anchor, if anybody measures it.
  void write_load(const PlacedJoint& placed, const SpatialVector& force) const;
  /// Does the same as write_axis() for a ball or Hinge2.
  void write_subspace(const PlacedJoint& placed, const AxesRows& axis_rows,
                      const SpatialVector& force) const;
  /// Writes the forces of a fixed joint to ODE's feedback, if anybody reads it.
  void write_feedback(const PlacedJoint& placed, const SpatialVector& force) const;

  JointGeometry geometry;
  const TreeBody* child = nullptr;
  const TreeBody* parent = nullptr;
  JointRows* rows = nullptr;           // null for a fixed joint
  HingeRows* axis = nullptr;           // the same, of a hinge or slider
  dJointFeedback* feedback = nullptr;  // of a fixed joint
  bool ends_at_world = false;          ///< see TreeGraph::Edge

 private:
  // Writes a force about the anchor as the wrench about the child's centre of mass.
  void set_on_body(const PlacedJoint& placed, const SpatialVector& force) const;
};

/// The joint of a node with its parent.
class TreeJoint {
 public:
  TreeJoint() = default;
  explicit TreeJoint(const SolvedJoint& joint) : joint_(joint) {}

  /// Returns whether only measure() of the joint and saved states read its results.
  bool is_read_on_demand() const { return joint_.rows != nullptr; }
  [[gnu::always_inline]] const SolvedJoint& solved() const { return joint_; }
  /// Places the joint in the child's node, and sets the rows for the next step.
  void read(const StepSettings& settings) const;
  /// Writes what the joint has put on its bodies.
  void write_results() const;
  bool has_servo() const { return joint_.axis != nullptr && joint_.axis->servo != nullptr; }
  /// Tells the servo of the joint, if it has one, what its rows have done. `is_touched`: its
  /// island has rows on bodies.
  void write_servo(bool is_touched) const;

 private:
  SolvedJoint joint_;
};

/// A joint that closes a loop: its rows are rows on bodies. A step calls read() before the solver,
/// and take_results() and write_results() after it.
class LoopJoint {
 public:
  explicit LoopJoint(const SolvedJoint& joint) : joint_(joint) {}
  /// Makes the joint of a ball or Hinge2. `subspace` must outlive this object.
  LoopJoint(const SolvedJoint& joint, MotionSubspace& subspace)
      : joint_(joint), subspace_(&subspace) {}

  const SolvedJoint& solved() const { return joint_; }
  /// Returns where read() has found the joint.
  const PlacedJoint& placed() const { return placed_; }

  /// Appends all rows of the joint for the next step.
  void read(const StepSettings& settings, std::vector<BodyRow>& rows);
  /// Reads the results of the rows that read() has appended. `rows` are those of the step.
  void take_results(std::span<const BodyRow> rows);
  /// Writes what the joint has put on its bodies.
  void write_results() const;

 private:
  // read() for a ball or Hinge2.
  void read_subspace(const StepSettings& settings, std::vector<BodyRow>& rows);
  // Appends a row whose force acts on the child along `direction`, and on the parent against it, at
  // the anchor.
  void add_row(const SpatialVector& direction, const Row& row, std::vector<BodyRow>& rows) const;

  SolvedJoint joint_;
  MotionSubspace* subspace_ = nullptr;
  AxisRows axis_rows_;
  PlacedJoint placed_;
  std::size_t first_ = 0;       // index of its first row among those of the step
  std::size_t first_axis_ = 0;  // index of its first row on an axis
  SpatialVector force_;         // on the child, about the anchor
};

}  // namespace servosim
