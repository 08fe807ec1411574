// SPDX-License-Identifier: Apache-2.0
#include "scene/scene_builder.h"

#include <fmt/format.h>

#include <utility>

#include "scene/antennas.h"
#include "scene/backlash.h"
#include "scene/connectors.h"
#include "scene/coupled_motors.h"
#include "scene/inert_nodes.h"
#include "scene/joint_axes.h"
#include "scene/lights.h"
#include "scene/propellers.h"
#include "scene/robot_fields.h"
#include "scene/scene_checks.h"
#include "scene/scene_walk.h"
#include "scene/solid_fields.h"
#include "scene/solid_sensors.h"
#include "scene/substitutes.h"
#include "scene/unique_names.h"
#include "scene/visible_shapes.h"
#include "scene/world_settings.h"

namespace servosim {

Scene SceneBuilder::build() {
  scene_.world_path = file_.path;
  scene_.version = wbt::to_string(file_.version);
  scene_.project = file_.project;
  scene_.world = read_world_settings(file_, diagnostics_);
  for (const wbt::NodePtr& node : file_.nodes) {
    walk(*node, {});
  }
  make_names_unique(scene_, diagnostics_);
  resolve_references(scene_, references_, diagnostics_);
  check_joint_sides(scene_, diagnostics_);
  couple_motors(scene_, diagnostics_);
  settle_backlash(scene_, diagnostics_);
  check_scene(scene_, blades_, diagnostics_);
  if (sees_shapes(scene_)) {
    read_visible_shapes();
  }
  return std::move(scene_);
}

void SceneBuilder::walk(const wbt::Node& node, const Position& here) {
  const std::string_view type = node.type->name;
  if (type == "HingeJoint" || type == "SliderJoint" || type == "Hinge2Joint" ||
      type == "BallJoint") {
    add_joint(node, here);
  } else if (type == "Servo") {
    add_servo(node, here);
  } else if (type == "Propeller") {
    add_propeller(node, here);
  } else if (type == "Slot") {
    if (const wbt::NodePtr& endpoint = node.node("endPoint")) {
      walk(*endpoint, here);
    }
  } else if (node.type->is_solid) {
    const Placement placement = here.at.inside(node);
    const int solid = add_solid(node, here, placement);
    add_plain_device(node, here, solid);
    if (type == "Track") {
      add_belt(node, below(solid, placement));
    }
    Position inside = below(solid, placement);
    inside.led = inside.robot == here.robot ? here.led : -1;
    if (type == "DifferentialWheels") {
      add_wheels(node, inside);
    } else {
      walk_children(node, inside);
    }
  } else {
    add_plain_device(node, here);
    add_light(node, here);
    if (type == "Shape") {
      shape_nodes_.emplace_back(&node, here);
    }
    report_inert(node, diagnostics_);
    if (node.type->field("children") != nullptr) {
      walk_children(node, {here.solid, here.robot, here.at.inside(node), here.led});
    }
  }
}

// Inside a Solid that has just been added.
Position SceneBuilder::below(int solid, const Placement& placement) const {
  return {solid, scene_.solids[solid].robot, {{}, placement.scale}};
}

// An LED, the last device so far of its Robot, has the lights of its first child only. One that is
// a part of another node, such as a Propeller's helix, is no device.
void SceneBuilder::walk_children(const wbt::Node& node, Position here) {
  bool is_led = false;
  if (here.robot >= 0 && !scene_.robots[here.robot].devices.empty()) {
    const DeviceSpec& last = scene_.robots[here.robot].devices.back();
    is_led = last.led && last.node == node.id;
  }
  if (is_led) {
    here.led = static_cast<int>(scene_.robots[here.robot].devices.size()) - 1;
  }
  for (const wbt::NodePtr& child : node.nodes("children")) {
    if (child) {
      walk(*child, here);
    }
    here.led = is_led ? -1 : here.led;
  }
}

void SceneBuilder::add_light(const wbt::Node& node, const Position& here) {
  const bool is_of_led = here.led >= 0;
  std::optional<LightSpec> light = read_light(node, here.at, is_of_led, diagnostics_);
  if (!light) {
    return;
  }
  light->solid = here.solid;
  std::vector<LightSpec>& lights = scene_.world.lights;
  if (is_of_led) {
    scene_.robots[here.robot].devices[here.led].led->lights.push_back(
        static_cast<int>(lights.size()));
  }
  lights.push_back(*light);
}

void SceneBuilder::read_visible_shapes() {
  const wbt::Node* textured = nullptr;
  for (const auto& [node, here] : shape_nodes_) {
    read_visible_shape(*node, here.at, here.solid, mesh_files_, diagnostics_,
                       scene_.visible_shapes);
    textured = textured == nullptr && has_texture(*node) ? node : textured;
  }
  if (textured != nullptr) {
    diagnostics_.warning(textured->where,
                         "infra-red sensors see the colour of a Shape, but not its textures: these "
                         "count as white (said once)");
  }
}

// `here`: inside the Track.
void SceneBuilder::add_belt(const wbt::Node& track, const Position& here) {
  JointSpec belt;
  belt.kind = JointKind::Slider;
  belt.type = JointType::Linear;
  belt.axis = {1.0, 0.0, 0.0};
  // What is above runs along x. Up was y in old files.
  belt.belt = track.version < wbt::Version{2022, 0, 0} ? Vec3{0.0, 0.0, -1.0} : Vec3{0.0, 1.0, 0.0};
  belt.node = track.id;
  belt.where = track.where;
  std::string name;
  const int index = static_cast<int>(scene_.joints.size());
  if (track.nodes("device").empty() && track.has("motor")) {  // of V8.1
    register_devices(track, "motor", std::span(&track.node("motor"), 1), belt, index, here, name);
  } else {
    register_devices(track, "device", belt, index, here, name);
  }
  if (!name.empty()) {
    finish_joint(std::move(belt), name, here);
  }
}

void SceneBuilder::add_propeller(const wbt::Node& node, const Position& here) {
  const int index = static_cast<int>(scene_.propellers.size());
  PropellerSpec propeller = read_propeller(node, here.at, diagnostics_);
  propeller.solid = here.solid;
  if (here.solid < 0 || !scene_.solids[here.solid].physics) {
    diagnostics_.warning(node.where,
                         "the Solid above this Propeller has no Physics: it pushes "
                         "nothing");
  }
  scene_.propellers.push_back(propeller);
  if (std::optional<DeviceSpec> motor = read_propeller_motor(node, diagnostics_)) {
    motor->propeller = index;
    add_device(std::move(*motor), -1, here);
  }
  add_helix(node.node("fastHelix"), here);
  add_helix(node.node("slowHelix"), here);
}

// The blades are for the eye: never a body, whatever Physics they have.
void SceneBuilder::add_helix(const wbt::NodePtr& helix, const Position& here) {
  if (!helix || !helix->type->is_solid) {
    return;
  }
  const Placement placement = here.at.inside(*helix);
  const int solid = add_solid(*helix, here, placement);
  if (const std::optional<MassSpec> unused = std::exchange(scene_.solids[solid].physics, {})) {
    diagnostics_.warning(unused->where, "Physics of a Propeller's blades is not used");
    blades_.insert(solid);
  }
  walk_children(*helix, below(solid, placement));
}

int SceneBuilder::add_solid(const wbt::Node& node, const Position& here, const Placement& placement,
                            int joint) {
  SolidSpec solid = read_solid(node, placement.scale, mesh_files_, diagnostics_);
  solid.parent = here.solid;
  solid.robot = here.robot;
  solid.joint = joint;
  solid.pose = placement.pose;
  const int index = static_cast<int>(scene_.solids.size());
  scene_.solids.push_back(std::move(solid));
  if (is_robot(node)) {
    scene_.solids[index].robot = add_robot(node, index);
  }
  return index;
}

int SceneBuilder::add_robot(const wbt::Node& node, int solid) {
  RobotSpec robot = read_robot(node, diagnostics_);
  robot.solid = solid;
  scene_.robots.push_back(std::move(robot));
  return static_cast<int>(scene_.robots.size()) - 1;
}

void SceneBuilder::add_device(DeviceSpec device, int joint, const Position& here) {
  device.joint = joint;
  if (here.robot < 0) {
    if (device.motor && joint >= 0) {
      scene_.ownerless_motors.push_back(std::move(device));
    }
    if (device.connector) {
      scene_.ownerless_connectors.push_back(std::move(device));
    }
    return;  // no controller could find it
  }
  scene_.robots[here.robot].devices.push_back(std::move(device));
}

// A device without a joint: the controller can find it, whether it is simulated or not.
void SceneBuilder::add_plain_device(const wbt::Node& node, const Position& here, int solid) {
  const bool is_connector = node.type->name == "Connector";
  if (!node.type->is_device || (here.robot < 0 && !is_connector) ||
      node.type->field("name") == nullptr) {
    return;
  }
  DeviceSpec device;
  device.name = node.string("name");
  device.node_type = node.type->name;
  device.node = node.id;
  device.where = node.where;
  if (node.type->field("model") != nullptr) {
    device.model = node.string("model");
  }
  device.fields = read_device_fields(node);
  device.solid_sensor = read_solid_sensor(node, diagnostics_);
  if (device.solid_sensor) {
    device.solid_sensor->solid = solid;
  }
  if (solid >= 0) {
    read_antenna(node, solid, device, diagnostics_);
  }
  device.connector = read_connector(node, diagnostics_);
  if (device.connector) {
    device.connector->solid = solid;
  }
  device.led = read_led(node, diagnostics_);
  add_device(std::move(device), -1, here);
}

Scene build_scene(const wbt::WorldFile& file, Diagnostics& diagnostics,
                  std::shared_ptr<const MeshStore>* meshes, std::vector<Substitute>* substitutes) {
  const SubstituteNotes notes(substitutes);
  const bool any = meshes != nullptr && *meshes != nullptr;
  SceneBuilder builder(file, diagnostics, any ? **meshes : MeshStore{});
  Scene scene = builder.build();
  if (meshes != nullptr) {
    *meshes = std::make_shared<const MeshStore>(builder.meshes());
  }
  return scene;
}

}  // namespace servosim
