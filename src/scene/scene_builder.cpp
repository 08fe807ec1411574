// SPDX-License-Identifier: Apache-2.0
#include "scene/scene_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "base/assert.h"
#include "base/device_command.h"
#include "scene/checks.h"
#include "scene/device_builders.h"
#include "scene/rolling.h"
#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "scene/world_hints.h"

namespace servosim {

namespace {

// Asserts the invariants of SceneBuilder and Scene, which hold for any input.
void assert_invariants([[maybe_unused]] const Scene& scene) {
#ifdef SERVOSIM_ASSERTIONS
  const auto is_unit = [](const Vec3& axis) { return std::abs(norm(axis) - 1.0) < 1e-6; };
  const auto is_index = [](int index, const auto& list) {
    return index >= -1 && index < static_cast<int>(list.size());
  };
  for (int s = 0; s < static_cast<int>(scene.solids.size()); ++s) {
    const SolidSpec& solid = scene.solids[s];
    SERVOSIM_ASSERT(solid.parent < s, "Solid {} is below {}", s, solid.parent);
    // All Solids below a Solid follow it directly: see branch_of().
    int above = s - 1;
    while (above >= 0 && above != solid.parent) {
      above = scene.solids[above].parent;
    }
    SERVOSIM_ASSERT(above == solid.parent, "Solid {}, below {}, stands among others", s,
                    solid.parent);
    SERVOSIM_ASSERT(is_index(solid.joint, scene.joints) && is_index(solid.robot, scene.robots),
                    "Solid {} has joint {} and robot {}", s, solid.joint, solid.robot);
    SERVOSIM_ASSERT(!solid.physics || solid.physics->mass > 0.0 || solid.physics->density > 0.0,
                    "Solid {} has mass {} and density {}", s, solid.physics->mass,
                    solid.physics->density);
  }
  for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j) {
    const JointSpec& joint = scene.joints[j];
    SERVOSIM_ASSERT(
        joint.first_axis + joint.axis_number == j && joint.axis_number < axis_count(joint.kind),
        "joint {} is axis {} of {}", j, joint.axis_number, joint.first_axis);
    SERVOSIM_ASSERT(is_index(joint.parent, scene.solids) && is_index(joint.child, scene.solids),
                    "joint {} is between {} and {}", j, joint.parent, joint.child);
    SERVOSIM_ASSERT(is_unit(joint.axis), "joint {} has axis {} {} {}", j, joint.axis.x,
                    joint.axis.y, joint.axis.z);
    SERVOSIM_ASSERT(joint.backlash >= 0.0, "joint {} has backlash {}", j, joint.backlash);
  }
  for (const RobotSpec& robot : scene.robots) {
    for (const DeviceSpec& device : robot.devices) {
      SERVOSIM_ASSERT(
          is_index(device.joint, scene.joints) && is_index(device.propeller, scene.propellers),
          "device \"{}\" has joint {} and propeller {}", device.name, device.joint,
          device.propeller);
    }
  }
#endif
}

}  // namespace

Scene SceneBuilder::build() {
  scene_.world_path = file_.path;
  scene_.version = wbt::to_string(file_.version);
  scene_.project = file_.project;
  scene_.world = read_world_settings(file_, findings_);
  for (const wbt::NodePtr& node : file_.nodes) {
    walk(*node, {});
  }
  make_names_unique(scene_, findings_.diagnostics());
  resolve_references(scene_, references_, findings_);
  check_joint_sides(scene_, findings_.diagnostics());
  couple_motors(scene_, findings_);
  remove_impossible_backlash(scene_, findings_.diagnostics());
  remove_impossible_armatures(scene_, findings_.diagnostics());
  couple_joints(scene_, couplings_, findings_);
  find_servos(scene_, file_, findings_);
  find_rolling_robots(scene_, findings_.diagnostics());
  check_scene(scene_, blades_, findings_.diagnostics());
  warn_of_unmounted_sensors(scene_, findings_.diagnostics());
  if (has_infra_red_sensor(scene_) || has_pen(scene_)) {
    read_visible_shapes();
  }
  assert_invariants(scene_);
  return std::move(scene_);
}

