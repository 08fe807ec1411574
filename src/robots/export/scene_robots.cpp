// SPDX-License-Identifier: Apache-2.0
#include "robots/export/scene_robots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "assets/address.h"
#include "physics/mass.h"
#include "robots/export/shape_nodes.h"
#include "robots/export/xml_numbers.h"
#include "robots/mjcf_settings.h"
#include "robots/robot_world.h"
#include "scene/checks.h"
#include "scene/mesh_file.h"
#include "scene/mesh_triangles.h"
#include "scene/scene_builder.h"
#include "scene/solid_builders.h"

namespace servosim::robots {
namespace {

constexpr double kAnySpeed = 1e6;  // the same [rad/s|m/s]

/// Where a Solid is: in the frame of a link.
struct LinkPlace {
  std::size_t link = 0;
  Pose pose;
};

/// Where an axis of the scene is among the joints of the links.
struct JointSlot {
  std::size_t link = 0;
  std::size_t index = 0;
};

/// Reads a scene into links.
///
/// Invariant: places_ has the Solids so far, in the order of the scene.
class SceneReader {
 public:
  SceneReader(const wbt::WorldFile& world, Diagnostics& diagnostics, LossKinds& lost)
      : world_(world),
        diagnostics_(diagnostics),
        lost_(lost),
        builder_(world, diagnostics, {}, nullptr),
        files_(assets::folder_of(world.path), diagnostics, {}, world.library),
        meshes_(world) {}

  SceneRobots read();

 private:
  /// What touches in one way.
  struct Surface {
    std::string material;
    bool moves = false;
    int group = 0;  ///< those of one group > 0 do not touch each other

    auto operator<=>(const Surface&) const = default;
  };

  void set_world();
  void find_devices();
  bool is_mere_sensor(int solid) const;
  void add_solid(int solid);
  void add_free(int solid, RobotLink link);
  void add_held(int solid, RobotLink link);
  void add_axes(const SolidSpec& solid, RobotLink& link);
  RobotJoint axis_of(int joint, const Pose& zero);
  bool is_bare_ball(std::span<const JointSpec> axes) const;
  void set_motor(const DeviceSpec& device, RobotJoint& joint);
  bool set_law(const MotorSpec& motor, RobotJoint& joint);
  void add_collisions(int solid, RobotLink& link);
  double friction_between(const std::string& first, const std::string& second) const;
  double friction_of(const Surface& surface) const;
  double friction_in_file(const Surface& a, const Surface& b) const;
  Surface surface_of(int solid) const;
  void choose_frictions();
  bool add_shape(const Shape& shape, const Pose& frame, const wbt::Node* node,
                 std::vector<LinkShape>& shapes);
  bool set_origin(const wbt::Node& node, const Vec3& scale, Geometry& geometry);
  void add_visuals();
  void add_sensors();
  void add_couplings();
  void tell_of_rest();
  void turn_upright();
  void set_name();
  void tell_of_device(const DeviceSpec& device);
  void tell_of_readings(const DeviceSpec& device);

  std::string unused(const std::string& name, std::set<std::string>& used) const;
  std::string name_of(int joint) const;

