// SPDX-License-Identifier: Apache-2.0
#include "scene/scene_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scene/backlash.h"
#include "scene/checks.h"
#include "scene/coupled_motors.h"
#include "scene/joints.h"
#include "scene/muscles.h"
#include "scene/placement.h"
#include "scene/robot_fields.h"
#include "scene/scene_checks.h"
#include "scene/shapes.h"
#include "scene/solid_fields.h"
#include "scene/world_settings.h"
#include "wbt/world_file.h"

namespace servosim {

namespace {

/// Where the walk stands: the Solid and the Robot above, and the placement below that Solid.
struct Position {
  int solid = -1;
  int robot = -1;
  Placement at;
};

class SceneBuilder {
 public:
  SceneBuilder(const wbt::WorldFile& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  Scene build();

 private:
  void walk(const wbt::Node& node, const Position& here);
  void walk_children(const wbt::Node& node, const Position& here);
  Position below(int solid, const Placement& placement) const;
  int add_solid(const wbt::Node& node, const Position& here, const Placement& placement,
                int joint = -1);
  int add_robot(const wbt::Node& node, int solid);
  void add_joint(const wbt::Node& node, JointType type, const Position& here);
  void weld_joint(const wbt::Node& node, const Position& here);
  void add_servo(const wbt::Node& node, const Position& here);
  int finish_joint(JointSpec spec, const std::string& name, const Position& here);
  void add_device(DeviceSpec device, int joint, const Position& here);
  void add_plain_device(const wbt::Node& node, const Position& here);
  void register_devices(const wbt::Node& joint, std::string_view field, JointSpec& spec, int index,
                        const Position& here, std::string& name);
  const wbt::Node* endpoint_of(const wbt::Node& joint);
  void report_inactive(const wbt::Node& node);
  std::string unique_joint_name(const Position& here, const std::string& name);

  const wbt::WorldFile& file_;
  Diagnostics& diagnostics_;
  Scene scene_;
  std::set<std::string> joint_names_;
};

Scene SceneBuilder::build() {
  scene_.world_path = file_.path;
  scene_.project = file_.project;
  scene_.world = read_world_settings(file_, diagnostics_);
  for (const wbt::NodePtr& node : file_.nodes) {
    walk(*node, {});
  }
  couple_motors(scene_, diagnostics_);
  settle_backlash(scene_, diagnostics_);
  check_scene(scene_, diagnostics_);
  return std::move(scene_);
}

void SceneBuilder::walk(const wbt::Node& node, const Position& here) {
  const std::string_view type = node.type->name;
  if (type == "HingeJoint" || type == "SliderJoint") {
    add_joint(node, type == "HingeJoint" ? JointType::Rotational : JointType::Linear, here);
  } else if (type == "Hinge2Joint" || type == "BallJoint") {
    weld_joint(node, here);
  } else if (type == "Servo") {
    add_servo(node, here);
  } else if (type == "Slot") {
    if (const wbt::NodePtr& endpoint = node.node("endPoint")) {
      walk(*endpoint, here);
    }
  } else if (node.type->is_solid) {
    const Placement placement = here.at.inside(node);
    add_plain_device(node, here);
    walk_children(node, below(add_solid(node, here, placement), placement));
  } else {
    add_plain_device(node, here);
    report_inactive(node);
    if (node.type->field("children") != nullptr) {
      walk_children(node, {here.solid, here.robot, here.at.inside(node)});
    }
  }
}

// Inside a Solid that has just been added.
Position SceneBuilder::below(int solid, const Placement& placement) const {
  return {solid, scene_.solids[solid].robot, {{}, placement.scale}};
}

void SceneBuilder::walk_children(const wbt::Node& node, const Position& here) {
  for (const wbt::NodePtr& child : node.nodes("children")) {
    if (child) {
      walk(*child, here);
    }
  }
}

void SceneBuilder::report_inactive(const wbt::Node& node) {
  const std::string_view type = node.type->name;
  if (type == "Propeller" || type == "Fluid") {
    diagnostics_.warning(node.where, fmt::format("{} is not simulated yet; it does not act", type));
  }
}

int SceneBuilder::add_solid(const wbt::Node& node, const Position& here, const Placement& placement,
                            int joint) {
  SolidSpec solid = read_solid(node, placement.scale, diagnostics_);
  solid.parent = here.solid;
  solid.robot = here.robot;
  solid.joint = joint;
  solid.pose = placement.pose;
  const int index = static_cast<int>(scene_.solids.size());
  scene_.solids.push_back(std::move(solid));
  if (is_robot(node)) {
    scene_.solids[index].robot = add_robot(node, index);
  }
  const std::string_view type = node.type->name;
  if (type == "Track" || type == "DifferentialWheels") {
    diagnostics_.warning(node.where, fmt::format("the drive of a {} is not simulated yet; it is a "
                                                 "rigid {}",
                                                 type, type == "Track" ? "Solid" : "Robot"));
  }
  return index;
}

int SceneBuilder::add_robot(const wbt::Node& node, int solid) {
  RobotSpec robot = read_robot(node, diagnostics_);
  robot.solid = solid;
  scene_.robots.push_back(std::move(robot));
  return static_cast<int>(scene_.robots.size()) - 1;
}

std::string SceneBuilder::unique_joint_name(const Position& here, const std::string& name) {
  const std::string owner = here.robot >= 0 ? scene_.robots[here.robot].name : "world";
  const std::string full = owner + '/' + (name.empty() ? "joint" : name);
  std::string candidate = full;
  for (int n = 2; !joint_names_.insert(candidate).second; ++n) {
    candidate = fmt::format("{}#{}", full, n);
  }
  return candidate;
}

void SceneBuilder::add_device(DeviceSpec device, int joint, const Position& here) {
  device.joint = joint;
  if (here.robot < 0) {
    if (device.motor && joint >= 0) {
      scene_.ownerless_motors.push_back(std::move(device));
    }
    return;  // no controller could find it
  }
  scene_.robots[here.robot].devices.push_back(std::move(device));
}

// A device without a joint: the controller can find it, whether it is simulated or not.
void SceneBuilder::add_plain_device(const wbt::Node& node, const Position& here) {
  if (!node.type->is_device || node.type->field("name") == nullptr) {
    return;
  }
  DeviceSpec device;
  device.name = node.string("name");
  device.node_type = node.type->name;
  device.where = node.where;
  if (node.type->field("model") != nullptr) {
    device.model = node.string("model");
  }
  add_device(std::move(device), -1, here);
}

// Puts the joint into the scene, in terms of the parent Solid's frame.
int SceneBuilder::finish_joint(JointSpec spec, const std::string& name, const Position& here) {
  const Placement& at = here.at;
  spec.leader = static_cast<int>(scene_.joints.size());
  spec.parent = here.solid;
  spec.robot = here.robot;
  spec.axis = at.pose.rotation * spec.axis;
  spec.anchor = at.pose * scaled(spec.anchor, at.scale);
  spec.name = unique_joint_name(here, name);
  scene_.joints.push_back(std::move(spec));
  return static_cast<int>(scene_.joints.size()) - 1;
}

const wbt::Node* SceneBuilder::endpoint_of(const wbt::Node& joint) {
  wbt::NodePtr node = joint.node("endPoint");
  while (node && node->type->name == "Slot") {
    node = node->node("endPoint");
  }
  if (!node) {
    return nullptr;
  }
  if (node->type->name == "SolidReference") {
    diagnostics_.warning(node->where,
                         "SolidReference is not simulated yet; this joint moves "
                         "nothing");
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

// `index`: of the joint, -1 if it is not simulated. `name` becomes that of the motor, or of
// whatever comes first.
void SceneBuilder::register_devices(const wbt::Node& joint, std::string_view field, JointSpec& spec,
                                    int index, const Position& here, std::string& name) {
  std::set<std::string_view> found;
  for (const wbt::NodePtr& device : joint.nodes(field)) {
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

void SceneBuilder::add_joint(const wbt::Node& node, JointType type, const Position& here) {
  JointSpec spec = read_joint(node, type, diagnostics_);
  const int index = static_cast<int>(scene_.joints.size());
  std::string name;
  register_devices(node, "device", spec, index, here, name);
  const wbt::Node* endpoint = endpoint_of(node);
  if (name.empty()) {
    name = !node.def.empty() ? node.def : endpoint != nullptr ? endpoint->string("name") : "";
  }
  finish_joint(std::move(spec), name, here);
  if (endpoint == nullptr) {
    return;
  }
  const Placement placement = here.at.inside(*endpoint);
  const int child = add_solid(*endpoint, here, placement, index);
  JointSpec& joint = scene_.joints[index];
  joint.child = child;
  joint.zero_pose = inverse(motion_of(joint, joint.position)) * placement.pose;
  add_plain_device(*endpoint, here);
  walk_children(*endpoint, below(child, placement));
}

// A joint that is not simulated yet: its endpoint is a rigid part of its parent.
void SceneBuilder::weld_joint(const wbt::Node& node, const Position& here) {
  diagnostics_.warning(node.where, fmt::format("{} is not simulated yet; its endPoint is welded to "
                                               "its parent",
                                               node.type->name));
  for (const std::string axis : {"", "2", "3"}) {
    if (node.type->field("device" + axis) == nullptr) {
      continue;
    }
    JointSpec spec;
    spec.position =
        read_axis_position(node, "jointParameters" + axis, "position" + axis, diagnostics_);
    std::string unused;
    register_devices(node, "device" + axis, spec, -1, here, unused);
  }
  if (const wbt::Node* endpoint = endpoint_of(node)) {
    walk(*endpoint, here);
  }
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
    spec.position = Checked(node, diagnostics_).finite("position");
    add_device(read_servo_device(node, spec, diagnostics_), -1, here);
    const int solid = add_solid(node, here, rest);
    scene_.solids[solid].free_body = true;
    walk_children(node, below(solid, rest));
    return;
  }
  if (!linear && kind != "rotational") {
    Checked(node, diagnostics_)
        .replaced("type", '"' + kind + '"', "\"rotational\"",
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

}  // namespace

Scene build_scene(const wbt::WorldFile& file, Diagnostics& diagnostics) {
  return SceneBuilder(file, diagnostics).build();
}

}  // namespace servosim
