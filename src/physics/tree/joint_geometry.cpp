// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/joint_geometry.h"

#include <ode/ode.h>

#include "base/assert.h"
#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "physics/tree/motion_subspace.h"

// The geometry of a joint is read once, in the pose in which ODE's joint was created, and stored in
// the frames of its bodies. Signs are those of the scene: axes point so that the position grows
// where the child moves along +axis. For a Hinge2, with a1 and a2, the axes in the world, and θ₀,
// the angle between them at the start, the row that keeps this angle is
//
//     (a1 × a2)/|a1 × a2|·(ω_c − ω_p) = −gain·sin(θ − θ₀)
//
// Source: getInfo2() of ODE's Hinge2, hinge2.cpp in ODE 0.16.

namespace servosim {

namespace {

// Reads a vector of a joint, in the world.
Vec3 vector_of(dJointID joint, void (*get)(dJointID, dReal*)) {
  dVector3 v;
  get(joint, v);
  return to_vec3(v);
}

// Returns a direction of the world in the frame of a body.
Vec3 in_body(const BodyFrame& body, const Vec3& direction) {
  return transposed_times(body.rotation, direction);
}

}  // namespace

// ODE stores rotation and quaternion, and both are used with their bits.
BodyFrame frame_of(dBodyID body) {
  const dReal* q = dBodyGetQuaternion(body);
  return {
      to_mat3(dBodyGetRotation(body)), {q[0], q[1], q[2], q[3]}, to_vec3(dBodyGetPosition(body))};
}

// An attachment is made while the world runs, so its poses are given, not read from ODE.
JointGeometry JointGeometry::fixed(const BodyPlace& child, const BodyPlace* parent) {
  const auto frame = [](const BodyPlace& p) {
    const auto& q = p.quaternion;
    return BodyFrame{
        to_mat3(p.rotation.data()), {q[0], q[1], q[2], q[3]}, to_vec3(p.position.data())};
  };
  const BodyFrame first = frame(child);
  const BodyFrame second = parent != nullptr ? frame(*parent) : BodyFrame{};
  JointGeometry joint;
  joint.kind_ = TreeNode::Kind::Rigid;
  joint.child_is_first_ = true;
  joint.frames_.relative = conjugated(first.turn) * second.turn;
  joint.frames_.offset =
      parent != nullptr ? in_body(first, first.center - second.center) : first.center;
  return joint;
}

JointGeometry::JointGeometry(dJointID joint, dBodyID child, dBodyID parent)
    // dJointGetBody() gives the bodies as they were attached. ODE makes an only body the first.
    : child_is_first_(parent == nullptr || dJointGetBody(joint, 0) == child) {
  const dJointType type = dJointGetType(joint);
  SERVOSIM_ASSERT(type == dJointTypeHinge || type == dJointTypeSlider || type == dJointTypeFixed ||
                      type == dJointTypeBall || type == dJointTypeHinge2,
                  "type {}", static_cast<int>(type));
  const BodyFrame world;
  const BodyFrame of_child = frame_of(child);
  const BodyFrame of_parent = parent != nullptr ? frame_of(parent) : world;
  // ODE stores offset and orientation by its own order of the bodies.
  const BodyFrame& first = child_is_first_ ? of_child : of_parent;
  const BodyFrame& second = child_is_first_ ? of_parent : of_child;
  // This orientation of the second body as seen from the first one is free of error.
  frames_.relative = conjugated(first.turn) * second.turn;
  if (type == dJointTypeBall || type == dJointTypeHinge2) {
    kind_ = type == dJointTypeBall ? TreeNode::Kind::Ball : TreeNode::Kind::Hinge2;
    const Vec3 anchor =
        vector_of(joint, type == dJointTypeBall ? dJointGetBallAnchor : dJointGetHinge2Anchor);
    frames_.child_anchor = in_body(of_child, anchor - of_child.center);
    frames_.parent_anchor = in_body(of_parent, anchor - of_parent.center);
    if (type == dJointTypeHinge2) {
      SERVOSIM_ASSERT(!child_is_first_, "a Hinge2 with its child first");
      const Vec3 axis1 = vector_of(joint, dJointGetHinge2Axis1);
      const Vec3 axis2 = vector_of(joint, dJointGetHinge2Axis2);
      frames_.parent_axis = in_body(of_parent, axis1);
      frames_.child_axis = in_body(of_child, axis2);
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
    // The axis of the scene; OdeJoint has the table of signs.
    const Vec3 axis = (child_is_first_ ? -1.0 : 1.0) * vector_of(joint, dJointGetHingeAxis);
    frames_.child_anchor = in_body(of_child, anchor - of_child.center);
    frames_.parent_anchor = in_body(of_parent, anchor - of_parent.center);
    frames_.child_axis = in_body(of_child, axis);
    frames_.parent_axis = in_body(of_parent, axis);
    return;
  }
  // ODE's offset is in the frame of the second body for a slider, and of the first for a fixed
  // joint.
  const Vec3 from_second = first.center - second.center;
  if (type == dJointTypeSlider) {
    kind_ = TreeNode::Kind::Slider;
    // ODE's axis of a slider is −axis.
    const Vec3 axis = -vector_of(joint, dJointGetSliderAxis);
    frames_.child_axis = in_body(of_child, axis);
    frames_.parent_axis = in_body(of_parent, axis);
    frames_.offset = parent != nullptr ? in_body(second, from_second) : first.center;
    return;
  }
  kind_ = TreeNode::Kind::Rigid;
  frames_.offset = parent != nullptr ? in_body(first, from_second) : first.center;
}

void JointGeometry::place(const BodyFrame& child, const BodyFrame* parent, double gain,
                          PlacedJoint& placed) const {
  if (kind_ == TreeNode::Kind::Hinge2) {
    place_hinge2(child, parent, gain, placed);
  } else {
    place_joint(kind_, child_is_first_, frames_, child, parent, gain, placed);
  }
}

// The error of the angle θ between the axes is sin(θ − θ₀) = cos θ₀·sin θ − sin θ₀·cos θ, and the
// row is about a1 × a2. A suspension has a row of its own along axis 1, so the drift has no part
// there.
void JointGeometry::place_hinge2(const BodyFrame& child, const BodyFrame* parent, double gain,
                                 PlacedJoint& placed) const {
  place_anchors(frames_, child, parent, gain, placed);
  placed.axis = parent->rotation * frames_.parent_axis;
  const Vec3 axis2 = second_axis(child);
  const Vec3 across = cross(placed.axis, axis2);
  const double sine = norm(across);
  const double error = cosine_ * sine - sine_ * dot(placed.axis, axis2);
  placed.drift.angular = (-gain * error / sine) * across;
  if (is_suspended_) {
    placed.drift.linear = square_part(placed.drift.linear, placed.axis);
  }
}

// Any basis would do. With the axes of the world, n and α are blocks of N₀.
void JointGeometry::place_ball_directions(MotionSubspace& subspace) const {
  subspace.count = 3;
  subspace.directions = {{{{1.0, 0.0, 0.0}}, {{0.0, 1.0, 0.0}}, {{0.0, 0.0, 1.0}}}};
}

// With a suspension the third free direction is the travel along axis 1.
void JointGeometry::place_hinge2_directions(const Vec3& axis2, const PlacedJoint& placed,
                                            MotionSubspace& subspace) const {
  // Perpendicular to axis 1, in the plane of both axes.
  const Vec3 third = unit_or(square_part(axis2, placed.axis), {});
  subspace.count = is_suspended_ ? 3 : 2;
  subspace.directions = {{{placed.axis, true}, {third, true}, {}}};
  if (is_suspended_) {
    subspace.directions[2] = {placed.axis, false};
  }
}

}  // namespace servosim
