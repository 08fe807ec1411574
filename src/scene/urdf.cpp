// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/roll_pitch_yaw.h"
#include "base/xml.h"
#include "scene/scene.h"
#include "scene/scene_builder.h"

namespace servosim {

namespace {

std::string triple(double x, double y, double z) {
  // Adding 0.0 avoids "-0".
  return fmt::format("{:.9g} {:.9g} {:.9g}", x + 0.0, y + 0.0, z + 0.0);
}

std::string triple(const Vec3& v) { return triple(v.x, v.y, v.z); }

std::string number(double value) { return fmt::format("{:.9g}", value); }

void add_origin(pugi::xml_node parent, const Pose& pose) {
  add_element(parent, "origin",
              {{"xyz", triple(pose.translation)}, {"rpy", triple(rpy_of_rotation(pose.rotation))}});
}

Pose moved(const Vec3& by) { return {Mat3{}, by}; }

void add_inertial(pugi::xml_node link, const MassSpec& mass, const Pose& solid) {
  if (mass.mass <= 0.0 || !mass.inertia) {
    return;
  }
  const Mat3& i = *mass.inertia;
  const pugi::xml_node inertial = add_element(link, "inertial");
  add_origin(inertial, solid * moved(mass.center_of_mass.value_or(Vec3{})));
  add_element(inertial, "mass", {{"value", number(mass.mass)}});
  add_element(inertial, "inertia",
              {{"ixx", number(i(0, 0))},
               {"ixy", number(i(0, 1))},
               {"ixz", number(i(0, 2))},
               {"iyy", number(i(1, 1))},
               {"iyz", number(i(1, 2))},
               {"izz", number(i(2, 2))}});
}

void add_geometry(pugi::xml_node link, const Pose& pose, const char* shape,
                  std::initializer_list<XmlAttribute> sizes) {
  const pugi::xml_node collision = add_element(link, "collision");
  add_origin(collision, pose);
  add_element(add_element(collision, "geometry"), shape, sizes);
}

void add_collision(pugi::xml_node link, const Shape& shape, const Pose& solid) {
  const Pose pose = solid * shape.pose;
  const XmlAttribute radius{"radius", number(shape.radius)};
  const XmlAttribute length{"length", number(shape.height)};
  switch (shape.type) {
    case ShapeType::Box:
      return add_geometry(link, pose, "box", {{"size", triple(shape.size)}});
    case ShapeType::Sphere:
      return add_geometry(link, pose, "sphere", {radius});
    case ShapeType::Cylinder:
      return add_geometry(link, pose, "cylinder", {radius, length});
    case ShapeType::Capsule:
      add_geometry(link, pose, "cylinder", {radius, length});
      add_geometry(link, pose * moved({0.0, 0.0, 0.5 * shape.height}), "sphere", {radius});
      return add_geometry(link, pose * moved({0.0, 0.0, -0.5 * shape.height}), "sphere", {radius});
    default:
      return;
  }
}

class UrdfWriter {
 public:
  UrdfWriter(const Scene& scene, int robot, const std::string& prefix);
  std::string text() const;

 private:
  // The link of a Solid: its name, and the Solid's frame in the frame of the link, which is at the
  // joint.
  struct Link {
    std::string name;
    Pose solid;
  };

  std::string unique(const std::string& name);
  void add_link(const SolidSpec& solid);
  void add_joint(const SolidSpec& solid);
  pugi::xml_node add_edge(const std::string& name, const char* type, const Pose& origin,
                          const std::string& parent, const std::string& child);
  void add_axis(int joint, const Pose& origin, const std::string& parent, const std::string& child);
  void add_limits(pugi::xml_node edge, int index) const;
  const MotorSpec* motor_of(int joint) const;
  Pose joint_frame(const SolidSpec& solid) const;
  std::string joint_name(int joint) const;

