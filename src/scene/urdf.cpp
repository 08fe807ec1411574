// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "scene/scene.h"
#include "scene/scene_builder.h"

namespace servosim {

namespace {

std::string triple(double x, double y, double z) {
  return fmt::format("{:.9g} {:.9g} {:.9g}", x + 0.0, y + 0.0, z + 0.0);  // + 0.0: no "-0"
}

std::string triple(const Vec3& v) { return triple(v.x, v.y, v.z); }

// URDF's fixed-axis angles: a turn about x, then y, then z.
Vec3 roll_pitch_yaw(const Mat3& r) {
  const double pitch = std::atan2(-r(2, 0), std::hypot(r(0, 0), r(1, 0)));
  if (std::hypot(r(0, 0), r(1, 0)) < 1e-9) {  // pitch of ±90°: yaw is free, so 0
    return {std::atan2(-r(1, 2), r(1, 1)), pitch, 0.0};
  }
  return {std::atan2(r(2, 1), r(2, 2)), pitch, std::atan2(r(1, 0), r(0, 0))};
}

std::string origin(const Pose& pose) {
  return fmt::format("<origin xyz=\"{}\" rpy=\"{}\"/>", triple(pose.translation),
                     triple(roll_pitch_yaw(pose.rotation)));
}

Pose moved(const Vec3& by) { return {Mat3{}, by}; }

class UrdfWriter {
 public:
  UrdfWriter(const Scene& scene, int robot, const std::string& prefix);
  std::string text() &&;

 private:
  // The link of a Solid: its name, and the Solid's frame in that of the link, which is at the
  // joint.
  struct Link {
    std::string name;
    Pose solid;
  };

  template <typename... T>
  void line(int indent, fmt::format_string<T...> format, T&&... values);
  std::string unique(const std::string& name);
  void add_link(const SolidSpec& solid);
  void add_inertial(const MassSpec& mass, const Pose& solid);
  void add_collision(const Shape& shape, const Pose& solid);
  void add_geometry(const Pose& pose, const std::string& geometry);
  void add_joint(const SolidSpec& solid);
  void add_axis(int joint, const std::string& origin, const std::string& parent,
                const std::string& child);
  void add_limits(const JointSpec& joint, int index);
  const MotorSpec* motor_of(int joint) const;
  Pose joint_frame(const SolidSpec& solid) const;
  std::string joint_name(int joint) const;