void SceneBuilder::walk(const wbt::Node& node, const NodeContext& here) {
  const std::string_view type = node.type->name;
  if (joint_kind(type)) {
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
    if (leaves_out(node, here)) {
      return;
    }
    const int solid = add_solid(node, here, placement);
    add_force_torque_sensor(node, solid, here);
    add_plain_device(node, here, solid);
    if (type == "Track") {
      add_belt(node, below(solid, placement));
    }
    NodeContext inside = below(solid, placement);
    inside.led = inside.robot == here.robot ? here.led : -1;
    inside.display = here.display;
    if (type == "DifferentialWheels") {
      add_wheels(node, inside);
    } else {
      walk_children(node, inside);
    }
    if (type == "Lidar") {
      add_head(node, inside);
    }
  } else {
    add_plain_device(node, here);
    add_light(node, here);
    if (type == "Shape" || type == "CadShape") {
      shape_nodes_.emplace_back(&node, here);
      shape_nodes_.back().second.place = shape_places_[node.id]++;
    }
    warn_if_without_effect(node, findings_.diagnostics());
    if (node.type->field("children") != nullptr && !leaves_out(node, here)) {
      NodeContext inside = here;
      inside.at = here.at.inside(node);
      inside.on_billboard = here.on_billboard || type == "Billboard";
      if (type == "TrackWheel") {
        inside.wheel = &node;
        inside.wheel_pose = inside.at.pose;
      }
      walk_children(node, inside);
    }
  }
}

// Returns whether a node is left out of the scene because its place was unusable when the world was
// loaded.
bool SceneBuilder::leaves_out(const wbt::Node& node, const NodeContext& here) {
  if (far_ == nullptr || node.type->field("translation") == nullptr) {
    return false;
  }
  if (far_->search) {
    const Pose above = here.solid >= 0 ? world_pose(scene_, here.solid) : Pose{};
    if (is_out_of_space(node, above * here.at.inside(node).pose.translation,
                        findings_.diagnostics())) {
      far_->nodes.insert(node.id);
    }
  }
  return far_->nodes.contains(node.id);
}

// Returns the context of the children of a Solid that was just added.
NodeContext SceneBuilder::below(int solid, const Placement& placement) const {
  return {solid, scene_.solids[solid].robot, {{}, placement.scale}};
}

// Only the lights in the first child of an LED belong to it. An LED that is a part of another node,
// such as a Propeller's helix, is no device. Any other LED is the last device of its Robot so far.
void SceneBuilder::walk_children(const wbt::Node& node, NodeContext here) {
  bool is_led = false;
  if (here.robot >= 0 && !scene_.robots[here.robot].devices.empty()) {
    const DeviceSpec& last = scene_.robots[here.robot].devices.back();
    is_led = last.led && last.node == node.id;
  }
  if (is_led) {
    here.led = static_cast<int>(scene_.robots[here.robot].devices.size()) - 1;
  }
  const int display = display_of(node, here);
  here.display = display >= 0 ? display : here.display;
  for (const wbt::NodePtr& child : node.nodes("children")) {
    if (child) {
      walk(*child, here);
    }
    here.led = is_led ? -1 : here.led;
    here.display = display >= 0 ? -1 : here.display;
  }
}

// Returns DisplaySpec::number if the node is a Display, which is the last device of its Robot so
// far, and -1 for other nodes. It is shown on its first child.
int SceneBuilder::display_of(const wbt::Node& node, const NodeContext& here) const {
  if (here.robot < 0 || scene_.robots[here.robot].devices.empty()) {
    return -1;
  }
  const DeviceSpec& last = scene_.robots[here.robot].devices.back();
  return last.display && last.node == node.id ? last.display->number : -1;
}

void SceneBuilder::add_light(const wbt::Node& node, const NodeContext& here) {
  const bool is_of_led = here.led >= 0;
  std::optional<LightSpec> light = read_light(node, here.at, is_of_led, findings_);
  if (!light) {
    return;
  }
  // A DirectionalLight shines in the direction of the world, whatever carries it.
  light->solid = light->type == LightType::Directional ? -1 : here.solid;
  std::vector<LightSpec>& lights = scene_.world.lights;
  if (is_of_led) {
    scene_.robots[here.robot].devices[here.led].led->lights.push_back(
        static_cast<int>(lights.size()));
  }
  lights.push_back(*light);
}