  const Scene& scene_;
  int robot_;
  std::string prefix_;
  std::set<std::string> names_;
  std::vector<Link> links_;  // by Solid
  pugi::xml_document document_;
  pugi::xml_node element_;  // the robot's element
};

UrdfWriter::UrdfWriter(const Scene& scene, int robot, const std::string& prefix)
    : scene_(scene), robot_(robot), prefix_(prefix), links_(scene.solids.size()) {
  const RobotSpec& spec = scene.robots.at(static_cast<std::size_t>(robot));
  element_ = add_element(document_, "robot", {{"name", prefix + spec.name}});
  for (std::size_t i = 0; i < scene.solids.size(); ++i) {
    const SolidSpec& solid = scene.solids[i];
    if (solid.robot != robot) {
      continue;
    }
    links_[i].name = unique(solid.name);
    const bool is_base = static_cast<int>(i) == spec.solid;
    if (!is_base && solid.joint >= 0) {
      const JointSpec& joint = scene.joints[static_cast<std::size_t>(solid.joint)];
      links_[i].solid = inverse(joint_frame(solid)) * joint.zero_pose;
    }
    add_link(solid);
    if (!is_base && solid.parent >= 0) {
      add_joint(solid);
    }
  }
}

std::string UrdfWriter::text() const { return xml_text(document_); }

// Returns a name that no other link has.
std::string UrdfWriter::unique(const std::string& name) {
  std::string candidate = prefix_ + name;
  for (int n = 2; !names_.insert(candidate).second; ++n) {
    candidate = fmt::format("{}{}_{}", prefix_, name, n);
  }
  return candidate;
}

void UrdfWriter::add_link(const SolidSpec& solid) {
  const Link& link = links_[static_cast<std::size_t>(&solid - scene_.solids.data())];
  const pugi::xml_node element = add_element(element_, "link", {{"name", link.name}});
  if (solid.physics) {
    add_inertial(element, *solid.physics, link.solid);
  }
  for (const Shape& shape : solid.shapes) {
    add_collision(element, shape, link.solid);
  }
}

// Returns the frame of the joint of a Solid's link, in the frame of the parent Solid. Its origin is
// on the axis, and its rotation is that of the Solid at position 0.
Pose UrdfWriter::joint_frame(const SolidSpec& solid) const {
  if (solid.joint < 0) {
    return solid.pose;
  }
  const JointSpec& joint = scene_.joints[static_cast<std::size_t>(solid.joint)];
  Pose frame = joint.zero_pose;
  if (joint.type == JointType::Rotational) {
    frame.translation = joint.anchor;
  }
  return frame;
}

std::string UrdfWriter::joint_name(int joint) const {
  std::string_view name = scene_.joints[static_cast<std::size_t>(joint)].name;
  const std::string& robot = scene_.robots[static_cast<std::size_t>(robot_)].name;
  if (name.size() > robot.size() && name.substr(0, robot.size()) == robot) {
    name.remove_prefix(robot.size() + 1);
  }
  return prefix_ + std::string(name);
}

pugi::xml_node UrdfWriter::add_edge(const std::string& name, const char* type, const Pose& origin,
                                    const std::string& parent, const std::string& child) {
  const pugi::xml_node edge = add_element(element_, "joint", {{"name", name}, {"type", type}});
  add_origin(edge, origin);
  add_element(edge, "parent", {{"link", parent}});
  add_element(edge, "child", {{"link", child}});
  return edge;
}

// URDF has one axis per joint, so a Hinge2Joint or BallJoint becomes a chain of joints with empty
// links between them.
void UrdfWriter::add_joint(const SolidSpec& solid) {
  const Link& parent = links_[static_cast<std::size_t>(solid.parent)];
  const Link& child = links_[static_cast<std::size_t>(&solid - scene_.solids.data())];
  Pose origin = parent.solid * joint_frame(solid);
  if (solid.joint < 0) {
    add_edge(child.name + " fixed", solid.free_body ? "floating" : "fixed", origin, parent.name,
             child.name);
    return;
  }
  std::string carrier = parent.name;
  for (const JointSpec& axis : axes_of(scene_, solid.joint)) {
    const bool last = axis.axis_number + 1 == axis_count(axis.kind);
    std::string carried =
        last ? child.name : unique(fmt::format("{} axis {}", solid.name, axis.axis_number + 1));
    if (!last) {
      add_element(element_, "link", {{"name", carried}});
    }
    add_axis(solid.joint + axis.axis_number, origin, carrier, carried);
    carrier = std::move(carried);
    origin = {};
  }
}

void UrdfWriter::add_axis(int index, const Pose& origin, const std::string& parent,
                          const std::string& child) {
  const JointSpec& joint = scene_.joints[static_cast<std::size_t>(index)];
  const pugi::xml_node edge =
      add_edge(joint_name(index), joint.type == JointType::Rotational ? "revolute" : "prismatic",
               origin, parent, child);
  add_element(edge, "axis", {{"xyz", triple(transposed(joint.zero_pose.rotation) * joint.axis)}});
  add_limits(edge, index);
  add_element(
      edge, "dynamics",
      {{"damping", number(joint.damping_constant)}, {"friction", number(joint.static_friction)}});
}

const MotorSpec* UrdfWriter::motor_of(int joint) const {
  for (const DeviceSpec& device : scene_.robots[static_cast<std::size_t>(robot_)].devices) {
    if (device.joint == joint && device.motor) {
      return &*device.motor;
    }
  }
  return nullptr;
}

void UrdfWriter::add_limits(pugi::xml_node edge, int index) const {
  const JointSpec& joint = scene_.joints[static_cast<std::size_t>(index)];
  const MotorSpec* motor = motor_of(index);
  double lower = -kMaxCoordinate;  // URDF requires bounds for a prismatic joint
  double upper = kMaxCoordinate;
  if (joint.stops.min != joint.stops.max) {
    lower = joint.stops.min;
    upper = joint.stops.max;
  } else if (motor != nullptr && motor->min_position != motor->max_position) {
    lower = motor->min_position;
    upper = motor->max_position;
  }
  add_element(edge, "limit",
              {{"lower", number(lower)},
               {"upper", number(upper)},
               {"effort", number(motor != nullptr ? motor->max_force : 0.0)},
               {"velocity", number(motor != nullptr ? motor->max_velocity : 0.0)}});
}

}  // namespace

std::string to_urdf(const Scene& scene, int robot, const std::string& prefix) {
  return UrdfWriter(scene, robot, prefix).text();
}

}  // namespace servosim
