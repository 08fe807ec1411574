// SPDX-License-Identifier: Apache-2.0
#include "robots/robot_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "robots/mimics.h"
#include "robots/motor_law.h"
#include "robots/robot_bodies.h"
#include "robots/robot_files.h"
#include "robots/robot_names.h"
#include "robots/world_text.h"
#include "scene/mesh_triangles.h"

namespace servosim::robots {
namespace {

constexpr double kTimeStep = 0.002;  // [s]
constexpr std::size_t kMaxPairedFrictions = 30;

/// What a joint of the world is called.
struct JointNodes {
  std::string_view joint;
  std::string_view parameters;
  std::string_view motor;
  std::string_view effort;
};

JointNodes nodes_of(JointMotion motion) {
  switch (motion) {
    case JointMotion::Slide:
      return {"SliderJoint", "JointParameters", "LinearMotor", "maxForce"};
    case JointMotion::Ball:
      return {"BallJoint", "BallJointParameters", "", ""};
    default:
      return {"HingeJoint", "HingeJointParameters", "RotationalMotor", "maxTorque"};
  }
}

std::string_view node_of(SensorType type) {
  switch (type) {
    case SensorType::Accelerometer:
      return "Accelerometer";
    case SensorType::Gyro:
      return "Gyro";
    case SensorType::InertialUnit:
      return "InertialUnit";
    case SensorType::Gps:
      return "GPS";
    case SensorType::Compass:
      return "Compass";
    case SensorType::ForceTorque:  // a field of its Solid
      break;
    case SensorType::Altimeter:
      break;
  }
  return "Altimeter";
}

std::string material_of(double friction) { return fmt::format("friction {}", friction); }

/// Finds how far down shapes reach, of which meshes are read once each.
class LowestPoint {
 public:
  /// Returns the lowest z of a shape whose frame is at `pose`; +infinity if it has none.
  double of(const Geometry& geometry, const Pose& pose) {
    const Mat3& r = pose.rotation;
    const double z = pose.translation.z;
    // How far the shape reaches along the world's z, of which the last row has the components.
    const double across = std::hypot(r(2, 0), r(2, 1));
    const double along = std::abs(r(2, 2));
    switch (geometry.type) {
      case GeometryType::Box:
        return z - 0.5 * (std::abs(r(2, 0)) * geometry.size.x +
                          std::abs(r(2, 1)) * geometry.size.y + along * geometry.size.z);
      case GeometryType::Sphere:
        return z - geometry.radius;
      case GeometryType::Cylinder:
        return z - 0.5 * along * geometry.length - across * geometry.radius;
      case GeometryType::Capsule:
        return z - 0.5 * along * geometry.length - geometry.radius;
      case GeometryType::Plane:
        return kNoLimit;
      case GeometryType::Mesh:
        break;
    }
    double lowest = kNoLimit;
    if (geometry.faces != nullptr) {
      for (const Vec3& vertex : geometry.faces->vertices) {
        lowest = std::min(lowest, z + dot(Vec3{r(2, 0), r(2, 1), r(2, 2)}, vertex));
      }
      return lowest;
    }
    if (const auto* parts = std::get_if<std::vector<MeshPart>>(read(geometry.file).get())) {
      const Vec3 row = scaled({r(2, 0), r(2, 1), r(2, 2)}, geometry.scale);
      for (const MeshPart& part : *parts) {
        for (const Vec3& vertex : part.mesh.vertices) {
          lowest = std::min(lowest, z + dot(row, vertex));
        }
      }
    }
    return lowest;
  }

 private:
  const std::shared_ptr<const MeshParts>& read(const std::string& file) {
    const auto [known, is_new] = files_.try_emplace(file);
    if (is_new) {
      known->second = read_triangles(file, helper_);
    }
    return known->second;
  }

  MeshHelper helper_;
  std::map<std::string, std::shared_ptr<const MeshParts>> files_;
};

/// Writes the nodes of a prepared robot.
///
/// Invariant: children_ has the links below each link, in their order, but for those in loose_.
class RobotWriter {
 public:
  RobotWriter(const RobotModel& model, const std::string& folder, const RobotFileOptions& options,
              std::vector<Loss>& losses)
      : model_(model),
        folder_(folder),
        options_(options),
        losses_(losses),
        poses_(start_poses(model)),
        children_(model.links.size()),
        sensors_(model.links.size()),
        text_(model.where) {
    for (std::size_t i = 1; i < model.links.size(); ++i) {
      std::vector<std::size_t>& siblings =
          is_loose(model, model.links[i])
              ? loose_
              : children_[static_cast<std::size_t>(model.links[i].parent)];
      siblings.push_back(i);
    }
    for (const RobotLink& link : model.links) {
      for (const RobotJoint& joint : link.joints) {
        sensor_names_.emplace(joint.name, joint.sensor_name);
      }
    }
    for (std::size_t i = 0; i < model.sensors.size(); ++i) {
      sensors_[static_cast<std::size_t>(model.sensors[i].link)].push_back(i);
    }
  }

