// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_joint.h"

#include <ode/ode.h>

#include "base/assert.h"
#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "physics/tree/free_directions.h"

namespace servosim {

namespace {

Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

Quaternion conjugated(const Quaternion& q) { return {q.w, -q.x, -q.y, -q.z}; }

Vec3 hinge_axis(dJointID joint) {
  dVector3 axis;
  dJointGetHingeAxis(joint, axis);
  return to_vec3(axis);
}

Vec3 slider_axis(dJointID joint) {
  dVector3 axis;
  dJointGetSliderAxis(joint, axis);
  return to_vec3(axis);
}

Vec3 ball_anchor(dJointID joint) {
  dVector3 anchor;
  dJointGetBallAnchor(joint, anchor);
  return to_vec3(anchor);
}

Vec3 hinge2_anchor(dJointID joint) {
  dVector3 anchor;
  dJointGetHinge2Anchor(joint, anchor);
  return to_vec3(anchor);
}

Vec3 hinge2_axis(dJointID joint, int number) {
  dVector3 axis;
  number == 0 ? dJointGetHinge2Axis1(joint, axis) : dJointGetHinge2Axis2(joint, axis);
  return to_vec3(axis);
}

Vec3 in_body(const BodyFrame& body, const Vec3& direction) {
  return transposed_times(body.rotation, direction);
}

// `v` without its part along the unit vector `axis`.
Vec3 square_part(const Vec3& v, const Vec3& axis) { return v - dot(v, axis) * axis; }

}  // namespace

BodyFrame frame_of(dBodyID body) {
  const dReal* q = dBodyGetQuaternion(body);
  return {
      to_mat3(dBodyGetRotation(body)), {q[0], q[1], q[2], q[3]}, to_vec3(dBodyGetPosition(body))};
}

TreeJoint TreeJoint::fixed(const BodyPlace& child, const BodyPlace* parent) {
  const auto frame = [](const BodyPlace& p) {
    const auto& q = p.quaternion;
    return BodyFrame{
        to_mat3(p.rotation.data()), {q[0], q[1], q[2], q[3]}, to_vec3(p.position.data())};
  };
  const BodyFrame first = frame(child);
  const BodyFrame second = parent != nullptr ? frame(*parent) : BodyFrame{};
  TreeJoint joint;
  joint.kind_ = TreeNode::Kind::Rigid;
  joint.child_is_first_ = true;
  joint.relative_ = conjugated(first.turn) * second.turn;
  joint.offset_ = parent != nullptr ? in_body(first, first.center - second.center) : first.center;
  return joint;
}

TreeJoint::TreeJoint(dJointID joint, dBodyID child, dBodyID parent)
    // ODE gives the bodies as they were attached, and puts the only one first.
    : child_is_first_(parent == nullptr || dJointGetBody(joint, 0) == child) {
  const dJointType type = dJointGetType(joint);
  SERVOSIM_ASSERT(type == dJointTypeHinge || type == dJointTypeSlider || type == dJointTypeFixed ||
                      type == dJointTypeBall || type == dJointTypeHinge2,
                  "type {}", static_cast<int>(type));
  const BodyFrame world;
  const BodyFrame of_child = frame_of(child);
  const BodyFrame of_parent = parent != nullptr ? frame_of(parent) : world;
  const BodyFrame& first = child_is_first_ ? of_child : of_parent;
  const BodyFrame& second = child_is_first_ ? of_parent : of_child;
  relative_ = conjugated(first.turn) * second.turn;
  if (type == dJointTypeBall || type == dJointTypeHinge2) {
    kind_ = type == dJointTypeBall ? TreeNode::Kind::Ball : TreeNode::Kind::Hinge2;
    const Vec3 anchor = type == dJointTypeBall ? ball_anchor(joint) : hinge2_anchor(joint);
    child_anchor_ = in_body(of_child, anchor - of_child.center);
    parent_anchor_ = in_body(of_parent, anchor - of_parent.center);
    if (type == dJointTypeHinge2) {
      SERVOSIM_ASSERT(!child_is_first_, "a Hinge2 with its child first");
      const Vec3 axis1 = hinge2_axis(joint, 0);
      const Vec3 axis2 = hinge2_axis(joint, 1);
      parent_axis_ = in_body(of_parent, axis1);
      child_axis_ = in_body(of_child, axis2);
      cosine_ = dot(axis1, axis2);
      sine_ = norm(cross(axis1, axis2));
    }
    return;
  }
  if (type == dJointTypeHinge) {
    kind_ = TreeNode::Kind::Hinge;
    dVector3 at;
    dJointGetHingeAnchor(joint, at);
    const Vec3 anchor = to_vec3(at);
    // As in the scene: the table of OdeJoint.
    const Vec3 axis = (child_is_first_ ? -1.0 : 1.0) * hinge_axis(joint);
    child_anchor_ = in_body(of_child, anchor - of_child.center);
    parent_anchor_ = in_body(of_parent, anchor - of_parent.center);
    child_axis_ = in_body(of_child, axis);
    parent_axis_ = in_body(of_parent, axis);
    return;
  }
  const Vec3 from_second = first.center - second.center;
  if (type == dJointTypeSlider) {
    kind_ = TreeNode::Kind::Slider;
    const Vec3 axis = -slider_axis(joint);
    child_axis_ = in_body(of_child, axis);
    parent_axis_ = in_body(of_parent, axis);
    offset_ = parent != nullptr ? in_body(second, from_second) : first.center;
    return;
  }
  kind_ = TreeNode::Kind::Rigid;
  offset_ = parent != nullptr ? in_body(first, from_second) : first.center;
}

void TreeJoint::place(const BodyFrame& child, const BodyFrame* parent, double gain,
                      PlacedJoint& placed) const {
  switch (kind_) {
    case TreeNode::Kind::Free:
      placed.arm = placed.parent_arm = {};
      return;
    case TreeNode::Kind::Rigid:
      return place_fixed(child, parent, gain, placed);
    case TreeNode::Kind::Hinge:
      return place_hinge(child, parent, gain, placed);
    case TreeNode::Kind::Slider:
      return place_slider(child, parent, gain, placed);
    case TreeNode::Kind::Ball:
      return place_anchors(child, parent, gain, placed);
    case TreeNode::Kind::Hinge2:
      return place_hinge2(child, parent, gain, placed);
  }
}

void TreeJoint::place_anchors(const BodyFrame& child, const BodyFrame* parent, double gain,
                              PlacedJoint& placed) const {
  placed.arm = child.rotation * child_anchor_;
  placed.parent_arm = parent != nullptr ? parent->rotation * parent_anchor_ : Vec3{};
  const Vec3 on_parent = parent != nullptr ? parent->center + placed.parent_arm : parent_anchor_;
  placed.drift = {-gain * (child.center + placed.arm - on_parent), {}};
}

// About the direction square to both axes ODE holds the angle between them, by the sine of its
// error. Along axis 1 a suspension has a row of its own.
void TreeJoint::place_hinge2(const BodyFrame& child, const BodyFrame* parent, double gain,
                             PlacedJoint& placed) const {
  place_anchors(child, parent, gain, placed);
  placed.axis = parent->rotation * parent_axis_;
  const Vec3 axis2 = second_axis(child);
  const Vec3 across = cross(placed.axis, axis2);
  const double sine = norm(across);
  const double error = cosine_ * sine - sine_ * dot(placed.axis, axis2);
  placed.drift.angular = (-gain * error / sine) * across;
  if (is_suspended_) {
    placed.drift.linear = square_part(placed.drift.linear, placed.axis);
  }
}

void TreeJoint::place_directions(const BodyFrame& child, const PlacedJoint& placed,
                                 FreeDirections& free) const {
  if (kind_ == TreeNode::Kind::Ball) {
    free.count = 3;
    free.directions = {{{{1.0, 0.0, 0.0}}, {{0.0, 1.0, 0.0}}, {{0.0, 0.0, 1.0}}}};
    return;
  }
  // Square to axis 1, in the plane of both axes.
  const Vec3 third = unit_or(square_part(second_axis(child), placed.axis), {});
  free.count = is_suspended_ ? 3 : 2;
  free.directions = {{{placed.axis, true}, {third, true}, {}}};
  if (is_suspended_) {
    free.directions[2] = {placed.axis, false};
  }
}

// ODE corrects the error of the anchor, and turns the axis of the first body to that of the second.
void TreeJoint::place_hinge(const BodyFrame& child, const BodyFrame* parent, double gain,
                            PlacedJoint& placed) const {
  placed.arm = child.rotation * child_anchor_;
  placed.parent_arm = parent != nullptr ? parent->rotation * parent_anchor_ : Vec3{};
  const Vec3 on_parent = parent != nullptr ? parent->center + placed.parent_arm : parent_anchor_;
  const Vec3 of_child = child.rotation * child_axis_;
  const Vec3 of_parent = parent != nullptr ? parent->rotation * parent_axis_ : parent_axis_;
  placed.axis = child_is_first_ ? of_child : of_parent;
  placed.drift = {-gain * (child.center + placed.arm - on_parent),
                  -gain * cross(of_parent, of_child)};
}

// The rows act midway between the centres of mass; without a parent at that of the child.
void TreeJoint::place_slider(const BodyFrame& child, const BodyFrame* parent, double gain,
                             PlacedJoint& placed) const {
  placed.drift.angular = orientation_drift(child, parent, gain);
  if (parent == nullptr) {
    placed.arm = placed.parent_arm = {};
    placed.axis = child.rotation * child_axis_;
    placed.drift.linear = gain * square_part(offset_ - child.center, placed.axis);
    return;
  }
  SERVOSIM_ASSERT(!child_is_first_, "a slider with its child first");
  const Vec3 between = child.center - parent->center;
  placed.parent_arm = 0.5 * between;
  placed.arm = -0.5 * between;
  placed.axis = parent->rotation * parent_axis_;
  placed.drift.linear = -gain * square_part(between + child.rotation * offset_, placed.axis);
}

// The rows act at the centre of mass of the second body, or of the only one.
void TreeJoint::place_fixed(const BodyFrame& child, const BodyFrame* parent, double gain,
                            PlacedJoint& placed) const {
  placed.drift.angular = orientation_drift(child, parent, gain);
  placed.arm = placed.parent_arm = {};
  if (parent == nullptr) {
    placed.drift.linear = gain * (offset_ - child.center);
  } else if (child_is_first_) {
    placed.arm = -(child.rotation * offset_);
    placed.drift.linear = -gain * (child.center + placed.arm - parent->center);
  } else {
    placed.parent_arm = -(parent->rotation * offset_);
    placed.drift.linear = -gain * (child.center - (parent->center + placed.parent_arm));
  }
}

// Twice the vector of a small turn is the turn.
Vec3 TreeJoint::orientation_drift(const BodyFrame& child, const BodyFrame* parent,
                                  double gain) const {
  const Quaternion of_parent = parent != nullptr ? parent->turn : Quaternion{};
  const Quaternion& first = child_is_first_ ? child.turn : of_parent;
  const Quaternion& second = child_is_first_ ? of_parent : child.turn;
  const Quaternion error = conjugated(first) * second * conjugated(relative_);
  const Mat3& rotation = child_is_first_ ? child.rotation : parent->rotation;
  const double sign = (error.w < 0.0) == child_is_first_ ? -1.0 : 1.0;
  return (2.0 * gain * sign) * (rotation * Vec3{error.x, error.y, error.z});
}

}  // namespace servosim
