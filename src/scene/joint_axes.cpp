// SPDX-License-Identifier: Apache-2.0
#include "scene/joint_axes.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "scene/checks.h"
#include "scene/joints.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// Directions closer than this [rad] count as parallel, or as perpendicular: the digits of a file.
constexpr double kSameDirection = 1e-3;
// ODE needs a plane through the two axes of a joint.
constexpr double kParallel = 1e-6;

using Parameters = std::array<const wbt::Node*, 3>;

JointKind kind_of(const wbt::Node& joint) {
  const std::string_view type = joint.type->name;
  return type == "SliderJoint"   ? JointKind::Slider
         : type == "Hinge2Joint" ? JointKind::Hinge2
         : type == "BallJoint"   ? JointKind::Ball
                                 : JointKind::Hinge;
}

// Says what is not read of parameters that are meant for another kind of axis.
void check_parameters(const wbt::Node& parameters, std::string_view slot, const JointSpec& axis,
                      Diagnostics& diagnostics) {
  const std::string_view taken = parameters_type(axis.kind, axis.axis_number);
  if (parameters.type->name == taken) {
    return;
  }
  std::string ignored;
  for (const wbt::Field& field : parameters.fields) {
    if (wbt::find_node_type(taken)->field(field.type->name) == nullptr) {
      ignored += fmt::format("{}{}", ignored.empty() ? "; ignored: " : ", ", field.type->name);
    }
  }
  diagnostics.warning(parameters.where,
                      fmt::format("{} of a {} should be {}, not {}{}", slot, type_name(axis.kind),
                                  taken, parameters.type->name, ignored));
}

const wbt::Node* parameters_of(const wbt::Node& joint, std::string_view field,
                               const JointSpec& axis, Diagnostics& diagnostics) {
  const wbt::NodePtr& parameters = joint.node(field);
  if (!parameters || parameters->type->field("springConstant") != nullptr) {
    if (parameters) {
      check_parameters(*parameters, field, axis, diagnostics);
    }
    return parameters.get();
  }
  diagnostics.warning(parameters->where,
                      fmt::format("{} is no set of joint parameters; the defaults are used",
                                  parameters->type->name));
  return nullptr;
}

// The first node of a ball has no axis: the other two carry axes 1 and 3.
void distribute_ball_axes(std::vector<JointSpec>& axes, const Parameters& parameters) {
  const Vec3 y{0.0, 1.0, 0.0};
  const auto square_to = [&](const Vec3& given, const Vec3& instead_of_y) {
    return unit_or(cross(given, y), instead_of_y);
  };
  Vec3 a{1.0, 0.0, 0.0};
  Vec3 c{0.0, 0.0, 1.0};
  if (parameters[1] != nullptr) {
    a = axes[1].axis;
    c = square_to(a, {1.0, 0.0, 0.0});
  }
  if (parameters[2] != nullptr) {
    c = axes[2].axis;
    a = parameters[1] != nullptr ? a : -square_to(c, {-1.0, 0.0, 0.0});
  }
  axes[0].axis = a;
  axes[2].axis = c;
  for (int k = 1; k < 3; ++k) {
    if (parameters[k] == nullptr) {
      axes[k].spring_constant = axes[0].spring_constant;
      axes[k].damping_constant = axes[0].damping_constant;
    }
  }
}

// Webots makes no joint between a static and a dynamic side here. What would hang on it is then a
// free body, and its motors and sensors turn nothing.
void check_hinge2_sides(Scene& scene, std::span<JointSpec> axes, Diagnostics& diagnostics) {
  const JointSpec joint = axes.front();
  const bool child_static = joint.reference && joint.child < 0 && is_dynamic(scene, joint.parent);
  const bool parent_static = is_dynamic(scene, joint.child) && !is_dynamic(scene, joint.parent);
  if (joint.child >= 0 && is_dynamic(scene, joint.parent) && !is_dynamic(scene, joint.child)) {
    diagnostics.warning(joint.where,
                        fmt::format("a Hinge2Joint needs Physics on both sides: Solid \"{}\" has "
                                    "none and is moved without forces",
                                    scene.solids[joint.child].name));
    return;
  }
  if (!child_static && !parent_static) {
    return;
  }
  std::string hangs;
  if (!joint.reference) {
    SolidSpec& child = scene.solids[joint.child];
    child.joint = -1;
    child.free_body = true;
    hangs = fmt::format(", and nothing holds Solid \"{}\"", child.name);
  }
  diagnostics.warning(joint.where, fmt::format("a Hinge2Joint needs Physics on both sides; as in "
                                               "Webots there is no joint{}",
                                               hangs));
  for (JointSpec& axis : axes) {
    axis.child = -1;
    axis.reference = false;
  }
}