// What infra-red sensors miss is reported to those who have one.
void SceneBuilder::read_visible_shapes() {
  const bool has_pens = has_pen(scene_);
  Diagnostics unread;
  unread.sources() = findings_.diagnostics().sources();
  Findings of_unread(unread);
  Findings& findings = has_infra_red_sensor(scene_) ? findings_ : of_unread;
  for (const auto& [node, here] : shape_nodes_) {
    if (node->type->name != "Shape") {
      continue;
    }
    const std::size_t first = scene_.visible_shapes.size();
    read_visible_shape(*node, here.at, here.solid, has_pens || here.display >= 0, mesh_files_,
                       findings, scene_.visible_shapes);
    for (std::size_t i = first; i < scene_.visible_shapes.size(); ++i) {
      scene_.visible_shapes[i].key = {node->id, here.place};
      scene_.visible_shapes[i].display = here.display;
    }
  }
}

// `here` is the context of the children of the Track.
void SceneBuilder::add_belt(const wbt::Node& track, const NodeContext& here) {
  JointSpec belt;
  belt.kind = JointKind::Slider;
  belt.type = JointType::Linear;
  belt.axis = {1.0, 0.0, 0.0};
  // The upper side of the belt runs along x. In old files the y axis was up.
  belt.belt = track.version < wbt::Version{2022, 0, 0} ? Vec3{0.0, 0.0, -1.0} : Vec3{0.0, 1.0, 0.0};
  belt.node = track.id;
  belt.where = track.where;
  std::string name;
  const int index = static_cast<int>(scene_.joints.size());
  if (track.nodes("device").empty() && track.has("motor")) {  // V8.1 has it
    register_devices(track, "motor", std::span(&track.node("motor"), 1), belt, index, here, name);
  } else {
    register_devices(track, "device", belt, index, here, name);
  }
  if (!name.empty()) {
    finish_joint(std::move(belt), name, here);
  }
}

void SceneBuilder::add_propeller(const wbt::Node& node, const NodeContext& here) {
  const int index = static_cast<int>(scene_.propellers.size());
  PropellerSpec propeller = read_propeller(node, here.at, findings_);
  propeller.solid = here.solid;
  if (here.solid < 0 || !scene_.solids[here.solid].physics) {
    findings_.warning(node.where,
                      "the Solid above this Propeller has no Physics: it pushes "
                      "nothing");
  }
  scene_.propellers.push_back(propeller);
  if (std::optional<DeviceSpec> motor = read_propeller_motor(node, findings_)) {
    motor->propeller = index;
    add_device(std::move(*motor), -1, here);
  }
  add_turning(node.node("fastHelix"), here, "a Propeller's blades");
  add_turning(node.node("slowHelix"), here, "a Propeller's blades");
}

// Adds blades, or the head of a Lidar. They are never a body, even with Physics. Returns the index
// of the Solid, or -1 if there is none.
int SceneBuilder::add_turning(const wbt::NodePtr& node, const NodeContext& here,
                              std::string_view what) {
  if (!node || !node->type->is_solid || leaves_out(*node, here)) {
    return -1;
  }
  const Placement placement = here.at.inside(*node);
  const int solid = add_solid(*node, here, placement);
  if (const std::optional<MassSpec> unused = std::exchange(scene_.solids[solid].physics, {})) {
    findings_.replacement(unused->where, fmt::format("Physics of {} is not used", what));
    blades_.insert(solid);
  }
  walk_children(*node, below(solid, placement));
  return solid;
}

// `inside` is the context of the children of the Lidar.
void SceneBuilder::add_head(const wbt::Node& lidar, const NodeContext& inside) {
  const int head = add_turning(lidar.node("rotatingHead"), inside, "a Lidar's rotatingHead");
  if (inside.robot < 0) {
    return;
  }
  std::vector<DeviceSpec>& devices = scene_.robots[inside.robot].devices;
  const auto device = std::find_if(devices.begin(), devices.end(), [&lidar](const DeviceSpec& d) {
    return d.ranging && d.node == lidar.id;
  });
  if (device != devices.end() && device->ranging->rotating) {
    device->ranging->head = head;
  }
}

int SceneBuilder::add_solid(const wbt::Node& node, const NodeContext& here,
                            const Placement& placement, int joint) {
  SolidSpec solid = read_solid(node, placement.scale, mesh_files_, findings_);
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
  RobotSpec robot = read_robot(node, findings_);
  robot.solid = solid;
  scene_.robots.push_back(std::move(robot));
  return static_cast<int>(scene_.robots.size()) - 1;
}

