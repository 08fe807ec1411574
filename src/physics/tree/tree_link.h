// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "physics/tree/body_row.h"
#include "physics/tree/free_directions.h"
#include "physics/tree/tree_body.h"
#include "physics/tree/tree_graph.h"
#include "physics/tree/tree_joint.h"

struct dJointFeedback;

namespace servosim {

/// A joint of ODE with its rows, or one without rows and the feedback that ODE would write.
struct OdeLink {
  OdeLink() = default;
  /// A fixed joint that was made while the world ran.
  OdeLink(const TreeJoint& fixed, const TreeBody& child, const TreeBody* parent,
          dJointFeedback* feedback);
  /// Both bodies must be where they were when the joint was created. `parent`: null for the world.
  OdeLink(const TreeGraph::Edge& edge, const TreeBody& child, const TreeBody* parent);

  void place(double position_gain, PlacedJoint& placed) const;
  bool has_free_directions() const { return rows != nullptr && axis == nullptr; }
  /// Sets the free directions of a ball or Hinge2, and their rows.
  void set_free_directions(const StepSettings& settings, const PlacedJoint& placed,
                           FreeDirections& free) const;
  /// Sets the rows on the axis of a hinge or slider.
  void set_axis_rows(const StepSettings& settings, AxisRows& to) const;
  /// The travel of a suspension [m]; 0 without one.
  double travel(const PlacedJoint& placed) const;
  /// What the rows of a hinge or slider have put on the child: `force` about the anchor, `effort`
  /// along the axis, both without springs and gaps, and `on_gap`.
  void write_axis(const PlacedJoint& placed, const SpatialVector& force, double effort,
                  double on_gap) const;
  /// The same of a ball or Hinge2. `force` is that of the joint with all its rows.
  void write_free(const PlacedJoint& placed, const AxesRows& axis_rows,
                  const SpatialVector& force) const;
  /// That of a fixed joint, if anybody reads it.
  void write_feedback(const PlacedJoint& placed, const SpatialVector& force) const;

  TreeJoint joint;
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
class TreeLink {
 public:
  TreeLink() = default;
  explicit TreeLink(const OdeLink& link) : link_(link) {}

  /// Whether only measure() of its joint and saved states read its results.
  bool is_read_on_demand() const { return link_.rows != nullptr; }
  [[gnu::always_inline]] const OdeLink& ode() const { return link_; }
  /// Places the joint at the child's node and adds the rows on its axis there, for the next step.
  void read(const StepSettings& settings) const;
  /// Writes what the joint has put on its bodies.
  void write_results() const;

 private:
  OdeLink link_;
};

/// A joint whose rows are rows of bodies: it closes a loop.
class LoopLink {
 public:
  explicit LoopLink(const OdeLink& link) : link_(link) {}
  /// Links a ball or Hinge2. `free` must outlive this object.
  LoopLink(const OdeLink& link, FreeDirections& free) : link_(link), free_(&free) {}

  /// Adds all rows of the joint in the next step.
  void read(const StepSettings& settings, std::vector<BodyRow>& rows);
  /// Takes over the results of the rows that it has added.
  void take_results(std::span<const BodyRow> rows);
  void write_results() const;

 private:
  void read_free(const StepSettings& settings, std::vector<BodyRow>& rows);
  void add_row(const SpatialVector& direction, const Row& row, std::vector<BodyRow>& rows) const;

  OdeLink link_;
  FreeDirections* free_ = nullptr;
  AxisRows axis_rows_;
  PlacedJoint placed_;
  std::size_t first_ = 0;       // of its rows among those of the step
  std::size_t first_axis_ = 0;  // likewise
  SpatialVector force_;         // of the joint, on the child, about the anchor
};

}  // namespace servosim
