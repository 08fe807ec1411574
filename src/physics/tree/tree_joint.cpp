// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_joint.h"

#include <ode/ode.h>

#include <array>

#include "base/assert.h"
#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "physics/rows/joint_rows.h"

// Which rows each kind of joint has in a step, besides those that hold its bodies together:
//
//     hinge, slider:  motor or friction, spring with damper and brake, stop, two sides of a gap
//     ball:           for each of three axes: motor, stop (one direction), spring (maybe another)
//     Hinge2:         suspension, lock of axis 1, for each axis: motor, spring, stop
//
// axis_laws.h has their equations. What a joint has put on the child is measured without springs
// and gaps, since Webots' force feedback is that of the joint's motor, friction and stops. With w,
// the force of the joint and all its rows about the anchor, and a, the axis,
//
//     on_body = w − a·(springs + gap),    effort = a·w − (springs + gap)
//
// both positive where they move the child along +axis.

namespace servosim {

namespace {

using Kind = TreeNode::Kind;
using Owner = AxisRow::Owner;

void store(dReal* out, const Vec3& v) {
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
}

// These return the sum of the forces of the rows of one owner.
SpatialVector sum_of(const AxesRows& rows, Owner owner) {
  SpatialVector sum;
  for (const AxesRows::OfDirection& row : rows) {
    if (row.owner == owner) {
      sum = sum + row.force * rows.direction_of(row);
    }
  }
  return sum;
}

double sum_of(const AxisRows& rows, Owner owner) {
  double sum = 0.0;
  for (const AxisRow& row : rows) {
    sum += row.owner == owner ? row.force : 0.0;
  }
  return sum;
}

// Calls `add` with each row of an axis. A motor without a force, a spring that is not active, and
// stops that the axis is not at have no rows.
template <class Add>
void for_each_row(const AxisDemand& axis, const StepSettings& settings, Add add) {
  if (axis.motor.max_force > 0.0) {
    add(Owner::Joint, motor_row_terms(axis.motor, settings));
  }
  if (axis.spring.active) {
    add(Owner::Soft, spring_row_terms(axis.spring, settings));
  }
  if (axis.is_at_stop) {
    add(Owner::Stops, axis.stops.row(axis.position, settings));
  }
}

// λ = f − s·ω⁺, divided by h: the equation of a row with cfm = 1/s and the velocity f/s.
RowTerms servo_row_terms(const ServoRowOf<double>& row, double low, double high,
                         const StepSettings& settings) {
  const double cfm = 1.0 / row.stiffness;
  return {cfm * settings.per_step, row.force * cfm * settings.per_step, low, high};
}

void add_servo_rows(const ServoRows& servo, const StepSettings& settings, AxisRows& rows) {
  if (servo.friction > 0.0) {
    rows.add(Owner::Joint, {0.0, 0.0, -servo.friction, servo.friction});
  }
  rows.add(Owner::Joint, servo_row_terms(servo.step.passive, -kInfinity, kInfinity, settings));
  for (const ServoRowOf<double>& row : servo.step.drive) {
    if (row.stiffness > 0.0) {
      rows.add(Owner::Joint, servo_row_terms(row, row.low, row.high, settings));
    }
  }
}

// The two sides of a gap are motors with opposite tasks, see Backlash.
void add_rows(const HingeRows& of, const StepSettings& settings, AxisRows& rows) {
  for_each_row(of.axis, settings,
               [&rows](Owner owner, const RowTerms& row) { rows.add(owner, row); });
  if (of.servo != nullptr && of.servo->acts) {
    add_servo_rows(*of.servo, settings, rows);
  }
  if (of.gap != nullptr && of.gap->sides.max_force > 0.0) {
    const BacklashRows& sides = of.gap->sides;
    rows.add(Owner::Backlash, gap_row_terms(sides.low, sides.max_force, settings));
    rows.add(Owner::Backlash, gap_row_terms(sides.high, sides.max_force, settings));
  }
}

// Motor and stops of an axis act about one direction. Its spring acts about another one only near
// the pose where two axes coincide; else they share it.
void add_rows(const BallRows& of, const StepSettings& settings, AxesRows& rows) {
  for (const BallRows::Axis& axis : of.axes) {
    const bool has_motor = axis.motor.max_force > 0.0;
    if (!axis.is_at_stop && !has_motor && !axis.spring.active) {
      continue;
    }
    // An axis without rows needs no direction.
    const std::size_t direction = rows.add(Direction{of.forward(axis.direction), true});
    if (has_motor) {
      rows.add(direction, Owner::Joint, motor_row_terms(axis.motor, settings));
    }
    if (axis.is_at_stop) {
      rows.add(direction, Owner::Stops, axis.stops.row(axis.position, settings));
    }
    if (axis.spring.active) {
      // Equal directions are equal bit by bit, since both are computed in the same way.
      const Vec3 apart = axis.spring_direction - axis.direction;
      rows.add(dot(apart, apart) == 0.0
                   ? direction
                   : rows.add(Direction{of.forward(axis.spring_direction), true}),
               Owner::Soft, spring_row_terms(axis.spring, settings));
    }
  }
}

// `axes` are in the world. `travel` is that of the child's anchor from the parent's along axis 1
// [m].
void add_rows(const Hinge2Rows& of, const std::array<Vec3, 2>& axes, double travel,
              const StepSettings& settings, AxesRows& rows) {
  if (of.suspension.active) {
    // The suspension counts as the joint's own row, as in ODE.
    SpringRow suspension = of.suspension;
    suspension.from_rest = travel;
    rows.add(rows.add(Direction{axes[0], false}), Owner::Joint,
             spring_row_terms(suspension, settings));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const AxisDemand& axis = of.axes[i];
    // Both axes have a direction in every step, so the index of a direction is always the same.
    const std::size_t direction = rows.add(Direction{axes[i], true});
    if (i == 0 && of.lock.active) {
      // A locked axis has a row like a spring, with ERP and CFM of the world.
      rows.add(direction, Owner::Joint, spring_row_terms(of.lock, settings));
    }
    for_each_row(axis, settings,
                 [&](Owner owner, const RowTerms& row) { rows.add(direction, owner, row); });
  }
}

}  // namespace

SolvedJoint::SolvedJoint(const TreeGraph::Edge& edge, const TreeBody& the_child,
                         const TreeBody* the_parent)
    : geometry(edge.joint, the_child.body->id,
               the_parent != nullptr ? the_parent->body->id : nullptr),
      child(&the_child),
      parent(the_parent),
      rows(edge.rows),
      ends_at_world(edge.ends_at_world) {
  // The body here is the parent of the scene's joint, and a slider's position is that of the child.
  // A hinge has its sign from ODE's order of the bodies.
  if (edge.ends_at_world && geometry.kind() == Kind::Slider) {
    geometry.reverse_axis();
  }
  SERVOSIM_ASSERT(rows == nullptr || rows->has_axis() == has_axis(geometry.kind()), "kind {}",
                  static_cast<int>(geometry.kind()));
  if (rows == nullptr) {
    feedback = dJointGetFeedback(edge.joint);
  } else if (rows->has_axis()) {
    axis = static_cast<HingeRows*>(rows);
  } else if (rows->kind == RowsKind::Hinge2 &&
             static_cast<const Hinge2Rows&>(*rows).suspension.active) {
    geometry.set_suspended();
  }
}

SolvedJoint::SolvedJoint(const JointGeometry& fixed, const TreeBody& the_child,
                         const TreeBody* the_parent, dJointFeedback* the_feedback)
    : geometry(fixed), child(&the_child), parent(the_parent), feedback(the_feedback) {}

void SolvedJoint::place(double position_gain, PlacedJoint& placed) const {
  geometry.place(child->frame, parent != nullptr ? &parent->frame : nullptr, position_gain, placed);
}

// A fixed joint has no axis and no rows.
void SolvedJoint::set_axis_rows(const StepSettings& settings, AxisRows& to) const {
  to.clear();
  if (axis != nullptr) {
    add_rows(*axis, settings, to);
  }
}

// Node and joint may have different anchors: the Jacobian is about the anchor of the node.
double SolvedJoint::set_ends(const PlacedJoint& placed, const SpatialVector& direction,
                             BodyRow& row) const {
  double mobility = 0.0;
  const auto put_on = [&](std::size_t end, const TreeBody& body, const Vec3& arm, double sign) {
    TreeNode& node = *body.node;
    const SpatialVector d = sign * direction;
    row.ends[end] = {&node, force_from(d, arm - node.arm)};
    // The mobility of a body for the row: |d_linear|²/m + |torque about the centre|²/I_min.
    const SpatialVector at_center = force_from(d, arm);
    mobility += dot(d.linear, d.linear) / node.mass +
                dot(at_center.angular, at_center.angular) / body.min_inertia;
  };
  put_on(0, *child, placed.arm, 1.0);
  if (parent != nullptr) {
    put_on(1, *parent, placed.parent_arm, -1.0);
  }
  SERVOSIM_ASSERT(!(mobility <= 0.0), "mobility {}", mobility);
  return mobility;
}

// x = a1·(anchor on the child − anchor on the parent).
double SolvedJoint::travel(const PlacedJoint& placed) const {
  return geometry.is_suspended() ? dot(placed.axis, child->frame.center + placed.arm -
                                                        (parent->frame.center + placed.parent_arm))
                                 : 0.0;
}

// A joint of the scene with a subspace is a ball or a Hinge2.
void SolvedJoint::set_subspace(const StepSettings& settings, const PlacedJoint& placed,
                               MotionSubspace& subspace) const {
  subspace.rows.clear();
  if (rows->kind == RowsKind::Ball) {
    geometry.place_ball_directions(subspace);
    add_rows(static_cast<const BallRows&>(*rows), settings, subspace.rows);
  } else {
    const Vec3 axis2 = geometry.second_axis(child->frame);
    geometry.place_hinge2_directions(axis2, placed, subspace);
    add_rows(static_cast<const Hinge2Rows&>(*rows), {placed.axis, axis2}, travel(placed), settings,
             subspace.rows);
  }
}

// The force acts at the end of the arm, so its torque about the centre of mass is τ + arm × f.
void SolvedJoint::set_on_body(const PlacedJoint& placed, const SpatialVector& force) const {
  SERVOSIM_ASSERT(rows != nullptr, "a fixed joint has no rows");
  const SpatialVector on_child = force_from(force, placed.arm);
  rows->on_body = {on_child.linear, on_child.angular};
}

// A hinge or slider has its effort as a number, so nobody has to project the wrench.
void SolvedJoint::write_axis(const PlacedJoint& placed, const SpatialVector& force, double effort,
                             double on_gap) const {
  set_on_body(placed, force);
  axis->effort = effort;
  if (axis->gap != nullptr) {
    // Without a force there were no rows.
    axis->gap->effort = axis->gap->sides.max_force > 0.0 ? on_gap : 0.0;
  }
}

void SolvedJoint::write_load(const PlacedJoint& placed, const SpatialVector& force) const {
  if (rows->load != nullptr) {
    const SpatialVector on_child = force_from(force, placed.arm);
    rows->load->rows = {on_child.linear, on_child.angular};
  }
}

// For a ball only motors and stops are measured. For a Hinge2 it is the joint with all rows but the
// springs.
void SolvedJoint::write_subspace(const PlacedJoint& placed, const AxesRows& axis_rows,
                                 const SpatialVector& force) const {
  set_on_body(placed, rows->kind == RowsKind::Ball
                          ? sum_of(axis_rows, Owner::Joint) + sum_of(axis_rows, Owner::Stops)
                          : force - sum_of(axis_rows, Owner::Soft));
}

// ODE's feedback is by its order of the bodies. The parent gets the opposite force at its own
// anchor.
void SolvedJoint::write_feedback(const PlacedJoint& placed, const SpatialVector& force) const {
  if (feedback == nullptr) {
    return;
  }
  dJointFeedback& to = *feedback;
  const bool first = geometry.child_is_first();
  const SpatialVector on_child = force_from(force, placed.arm);
  store(first ? to.f1 : to.f2, on_child.linear);
  store(first ? to.t1 : to.t2, on_child.angular);
  if (parent != nullptr) {
    const SpatialVector on_parent = -1.0 * force_from(force, placed.parent_arm);
    store(first ? to.f2 : to.f1, on_parent.linear);
    store(first ? to.t2 : to.t1, on_parent.angular);
  }
}

// The node is a PlacedJoint, so the joint writes there directly.
void TreeJoint::read(const StepSettings& settings) const {
  TreeNode& node = *joint_.child->node;
  joint_.place(settings.position_gain, node);
  if (node.subspace != nullptr) {
    joint_.set_subspace(settings, node, *node.subspace);
  } else {
    joint_.set_axis_rows(settings, node.rows);
  }
}

// `force` of the node is w: that of the joint with all its rows.
void TreeJoint::write_results() const {
  const TreeNode& node = *joint_.child->node;
  if (joint_.rows == nullptr) {
    return joint_.write_feedback(node, node.force);
  }
  joint_.write_load(node, node.force);
  if (node.subspace != nullptr) {
    joint_.write_subspace(node, node.subspace->rows, node.force);
  } else {
    const double on_gap = sum_of(node.rows, Owner::Backlash);
    // Springs, gaps and the force of force control are not part of the measured effort.
    const double not_measured =
        on_gap + sum_of(node.rows, Owner::Soft) + joint_.axis->direct_force();
    joint_.write_axis(node, node.force - along(node.kind, not_measured * node.axis),
                      part_along_axis(node, node.force) - not_measured, on_gap);
  }
}

void TreeJoint::write_servo(bool is_touched) const {
  if (!has_servo()) {
    return;
  }
  const TreeNode& node = *joint_.child->node;
  ServoRows& servo = *joint_.axis->servo;
  servo.force = sum_of(node.rows, Owner::Joint);
  servo.inertia = node.along_axis;
  servo.is_touched = is_touched;
  servo.is_solved = true;
}

// The inertia is the inverse of the mobility, of which this is an upper bound.
void LoopJoint::add_row(const SpatialVector& direction, const Row& row,
                        std::vector<BodyRow>& rows) const {
  BodyRow& added = rows.emplace_back();
  // Terms and states are copied; the results go back in take_results().
  static_cast<Row&>(added) = row;
  added.inertia = 1.0 / joint_.set_ends(placed_, direction, added);
}

// A hinge does not hold the turn about its axis, a slider not the motion along it, and a fixed
// joint holds all six directions.
void LoopJoint::read(const StepSettings& settings, std::vector<BodyRow>& rows) {
  first_ = rows.size();
  joint_.place(settings.position_gain, placed_);
  if (subspace_ != nullptr) {
    return read_subspace(settings, rows);
  }
  std::array<Vec3, 3> axes{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  const Kind kind = joint_.geometry.kind();
  if (kind != Kind::Rigid) {
    // Two directions perpendicular to the axis; the third is the axis itself.
    const dVector3 axis{placed_.axis.x, placed_.axis.y, placed_.axis.z};
    dVector3 p;
    dVector3 q;
    dPlaneSpace(axis, p, q);
    axes = {to_vec3(p), to_vec3(q), placed_.axis};
  }
  Row row;
  row.softness = settings.softness;
  row.low = -kInfinity;
  row.high = kInfinity;
  for (std::size_t i = 0; i < 3; ++i) {
    // The axis is the third direction.
    if (kind != Kind::Slider || i < 2) {
      row.target = dot(placed_.drift.linear, axes[i]);
      add_row({axes[i], {}}, row, rows);
    }
    if (kind != Kind::Hinge || i < 2) {
      row.target = dot(placed_.drift.angular, axes[i]);
      add_row({{}, axes[i]}, row, rows);
    }
  }
  first_axis_ = rows.size();
  joint_.set_axis_rows(settings, axis_rows_);
  for (const AxisRow& on_axis : axis_rows_) {
    add_row(along(kind, placed_.axis), on_axis, rows);
  }
}

// Both kinds hold the anchors together, except for a suspension along axis 1. A Hinge2 also holds
// the angle between its axes.
void LoopJoint::read_subspace(const StepSettings& settings, std::vector<BodyRow>& rows) {
  joint_.set_subspace(settings, placed_, *subspace_);
  const Vec3& one = subspace_->directions[0].axis;
  const Vec3& other = subspace_->directions[1].axis;
  const std::array<Vec3, 3> axes{one, other, cross(one, other)};
  Row row;
  row.softness = settings.softness;
  row.low = -kInfinity;
  row.high = kInfinity;
  for (std::size_t i = joint_.geometry.is_suspended() ? 1 : 0; i < axes.size(); ++i) {
    row.target = dot(placed_.drift.linear, axes[i]);
    add_row({axes[i], {}}, row, rows);
  }
  if (joint_.rows->kind == RowsKind::Hinge2) {
    row.target = dot(placed_.drift.angular, axes[2]);
    add_row({{}, axes[2]}, row, rows);
  }
  first_axis_ = rows.size();
  for (const AxesRows::OfDirection& on_axis : subspace_->rows) {
    add_row(1.0 * subspace_->rows.direction_of(on_axis), on_axis, rows);
  }
}

// The first rows are those of the joint itself, then come those on its axes.
void LoopJoint::take_results(std::span<const BodyRow> rows) {
  SERVOSIM_ASSERT(first_ <= first_axis_ && first_axis_ <= rows.size(), "rows {} to {} of {}",
                  first_, first_axis_, rows.size());
  force_ = {};
  std::size_t next = first_axis_;
  for (std::size_t i = first_; i < first_axis_; ++i) {
    // The first end is the child.
    const SpatialVector& jacobian = rows[i].ends[0].jacobian;
    force_ = force_ + rows[i].force * jacobian;
  }
  // The Jacobians are about the anchor of the child's node.
  force_ = force_from(force_, joint_.child->node->arm - placed_.arm);
  if (subspace_ != nullptr) {
    for (AxesRows::OfDirection& row : subspace_->rows) {
      static_cast<Row&>(row) = rows[next++];
      force_ = force_ + row.force * subspace_->rows.direction_of(row);
    }
    return;
  }
  for (AxisRow& row : axis_rows_) {
    static_cast<Row&>(row) = rows[next++];
    // Springs and gaps do not count, as for a joint of a tree.
    if (row.owner == Owner::Joint || row.owner == Owner::Stops) {
      force_ = force_ + along(joint_.geometry.kind(), row.force * placed_.axis);
    }
  }
}

void LoopJoint::write_results() const {
  if (joint_.rows == nullptr) {
    joint_.write_feedback(placed_, force_);
  } else if (subspace_ != nullptr) {
    joint_.write_load(placed_, force_);
    joint_.write_subspace(placed_, subspace_->rows, force_);
  } else {
    if (joint_.axis != nullptr && joint_.axis->servo != nullptr) {
      joint_.axis->servo->force = sum_of(axis_rows_, Owner::Joint);
      joint_.axis->servo->is_solved = true;
    }
    const double on_gap = sum_of(axis_rows_, Owner::Backlash);
    joint_.write_load(placed_,
                      force_ + along(joint_.geometry.kind(),
                                     (on_gap + sum_of(axis_rows_, Owner::Soft)) * placed_.axis));
    joint_.write_axis(placed_, force_,
                      sum_of(axis_rows_, Owner::Joint) + sum_of(axis_rows_, Owner::Stops), on_gap);
  }
}

}  // namespace servosim
