// SPDX-License-Identifier: Apache-2.0
#include "robots/export/urdf_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string_view>
#include <utility>

#include "base/roll_pitch_yaw.h"
#include "robots/export/xml_numbers.h"
#include "robots/robot_bodies.h"
#include "robots/robot_names.h"

namespace servosim::robots {
namespace {

constexpr double kNoEffort = 1e9;    // what all readers take for no limit [N|N·m]
constexpr double kNoVelocity = 1e9;  // [rad/s|m/s]
constexpr double kFarSlide = 1e3;    // a prismatic joint must have limits [m]

Pose moved_by(const Vec3& v) { return {Mat3{}, v}; }

// Returns the links of a robot as a model of its own, whose root is `top`.
RobotModel part_of(const RobotModel& model, std::size_t top, LossKinds& lost) {
  RobotModel part;
  part.name = model.links[top].name;
  part.where = model.links[top].where;
  std::vector<int> numbers(model.links.size(), -1);
  for (std::size_t i = top; i < model.links.size(); ++i) {
    const RobotLink& link = model.links[i];
    const int above = link.parent < 0 ? -1 : numbers[static_cast<std::size_t>(link.parent)];
    if (i != top && above < 0) {
      continue;
    }
    numbers[i] = static_cast<int>(part.links.size());
    part.links.push_back(link);
    part.links.back().parent = above;
  }
  RobotLink& base = part.links[0];
  part.fixed_base = base.joints.empty() || base.joints[0].motion != JointMotion::Free;
  if (part.fixed_base && !base.joints.empty()) {
    lost.add("joints with the world are fixed", base.where, base.joints[0].name);
  }
  base.joints.clear();
  for (int above = model.links[top].parent; above >= 0;
       above = model.links[static_cast<std::size_t>(above)].parent) {
    base.pose = model.links[static_cast<std::size_t>(above)].pose * base.pose;
  }
  for (Sensor sensor : model.sensors) {
    sensor.link = numbers[static_cast<std::size_t>(sensor.link)];
    if (sensor.link >= 0) {
      part.sensors.push_back(std::move(sensor));
    }
  }
  return part;
}

// Drops what URDF has not: couplings of more than two joints, and with those of other robots.
void drop_couplings(const RobotModel& model, RobotModel& robot, LossKinds& lost) {
  std::set<std::string_view> names;
  for (const RobotLink& link : robot.links) {
    for (const RobotJoint& joint : link.joints) {
      names.insert(joint.name);
    }
  }
  for (RobotLink& link : robot.links) {
    for (RobotJoint& joint : link.joints) {
      if (joint.mimic && !names.contains(joint.mimic->leader)) {
        lost.add("couplings with joints of other robots are left out", joint.where, joint.name);
        joint.mimic.reset();
      }
    }
  }
  for (const JointSum& sum : model.sums) {
    if (names.contains(sum.terms[0].joint)) {
      lost.add("couplings of more than two joints are left out", sum.where, sum.terms[0].joint);
    }
  }
}

// A ball joint becomes three axes.
void spread_balls(RobotModel& model) {
  constexpr std::array<Vec3, 3> kAxes{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  std::set<std::string> used;
  for (const RobotLink& link : model.links) {
    for (const RobotJoint& joint : link.joints) {
      used.insert(joint.name);
    }
  }
  for (RobotLink& link : model.links) {
    if (link.joints.size() == 1 && link.joints[0].motion == JointMotion::Ball) {
      const RobotJoint ball = std::exchange(link.joints, {})[0];
      for (std::size_t k = 0; k < kAxes.size(); ++k) {
        RobotJoint axis = ball;
        axis.motion = JointMotion::Turn;
        axis.axis = kAxes[k];
        axis.name = unused_name(fmt::format("{} {}", ball.name, "xyz"[k]), used);
        used.insert(axis.name);
        link.joints.push_back(std::move(axis));
      }
    }
  }
}

class UrdfText {
 public:
  UrdfText(const RobotModel& model, const std::string& folder, LossKinds& lost)
      : model_(model), folder_(folder), lost_(lost) {
    edges_.resize(model.links.size());
    root_ = add_element(document_, "robot", {{"name", xml_name(model.name)}});
    for (const RobotLink& link : model.links) {
      used_.insert(link.name);
      for (const RobotJoint& joint : link.joints) {
        used_.insert(joint.name);
      }
      const bool turns = !link.joints.empty() && link.joints[0].motion == JointMotion::Turn;
      shifts_.push_back(turns ? link.joints[0].anchor : Vec3{});
    }
  }

  std::string write();

 private:
  void write_link(std::size_t link);
  void write_edge(std::size_t link);
  void write_moving(const RobotJoint& joint, pugi::xml_node edge);
  void write_spring(const RobotJoint& joint);
  void write_shape(const LinkShape& shape, const char* kind, std::size_t link,
                   pugi::xml_node element);
  void add_geometry(const char* kind, const Pose& pose, const char* shape,
                    std::initializer_list<XmlAttribute> sizes, const LinkShape& of,
                    pugi::xml_node link);
  void write_sensor(const Sensor& sensor);
  void write_force_torque(const Sensor& sensor);
  std::string unused(std::string name);

  const RobotModel& model_;
  const std::string& folder_;
  LossKinds& lost_;
  pugi::xml_document document_;
  pugi::xml_node root_;
  std::vector<Vec3> shifts_;        // by link: of the frame of the URDF in that of the link
  std::vector<std::string> edges_;  // by link: the joint that holds it, as written; empty for none
  std::set<std::string> used_;      // names: some readers want links and joints to differ, too
};

std::string UrdfText::unused(std::string name) {
  const std::string given = name;
  for (int n = 2; !used_.insert(name).second; ++n) {
    name = fmt::format("{}_{}", given, n);
  }
  return name;
}

void add_urdf_origin(pugi::xml_node parent, const Pose& pose) {
  if (pose != Pose{}) {
    add_element(parent, "origin",
                {{"xyz", numbers_text(pose.translation)},
                 {"rpy", numbers_text(rpy_of_rotation(pose.rotation))}});
  }
}

std::string UrdfText::write() {
  if (model_.fixed_base) {
    const std::string world = unused("world");
    add_element(root_, "link", {{"name", world}});
    edges_[0] = unused("world_joint");
    const pugi::xml_node mount =
        add_element(root_, "joint", {{"name", edges_[0]}, {"type", "fixed"}});
    add_urdf_origin(mount, model_.links[0].pose);
    add_element(mount, "parent", {{"link", world}});
    add_element(mount, "child", {{"link", xml_name(model_.links[0].name)}});
  }
  for (std::size_t i = 0; i < model_.links.size(); ++i) {
    write_link(i);
  }
  for (std::size_t i = 1; i < model_.links.size(); ++i) {
    write_edge(i);
  }
  for (const Sensor& sensor : model_.sensors) {
    write_sensor(sensor);
  }
  return xml_text(document_);
}

void UrdfText::write_link(std::size_t number) {
  const RobotLink& link = model_.links[number];
  const Pose to_frame = moved_by(-shifts_[number]);
  const pugi::xml_node element = add_element(root_, "link", {{"name", xml_name(link.name)}});
  if (link.inertial) {
    const MassProperties mass = placed(*link.inertial, to_frame);
    const Mat3& i = mass.inertia;
    const pugi::xml_node inertial = add_element(element, "inertial");
    add_urdf_origin(inertial, moved_by(mass.center));
    add_element(inertial, "mass", {{"value", numbers_text(mass.mass)}});
    add_element(inertial, "inertia",
                {{"ixx", numbers_text(i(0, 0))},
                 {"ixy", numbers_text(i(0, 1))},
                 {"ixz", numbers_text(i(0, 2))},
                 {"iyy", numbers_text(i(1, 1))},
                 {"iyz", numbers_text(i(1, 2))},
                 {"izz", numbers_text(i(2, 2))}});
  }
  for (const LinkShape& shape : link.visuals) {
    write_shape(shape, "visual", number, element);
  }
  for (const LinkShape& shape : link.collisions) {
    write_shape(shape, "collision", number, element);
  }
  const bool touches_itself = link.group == 0 && !link.collisions.empty();
  if (!link.contact_friction && !touches_itself) {
    return;
  }
  const pugi::xml_node gazebo = add_element(root_, "gazebo", {{"reference", xml_name(link.name)}});
  if (link.contact_friction) {
    for (const char* const mu : {"mu1", "mu2"}) {
      add_element(gazebo, mu).text() = numbers_text(*link.contact_friction).c_str();
    }
  }
  if (touches_itself) {
    add_element(gazebo, "selfCollide").text() = "true";
  }
}

void UrdfText::add_geometry(const char* kind, const Pose& pose, const char* shape,
                            std::initializer_list<XmlAttribute> sizes, const LinkShape& of,
                            pugi::xml_node link) {
  const pugi::xml_node element = add_element(link, kind);
  add_urdf_origin(element, pose);
  add_element(add_element(element, "geometry"), shape, sizes);
  if (of.material) {
    const Vec3& color = of.material->color;
    const std::string rgba = numbers_text(color.x, color.y, color.z, of.material->opacity);
    std::string name = rgba;
    std::ranges::replace(name, ' ', '_');
    add_element(add_element(element, "material", {{"name", name}}), "color", {{"rgba", rgba}});
  }
}

void UrdfText::write_shape(const LinkShape& shape, const char* kind, std::size_t link,
                           pugi::xml_node element) {
  const Geometry& geometry = shape.geometry;
  const Pose pose = moved_by(-shifts_[link]) * shape.pose;
  const XmlAttribute radius{"radius", numbers_text(geometry.radius)};
  const XmlAttribute length{"length", numbers_text(geometry.length)};
  const bool touches = std::string_view(kind) == "collision";
  switch (geometry.type) {
    case GeometryType::Box:
      add_geometry(kind, pose, "box", {{"size", numbers_text(geometry.size)}}, shape, element);
      break;
    case GeometryType::Sphere:
      add_geometry(kind, pose, "sphere", {radius}, shape, element);
      break;
    case GeometryType::Cylinder:
      add_geometry(kind, pose, "cylinder", {radius, length}, shape, element);
      break;
    case GeometryType::Capsule:  // URDF 1.0 has none
      add_geometry(kind, pose, "cylinder", {radius, length}, shape, element);
      for (const double end : {0.5, -0.5}) {
        add_geometry(kind, pose * moved_by({0.0, 0.0, end * geometry.length}), "sphere", {radius},
                     shape, element);
      }
      break;
    case GeometryType::Plane:
      lost_.add("Planes are left out", shape.where, model_.links[link].name, touches);
      break;
    case GeometryType::Mesh:
      if (geometry.file.empty()) {
        lost_.add("meshes without a file are left out", shape.where, model_.links[link].name,
                  touches);
        break;
      }
      add_geometry(kind, pose, "mesh",
                   {{"filename", mesh_path(folder_, geometry.file, shape.where, lost_)},
                    {"scale", numbers_text(geometry.scale)}},
                   shape, element);
      break;
  }
}

void UrdfText::write_edge(std::size_t number) {
  const RobotLink& link = model_.links[number];
  const auto parent = static_cast<std::size_t>(link.parent);
  const bool moves = !link.joints.empty() && link.joints[0].motion != JointMotion::Free;
  edges_[number] = xml_name(moves ? link.joints[0].name : unused(link.name + "_joint"));
  const char* type = link.joints.empty() ? "fixed" : "floating";
  if (moves) {
    const RobotJoint& joint = link.joints[0];
    type = joint.motion == JointMotion::Slide ? "prismatic"
           : joint.range                      ? "revolute"
                                              : "continuous";
  }
  const pugi::xml_node edge =
      add_element(root_, "joint", {{"name", edges_[number]}, {"type", type}});
  add_urdf_origin(edge, moved_by(-shifts_[parent]) * link.pose * moved_by(shifts_[number]));
  add_element(edge, "parent", {{"link", xml_name(model_.links[parent].name)}});
  add_element(edge, "child", {{"link", xml_name(link.name)}});
  if (moves) {
    write_moving(link.joints[0], edge);
    write_spring(link.joints[0]);
  }
}

void UrdfText::write_moving(const RobotJoint& joint, pugi::xml_node edge) {
  add_element(edge, "axis", {{"xyz", numbers_text(joint.axis)}});
  const pugi::xml_node limit = add_element(edge, "limit");
  std::optional<Range> range = joint.range;
  if (joint.motion == JointMotion::Slide && !range) {
    range = Range{-kFarSlide, kFarSlide};
  }
  if (range) {
    set(limit, "lower", numbers_text(range->lower));
    set(limit, "upper", numbers_text(range->upper));
  }
  set(limit, "effort",
      numbers_text(joint.has_own_motor() ? std::min(joint.effort, kNoEffort) : 0.0));
  set(limit, "velocity",
      numbers_text(joint.has_own_motor() ? std::min(joint.velocity, kNoVelocity) : 0.0));
  if (joint.damping != 0.0 || joint.friction != 0.0) {
    add_element(
        edge, "dynamics",
        {{"damping", numbers_text(joint.damping)}, {"friction", numbers_text(joint.friction)}});
  }
  if (joint.target_range) {
    add_element(edge, "safety_controller",
                {{"soft_lower_limit", numbers_text(joint.target_range->lower)},
                 {"soft_upper_limit", numbers_text(joint.target_range->upper)},
                 {"k_position", "0"},
                 {"k_velocity", "0"}});
  }
  if (joint.mimic) {
    add_element(edge, "mimic",
                {{"joint", xml_name(joint.mimic->leader)},
                 {"multiplier", numbers_text(joint.mimic->multiplier)},
                 {"offset", numbers_text(joint.mimic->offset)}});
  }
  if (!joint.has_own_motor() && !joint.mimic) {
    lost_.add("joints have no motor by an effort of 0, which readers may take for an unknown one",
              joint.where, joint.name, false);
  }
  if (joint.armature != 0.0) {
    lost_.add("armature is left out", joint.where, joint.name);
  }
  if (!joint.actuators.empty()) {
    lost_.add("laws of torque are left out", joint.actuators[0].where, joint.motor_name);
  }
  if (joint.has_own_motor() && joint.actuators.empty() &&
      joint.proportional != RobotJoint{}.proportional) {
    lost_.add("P of controlPID is left out", joint.where, joint.motor_name);
  }
  if (joint.has_own_motor() && joint.mimic) {
    lost_.add("motors of coupled joints drive nothing, as readers let such a joint follow",
              joint.where, joint.motor_name);
  }
  if (joint.start != 0.0) {
    lost_.add("positions at the start are left out", joint.where, joint.name);
  }
  if (joint.has_own_motor() && joint.motor_name != joint.name) {
    lost_.add("motors get the names of their joints", joint.where, joint.motor_name, false);
  }
}

void UrdfText::write_spring(const RobotJoint& joint) {
  if (joint.stiffness == 0.0) {
    return;
  }
  const pugi::xml_node gazebo = add_element(root_, "gazebo", {{"reference", xml_name(joint.name)}});
  add_element(gazebo, "springStiffness").text() = numbers_text(joint.stiffness).c_str();
  add_element(gazebo, "springReference").text() = numbers_text(joint.rest).c_str();
}

// What the child puts on the parent, in the axes of the child and about its origin.
void UrdfText::write_force_torque(const Sensor& sensor) {
  const auto link = static_cast<std::size_t>(sensor.link);
  if (edges_[link].empty()) {
    lost_.add("forceTorqueSensors of what nothing carries are left out", sensor.where, sensor.name,
              false);
    return;
  }
  if (shifts_[link] != Vec3{}) {
    lost_.add("forceTorqueSensors have the torque about the anchor of their joint", sensor.where,
              sensor.name, false);
  }
  const pugi::xml_node gazebo = add_element(root_, "gazebo", {{"reference", edges_[link]}});
  const pugi::xml_node measured = add_element(
      add_element(gazebo, "sensor", {{"name", xml_name(sensor.name)}, {"type", "force_torque"}}),
      "force_torque");
  add_element(measured, "frame").text() = "child";
  add_element(measured, "measure_direction").text() = "child_to_parent";
}

void UrdfText::write_sensor(const Sensor& sensor) {
  if (sensor.type == SensorType::ForceTorque) {
    write_force_torque(sensor);
    return;
  }
  constexpr std::array<std::pair<SensorType, const char*>, 5> kKinds{
      {{SensorType::Accelerometer, "accelerometer"},
       {SensorType::Gyro, "gyroscope"},
       {SensorType::Compass, "magnetometer"},
       {SensorType::Gps, "gps"},
       {SensorType::Altimeter, "altimeter"}}};
  const auto kind = std::ranges::find(kKinds, sensor.type, &decltype(kKinds)::value_type::first);
  if (kind == kKinds.end()) {
    lost_.add("InertialUnits are left out", sensor.where, sensor.name, false);
    return;
  }
  const auto link = static_cast<std::size_t>(sensor.link);
  const pugi::xml_node node =
      add_element(root_, "sensor", {{"name", xml_name(sensor.name)}, {"type", kind->second}});
  add_element(node, "parent", {{"link", xml_name(model_.links[link].name)}});
  add_urdf_origin(node, moved_by(-shifts_[link]) * sensor.pose);
}

}  // namespace

std::string urdf_of(const RobotModel& model, std::size_t top, const std::string& folder,
                    LossKinds& lost, std::vector<Loss>& losses) {
  RobotModel robot = part_of(model, top, lost);
  drop_couplings(model, robot, lost);
  spread_balls(robot);
  split_joints(robot, losses);
  return UrdfText(robot, folder, lost).write();
}

}  // namespace servosim::robots
