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
  const auto feedback_of = [](dJointID of) {
    return of != nullptr ? dJointGetFeedback(of) : nullptr;
  };
  if (motor != nullptr) {
    second_feedback = feedback_of(motor->ids().second);
  }
  if (backlash != nullptr) {
    backlash_feedback = feedback_of(backlash->id());
  }
  if (ball != nullptr) {
    feedback = feedback_of(ball->ids().motor);
    second_feedback = feedback_of(ball->ids().stops);
  }
  if (hinge2 != nullptr) {
    second_feedback = feedback_of(hinge2->ids().stops);
    if (hinge2->has_suspension()) {
      joint.set_suspended();
    }
  }
}

OdeLink::OdeLink(const TreeJoint& fixed, const TreeBody& the_child, const TreeBody* the_parent,
                 dJointFeedback* the_feedback)
    : joint(fixed), child(&the_child), parent(the_parent), feedback(the_feedback) {}

void OdeLink::place(double position_gain, PlacedJoint& placed) const {
  joint.place(child->frame, parent != nullptr ? &parent->frame : nullptr, position_gain, placed);
}

void OdeLink::set_axis_rows(const StepSettings& settings, AxisRows& rows) const {
  rows.clear();
  if (motor != nullptr) {
    motor->add_axis_rows(settings, rows);
  }
  if (backlash != nullptr) {
    backlash->add_axis_rows(settings, rows);
  }
}

double OdeLink::travel(const PlacedJoint& placed) const {
  return joint.is_suspended() ? dot(placed.axis, child->frame.center + placed.arm -
                                                     (parent->frame.center + placed.parent_arm))
                              : 0.0;
}

void OdeLink::set_free_directions(const StepSettings& settings, const PlacedJoint& placed,
                                  FreeDirections& free) const {
  free.rows.clear();
  if (ball != nullptr) {
    joint.place_ball_directions(free);
    ball->add_axis_rows(settings, free.rows);
  } else {
    const Vec3 axis2 = joint.second_axis(child->frame);
    joint.place_hinge2_directions(axis2, placed, free);
    hinge2->add_axis_rows(placed.axis, axis2, travel(placed), settings, free.rows);
  }
}

bool OdeLink::has_feedback() const { return feedback != nullptr || backlash_feedback != nullptr; }

void OdeLink::write(const PlacedJoint& placed, const SpatialVector& force) const {
  if (feedback != nullptr) {
    write_to(*feedback, placed, force);
  }
  if (second_feedback != nullptr) {
    *second_feedback = {};
  }
}

void OdeLink::write_backlash(const PlacedJoint& placed, const SpatialVector& force) const {
  if (backlash_feedback != nullptr) {
    write_to(*backlash_feedback, placed, force);
  }
}

void OdeLink::write_to(dJointFeedback& to, const PlacedJoint& placed,
                       const SpatialVector& force) const {
  const bool first = joint.child_is_first();
  const SpatialVector on_child = force_from(force, placed.arm);
  store(first ? to.f1 : to.f2, on_child.linear);
  store(first ? to.t1 : to.t2, on_child.angular);
  if (parent != nullptr) {
    const SpatialVector on_parent = -1.0 * force_from(force, placed.parent_arm);
    store(first ? to.f2 : to.f1, on_parent.linear);
    store(first ? to.t2 : to.t1, on_parent.angular);
  }
}

void TreeLink::read(const StepSettings& settings) const {
  TreeNode& node = *link_.child->node;
  link_.place(settings.position_gain, node);
  if (node.free != nullptr) {
    link_.set_free_directions(settings, node, *node.free);
  } else {
    link_.set_axis_rows(settings, node.rows);
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
  const double backlash = sum_of(node.rows, Owner::Backlash);
  const double beside = backlash + sum_of(node.rows, Owner::Soft);
  link_.write(node, node.force - part(beside));
  link_.write_backlash(node, part(backlash));
}

// ODE's rows of a ball's motors and stops have a feedback, the ball and its springs have none.
void OdeLink::write_free(const PlacedJoint& placed, const AxesRows& rows,
                         const SpatialVector& force) const {
  write(placed, ball != nullptr ? sum_of(rows, Owner::Joint) + sum_of(rows, Owner::Stops)
                                : force - sum_of(rows, Owner::Soft));
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
  link_.set_axis_rows(settings, axis_rows_);
  for (const AxisRow& on_axis : axis_rows_) {
    add_row(along(kind, placed_.axis), on_axis, rows);
  }
}

void LoopLink::read_free(const StepSettings& settings, std::vector<BodyRow>& rows) {
  link_.set_free_directions(settings, placed_, *free_);
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

void LoopLink::take_results(std::span<const BodyRow> rows) {
  force_ = {};
  std::size_t next = first_axis_;
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
    static_cast<Row&>(row) = rows[next++];
    if (row.owner == Owner::Joint || row.owner == Owner::Stops) {
      force_ = force_ + along(link_.joint.kind(), row.force * placed_.axis);
    }
  }
}

void LoopLink::write_feedback() const {
  if (free_ != nullptr) {
    return link_.write_free(placed_, free_->rows, force_);
  }
  link_.write(placed_, force_);
  link_.write_backlash(
      placed_, along(link_.joint.kind(), sum_of(axis_rows_, Owner::Backlash) * placed_.axis));
}

}  // namespace servosim