void SceneBuilder::add_device(DeviceSpec device, int joint, const NodeContext& here) {
  device.joint = joint;
  if (here.robot < 0) {
    if (device.motor && joint >= 0) {
      scene_.ownerless_motors.push_back(std::move(device));
    }
    if (device.connector) {
      scene_.ownerless_connectors.push_back(std::move(device));
    }
    return;  // no controller can access it
  }
  scene_.robots[here.robot].devices.push_back(std::move(device));
}

// Returns the folders in which Webots looks for fonts.
std::vector<std::string> SceneBuilder::font_folders() const {
  std::vector<std::string> folders{scene_.project + "/fonts"};
  if (file_.library != nullptr) {
    for (const std::string& installation : file_.library->places().installations) {
      folders.push_back(installation + "/resources/fonts");
    }
  }
  return folders;
}

// Adds a device without a joint. A controller gets a tag for it, whether it is simulated or not.
void SceneBuilder::add_plain_device(const wbt::Node& node, const NodeContext& here, int solid) {
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
  device.body_sensor = read_body_sensor(node, findings_);
  if (device.body_sensor) {
    device.body_sensor->solid = solid;
    device.body_sensor->laser = device.body_sensor->spot_radius > 0.0 ? lasers_++ : -1;
  }
  read_picture_sensor(node, solid, mesh_files_, device, findings_);
  device.radar = read_radar(node, device.fields, findings_);
  if (device.radar) {
    device.radar->solid = solid;
  }
  if (solid >= 0) {
    read_radio(node, solid, device, findings_);
  }
  device.connector = read_connector(node, findings_);
  if (device.connector) {
    device.connector->solid = solid;
  }
  device.led = read_led(node, findings_);
  if (device.led) {
    device.led->number = leds_++;
    device.fields.push_back({std::string(kLedValue), {}, {0.0}});
  }
  device.display = read_display(node, device.fields, font_folders(), findings_);
  if (device.display) {
    device.display->number = displays_++;
  }
  device.pen = read_pen(node, solid, findings_);
  add_device(std::move(device), -1, here);
}

Scene build_scene(const wbt::WorldFile& file, Diagnostics& diagnostics,
                  std::shared_ptr<const MeshStore>* meshes, std::vector<Substitute>* substitutes,
                  FarSolids* far) {
  const bool any = meshes != nullptr && *meshes != nullptr;
  SceneBuilder builder(file, diagnostics, any ? **meshes : MeshStore{}, far);
  Scene scene = builder.build();
  if (substitutes != nullptr) {
    *substitutes = builder.substitutes();
  }
  if (meshes != nullptr) {
    *meshes = std::make_shared<const MeshStore>(builder.meshes());
  }
  return scene;
}

// Adds the joint to the scene, in the parent Solid's frame. Returns its index.
int SceneBuilder::finish_joint(JointSpec spec, const std::string& name, const NodeContext& here) {
  const Placement& at = here.at;
  spec.first_axis = static_cast<int>(scene_.joints.size()) - spec.axis_number;
  spec.parent = here.solid;
  spec.robot = here.robot;
  spec.axis = at.pose.rotation * spec.axis;
  spec.anchor = at.pose * scaled(spec.anchor, at.scale);
  spec.suspension.axis = at.pose.rotation * spec.suspension.axis;
  spec.name = name;
  scene_.joints.push_back(std::move(spec));
  return static_cast<int>(scene_.joints.size()) - 1;
}

// Returns the endpoint Solid of joint number `index`. Returns null for a SolidReference, which is
// resolved at the end, when all Solids are known.
const wbt::Node* SceneBuilder::endpoint_of(const wbt::Node& joint, const NodeContext& here,
                                           int index) {
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
    findings_.replacement(node->where, fmt::format("{} cannot be the endPoint of a joint; this "
                                                   "joint moves nothing",
                                                   node->type->name));
    return nullptr;
  }
  return leaves_out(*node, here) ? nullptr : node.get();
}

// `index` is that of the axis. `name` becomes that of the motor or, without a motor, of the first
// device.
void SceneBuilder::register_devices(const wbt::Node& joint, std::string_view field, JointSpec& spec,
                                    int index, const NodeContext& here, std::string& name) {
  register_devices(joint, field, joint.nodes(field), spec, index, here, name);
}

