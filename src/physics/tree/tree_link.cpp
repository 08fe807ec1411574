// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_link.h"

#include <ode/ode.h>

#include <array>

#include "physics/bodies.h"
#include "physics/joints/ball.h"
#include "physics/joints/hinge2.h"
#include "physics/joints/joint.h"
#include "physics/ode_library.h"

namespace servosim {

namespace {

using Kind = TreeNode::Kind;
using Owner = AxisRow::Owner;

void store(dReal* out, const Vec3& v) {
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
}

SpatialVector along(Kind kind, const Vec3& axis) {
  return kind == Kind::Hinge ? SpatialVector{{}, axis} : SpatialVector{axis, {}};
}

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

}  // namespace

OdeLink::OdeLink(const TreeGraph::Edge& edge, const TreeBody& the_child, const TreeBody* the_parent)
    : joint(edge.joint, the_child.body->id, the_parent != nullptr ? the_parent->body->id : nullptr),
      child(&the_child),
      parent(the_parent),
      motor(edge.motor),
      backlash(edge.backlash),
      ball(edge.ball),
      hinge2(edge.hinge2),
      feedback(dJointGetFeedback(edge.joint)),
      ends_at_world(edge.ends_at_world) {
  if (edge.ends_at_world && joint.kind() == Kind::Slider) {
    joint.reverse_axis();
  }
  if (motor != nullptr && motor->ids().far_stops != nullptr) {
    far_feedback = dJointGetFeedback(motor->ids().far_stops);
  }
  if (backlash != nullptr) {
    backlash_feedback = dJointGetFeedback(backlash->id());
  }
  if (ball != nullptr) {
    motor_feedback = dJointGetFeedback(ball->ids().motor);
  }
  if (hinge2 != nullptr) {
    if (hinge2->has_suspension()) {
      joint.set_suspended();
    }
    if (hinge2->ids().stops != nullptr) {
      far_feedback = dJointGetFeedback(hinge2->ids().stops);
    }
  }
}

OdeLink::OdeLink(const TreeJoint& fixed, const TreeBody& the_child, const TreeBody* the_parent,
                 dJointFeedback* the_feedback)
    : joint(fixed), child(&the_child), parent(the_parent), feedback(the_feedback) {}

void OdeLink::place(double position_gain, PlacedJoint& placed) const {
  joint.place(child->frame, parent != nullptr ? &parent->frame : nullptr, position_gain, placed);
}

double OdeLink::axis_rows(const StepSettings& settings, AxisRows& rows) const {
  rows.clear();
  if (motor == nullptr) {
    return 0.0;
  }
  const double push = motor->add_axis_rows(rows);
  if (backlash != nullptr) {
    backlash->add_axis_rows(rows, settings.h);
  }
  return push;
}

void OdeLink::add_axis_rows(const StepSettings& settings, const PlacedJoint& placed,
                            AxisRows& rows) const {
  if (const double push = axis_rows(settings, rows); push != 0.0) {
    const SpatialVector force = along(joint.kind(), push * placed.axis);
    child->node->load = child->node->load + force_from(force, placed.arm);
    if (parent != nullptr) {
      parent->node->load = parent->node->load - force_from(force, placed.parent_arm);
    }
  }
}

double OdeLink::travel(const PlacedJoint& placed) const {
  return joint.is_suspended() ? dot(placed.axis, child->frame.center + placed.arm -
                                                     (parent->frame.center + placed.parent_arm))
                              : 0.0;
}

void OdeLink::set_free_directions(const PlacedJoint& placed, FreeDirections& free) const {
  free.rows.clear();
  Vec3 push;
  if (ball != nullptr) {
    joint.place_ball_directions(free);
    push = ball->add_axis_rows(free.rows);
  } else {
    const Vec3 axis2 = joint.second_axis(child->frame);
    joint.place_hinge2_directions(axis2, placed, free);
    push = hinge2->add_axis_rows(placed.axis, axis2, travel(placed), free.rows) * placed.axis;
  }
  child->node->load.angular = child->node->load.angular + push;
  if (parent != nullptr) {
    parent->node->load.angular = parent->node->load.angular - push;
  }
}

bool OdeLink::has_feedback() const {
  return feedback != nullptr || far_feedback != nullptr || backlash_feedback != nullptr ||
         motor_feedback != nullptr;
}

void OdeLink::write(dJointFeedback* to, const PlacedJoint& placed,
                    const SpatialVector& force) const {
  if (to == nullptr) {
    return;
  }
  const bool first = joint.child_is_first();
  const SpatialVector on_child = force_from(force, placed.arm);
  store(first ? to->f1 : to->f2, on_child.linear);
  store(first ? to->t1 : to->t2, on_child.angular);
  if (parent != nullptr) {
    const SpatialVector on_parent = -1.0 * force_from(force, placed.parent_arm);
    store(first ? to->f2 : to->f1, on_parent.linear);
    store(first ? to->t2 : to->t1, on_parent.angular);
  }
}

TreeLink::TreeLink(const OdeLink& link) : link_(link) {
  if (link.parent == nullptr && link.motor != nullptr && link.joint.kind() == Kind::Hinge) {
    const OdeJoint::OdeIds ids = link.motor->ids();
    has_world_rows_ = ids.soft != nullptr || ids.far_stops != nullptr || link.backlash != nullptr;
  }
}

void TreeLink::read(const StepSettings& settings) const {
  TreeNode& node = *link_.child->node;
  link_.place(settings.position_gain, node);
  if (node.free != nullptr) {
    link_.set_free_directions(node, *node.free);
  } else if (!has_world_rows_) {
    link_.add_axis_rows(settings, node, node.rows);
  }
}

void TreeLink::write_feedback() const {
  if (!link_.has_feedback()) {
    return;
  }
  const TreeNode& node = *link_.child->node;
  if (node.free != nullptr) {
    return link_.write_free(node, node.free->rows, node.force);
  }
  const auto part = [&](double force) { return along(node.kind, force * node.axis); };
  const double far = sum_of(node.rows, Owner::FarStops);
  const double backlash = sum_of(node.rows, Owner::Backlash);
  const double beside = far + backlash + sum_of(node.rows, Owner::Soft);
  link_.write(link_.feedback, node, node.force - part(beside));
  link_.write(link_.far_feedback, node, part(far));
  link_.write(link_.backlash_feedback, node, part(backlash));
}

// ODE's rows of a ball's motors and stops have a feedback, the ball and its springs have none.
void OdeLink::write_free(const PlacedJoint& placed, const AxesRows& rows,
                         const SpatialVector& force) const {
  const SpatialVector far = sum_of(rows, Owner::FarStops);
  if (ball != nullptr) {
    write(motor_feedback, placed, sum_of(rows, Owner::Joint));
    return;
  }
  write(feedback, placed, force - far - sum_of(rows, Owner::Soft));
  write(far_feedback, placed, far);
}

// A row that acts on the child along `direction` and on the parent against it, at the anchor.
void LoopLink::add_row(const SpatialVector& direction, const Row& row,
                       std::vector<BodyRow>& rows) const {
  BodyRow& added = rows.emplace_back();
  static_cast<Row&>(added) = row;
  double mobility = 0.0;
  const auto put_on = [&](std::size_t end, const TreeBody& body, const Vec3& arm, double sign) {
    TreeNode& node = *body.node;
    const SpatialVector d = sign * direction;
    added.ends[end] = {&node, force_from(d, arm - node.arm)};
    const SpatialVector at_center = force_from(d, arm);
    mobility += dot(d.linear, d.linear) / node.mass +
                dot(at_center.angular, at_center.angular) / body.min_inertia;
  };
  put_on(0, *link_.child, placed_.arm, 1.0);
  if (link_.parent != nullptr) {
    put_on(1, *link_.parent, placed_.parent_arm, -1.0);
  }
  added.inertia = 1.0 / mobility;
}

// Beside a hinge that holds its child to the world ODE keeps the axis in the world.
const Vec3& LoopLink::axis_of(Owner owner) const {
  return owner != Owner::Joint && link_.parent == nullptr && !link_.ends_at_world &&
                 link_.joint.kind() == Kind::Hinge
             ? link_.joint.parent_axis()
             : placed_.axis;
}

void LoopLink::read(const StepSettings& settings, std::vector<BodyRow>& rows) {
  first_ = rows.size();
  link_.place(settings.position_gain, placed_);
  if (free_ != nullptr) {
    return read_free(settings, rows);
  }
  std::array<Vec3, 3> axes{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  const Kind kind = link_.joint.kind();
  if (kind != Kind::Rigid) {
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
  link_.add_axis_rows(settings, placed_, axis_rows_);
  for (const AxisRow& on_axis : axis_rows_) {
    add_row(along(kind, axis_of(on_axis.owner)), on_axis, rows);
  }
}

void LoopLink::read_free(const StepSettings& settings, std::vector<BodyRow>& rows) {
  link_.set_free_directions(placed_, *free_);
  const Vec3& one = free_->directions[0].axis;
  const Vec3& other = free_->directions[1].axis;
  const std::array<Vec3, 3> axes{one, other, cross(one, other)};
  Row row;
  row.softness = settings.softness;
  row.low = -kInfinity;
  row.high = kInfinity;
  for (std::size_t i = link_.joint.is_suspended() ? 1 : 0; i < axes.size(); ++i) {
    row.target = dot(placed_.drift.linear, axes[i]);
    add_row({axes[i], {}}, row, rows);
  }
  if (link_.hinge2 != nullptr) {
    row.target = dot(placed_.drift.angular, axes[2]);
    add_row({{}, axes[2]}, row, rows);
  }
  first_axis_ = rows.size();
  for (const AxesRows::OfDirection& on_axis : free_->rows) {
    add_row(1.0 * free_->rows.direction_of(on_axis), on_axis, rows);
  }
}

void LoopLink::read_beside(const StepSettings& settings, std::vector<BodyRow>& rows) {
  TreeNode& node = *link_.child->node;
  placed_ = node;
  link_.add_axis_rows(settings, node, axis_rows_);
  node.rows.clear();
  first_ = first_axis_ = rows.size();
  for (const AxisRow& row : axis_rows_) {
    if (row.owner == Owner::Joint) {
      node.rows.add(row.owner, row.softness, row.target, row.low, row.high);
    } else {
      add_row({{}, axis_of(row.owner)}, row, rows);
    }
  }
}

void LoopLink::take_results(std::span<const BodyRow> rows) {
  force_ = {};
  std::size_t next = first_axis_;
  const bool in_tree = first_ == first_axis_;
  for (std::size_t i = first_; i < first_axis_; ++i) {
    const SpatialVector& jacobian = rows[i].ends[0].jacobian;
    force_ = force_ + rows[i].force * jacobian;
  }
  // From the anchor of the child's node.
  force_ = force_from(force_, link_.child->node->arm - placed_.arm);
  if (free_ != nullptr) {
    for (AxesRows::OfDirection& row : free_->rows) {
      static_cast<Row&>(row) = rows[next++];
      force_ = force_ + row.force * free_->rows.direction_of(row);
    }
    return;
  }
  for (AxisRow& row : axis_rows_) {
    if (in_tree && row.owner == Owner::Joint) {
      continue;
    }
    static_cast<Row&>(row) = rows[next++];
    if (row.owner == Owner::Joint) {
      force_ = force_ + along(link_.joint.kind(), row.force * placed_.axis);
    }
  }
}

void LoopLink::write_feedback() const {
  if (free_ != nullptr) {
    return link_.write_free(placed_, free_->rows, force_);
  }
  const auto part = [&](Owner owner) {
    return along(link_.joint.kind(), sum_of(axis_rows_, owner) * axis_of(owner));
  };
  if (first_ != first_axis_) {
    link_.write(link_.feedback, placed_, force_);
  }
  link_.write(link_.far_feedback, placed_, part(Owner::FarStops));
  link_.write(link_.backlash_feedback, placed_, part(Owner::Backlash));
}

}  // namespace servosim
