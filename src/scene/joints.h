// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "scene/placement.h"
#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// The numbers of a HingeJoint or SliderJoint; axis and anchor in the frame the joint stands in.
/// Name, indices and zero pose are left to the caller.
JointSpec read_joint(const wbt::Node& joint, JointType type, Diagnostics& diagnostics);

/// Where one axis of a Hinge2Joint or BallJoint stands: the position of its parameters, or without
/// them the joint's own saved one.
double read_axis_position(const wbt::Node& joint, std::string_view parameters_field,
                          std::string_view saved_field, Diagnostics& diagnostics);

/// The joint of a Servo, which is its own endpoint: axis through its origin, in the frame it
/// stands in. `type` "rotational" turns about the axis part of its rotation, "linear" slides along
/// its own z axis after the rotation.
JointSpec read_servo_joint(const wbt::Node& servo, JointType type, Diagnostics& diagnostics);

/// A RotationalMotor, LinearMotor, PositionSensor or Brake of a joint.
DeviceSpec read_joint_device(const wbt::Node& device, JointSpec& joint, Diagnostics& diagnostics);

/// The motor and position sensor that a Servo is.
DeviceSpec read_servo_device(const wbt::Node& servo, const JointSpec& joint,
                             Diagnostics& diagnostics);

}  // namespace servosim