  const Scene& scene_;
  int robot_;
  std::string prefix_;
  std::set<std::string> names_;
  std::vector<Link> links_;  // by Solid
  std::string text_;
};

template <typename... T>
void UrdfWriter::line(int indent, fmt::format_string<T...> format, T&&... values) {
  text_.append(static_cast<std::size_t>(2 * indent), ' ');
  fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
  text_ += '\n';
}

UrdfWriter::UrdfWriter(const Scene& scene, int robot, const std::string& prefix)
    : scene_(scene), robot_(robot), prefix_(prefix), links_(scene.solids.size()) {
  const RobotSpec& spec = scene.robots.at(static_cast<std::size_t>(robot));
  line(0, "<?xml version=\"1.0\"?>");
  line(0, "<robot name=\"{}\">", xml_escaped(prefix + spec.name));
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
  line(0, "</robot>");
}

std::string UrdfWriter::text() && { return std::move(text_); }

// A name that no other link has.
std::string UrdfWriter::unique(const std::string& name) {
  std::string candidate = prefix_ + name;
  for (int n = 2; !names_.insert(candidate).second; ++n) {
    candidate = fmt::format("{}{}_{}", prefix_, name, n);
  }
  return xml_escaped(candidate);
}

void UrdfWriter::add_link(const SolidSpec& solid) {
  const Link& link = links_[static_cast<std::size_t>(&solid - scene_.solids.data())];
  line(1, "<link name=\"{}\">", link.name);
  if (solid.physics) {
    add_inertial(*solid.physics, link.solid);
  }
  for (const Shape& shape : solid.shapes) {
    add_collision(shape, link.solid);
  }
  line(1, "</link>");
}

void UrdfWriter::add_inertial(const MassSpec& mass, const Pose& solid) {
  if (mass.mass <= 0.0 || !mass.inertia) {
    return;
  }
  const Mat3& i = *mass.inertia;
  line(2, "<inertial>");
  line(3, "{}", origin(solid * moved(mass.center_of_mass.value_or(Vec3{}))));
  line(3, "<mass value=\"{:.9g}\"/>", mass.mass);
  line(3,
       "<inertia ixx=\"{:.9g}\" ixy=\"{:.9g}\" ixz=\"{:.9g}\" iyy=\"{:.9g}\" iyz=\"{:.9g}\" "
       "izz=\"{:.9g}\"/>",
       i(0, 0), i(0, 1), i(0, 2), i(1, 1), i(1, 2), i(2, 2));
  line(2, "</inertial>");
}

void UrdfWriter::add_geometry(const Pose& pose, const std::string& geometry) {
  line(2, "<collision>");
  line(3, "{}", origin(pose));
  line(3, "<geometry>{}</geometry>", geometry);
  line(2, "</collision>");
}

void UrdfWriter::add_collision(const Shape& shape, const Pose& solid) {
  const Pose pose = solid * shape.pose;
  const std::string sphere = fmt::format("<sphere radius=\"{:.9g}\"/>", shape.radius);
  const std::string cylinder =
      fmt::format("<cylinder radius=\"{:.9g}\" length=\"{:.9g}\"/>", shape.radius, shape.height);
  switch (shape.type) {
    case ShapeType::Box:
      return add_geometry(pose, fmt::format("<box size=\"{}\"/>", triple(shape.size)));
    case ShapeType::Sphere:
      return add_geometry(pose, sphere);
    case ShapeType::Cylinder:
      return add_geometry(pose, cylinder);
    case ShapeType::Capsule:
      add_geometry(pose, cylinder);
      add_geometry(pose * moved({0.0, 0.0, 0.5 * shape.height}), sphere);
      return add_geometry(pose * moved({0.0, 0.0, -0.5 * shape.height}), sphere);
    default:
      return;
  }
}

// The frame of the joint of a Solid's link, in the frame of the parent Solid: its origin on the
// axis, its rotation that of the Solid at position 0.
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
  return xml_escaped(prefix_ + std::string(name));
}

// URDF has one axis per joint: a Hinge2Joint or BallJoint becomes a chain of joints with empty
// links between them.
void UrdfWriter::add_joint(const SolidSpec& solid) {
  const Link& parent = links_[static_cast<std::size_t>(solid.parent)];
  const Link& child = links_[static_cast<std::size_t>(&solid - scene_.solids.data())];
  std::string place = origin(parent.solid * joint_frame(solid));
  if (solid.joint < 0) {
    line(1, "<joint name=\"{} fixed\" type=\"{}\">", child.name,
         solid.free_body ? "floating" : "fixed");
    line(2, "{}", place);
    line(2, "<parent link=\"{}\"/>", parent.name);
    line(2, "<child link=\"{}\"/>", child.name);
    line(1, "</joint>");
    return;
  }
  std::string carrier = parent.name;
  for (const JointSpec& axis : axes_of(scene_, solid.joint)) {
    const bool last = axis.axis_number + 1 == axis_count(axis.kind);
    std::string carried =
        last ? child.name : unique(fmt::format("{} axis {}", solid.name, axis.axis_number + 1));
    if (!last) {
      line(1, "<link name=\"{}\"/>", carried);
    }
    add_axis(solid.joint + axis.axis_number, place, carrier, carried);
    carrier = std::move(carried);
    place = origin({});
  }
}

void UrdfWriter::add_axis(int index, const std::string& origin, const std::string& parent,
                          const std::string& child) {
  const JointSpec& joint = scene_.joints[static_cast<std::size_t>(index)];
  line(1, "<joint name=\"{}\" type=\"{}\">", joint_name(index),
       joint.type == JointType::Rotational ? "revolute" : "prismatic");
  line(2, "{}", origin);
  line(2, "<parent link=\"{}\"/>", parent);
  line(2, "<child link=\"{}\"/>", child);
  line(2, "<axis xyz=\"{}\"/>", triple(transposed(joint.zero_pose.rotation) * joint.axis));
  add_limits(joint, index);
  line(2, "<dynamics damping=\"{:.9g}\" friction=\"{:.9g}\"/>", joint.damping_constant,
       joint.static_friction);
  line(1, "</joint>");
}

const MotorSpec* UrdfWriter::motor_of(int joint) const {
  for (const DeviceSpec& device : scene_.robots[static_cast<std::size_t>(robot_)].devices) {
    if (device.joint == joint && device.motor) {
      return &*device.motor;
    }
  }
  return nullptr;
}

void UrdfWriter::add_limits(const JointSpec& joint, int index) {
  const MotorSpec* motor = motor_of(index);
  double lower = -kMaxCoordinate;  // URDF requires bounds of a prismatic joint
  double upper = kMaxCoordinate;
  if (joint.min_stop != joint.max_stop) {
    lower = joint.min_stop;
    upper = joint.max_stop;
  } else if (motor != nullptr && motor->min_position != motor->max_position) {
    lower = motor->min_position;
    upper = motor->max_position;
  }
  line(2, "<limit lower=\"{:.9g}\" upper=\"{:.9g}\" effort=\"{:.9g}\" velocity=\"{:.9g}\"/>", lower,
       upper, motor != nullptr ? motor->max_force : 0.0,
       motor != nullptr ? motor->max_velocity : 0.0);
}

}  // namespace

std::string to_urdf(const Scene& scene, int robot, const std::string& prefix) {
  return UrdfWriter(scene, robot, prefix).text();
}

}  // namespace servosim