void SceneBuilder::register_devices(const wbt::Node& joint, std::string_view field,
                                    std::span<const wbt::NodePtr> devices, JointSpec& spec,
                                    int index, const NodeContext& here, std::string& name) {
  std::set<std::string_view> found;
  for (const wbt::NodePtr& device : devices) {
    if (!device) {
      continue;
    }
    const std::string_view type = device->type->name;
    const std::string_view right_motor =
        spec.type == JointType::Rotational ? "RotationalMotor" : "LinearMotor";
    if (type != right_motor && type != "PositionSensor" && type != "Brake") {
      findings_.replacement(
          device->where,
          fmt::format("a {} cannot be a device of a {}; it is left out", type, joint.type->name));
      continue;
    }
    if (!found.insert(type).second) {
      findings_.replacement(device->where,
                            fmt::format("{} of a {} takes one {}; this one is left out", field,
                                        joint.type->name, type));
      continue;
    }
    DeviceSpec read = read_joint_device(*device, spec, findings_);
    if (name.empty() || read.motor) {
      name = read.name;
    }
    if (read.motor) {
      place_muscles(read.motor->muscles, here.at);
    }
    add_device(std::move(read), index, here);
  }
}

// Returns the name of a joint without a device.
std::string SceneBuilder::own_name(const wbt::Node& joint, const wbt::Node* endpoint,
                                   int first_axis) const {
  if (!joint.def.empty() || endpoint != nullptr) {
    return joint.def.empty() ? endpoint->string("name") : joint.def;
  }
  const bool closes_loop = !references_.empty() && references_.back().joint == first_axis;
  return closes_loop ? references_.back().solid_name : "";
}

// Adds the sensor that the field forceTorqueSensor of a joint or Solid names. It measures what
// `solid` passes on to what carries it; -1 where the endpoint is none of the joint's own Solids.
void SceneBuilder::add_force_torque_sensor(const wbt::Node& node, int solid,
                                           const NodeContext& here) {
  const std::string& name = node.string("forceTorqueSensor");
  if (name.empty()) {
    return;
  }
  const SourceLocation where = node.where_of("forceTorqueSensor");
  if (!is_dynamic(scene_, solid)) {
    findings_.replacement(where, fmt::format("forceTorqueSensor \"{}\" is left out: it measures "
                                             "where a Solid with Physics is carried",
                                             name));
    return;
  }
  if (here.robot < 0) {
    findings_.replacement(where, fmt::format("forceTorqueSensor \"{}\" is left out: it is in no "
                                             "Robot whose controller could read it",
                                             name));
    return;
  }
  scene_.solids[solid].own_body = true;
  std::vector<int>& measured = scene_.measured_solids;
  if (std::find(measured.begin(), measured.end(), solid) == measured.end()) {
    measured.push_back(solid);
  }
  DeviceSpec sensor;
  sensor.name = name;
  sensor.model = kForceTorqueModel;
  sensor.node_type = "TouchSensor";
  sensor.node = node.id;
  sensor.where = where;
  sensor.body_sensor.emplace();
  sensor.body_sensor->solid = solid;
  sensor.body_sensor->touch_type = TouchType::ForceTorque;
  sensor.fields = {{"type", "force-3d", {}}};
  add_device(std::move(sensor), scene_.solids[solid].joint, here);
}

void SceneBuilder::add_joint(const wbt::Node& node, const NodeContext& here) {
  static constexpr std::array<std::string_view, 3> kDevice{"device", "device2", "device3"};
  std::vector<JointSpec> read = read_joint_axes(node, findings_);
  const auto first_axis = scene_.joints.size();
  read_couplings(node, static_cast<int>(first_axis), couplings_, findings_);
  std::vector<std::string> names(read.size());
  for (std::size_t k = 0; k < read.size(); ++k) {
    register_devices(node, kDevice[k], read[k], static_cast<int>(first_axis + k), here, names[k]);
  }
  const wbt::Node* endpoint = endpoint_of(node, here, static_cast<int>(first_axis));
  const std::string own = own_name(node, endpoint, static_cast<int>(first_axis));
  for (std::size_t k = 0; k < read.size(); ++k) {
    finish_joint(read[k], names[k].empty() ? axis_name(own, read[k]) : names[k], here);
  }
  const std::span<JointSpec> axes = std::span(scene_.joints).subspan(first_axis);
  replace_parallel_axes(axes, world_pose(scene_, here.solid).rotation, findings_);
  if (endpoint == nullptr) {
    add_force_torque_sensor(node, -1, here);
    return;
  }
  const Placement placement = here.at.inside(*endpoint);
  const int child = add_solid(*endpoint, here, placement, static_cast<int>(first_axis));
  for (JointSpec& axis : axes) {
    axis.child = child;
    axis.zero_pose = inverse(start_motion(axes)) * placement.pose;
  }
  add_force_torque_sensor(node, child, here);
  add_force_torque_sensor(*endpoint, child, here);
  add_plain_device(*endpoint, here, child);
  walk_children(*endpoint, below(child, placement));
}