void check_suspension(const Scene& scene, JointSpec& joint, Diagnostics& diagnostics) {
  SuspensionSpec& s = joint.suspension;
  if (!s.gives_way()) {
    return;
  }
  const bool hinge = joint.kind == JointKind::Hinge;
  const double slant = hinge ? std::abs(dot(joint.axis, s.axis)) : norm(cross(joint.axis, s.axis));
  std::string_view lacks;
  if (!is_dynamic(scene, joint.parent) || !is_dynamic(scene, joint.child)) {
    lacks = "Physics on both sides";
  } else if (slant > kSameDirection) {
    lacks = hinge ? "a suspensionAxis perpendicular to its axis" : "a suspensionAxis along axis 1";
  } else {
    return;
  }
  diagnostics.warning(s.where, fmt::format("the suspension of a {} needs {}; this axle is "
                                           "rigid",
                                           hinge ? "HingeJoint" : "Hinge2Joint", lacks));
  s.spring_constant = 0.0;
  s.damping_constant = 0.0;
}

}  // namespace

std::vector<JointSpec> read_joint_axes(const wbt::Node& joint, Diagnostics& diagnostics) {
  static constexpr std::array<std::string_view, 3> kParameters{
      "jointParameters", "jointParameters2", "jointParameters3"};
  static constexpr std::array<std::string_view, 3> kSaved{"position", "position2", "position3"};
  const JointKind kind = kind_of(joint);
  std::vector<JointSpec> axes(axis_count(kind));
  Parameters parameters{};
  for (int k = 0; k < static_cast<int>(axes.size()); ++k) {
    JointSpec& axis = axes[k];
    axis.kind = kind;
    axis.type = kind == JointKind::Slider ? JointType::Linear : JointType::Rotational;
    axis.axis_number = k;
    axis.node = joint.id;
    axis.where = joint.where;
    const bool turns_about_x = kind != JointKind::Slider && k == 0;
    axis.axis = turns_about_x ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 0.0, 1.0};
    parameters[k] = parameters_of(joint, kParameters[k], axis, diagnostics);
    if (parameters[k] != nullptr) {
      axis.parameters = parameters[k]->id;
      read_joint_parameters(*parameters[k], axis, diagnostics);
    } else {
      axis.position = read_position(joint, kSaved[k], axis, diagnostics);
    }
    axis.anchor = axes.front().anchor;
  }
  if (kind == JointKind::Ball) {
    distribute_ball_axes(axes, parameters);
  }
  return axes;
}

std::string axis_name(const std::string& joint, const JointSpec& axis) {
  if (axis_count(axis.kind) == 1) {
    return joint;
  }
  return fmt::format("{} axis {}", joint.empty() ? "joint" : joint, axis.axis_number + 1);
}

void settle_axes(std::span<JointSpec> axes, const Mat3& frame, Diagnostics& diagnostics) {
  if (axes.size() == 1) {
    return;
  }
  JointSpec& first = axes.front();
  JointSpec& last = axes.back();
  if (norm(cross(first.axis, last.axis)) < kParallel) {
    diagnostics.warning(first.where,
                        fmt::format("the axes of the {} are parallel; the world's x and z are used",
                                    axes.size() == 2 ? "Hinge2Joint" : "BallJoint"));
    first.axis = transposed(frame) * Vec3{1.0, 0.0, 0.0};
    last.axis = transposed(frame) * Vec3{0.0, 0.0, 1.0};
  }
  if (axes.size() == 3) {
    axes[1].axis = unit_or(cross(last.axis, first.axis), {});
  }
}

Pose start_motion(std::span<const JointSpec> axes) {
  Pose motion;
  for (const JointSpec& axis : axes) {
    motion = motion * motion_of(axis, axis.position);
  }
  return motion;
}

void check_joint_sides(Scene& scene, Diagnostics& diagnostics) {
  for (JointSpec& joint : scene.joints) {
    if (joint.axis_number == 0 && joint.kind == JointKind::Hinge2) {
      check_hinge2_sides(scene, {&joint, 2}, diagnostics);
    }
    check_suspension(scene, joint, diagnostics);
  }
}

}  // namespace servosim
