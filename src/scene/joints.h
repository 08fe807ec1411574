// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "scene/scene.h"
#include "scene/solids.h"
#include "wbt/node.h"

namespace servosim {

/// Webots' name of a joint of that kind.
std::string_view type_name(JointKind kind);

/// The node type that describes an axis of a joint.
std::string_view parameters_type(JointKind kind, int axis_number);

/// A start position of `joint`, whose kind and axis number are known: its field `position`, or
/// what a joint without parameters saved.
double read_position(const wbt::Node& node, std::string_view field, const JointSpec& joint,
                     Diagnostics& diagnostics);

/// One parameter node of a joint, of whatever type: what it shares with the type this axis takes
/// is read into `joint`, axis and anchor in the frame the joint stands in. The rest is left as it
/// is.
void read_joint_parameters(const wbt::Node& parameters, JointSpec& joint, Diagnostics& diagnostics);

/// The joint of a Servo, which is its own endpoint: axis through its origin, in the frame it
/// stands in. `type` "rotational" turns about the axis part of its rotation, "linear" slides along
/// its own z axis after the rotation.
JointSpec read_servo_joint(const wbt::Node& servo, JointType type, Diagnostics& diagnostics);

/// A RotationalMotor, LinearMotor, PositionSensor or Brake of a joint's axis.
DeviceSpec read_joint_device(const wbt::Node& device, JointSpec& joint, Diagnostics& diagnostics);

/// The motor and position sensor that a Servo is.
DeviceSpec read_servo_device(const wbt::Node& servo, const JointSpec& joint,
                             Diagnostics& diagnostics);

/// Takes backlash away, with a warning, from joints that cannot have it: those of several axes,
/// those that no motor drives, and those that no forces move.
void settle_backlash(Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
