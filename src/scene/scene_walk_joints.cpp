// SPDX-License-Identifier: Apache-2.0
// Joints and Servos, with their devices and what hangs on them.
#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "scene/bodies.h"
#include "scene/checks.h"
#include "scene/joint_axes.h"
#include "scene/joints.h"
#include "scene/muscles.h"
#include "scene/scene_walk.h"
#include "scene/wheels.h"

namespace servosim {

// Puts the joint into the scene, in terms of the parent Solid's frame.
int SceneBuilder::finish_joint(JointSpec spec, const std::string& name, const Position& here) {
  const Placement& at = here.at;
  spec.leader = static_cast<int>(scene_.joints.size()) - spec.axis_number;
  spec.parent = here.solid;
  spec.robot = here.robot;
  spec.axis = at.pose.rotation * spec.axis;
  spec.anchor = at.pose * scaled(spec.anchor, at.scale);
  spec.suspension.axis = at.pose.rotation * spec.suspension.axis;
  spec.name = name;
  scene_.joints.push_back(std::move(spec));
  return static_cast<int>(scene_.joints.size()) - 1;
}

// The endpoint Solid of joint number `index`; nothing for a SolidReference, which is noted for the
// end, when all Solids are known.
const wbt::Node* SceneBuilder::endpoint_of(const wbt::Node& joint, int index) {
  wbt::NodePtr node = joint.node("endPoint");
  while (node && node->type->name == "Slot") {
    node = node->node("endPoint");
  }
  if (!node) {
    return nullptr;
  }
  if (node->type->name == "SolidReference") {
    if (index >= 0) {
      references_.push_back({index, node->string("solidName"), node->where});
    }
    return nullptr;
  }
  if (!node->type->is_solid) {
    diagnostics_.warning(node->where, fmt::format("{} cannot be the endPoint of a joint; this "
                                                  "joint moves nothing",
                                                  node->type->name));
    return nullptr;
  }
  return node.get();
}

// `index`: of the axis. `name` becomes that of the motor, or of
// whatever comes first.
void SceneBuilder::register_devices(const wbt::Node& joint, std::string_view field, JointSpec& spec,
                                    int index, const Position& here, std::string& name) {
  register_devices(joint, field, joint.nodes(field), spec, index, here, name);
}

void SceneBuilder::register_devices(const wbt::Node& joint, std::string_view field,
                                    std::span<const wbt::NodePtr> devices, JointSpec& spec,
                                    int index, const Position& here, std::string& name) {
  std::set<std::string_view> found;
  for (const wbt::NodePtr& device : devices) {
    if (!device) {
      continue;
    }
    const std::string_view type = device->type->name;
    const std::string_view right_motor =
        spec.type == JointType::Rotational ? "RotationalMotor" : "LinearMotor";
    if (type != right_motor && type != "PositionSensor" && type != "Brake") {
      diagnostics_.warning(
          device->where,
          fmt::format("a {} cannot be a device of a {}; it is left out", type, joint.type->name));
      continue;
    }
    if (!found.insert(type).second) {
      diagnostics_.warning(device->where,
                           fmt::format("{} of a {} takes one {}; this one is left out", field,
                                       joint.type->name, type));
      continue;
    }
    DeviceSpec read = read_joint_device(*device, spec, diagnostics_);
    if (name.empty() || read.motor) {
      name = read.name;
    }
    if (read.motor) {
      place_muscles(read.motor->muscles, here.at);
    }
    add_device(std::move(read), index, here);
  }
}

// What a joint is called if no device names it.
std::string SceneBuilder::own_name(const wbt::Node& joint, const wbt::Node* endpoint,
                                   int leader) const {
  if (!joint.def.empty() || endpoint != nullptr) {
    return joint.def.empty() ? endpoint->string("name") : joint.def;
  }
  const bool closes_loop = !references_.empty() && references_.back().joint == leader;
  return closes_loop ? references_.back().solid_name : "";
}

void SceneBuilder::add_joint(const wbt::Node& node, const Position& here) {
  static constexpr std::array<std::string_view, 3> kDevice{"device", "device2", "device3"};
  std::vector<JointSpec> read = read_joint_axes(node, diagnostics_);
  const auto leader = scene_.joints.size();
  std::vector<std::string> names(read.size());
  for (std::size_t k = 0; k < read.size(); ++k) {
    register_devices(node, kDevice[k], read[k], static_cast<int>(leader + k), here, names[k]);
  }
  const wbt::Node* endpoint = endpoint_of(node, static_cast<int>(leader));
  const std::string own = own_name(node, endpoint, static_cast<int>(leader));
  for (std::size_t k = 0; k < read.size(); ++k) {
    finish_joint(read[k], names[k].empty() ? axis_name(own, read[k]) : names[k], here);
  }
  const std::span<JointSpec> axes = std::span(scene_.joints).subspan(leader);
  settle_axes(axes, world_pose(scene_, here.solid).rotation, diagnostics_);
  if (endpoint == nullptr) {
    return;
  }
  const Placement placement = here.at.inside(*endpoint);
  const int child = add_solid(*endpoint, here, placement, static_cast<int>(leader));
  for (JointSpec& axis : axes) {
    axis.child = child;
    axis.zero_pose = inverse(start_motion(axes)) * placement.pose;
  }
  add_plain_device(*endpoint, here, child);
  walk_children(*endpoint, below(child, placement));
}

// The inside of a DifferentialWheels: its wheels turn on hinges, all else is as in any robot.
void SceneBuilder::add_wheels(const wbt::Node& robot, const Position& here) {
  DifferentialWheelsSpec wheels = read_wheels(robot, diagnostics_);
  wheels.solid = here.solid;
  wheels.kinematic = !scene_.solids[here.solid].physics;
  for (const wbt::NodePtr& child : robot.nodes("children")) {
    const int side = child ? wheel_side(*child) : -1;
    if (side >= 0 && wheels.joints[side] < 0) {
      wheels.joints[side] = add_wheel(*child, here, wheels.kinematic);
    } else if (child) {
      walk(*child, here);
    }
  }
  if (!wheels.kinematic && (wheels.joints[0] < 0 || wheels.joints[1] < 0)) {
    diagnostics_.warning(robot.where,
                         "a DifferentialWheels with Physics needs Solids called \"left wheel\" and "
                         "\"right wheel\" among its children; it does not drive");
  }
  scene_.robots[here.robot].wheels = wheels;
}

// Returns the joint.
int SceneBuilder::add_wheel(const wbt::Node& wheel, const Position& here, bool kinematic) {
  const int joint = finish_joint(wheel_joint(wheel), wheel.string("name"), here);
  const Placement placement = here.at.inside(wheel);
  const int child = add_solid(wheel, here, placement, joint);
  scene_.joints[joint].child = child;
  scene_.joints[joint].zero_pose = placement.pose;
  std::optional<MassSpec>& physics = scene_.solids[child].physics;
  if (physics.has_value() == kinematic) {
    diagnostics_.warning(
        physics ? physics->where : wheel.where,
        kinematic ? "Physics of a wheel is not used: its DifferentialWheels has no Physics"
                  : "a wheel without Physics drives nothing: its DifferentialWheels has Physics");
    physics.reset();
  }
  walk_children(wheel, below(child, placement));
  return joint;
}

void SceneBuilder::add_servo(const wbt::Node& node, const Position& here) {
  const Placement rest = here.at.inside(node);
  const std::string& kind = node.string("type");
  const bool linear = kind == "linear";
  if (kind == "none") {
    diagnostics_.warning(node.where, fmt::format("Servo \"{}\" of type \"none\" has no joint, as "
                                                 "in Webots; nothing holds it",
                                                 node.string("name")));
    // The controller still finds a motor, which moves nothing, and a sensor, which stands still.
    JointSpec spec;
    spec.position = read_position(node, "position", spec, diagnostics_);
    add_device(read_servo_device(node, spec, diagnostics_), -1, here);
    const int solid = add_solid(node, here, rest);
    scene_.solids[solid].free_body = true;
    walk_children(node, below(solid, rest));
    return;
  }
  if (!linear && kind != "rotational") {
    Checked(node, diagnostics_)
        .substituted("type", '"' + kind + '"', std::string("rotational"),
                     "it must be \"rotational\", \"linear\" or \"none\"");
  }
  JointSpec spec =
      read_servo_joint(node, linear ? JointType::Linear : JointType::Rotational, diagnostics_);
  const int index = static_cast<int>(scene_.joints.size());
  add_device(read_servo_device(node, spec, diagnostics_), index, here);
  finish_joint(std::move(spec), node.string("name"), here);
  const JointSpec& joint = scene_.joints[index];
  // Unlike an endPoint, a Servo's own fields leave the position out.
  const Pose now = motion_of(joint, joint.position) * rest.pose;
  const int child = add_solid(node, here, {now, rest.scale}, index);
  scene_.joints[index].child = child;
  scene_.joints[index].zero_pose = rest.pose;
  walk_children(node, below(child, rest));
}

}  // namespace servosim