  const wbt::WorldFile& world_;
  Diagnostics& diagnostics_;
  LossKinds& lost_;
  SceneBuilder builder_;
  MeshFiles files_;  // names files, and reads none
  MeshNodes meshes_;
  Scene scene_;
  SceneRobots result_;
  bool others_win_ = false;  // materials but the default one, by their friction
  std::vector<LinkPlace> places_;
  std::vector<bool> has_parts_;                     // by Solid: Solids or Shapes are below it
  std::set<int> sensing_;                           // Solids that are sensors
  std::vector<std::vector<const DeviceSpec*>> at_;  // by joint: its motors and sensors
  std::vector<std::string> joint_names_;            // by joint; empty if it is not in the model
  std::vector<JointSlot> slots_;                    // the same
  std::set<std::string> used_links_;
  std::set<std::string> used_joints_;
  std::set<std::string> used_motors_;
  std::set<std::string> used_sensors_;
};

// Returns a name that the formats can hold, with a number behind it if it is used or empty.
std::string SceneReader::unused(const std::string& name, std::set<std::string>& used) const {
  const std::string clean = xml_name(name);
  std::string candidate = clean;
  for (int n = 2; candidate.empty() || !used.insert(candidate).second; ++n) {
    candidate = fmt::format("{}_{}", clean, n);
  }
  return candidate;
}

// Returns the name of a joint in its robot.
std::string SceneReader::name_of(int joint) const {
  const JointSpec& spec = scene_.joints[static_cast<std::size_t>(joint)];
  const std::string robot =
      spec.robot < 0 ? "" : scene_.robots[static_cast<std::size_t>(spec.robot)].name + '/';
  return spec.name.starts_with(robot) ? spec.name.substr(robot.size()) : spec.name;
}

void SceneReader::set_world() {
  RobotModel& model = result_.model;
  model.fixed_base = model.is_placed = true;
  model.gravity = scene_.world.gravity;
  model.time_step = 1e-3 * scene_.world.basic_time_step_ms;
  model.where = world_.nodes.empty() ? SourceLocation{} : world_.nodes.front()->where;
  RobotLink top;
  top.name = unused("world", used_links_);
  top.where = model.where;
  model.links.push_back(std::move(top));
}

void SceneReader::find_devices() {
  at_.resize(scene_.joints.size());
  joint_names_.resize(scene_.joints.size());
  slots_.resize(scene_.joints.size());
  const auto note = [&](const DeviceSpec& device) {
    if (device.joint >= 0) {
      at_[static_cast<std::size_t>(device.joint)].push_back(&device);
    }
    if (device.body_sensor && device.body_sensor->solid >= 0) {
      sensing_.insert(device.body_sensor->solid);
    }
  };
  for (const RobotSpec& robot : scene_.robots) {
    std::ranges::for_each(robot.devices, note);
  }
  std::ranges::for_each(scene_.ownerless_motors, note);
  has_parts_.resize(scene_.solids.size());
  for (const SolidSpec& solid : scene_.solids) {
    if (solid.parent >= 0) {
      has_parts_[static_cast<std::size_t>(solid.parent)] = true;
    }
  }
  for (const auto& [node, here] : builder_.shape_nodes()) {
    if (here.solid >= 0) {
      has_parts_[static_cast<std::size_t>(here.solid)] = true;
    }
  }
}

// Returns whether a Solid is but a place at which a sensor measures.
bool SceneReader::is_mere_sensor(int s) const {
  const SolidSpec& solid = scene_.solids[static_cast<std::size_t>(s)];
  return sensing_.contains(s) && solid.parent >= 0 && solid.joint < 0 && !solid.physics &&
         solid.shapes.empty() && !has_parts_[static_cast<std::size_t>(s)];
}

// A model with one body has its name, as the reader gives the body that of the model.
void SceneReader::set_name() {
  RobotModel& model = result_.model;
  if (std::ranges::count(model.links, 0, &RobotLink::parent) == 1) {
    model.name = model.links[1].name;
  } else {
    const std::string file = std::filesystem::path(world_.path).stem().string();
    model.name = unused(scene_.world.title.empty() ? file : scene_.world.title, used_links_);
  }
}

SceneRobots SceneReader::read() {
  scene_ = builder_.build();
  set_world();
  find_devices();
  choose_frictions();
  for (int s = 0; s < static_cast<int>(scene_.solids.size()); ++s) {
    if (is_mere_sensor(s)) {
      const SolidSpec& solid = scene_.solids[static_cast<std::size_t>(s)];
      const LinkPlace& above = places_[static_cast<std::size_t>(solid.parent)];
      places_.push_back({above.link, above.pose * solid.pose});
    } else {
      add_solid(s);
    }
  }
  for (const RobotSpec& robot : scene_.robots) {
    if (outer_robot(scene_, robot.solid) == &robot - scene_.robots.data()) {
      result_.tops.push_back(places_[static_cast<std::size_t>(robot.solid)].link);
    }
  }
  add_visuals();
  add_sensors();
  add_couplings();
  tell_of_rest();
  turn_upright();
  set_name();
  return std::move(result_);
}

void SceneReader::add_solid(int s) {
  const SolidSpec& solid = scene_.solids[static_cast<std::size_t>(s)];
  RobotLink link;
  link.name = unused(solid.name, used_links_);
  link.where = solid.where;
  if (solid.physics) {
    link.inertial = solid_mass(solid, diagnostics_);
    link.inertial_where = solid.physics->where;
    if (solid.physics->damping) {
      lost_.add("the Damping of Solids is left out", solid.physics->where, solid.name);
    }
  }
  if (solid.linear_velocity != Vec3{} || solid.angular_velocity != Vec3{}) {
    lost_.add("linearVelocity and angularVelocity at the start are left out", solid.where,
              solid.name);
  }
  const int robot = outer_robot(scene_, s);
  if (robot >= 0 && !scene_.robots[static_cast<std::size_t>(robot)].self_collision) {
    link.group = robot + 1;
  }
  add_collisions(s, link);
  const bool is_free = solid.physics && !is_merged(scene_, s) && solid.joint < 0 &&
                       (body_hold(scene_, s) == BodyHold::Nothing || solid.referenced);
  is_free ? add_free(s, std::move(link)) : add_held(s, std::move(link));
}

void SceneReader::add_free(int s, RobotLink link) {
  link.parent = 0;
  link.pose = world_pose(scene_, s);
  RobotJoint joint;
  joint.name = unused(link.name, used_joints_);
  joint.motion = JointMotion::Free;
  joint.has_motor = false;
  joint.where = link.where;
  link.joints.push_back(std::move(joint));
  places_.push_back({result_.model.links.size(), {}});
  result_.model.links.push_back(std::move(link));
}

// Planes of static Solids are a part of the world, as a floor is.
void SceneReader::add_held(int s, RobotLink link) {
  const SolidSpec& solid = scene_.solids[static_cast<std::size_t>(s)];
  const LinkPlace above =
      solid.parent < 0 ? LinkPlace{} : places_[static_cast<std::size_t>(solid.parent)];
  link.parent = static_cast<int>(above.link);
  link.pose = above.pose * solid.pose;
  if (above.link == 0 && !solid.physics && solid.robot < 0 && solid.joint < 0) {
    RobotLink& ground = result_.model.links[0];
    const std::size_t shapes = link.collisions.size();
    std::erase_if(link.collisions, [&](const LinkShape& shape) {
      const bool is_plane = shape.geometry.type == GeometryType::Plane;
      if (is_plane) {
        ground.collisions.push_back(shape);
        ground.collisions.back().pose = link.pose * shape.pose;
      }
      return is_plane;
    });
    if (shapes > 0 && link.collisions.empty()) {
      places_.push_back({0, link.pose});
      return;
    }
  }
  if (solid.joint >= 0 && solid.physics) {
    const JointSpec& joint = scene_.joints[static_cast<std::size_t>(solid.joint)];
    link.pose = above.pose * joint.zero_pose;
    add_axes(solid, link);
  } else if (solid.joint >= 0) {
    lost_.add("joints whose endPoint has no Physics are fixed where they start", solid.where,
              name_of(solid.joint));
  }
  places_.push_back({result_.model.links.size(), {}});
  result_.model.links.push_back(std::move(link));
}

// Returns whether a BallJoint is no more than the ball joint of other formats.
bool SceneReader::is_bare_ball(std::span<const JointSpec> axes) const {
  return axes.front().kind == JointKind::Ball &&
         std::ranges::all_of(axes, [&](const JointSpec& axis) {
           return at_[static_cast<std::size_t>(&axis - scene_.joints.data())].empty() &&
                  axis.stops.min == axis.stops.max && axis.spring.constant == 0.0 &&
                  axis.static_friction == 0.0 && axis.armature == 0.0 && axis.position == 0.0 &&
                  axis.damping_constant == axes.front().damping_constant;
         });
}

void SceneReader::add_axes(const SolidSpec& solid, RobotLink& link) {
  const std::span<const JointSpec> axes = axes_of(scene_, solid.joint);
  const JointSpec& first = axes.front();
  const Pose to_link = inverse(first.zero_pose);
  if (is_bare_ball(axes)) {
    RobotJoint ball;
    ball.name = unused(link.name, used_joints_);
    ball.motion = JointMotion::Ball;
    ball.anchor = to_link * first.anchor;
    ball.damping = first.damping_constant;
    ball.has_motor = false;
    ball.where = first.where;
    link.joints.push_back(std::move(ball));
    return;
  }
  if (first.suspension.is_elastic()) {
    RobotJoint travel;
    travel.name = unused(name_of(solid.joint) + " suspension", used_joints_);
    travel.motion = JointMotion::Slide;
    travel.axis = to_link.rotation * first.suspension.axis;
    travel.stiffness = first.suspension.spring_constant;
    travel.damping = first.suspension.damping_constant;
    travel.has_motor = false;
    travel.where = first.suspension.where;
    link.joints.push_back(std::move(travel));
  }
  for (std::size_t k = 0; k < axes.size(); ++k) {
    slots_[static_cast<std::size_t>(first.first_axis) + k] = {result_.model.links.size(),
                                                              link.joints.size()};
    link.joints.push_back(axis_of(first.first_axis + static_cast<int>(k), to_link));
  }
}

RobotJoint SceneReader::axis_of(int index, const Pose& to_link) {
  const JointSpec& spec = scene_.joints[static_cast<std::size_t>(index)];
  RobotJoint joint;
  joint.name = unused(name_of(index), used_joints_);
  joint_names_[static_cast<std::size_t>(index)] = joint.name;
  joint.where = spec.where;
  joint.motion = spec.type == JointType::Linear ? JointMotion::Slide : JointMotion::Turn;
  joint.axis = to_link.rotation * spec.axis;
  if (joint.motion == JointMotion::Turn) {
    joint.anchor = to_link * spec.anchor;
  }
  if (spec.stops.min != spec.stops.max) {
    joint.range = Range{spec.stops.min, spec.stops.max};
  }
  if (spec.stops.erp >= 0.0 || spec.stops.cfm >= 0.0) {
    lost_.add("stopERP and stopCFM are left out", spec.where, joint.name);
  }
  if (spec.backlash > 0.0) {
    lost_.add("backlash is left out", spec.where, joint.name);
  }
  if (spec.has_brake) {
    lost_.add("Brakes are left out", spec.where, joint.name);
  }
  joint.damping = spec.damping_constant;
  joint.friction = spec.static_friction;
  joint.armature = spec.armature;
  joint.stiffness = spec.spring.constant;
  joint.rest = spec.spring.reference;
  joint.start = spec.position;
  joint.has_motor = false;
  for (const DeviceSpec* const device : at_[static_cast<std::size_t>(index)]) {
    if (device->motor && joint.has_own_motor()) {
      lost_.add("motors beside another one of their joint are left out", device->where,
                device->name);
    } else if (device->motor) {
      set_motor(*device, joint);
    } else if (device->sensor && joint.sensor_name.empty()) {
      joint.sensor_name = unused(device->name, used_sensors_);
      if (device->sensor->noise != 0.0 || device->sensor->resolution >= 0.0) {
        tell_of_readings(*device);
      }
    }
  }
  return joint;
}

void SceneReader::set_motor(const DeviceSpec& device, RobotJoint& joint) {
  const MotorSpec& motor = *device.motor;
  joint.has_motor = true;
  joint.motor_name = unused(device.name, used_motors_);
  joint.effort = motor.max_force < kAnyEffort ? motor.max_force : kNoLimit;
  joint.velocity = motor.max_velocity < kAnySpeed ? motor.max_velocity : kNoLimit;
  if (motor.min_position != motor.max_position) {
    joint.target_range = Range{motor.min_position, motor.max_position};
  }
  if (motor.acceleration >= 0.0) {
    lost_.add("the acceleration of motors has no limit", device.where, device.name);
  }
  joint.proportional = motor.gains.p;
  if (motor.gains.i != 0.0 || motor.gains.d != 0.0) {
    lost_.add("I and D of controlPID are left out", device.where, device.name);
  }
  if (motor.multiplier != 1.0 || motor.coupling > 0) {
    lost_.add("motors do not share commands, and have no multiplier", device.where, device.name);
  }
  if (!motor.muscles.empty()) {
    lost_.add("Muscles are left out", device.where, device.name, false);
  }
  if (motor.servo && !set_law(motor, joint)) {
    lost_.add("real servos become motors without a model of electricity, firmware and friction",
              motor.servo_where, fmt::format("{} ({})", device.name, motor.servo->name));
  }
}

// Sets the law of an actuator if the servo is a law of torque and nothing more. What the rotor adds
// to the axis is set in any case.
bool SceneReader::set_law(const MotorSpec& motor, RobotJoint& joint) {
  const ServoModel& servo = *motor.servo;
  joint.armature += servo.drive.armature;
  const ServoFirmware& firmware = servo.firmware;
  const ServoFriction& friction = servo.friction;
  if (servo.name != "PD" || firmware.i != 0.0 || firmware.delay > 0.0 || firmware.period > 0.0 ||
      firmware.dead_zone > 0.0 || servo.drive.backlash > 0.0 || friction.coulomb > 0.0 ||
      friction.viscous > 0.0 || friction.stribeck > 0.0 || servo.encoder.counts > 0.0) {
    return false;
  }
  const double constant = servo.drive.torque_constant;
  const double p = constant * firmware.p * firmware.p_scale;
  const double d = constant * firmware.d * firmware.d_scale;
  const double most = constant * firmware.max_current;
  joint.effort = std::min(joint.effort, most < kAnyEffort ? most : kNoLimit);
  Actuator law;
  law.name = joint.motor_name;
  law.where = motor.servo_where;
  law.gain = p > 0.0 ? p : d > 0.0 ? d : 1.0;
  law.by_position = 0.0 - p;
  law.by_velocity = 0.0 - d;
  law.command = p > 0.0 ? joint.target_range : std::nullopt;
  joint.actuators.push_back(std::move(law));
  return true;
}

// Shapes.

double SceneReader::friction_between(const std::string& first, const std::string& second) const {
  constexpr double kMostFriction = 1e6;  // for an infinite one
  for (const ContactProperties& pair : scene_.world.contact_properties) {
    const bool matches = (pair.material1 == first && pair.material2 == second) ||
                         (pair.material2 == first && pair.material1 == second);
    if (matches && !pair.coulomb_friction.empty()) {
      return std::clamp(pair.coulomb_friction.front(), 0.0, kMostFriction);
    }
  }
  return 1.0;
}

// A surface has its friction against the default material. The larger one of two surfaces counts
// in MuJoCo, so that what does not move and is of that material gets none. Where that makes another
// friction than the world has, all surfaces of other materials win over it instead.
double SceneReader::friction_of(const Surface& surface) const {
  return !others_win_ && !surface.moves && surface.material == "default"
             ? 0.0
             : friction_between(surface.material, "default");
}

double SceneReader::friction_in_file(const Surface& a, const Surface& b) const {
  const bool a_wins = others_win_ && a.material != "default";
  const bool b_wins = others_win_ && b.material != "default";
  return a_wins == b_wins ? std::max(friction_of(a), friction_of(b)) : friction_of(a_wins ? a : b);
}

SceneReader::Surface SceneReader::surface_of(int s) const {
  const SolidSpec& solid = scene_.solids[static_cast<std::size_t>(s)];
  const int robot = outer_robot(scene_, s);
  const bool is_one = robot >= 0 && !scene_.robots[static_cast<std::size_t>(robot)].self_collision;
  return {solid.contact_material, is_dynamic(scene_, s), is_one ? robot + 1 : 0};
}

void SceneReader::choose_frictions() {
  if (scene_.world.contact_properties.empty()) {
    return;
  }
  std::map<Surface, int> surfaces;
  for (int s = 0; s < static_cast<int>(scene_.solids.size()); ++s) {
    if (!scene_.solids[static_cast<std::size_t>(s)].shapes.empty()) {
      ++surfaces[surface_of(s)];
    }
  }
  std::vector<std::pair<Surface, Surface>> pairs;  // that may touch
  for (auto a = surfaces.begin(); a != surfaces.end(); ++a) {
    for (auto b = a; b != surfaces.end(); ++b) {
      const bool are_two = a != b || a->second > 1;
      const bool touch = a->first.group == 0 || a->first.group != b->first.group;
      if (are_two && touch && (a->first.moves || b->first.moves)) {
        pairs.emplace_back(a->first, b->first);
      }
    }
  }
  const auto differs = [&](const std::pair<Surface, Surface>& pair) {
    return friction_in_file(pair.first, pair.second) !=
           friction_between(pair.first.material, pair.second.material);
  };
  others_win_ = std::ranges::any_of(pairs, differs);
  std::set<std::string> told;
  for (const auto& pair : pairs) {
    const auto& [a, b] = pair;
    const std::string name = fmt::format("{} and {}", a.material, b.material);
    if (differs(pair) && told.insert(name).second) {
      lost_.add("two materials get the larger one of their frictions against the default material",
                result_.model.where,
                fmt::format("{}: {} instead of {}", name, friction_in_file(a, b),
                            friction_between(a.material, b.material)));
    }
  }
}

// Returns whether the shape is one that files have.
// @param node  the Mesh node that it is made of, or null
bool SceneReader::add_shape(const Shape& shape, const Pose& frame, const wbt::Node* node,
                            std::vector<LinkShape>& shapes) {
  if (shape.degenerate) {
    return true;  // it touches nothing
  }
  LinkShape made;
  made.pose = frame * shape.pose;
  made.where = shape.where;
  Geometry& geometry = made.geometry;
  geometry.size = shape.size;
  geometry.radius = shape.radius;
  geometry.length = shape.height;
  switch (shape.type) {
    case ShapeType::Box:
      geometry.type = GeometryType::Box;
      break;
    case ShapeType::Sphere:
      geometry.type = GeometryType::Sphere;
      break;
    case ShapeType::Cylinder:
      geometry.type = GeometryType::Cylinder;
      break;
    case ShapeType::Capsule:
      geometry.type = GeometryType::Capsule;
      break;
    case ShapeType::Plane:
      geometry.type = GeometryType::Plane;
      break;
    case ShapeType::Mesh:
      geometry.type = GeometryType::Mesh;
      geometry.faces = shape.mesh;
      if (node != nullptr) {
        set_origin(*node, {1.0, 1.0, 1.0}, geometry);
      }
      break;
    case ShapeType::Grid:
      return false;
  }
  shapes.push_back(std::move(made));
  return true;
}

bool SceneReader::set_origin(const wbt::Node& node, const Vec3& scale, Geometry& geometry) {
  const std::optional<MeshOrigin> origin = origin_of(node, scale, files_);
  if (origin) {
    geometry.file = origin->path;
    geometry.scale = origin->scale;
  }
  return origin.has_value();
}

void SceneReader::add_collisions(int s, RobotLink& link) {
  const SolidSpec& solid = scene_.solids[static_cast<std::size_t>(s)];
  for (const Shape& shape : solid.shapes) {
    if (!add_shape(shape, {}, meshes_.find(solid.node, shape.where), link.collisions)) {
      lost_.add("ElevationGrids are left out", shape.where, solid.name);
    }
  }
  if (link.collisions.empty() || scene_.world.contact_properties.empty()) {
    return;
  }
  const Surface surface = surface_of(s);
  link.contact_friction = friction_of(surface);
  for (LinkShape& shape : link.collisions) {
    shape.contact_friction = link.contact_friction;
    shape.friction_wins = others_win_ && surface.material != "default";
  }
}

void SceneReader::add_visuals() {
  Diagnostics ignored;  // a run reports what is wrong with Shapes
  ignored.sources() = diagnostics_.sources();
  Findings findings(ignored);
  MeshFiles files(assets::folder_of(world_.path), ignored, builder_.meshes(), world_.library);
  const auto geometry_node = [](const wbt::Node& shape) -> const wbt::Node* {
    const wbt::NodePtr& geometry = shape.node("geometry");
    return geometry && geometry->type->name == "Mesh" ? geometry.get() : nullptr;
  };
  for (const auto& [node, here] : builder_.shape_nodes()) {
    const LinkPlace place =
        here.solid < 0 ? LinkPlace{} : places_[static_cast<std::size_t>(here.solid)];
    RobotLink& link = result_.model.links[place.link];
    std::vector<LinkShape> shapes;
    if (node->type->name == "Shape") {
      for (const Shape& shape : read_shapes(*node, here.at.scale, files, findings)) {
        add_shape(shape, place.pose * here.at.pose, nullptr, shapes);
      }
      if (const wbt::Node* const mesh = geometry_node(*node); mesh != nullptr && !shapes.empty()) {
        set_origin(*mesh, here.at.scale, shapes.back().geometry);
      }
    } else {
      LinkShape shape;
      shape.pose = place.pose * here.at.pose;
      shape.geometry.type = GeometryType::Mesh;
      if (set_origin(*node, here.at.scale, shape.geometry)) {
        shapes.push_back(std::move(shape));
      }
    }
    // A visible Plane has an end, and a floor is seen anyway.
    const bool is_seen = std::erase_if(shapes, [](const LinkShape& shape) {
                           return shape.geometry.type == GeometryType::Plane;
                         }) > 0;
    if (shapes.empty() && !is_seen) {
      lost_.add("Shapes that are no Box, Sphere, Cylinder, Capsule or mesh are left out",
                node->where, link.name, false);
    }
    for (LinkShape& shape : shapes) {
      shape.where = node->where;
      if (node->type->name == "Shape") {
        shape.material = material_of(*node);
      }
      link.visuals.push_back(std::move(shape));
    }
  }
}

// Sensors and what is left.

std::optional<SensorType> type_of(const DeviceSpec& device) {
  constexpr std::array<std::pair<std::string_view, SensorType>, 6> kTypes{
      {{"Accelerometer", SensorType::Accelerometer},
       {"Gyro", SensorType::Gyro},
       {"InertialUnit", SensorType::InertialUnit},
       {"GPS", SensorType::Gps},
       {"Compass", SensorType::Compass},
       {"Altimeter", SensorType::Altimeter}}};
  if (device.body_sensor && device.body_sensor->touch_type == TouchType::ForceTorque) {
    return SensorType::ForceTorque;
  }
  for (const auto& [node, type] : kTypes) {
    if (device.node_type == node && device.body_sensor) {
      return type;
    }
  }
  return std::nullopt;
}

void SceneReader::add_sensors() {
  for (const RobotSpec& robot : scene_.robots) {
    for (const DeviceSpec& device : robot.devices) {
      const std::optional<SensorType> type = type_of(device);
      if (!type || device.body_sensor->solid < 0) {
        tell_of_device(device);
        continue;
      }
      const LinkPlace& place = places_[static_cast<std::size_t>(device.body_sensor->solid)];
      Sensor sensor;
      sensor.name = unused(device.name, used_sensors_);
      sensor.type = *type;
      sensor.link = static_cast<int>(place.link);
      sensor.pose = place.pose;
      sensor.where = device.where;
      result_.model.sensors.push_back(std::move(sensor));
      const BodySensorSpec& spec = *device.body_sensor;
      if (spec.noise != 0.0 || spec.resolution >= 0.0 || spec.speed_noise != 0.0 ||
          spec.speed_resolution >= 0.0 || !spec.lookup_table.empty() ||
          !std::ranges::all_of(spec.axes, std::identity())) {
        tell_of_readings(device);
      }
    }
  }
}

void SceneReader::tell_of_readings(const DeviceSpec& device) {
  lost_.add("sensors have no noise, resolution, lookupTable and switched-off axes", device.where,
            device.name, false);
}

void SceneReader::tell_of_device(const DeviceSpec& device) {
  if (device.motor || device.brake || device.sensor) {
    if (device.motor && device.propeller >= 0) {
      lost_.add("Propellers are left out", device.where, device.name);
    }
    return;
  }
  const bool holds = device.connector.has_value();
  lost_.add(holds ? "Connectors and VacuumGrippers are left out"
                  : fmt::format("devices of the type {} are left out", device.node_type),
            device.where, device.name, holds);
}

void SceneReader::add_couplings() {
  RobotModel& model = result_.model;
  for (const CouplingSpec& coupling : scene_.couplings) {
    const std::string& own = joint_names_[static_cast<std::size_t>(coupling.terms[0].joint)];
    const bool all_move = std::ranges::all_of(coupling.terms, [&](const CouplingSpec::Term& term) {
      return !joint_names_[static_cast<std::size_t>(term.joint)].empty();
    });
    if (!all_move) {
      lost_.add("couplings with joints that do not move are left out", coupling.where,
                name_of(coupling.terms[0].joint));
      continue;
    }
    if (coupling.compliance > 0.0 || coupling.backlash > 0.0) {
      lost_.add("couplingCompliance and couplingBacklash are left out", coupling.where, own);
    }
    const JointSlot& slot = slots_[static_cast<std::size_t>(coupling.terms[0].joint)];
    RobotJoint& follower = model.links[slot.link].joints[slot.index];
    if (coupling.terms.size() == 2 && !follower.mimic) {
      const CouplingSpec::Term& leader = coupling.terms[1];
      follower.mimic = Mimic{joint_names_[static_cast<std::size_t>(leader.joint)], -leader.ratio,
                             coupling.offset};
      continue;
    }
    JointSum sum;
    sum.offset = coupling.offset;
    sum.where = coupling.where;
    for (const CouplingSpec::Term& term : coupling.terms) {
      sum.terms.push_back({joint_names_[static_cast<std::size_t>(term.joint)], term.ratio});
    }
    model.sums.push_back(std::move(sum));
  }
}

void SceneReader::tell_of_rest() {
  for (const JointSpec& joint : scene_.joints) {
    if (joint.belt) {
      lost_.add("Tracks do not move", joint.where, joint.name);
    } else if (joint.reference) {
      lost_.add("joints that close a loop by a SolidReference are left out", joint.where,
                joint.name);
    }
  }
  if (!scene_.rolling.empty()) {
    for (const RollingSpec& rolling : scene_.rolling) {
      const SolidSpec& solid = scene_.solids[static_cast<std::size_t>(rolling.solid)];
      lost_.add("robots without Physics do not roll", solid.where, solid.name);
    }
  }
  if (const std::optional<Damping>& damping = scene_.world.default_damping;
      damping && (damping->linear != 0.0 || damping->angular != 0.0)) {
    lost_.add("defaultDamping is left out", result_.model.where, "WorldInfo");
  }
  const ContactProperties usual;
  for (const ContactProperties& pair : scene_.world.contact_properties) {
    if (pair.coulomb_friction.size() > 1 || pair.bounce != 0.0 ||
        pair.rolling_friction != usual.rolling_friction || pair.soft_cfm != usual.soft_cfm ||
        pair.soft_erp != usual.soft_erp ||
        pair.force_dependent_slip != usual.force_dependent_slip) {
      lost_.add("contactProperties have their first coulombFriction only", result_.model.where,
                fmt::format("{} and {}", pair.material1, pair.material2));
    }
  }
}

// Turns all of it until gravity points along -z, as robots' own files want it.
void SceneReader::turn_upright() {
  RobotModel& model = result_.model;
  const Vec3 gravity = scene_.world.gravity;
  const Vec3 up = unit_or(-gravity, {0.0, 0.0, 1.0});
  if (up == Vec3{0.0, 0.0, 1.0}) {
    return;
  }
  const Pose turn{transposed(rotation_to(up)), {}};
  model.gravity = Vec3{0.0, 0.0, -norm(gravity)};
  for (std::vector<LinkShape>* const shapes :
       {&model.links[0].visuals, &model.links[0].collisions}) {
    for (LinkShape& shape : *shapes) {
      shape.pose = turn * shape.pose;
    }
  }
  for (RobotLink& link : model.links) {
    link.pose = link.parent == 0 ? turn * link.pose : link.pose;
  }
}

}  // namespace

SceneRobots robots_of_world(const wbt::WorldFile& world, Diagnostics& diagnostics,
                            LossKinds& lost) {
  return SceneReader(world, diagnostics, lost).read();
}

}  // namespace servosim::robots