// Adds the children of a DifferentialWheels. Its wheels turn on hinges; all others are as in any
// Robot.
void SceneBuilder::add_wheels(const wbt::Node& robot, const NodeContext& here) {
  DifferentialWheelsSpec wheels = read_wheels(robot, findings_);
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
    findings_.warning(robot.where,
                      "a DifferentialWheels with Physics needs Solids called \"left wheel\" and "
                      "\"right wheel\" among its children; it does not drive");
  }
  RobotSpec& spec = scene_.robots[here.robot];
  spec.drive.emplace();
  spec.drive->node_type = robot.type->name;
  spec.drive->node = robot.id;
  spec.drive->wheels = wheels;
}

// Returns the index of the joint.
int SceneBuilder::add_wheel(const wbt::Node& wheel, const NodeContext& here, bool kinematic) {
  const int joint = finish_joint(wheel_joint(wheel), wheel.string("name"), here);
  const Placement placement = here.at.inside(wheel);
  const int child = add_solid(wheel, here, placement, joint);
  scene_.joints[joint].child = child;
  scene_.joints[joint].zero_pose = placement.pose;
  std::optional<MassSpec>& physics = scene_.solids[child].physics;
  if (physics.has_value() == kinematic) {
    if (physics) {
      findings_.replacement(
          physics->where, "Physics of a wheel is not used: its DifferentialWheels has no Physics");
    } else {
      findings_.warning(
          wheel.where,
          "a wheel without Physics drives nothing: its DifferentialWheels has Physics");
    }
    physics.reset();
  }
  walk_children(wheel, below(child, placement));
  return joint;
}

void SceneBuilder::add_servo(const wbt::Node& node, const NodeContext& here) {
  if (leaves_out(node, here)) {
    return;
  }
  const Placement rest = here.at.inside(node);
  const std::string& kind = node.string("type");
  const bool linear = kind == "linear";
  if (kind == "none") {
    findings_.warning(node.where, fmt::format("Servo \"{}\" of type \"none\" has no joint, as "
                                              "in Webots; nothing holds it",
                                              node.string("name")));
    // The controller has a motor that moves nothing, and a sensor whose value is constant.
    JointSpec spec;
    spec.position = read_position(node, "position", spec, findings_);
    add_device(read_servo_device(node, spec, findings_), -1, here);
    const int solid = add_solid(node, here, rest);
    scene_.solids[solid].free_body = true;
    walk_children(node, below(solid, rest));
    return;
  }
  if (!linear && kind != "rotational") {
    CheckedFields(node, findings_)
        .warn_and_substitute("type", '"' + kind + '"', std::string("rotational"),
                             "it must be \"rotational\", \"linear\" or \"none\"");
  }
  JointSpec spec =
      read_servo_joint(node, linear ? JointType::Linear : JointType::Rotational, findings_);
  const int index = static_cast<int>(scene_.joints.size());
  add_device(read_servo_device(node, spec, findings_), index, here);
  finish_joint(std::move(spec), node.string("name"), here);
  const JointSpec& joint = scene_.joints[index];
  // The fields of a Servo are those at position 0, unlike the fields of an endPoint.
  const Pose now = motion_of(joint, joint.position) * rest.pose;
  const int child = add_solid(node, here, {now, rest.scale}, index);
  scene_.joints[index].child = child;
  scene_.joints[index].zero_pose = rest.pose;
  walk_children(node, below(child, rest));
}

}  // namespace servosim