  RobotWorld write();

 private:
  void write_surroundings();
  void write_gravity();
  void write_contacts();
  void write_robot();
  void write_loose(std::size_t link);
  bool has_devices(std::size_t link) const;
  void write_touch();
  void tell_of_touch();
  void write_body(std::size_t link);
  void write_link(std::size_t link);
  void write_joint(std::size_t link);
  void write_parameters(const RobotJoint& joint, const RobotLink& link, const JointNodes& nodes);
  void write_coupling(const Mimic& mimic);
  std::optional<Range> target_range_of(const RobotJoint& joint);
  void write_devices(const RobotJoint& joint, const JointNodes& nodes);
  void tell_of_losses(const RobotJoint& joint);
  void write_visual(const LinkShape& shape);
  void write_collisions(const RobotLink& link);
  void write_geometry(const Geometry& geometry);
  void write_appearance(const Material& material);
  void write_physics(const RobotLink& link);
  void write_sensors(std::size_t link);
  void write_load_sensor(std::size_t link);
  void write_faces(const Mesh& mesh);
  void write_mesh(const Geometry& geometry, std::string_view node);
  double height() const;
  double extent() const;

  const RobotModel& model_;
  const std::string& folder_;
  const RobotFileOptions& options_;
  std::vector<Loss>& losses_;
  std::vector<Pose> poses_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::vector<std::size_t>> sensors_;  // the numbers of the sensors at each link
  std::vector<std::size_t> loose_;                 // links that are bodies next to the robot
  std::map<std::string_view, std::string_view> sensor_names_;  // by joint
  WorldText text_;
};

RobotWorld RobotWriter::write() {
  text_.line("#VRML_SIM R2025a utf8");
  write_surroundings();
  write_robot();
  tell_of_touch();
  for (const std::size_t link : loose_) {
    write_loose(link);
  }
  return {text_.text(), text_.spans()};
}

// A world's gravity points down.
void RobotWriter::write_gravity() {
  if (!model_.gravity) {
    return;
  }
  const Vec3& g = *model_.gravity;
  if (g.x != 0.0 || g.y != 0.0 || g.z > 0.0) {
    losses_.push_back(
        {model_.where,
         fmt::format("gravity is {} {} {} m/s^2, and points down here", g.x, g.y, g.z), true});
  }
  text_.number("gravity", norm(g));
}

void RobotWriter::write_contacts() {
  std::set<double> frictions;
  for (const RobotLink& link : model_.links) {
    if (link.contact_friction && !link.collisions.empty()) {
      frictions.insert(*link.contact_friction);
    }
  }
  if (frictions.empty()) {
    return;
  }
  const auto write = [&](double first, std::string_view second, double friction) {
    text_.open("ContactProperties");
    text_.string("material1", material_of(first));
    if (!second.empty()) {
      text_.string("material2", second);
    }
    text_.line(fmt::format("coulombFriction [ {} ]", friction));
    text_.line("bounce 0");
    text_.close();
  };
  text_.open("contactProperties", '[');
  for (const double friction : frictions) {
    write(friction, "", std::max(friction, model_.floor_friction.value_or(0.0)));
  }
  if (model_.floor_friction && frictions.size() > kMaxPairedFrictions) {
    losses_.push_back({model_.where,
                       fmt::format("links touch each other with the friction 1, as there are more "
                                   "than {} different ones",
                                   kMaxPairedFrictions),
                       true});
  } else if (model_.floor_friction) {
    for (auto first = frictions.begin(); first != frictions.end(); ++first) {
      for (auto second = first; second != frictions.end(); ++second) {
        write(*first, material_of(*second), std::max(*first, *second));
      }
    }
  }
  text_.close();
}

void RobotWriter::write_surroundings() {
  text_.open("WorldInfo");
  text_.string("title", model_.name);
  text_.number("basicTimeStep", 1e3 * model_.time_step.value_or(kTimeStep));  // [ms]
  write_gravity();
  write_contacts();
  text_.close();
  // From the front and above, as far away as the robot fills the view.
  const double away = 2.0 * extent() + 0.5;
  text_.open("Viewpoint");
  text_.line("orientation -0.35 0.12 0.93 2.46");
  text_.vector("position", {away, -0.8 * away, 0.8 * away});
  text_.close();
  text_.open("Background");
  text_.line("skyColor [ 0.8 0.87 0.95 ]");
  text_.close();
  text_.open("DirectionalLight");
  text_.line("ambientIntensity 1");
  text_.line("direction -0.4 0.5 -1");
  text_.line("castShadows TRUE");
  text_.close();
  if (!options_.floor) {
    return;
  }
  text_.open("DEF FLOOR Solid");
  text_.open("children", '[');
  text_.open("Shape");
  write_appearance({{0.55, 0.55, 0.55}, 1.0, {}});
  const double size = std::ceil(4.0 * away);
  text_.line(fmt::format("geometry Plane {{ size {0} {0} }}", size));
  text_.close();
  text_.close();
  text_.string("name", "floor");
  text_.line(fmt::format("boundingObject Plane {{ size {0} {0} }}", size));
  text_.close();
}

void RobotWriter::write_robot() {
  const RobotLink& root = model_.links[0];
  text_.note(model_.where);
  text_.open("Robot");
  Pose pose = poses_[0];
  if (options_.floor && !model_.fixed_base && !model_.is_placed) {
    pose.translation.z += height();
  }
  text_.pose(pose);
  text_.note(root.where);
  write_body(0);
  text_.string("name", model_.name);
  write_touch();
  text_.close();
  for (const std::size_t number : sensors_[0]) {
    if (const Sensor& sensor = model_.sensors[number]; sensor.type == SensorType::ForceTorque) {
      losses_.push_back({sensor.where,
                         fmt::format("sensor '{}' is left out, as no joint of the robot carries "
                                     "link '{}'",
                                     sensor.name, root.name),
                         false});
    }
  }
}

// Returns whether a link, or one below it, has a motor, or a sensor of the file.
bool RobotWriter::has_devices(std::size_t link) const {
  return std::ranges::any_of(model_.links[link].joints,
                             [](const RobotJoint& joint) {
                               return joint.has_own_motor() && joint.motion != JointMotion::Free;
                             }) ||
         !sensors_[link].empty() || std::ranges::any_of(children_[link], [&](std::size_t child) {
           return has_devices(child);
         });
}

void RobotWriter::write_loose(std::size_t i) {
  const RobotLink& link = model_.links[i];
  text_.note(link.where);
  text_.open(has_devices(i) ? "Robot" : "Solid");
  text_.pose(poses_[i]);
  text_.string("name", link.name);
  write_load_sensor(i);
  write_body(i);
  if (has_devices(i)) {
    write_touch();
  }
  text_.close();
  if (options_.fixed_base) {
    losses_.push_back(
        {link.where,
         fmt::format("link '{}' stays free, as only the base of the robot is held", link.name),
         true});
  }
}

void RobotWriter::write_touch() {
  if (model_.touches_itself && model_.untouched.empty()) {
    text_.line("selfCollision TRUE");
  }
}

void RobotWriter::tell_of_touch() {
  if (model_.touches_itself && !model_.untouched.empty()) {
    losses_.push_back(
        {model_.where,
         fmt::format("no links of the robot touch each other, as {} pairs of them must "
                     "not",
                     model_.untouched.size()),
         true});
  }
}

// Returns by how much a robot that is not held must rise to stand on the floor.
double RobotWriter::height() const {
  LowestPoint lowest_point;
  double lowest = kNoLimit;
  for (std::size_t i = 0; i < model_.links.size(); ++i) {
    for (const LinkShape& shape : model_.links[i].collisions) {
      lowest = std::min(lowest, lowest_point.of(shape.geometry, poses_[i] * shape.pose));
    }
  }
  if (lowest == kNoLimit) {
    losses_.push_back({model_.where,
                       "no link has a collision that can be read: the robot falls through the "
                       "floor",
                       true});
    return 0.0;
  }
  return -lowest;
}

// Returns how far the frames of links are from the root [m].
double RobotWriter::extent() const {
  double most = 0.0;
  for (const Pose& pose : poses_) {
    most = std::max(most, norm(pose.translation - poses_[0].translation));
  }
  return most;
}

// Writes what Solids and Robots have in common.
void RobotWriter::write_body(std::size_t i) {
  const RobotLink& link = model_.links[i];
  text_.open("children", '[');
  for (const LinkShape& shape : link.visuals) {
    write_visual(shape);
  }
  write_sensors(i);
  for (const std::size_t child : children_[i]) {
    write_link(child);
  }
  text_.close();
  text_.note(link.where);
  write_collisions(link);
  write_physics(link);
}

void RobotWriter::write_link(std::size_t i) {
  const RobotLink& link = model_.links[i];
  SERVOSIM_ASSERT(link.joints.size() <= 1, "{} joints of link {}", link.joints.size(), link.name);
  if (!link.joints.empty()) {
    write_joint(i);
    return;
  }
  text_.note(link.where);
  text_.open("Solid");
  text_.pose(link.pose);
  text_.string("name", link.name);
  write_load_sensor(i);
  write_body(i);
  text_.close();
}

void RobotWriter::write_joint(std::size_t i) {
  const RobotLink& link = model_.links[i];
  const RobotJoint& joint = link.joints[0];
  const JointNodes nodes = nodes_of(joint.motion);
  text_.note(joint.where);
  text_.open(nodes.joint);
  write_parameters(joint, link, nodes);
  write_devices(joint, nodes);
  tell_of_losses(joint);
  text_.note(link.where);
  text_.open("endPoint Solid");
  text_.pose(link.pose * start_motion(joint));
  text_.string("name", link.name);
  write_load_sensor(i);
  write_body(i);
  text_.close();
  text_.close();
}

// Axis and anchor are in the frame of the Solid above, while the link is at position 0.
void RobotWriter::write_parameters(const RobotJoint& joint, const RobotLink& link,
                                   const JointNodes& nodes) {
  text_.open(fmt::format("jointParameters {}", nodes.parameters));
  const auto given = [&](std::string_view field, double value) {
    if (value != 0.0) {
      text_.number(field, value);
    }
  };
  if (joint.motion != JointMotion::Slide) {
    text_.vector("anchor", link.pose * joint.anchor);
  }
  if (joint.motion != JointMotion::Ball) {
    text_.vector("axis", link.pose.rotation * joint.axis);
    given("position", joint.start);
    if (joint.range) {
      text_.number("minStop", joint.range->lower);
      text_.number("maxStop", joint.range->upper);
    }
    given("staticFriction", joint.friction);
    given("#servosim armature", joint.armature);
    if (joint.mimic) {
      write_coupling(*joint.mimic);
    }
  }
  given("springConstant", joint.stiffness);
  given("#servosim springReference", joint.stiffness != 0.0 ? joint.rest : 0.0);
  given("dampingConstant", joint.damping);
  text_.close();
}

// The coupling names the PositionSensor of the leader, which each of its joints has.
void RobotWriter::write_coupling(const Mimic& mimic) {
  std::string name;
  for (const char c : sensor_names_.at(mimic.leader)) {
    name += c == '\'' ? "''" : std::string(1, c);
  }
  text_.string("#servosim coupling",
               mimic.offset == 0.0
                   ? fmt::format("{} '{}'", mimic.multiplier, name)
                   : fmt::format("{} '{}' + {}", mimic.multiplier, name, mimic.offset));
}

// Returns the positions that a motor may be asked for. A world has no limits where both are equal,
// so that limits which leave no range are those of the joint.
std::optional<Range> RobotWriter::target_range_of(const RobotJoint& joint) {
  if (!joint.target_range || !joint.range) {
    return joint.target_range ? joint.target_range : joint.range;
  }
  const Range& target = *joint.target_range;
  const Range range{std::clamp(target.lower, joint.range->lower, joint.range->upper),
                    std::clamp(target.upper, joint.range->lower, joint.range->upper)};
  if (range.lower < range.upper) {
    return range;
  }
  losses_.push_back(
      {joint.where,
       fmt::format("the limits {} to {} of targets of joint '{}' leave nothing of "
                   "its range {} to {}; it has that range",
                   target.lower, target.upper, joint.name, joint.range->lower, joint.range->upper),
       true});
  return joint.range;
}

void RobotWriter::write_devices(const RobotJoint& joint, const JointNodes& nodes) {
  if (nodes.motor.empty()) {
    return;
  }
  text_.open("device", '[');
  if (joint.has_own_motor()) {
    const std::optional<MotorLaw> law = joint.actuators.empty() ? std::nullopt : motor_law(joint);
    const double any_velocity = law ? kAnyVelocityOfLaw : kAnyVelocity;
    text_.open(nodes.motor);
    text_.string("name", joint.motor_name);
    text_.number(nodes.effort, std::min(joint.effort, kAnyEffort));
    text_.number("maxVelocity", std::isinf(joint.velocity) ? any_velocity : joint.velocity);
    if (const std::optional<Range> range = target_range_of(joint)) {
      text_.number("minPosition", range->lower);
      text_.number("maxPosition", range->upper);
    }
    if (law) {
      text_.string("#servosim servo", law->servo);
    }
    text_.close();
  }
  text_.open("PositionSensor");
  text_.string("name", joint.sensor_name);
  text_.close();
  text_.close();
}

void RobotWriter::tell_of_losses(const RobotJoint& joint) {
  const auto lose = [&](const SourceLocation& where, std::string what) {
    losses_.push_back({where, std::move(what), true});
  };
  for (std::size_t i = 0; i < joint.actuators.size(); ++i) {
    const Actuator& actuator = joint.actuators[i];
    if (i > 0) {
      lose(actuator.where,
           fmt::format("the actuator '{}' is left out, as joint '{}' has another one",
                       actuator.name, joint.name));
    } else if (const std::optional<MotorLaw> law = motor_law(joint); !law) {
      lose(actuator.where, fmt::format("the motor '{}' follows its targets by the law of a world, "
                                       "as its force grows with its "
                                       "position or its speed: their gains are {:.6g} and {:.6g}",
                                       actuator.name, actuator.by_position, actuator.by_velocity));
    } else if (law->scale != 1.0 || law->zero != 0.0) {
      lose(actuator.where,
           fmt::format("the motor '{}' takes {} of its joint: for a command u of the actuator ask "
                       "it for {:.6g}*u{}",
                       actuator.name, law->quantity, law->scale,
                       law->zero != 0.0 ? fmt::format("{:+.6g}", law->zero) : ""));
    }
  }
}

void RobotWriter::write_appearance(const Material& material) {
  text_.open("appearance PBRAppearance");
  text_.vector("baseColor", material.color);
  if (!material.texture.empty()) {
    text_.open("baseColorMap ImageTexture");
    text_.string("url", path_from(folder_, material.texture));
    text_.close();
  }
  if (material.opacity < 1.0) {
    text_.number("transparency", 1.0 - material.opacity);
  }
  text_.line("roughness 0.7");
  text_.line("metalness 0");
  text_.close();
}

// A file with materials of its own is shown with them unless the robot's file gives a colour. No
// Transform mirrors, so that a Mesh does it.
void RobotWriter::write_visual(const LinkShape& shape) {
  text_.note(shape.where);
  Geometry geometry = shape.geometry;
  const Vec3 scale = geometry.scale;
  const bool is_mesh = geometry.type == GeometryType::Mesh && geometry.faces == nullptr;
  const bool is_mirrored = scale.x < 0.0 || scale.y < 0.0 || scale.z < 0.0;
  const bool is_stretched = is_mesh && !is_mirrored && scale != Vec3{1.0, 1.0, 1.0};
  text_.open(is_stretched ? "Transform" : "Pose");
  text_.pose(shape.pose);
  if (is_stretched) {
    text_.vector("scale", scale);
    geometry.scale = {1.0, 1.0, 1.0};
  }
  text_.open("children", '[');
  const bool is_stl = ending_of(geometry.file) == ".stl";
  if (is_mesh && !shape.material && !is_stl && !is_mirrored) {
    write_mesh(geometry, "CadShape");
  } else {
    text_.open("Shape");
    write_appearance(shape.material.value_or(Material{}));
    write_geometry(geometry);
    text_.close();
  }
  text_.close();
  text_.close();
}

void RobotWriter::write_collisions(const RobotLink& link) {
  if (link.collisions.empty()) {
    return;
  }
  if (link.contact_friction) {
    text_.string("contactMaterial", material_of(*link.contact_friction));
  }
  text_.open("boundingObject Group");
  text_.open("children", '[');
  for (const LinkShape& shape : link.collisions) {
    text_.note(shape.where);
    text_.open("Pose");
    text_.pose(shape.pose);
    text_.open("children", '[');
    text_.open("Shape");
    write_geometry(shape.geometry);
    text_.close();
    text_.close();
    text_.close();
  }
  text_.close();
  text_.close();
}

// Since R2023b a boundingObject cannot be stretched by a Transform, so that a Mesh has its scale.
void RobotWriter::write_geometry(const Geometry& geometry) {
  if (geometry.faces != nullptr) {
    write_faces(*geometry.faces);
    return;
  }
  if (geometry.type == GeometryType::Mesh) {
    write_mesh(geometry, "geometry Mesh");
    return;
  }
  switch (geometry.type) {
    case GeometryType::Box:
      text_.open("geometry Box");
      text_.vector("size", geometry.size);
      break;
    case GeometryType::Sphere:
      text_.open("geometry Sphere");
      text_.number("radius", geometry.radius);
      break;
    case GeometryType::Plane:
      text_.open("geometry Plane");
      break;
    default:
      text_.open(geometry.type == GeometryType::Cylinder ? "geometry Cylinder"
                                                         : "geometry Capsule");
      text_.number("height", geometry.length);
      text_.number("radius", geometry.radius);
      break;
  }
  text_.close();
}

void RobotWriter::write_faces(const Mesh& mesh) {
  text_.open("geometry IndexedFaceSet");
  text_.open("coord Coordinate");
  text_.open("point", '[');
  for (const Vec3& vertex : mesh.vertices) {
    text_.line(fmt::format("{} {} {}", vertex.x + 0.0, vertex.y + 0.0, vertex.z + 0.0));
  }
  text_.close();
  text_.close();
  text_.open("coordIndex", '[');
  for (const auto& corners : mesh.triangles) {
    text_.line(fmt::format("{} {} {} -1", corners[0], corners[1], corners[2]));
  }
  text_.close();
  text_.close();
}

void RobotWriter::write_mesh(const Geometry& geometry, std::string_view node) {
  text_.open(node);
  text_.string("url", path_from(folder_, geometry.file));
  if (geometry.scale != Vec3{1.0, 1.0, 1.0}) {
    text_.vector("#servosim scale", geometry.scale);
  }
  text_.close();
}

void RobotWriter::write_physics(const RobotLink& link) {
  if (!link.inertial) {
    return;
  }
  const MassProperties& mass = *link.inertial;
  const Mat3& i = mass.inertia;
  text_.note(link.inertial_where);
  text_.open("physics Physics");
  text_.line("density -1");
  text_.number("mass", mass.mass);
  text_.line(fmt::format("centerOfMass [ {} {} {} ]", mass.center.x + 0.0, mass.center.y + 0.0,
                         mass.center.z + 0.0));
  text_.line(fmt::format("inertiaMatrix [ {} {} {}, {} {} {} ]", i(0, 0), i(1, 1), i(2, 2),
                         i(0, 1) + 0.0, i(0, 2) + 0.0, i(1, 2) + 0.0));
  text_.close();
}

void RobotWriter::write_load_sensor(std::size_t link) {
  bool has_one = false;
  for (const std::size_t number : sensors_[link]) {
    const Sensor& sensor = model_.sensors[number];
    if (sensor.type != SensorType::ForceTorque) {
      continue;
    }
    if (std::exchange(has_one, true)) {
      losses_.push_back(
          {sensor.where,
           fmt::format("sensor '{}' is left out, as another one is there, too", sensor.name),
           false});
      continue;
    }
    text_.note(sensor.where);
    text_.string("#servosim forceTorqueSensor", sensor.name);
  }
}

void RobotWriter::write_sensors(std::size_t link) {
  for (const std::size_t number : sensors_[link]) {
    const Sensor& sensor = model_.sensors[number];
    if (sensor.type == SensorType::ForceTorque) {
      continue;  // write_load_sensor() has it
    }
    text_.note(sensor.where);
    text_.open(node_of(sensor.type));
    text_.pose(sensor.pose);
    text_.string("name", sensor.name);
    text_.close();
  }
}

}  // namespace

RobotWorld world_of_robot(RobotModel model, const std::string& folder,
                          const RobotFileOptions& options, std::vector<Loss>& losses) {
  model.fixed_base = model.fixed_base || options.fixed_base;
  prepare_bodies(model, losses);
  drop_impossible_mimics(model, losses);
  name_devices(model, losses);
  return RobotWriter(model, folder, options, losses).write();
}

}  // namespace servosim::robots
