// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// The one to three axes of a HingeJoint, SliderJoint, Hinge2Joint or BallJoint, with axis and
/// anchor in the frame the joint stands in. Names, indices, zero pose and, of a ball, axis 2 are
/// left to the caller.
std::vector<JointSpec> read_joint_axes(const wbt::Node& joint, Diagnostics& diagnostics);

/// What an axis without a device is called in a joint of that name.
std::string axis_name(const std::string& joint, const JointSpec& axis);

/// Replaces parallel axes of a joint with the world's x and z, and derives a ball's axis 2.
/// The axes are in a frame that is turned by `frame` against the world.
void settle_axes(std::span<JointSpec> axes, const Mat3& frame, Diagnostics& diagnostics);

/// The endpoint's motion away from the zero pose when the world starts.
Pose start_motion(std::span<const JointSpec> axes);

/// What can only be said when both sides of every joint are known: a Hinge2Joint that cannot
/// be, and suspensions that have to be rigid.
void check_joint_sides(Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
