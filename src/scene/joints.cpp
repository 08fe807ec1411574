// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/limits.h"
#include "scene/checks.h"
#include "scene/device_builders.h"
#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "servosim/drive_settings.h"

namespace servosim {

namespace {

// Returns a spring, damping or friction [N·m, N, and per rad, m, rad/s, m/s], or an armature
// [kg·m², kg], that ODE can square.
double passive_force(const CheckedFields& checked, std::string_view field, double value) {
  if (value > detail::kMaxForce) {
    checked.warn_of_replacement(field, fmt::format("{}", value),
                                fmt::format("{}", detail::kMaxForce), "it must be at most 1e18");
    return detail::kMaxForce;
  }
  return value;
}

// The limit of position 2 of a ball [rad], at which axes 1 and 3 coincide.
constexpr double kMaxBallAngle = std::numbers::pi / 2.0;

bool is_middle_of_ball(const JointSpec& joint) {
  return joint.kind == JointKind::Ball && joint.axis_number == 1;
}

double within_ball_range(const CheckedFields& checked, std::string_view field, double value,
                         std::string_view what) {
  const double inside = std::clamp(value, -kMaxBallAngle, kMaxBallAngle);
  if (inside != value) {
    checked.warn_of_replacement(
        field, fmt::format("{}", value), fmt::format("{}", inside),
        fmt::format("{} 2 of a BallJoint moves within -pi/2 and pi/2", what));
  }
  return inside;
}

constexpr const char* kTooFar = "it must be within 1e8";

bool is_too_far(double position) { return std::abs(position) > kMaxFileJointPosition; }

double read_position(const CheckedFields& checked, std::string_view field, const JointSpec& joint) {
  const double position = checked.keeping_the_field().number(field, is_too_far, 0.0, kTooFar);
  return is_middle_of_ball(joint) ? within_ball_range(checked, field, position, "axis") : position;
}

// Reads the fields that a Servo and the parameters of a modern joint have in common.
void read_common(const CheckedFields& checked, JointSpec& joint) {
  joint.position = read_position(checked, "position", joint);
  joint.spring.constant =
      passive_force(checked, "springConstant", checked.magnitude("springConstant"));
  joint.damping_constant =
      passive_force(checked, "dampingConstant", checked.magnitude("dampingConstant"));
  const double friction = checked.keeping_the_field().number(  // checked_on_edit() checks it
      "staticFriction", [](double x) { return x < 0.0; }, 0.0, "it must be >= 0");
  joint.static_friction = passive_force(checked, "staticFriction", friction);
  joint.stops.min = checked.keeping_the_field().finite("minStop");
  joint.stops.max = checked.keeping_the_field().finite("maxStop");
}

// Positions count turns, and stops do so with them; not every version of Webots agrees. Axis 2 of a
// ball moves within (-pi/2, pi/2).
void check_range_of_stops(const CheckedFields& checked, const JointSpec& joint) {
  const bool servo = checked.node().type->name == "Servo";
  std::string owner = fmt::format("a {}", servo ? "Servo" : type_name(joint.kind));
  if (axis_count(joint.kind) > 1) {
    owner = fmt::format("axis {} of {}", joint.axis_number + 1, owner);
  }
  const auto beyond = [&](double limit) {
    return joint.stops.min < -limit ? "minStop" : joint.stops.max > limit ? "maxStop" : nullptr;
  };
  if (is_middle_of_ball(joint)) {
    if (const char* field = beyond(kMaxBallAngle)) {
      checked.warn_replaced(
          field, fmt::format("a stop of {} beyond pi/2 is not effective: that axis moves "
                             "within -pi/2 and pi/2",
                             owner));
    }
  } else if (joint.type == JointType::Rotational) {
    if (const char* field = beyond(std::nextafter(std::numbers::pi, 0.0))) {
      checked.info(field, fmt::format("a stop of {} beyond pi counts turns; it is not effective in "
                                      "every version of Webots",
                                      owner));
    }
  }
}

void check_stops(const CheckedFields& checked, const JointSpec& joint) {
  if (joint.stops.min == joint.stops.max) {
    return;
  }
  if (joint.stops.min > joint.position) {
    checked.warn("minStop", fmt::format("minStop {} is above the position {}; the stop pushes the "
                                        "joint in",
                                        joint.stops.min, joint.position));
  }
  if (joint.stops.max < joint.position) {
    checked.warn("maxStop", fmt::format("maxStop {} is below the position {}; the stop pushes the "
                                        "joint in",
                                        joint.stops.max, joint.position));
  }
  check_range_of_stops(checked, joint);
}

void read_suspension(const CheckedFields& checked, JointSpec& joint) {
  const auto constant = [&](std::string_view field) {
    return passive_force(checked, field, checked.magnitude(field));
  };
  joint.suspension.spring_constant = constant("suspensionSpringConstant");
  joint.suspension.damping_constant = constant("suspensionDampingConstant");
  joint.suspension.axis = checked.keeping_the_field().direction("suspensionAxis", {1.0, 0.0, 0.0});
  joint.suspension.where = checked.node().where_of("suspensionSpringConstant");
}

void check_soft_limits(const CheckedFields& checked, const JointSpec& joint, MotorSpec& motor) {
  motor.min_position = checked.keeping_the_field().finite("minPosition");
  motor.max_position = checked.keeping_the_field().finite("maxPosition");
  if (motor.min_position == 0.0 && motor.max_position == 0.0) {
    if (is_middle_of_ball(joint)) {
      motor.min_position = -kMaxBallAngle;
      motor.max_position = kMaxBallAngle;
    }
    return;
  }
  if (is_middle_of_ball(joint)) {
    motor.min_position = within_ball_range(checked, "minPosition", motor.min_position, "motor");
    motor.max_position = within_ball_range(checked, "maxPosition", motor.max_position, "motor");
  }
  if (joint.position < motor.min_position) {
    checked.warn_and_substitute("minPosition", fmt::format("{}", motor.min_position),
                                joint.position, "it must not be above the joint's position");
    motor.min_position = joint.position;
  }
  if (joint.position > motor.max_position) {
    checked.warn_and_substitute("maxPosition", fmt::format("{}", motor.max_position),
                                joint.position, "it must not be below the joint's position");
    motor.max_position = joint.position;
  }
  const bool both = joint.stops.min != joint.stops.max && motor.min_position != motor.max_position;
  if (both && (motor.min_position < joint.stops.min || motor.max_position > joint.stops.max)) {
    checked.warn(
        motor.min_position < joint.stops.min ? "minPosition" : "maxPosition",
        fmt::format("the soft limits {} to {} reach beyond the hard stops {} to {}",
                    motor.min_position, motor.max_position, joint.stops.min, joint.stops.max));
  }
}

// Webots' own E-puck has a negative factor, so this is no fault of a world.
double consumption_factor(const CheckedFields& checked) {
  const double factor = checked.node().number("consumptionFactor");
  if (!std::isfinite(factor) || factor >= 0.0) {
    return checked.magnitude("consumptionFactor");
  }
  checked.info("consumptionFactor",
               fmt::format("consumptionFactor is {}; its magnitude is used", factor));
  return -factor;
}

// Reads the fields that a Servo and a modern motor have in common. `force_field` is maxForce or
// maxTorque.
MotorSpec read_motor(const CheckedFields& checked, const JointSpec& joint,
                     std::string_view force_field) {
  MotorSpec motor;
  motor.name = checked.node().string("name");
  motor.type = joint.type;
  motor.max_velocity = checked.magnitude("maxVelocity");
  // Webots copies the available force before it checks the field.
  const double force = checked.node().number(force_field);
  motor.max_force = checked.non_negative(force_field, 10.0);
  motor.available_force = std::isfinite(force) ? force : motor.max_force;
  motor.acceleration = checked.non_negative_or_none("acceleration");
  motor.fixed_position = joint.position;
  if (checked.node().type->field("consumptionFactor") != nullptr) {
    motor.consumption_factor = consumption_factor(checked);
  }
  motor.servo_choice = checked.node().string("servo");
  motor.servo_where = checked.node().where_of("servo");
  check_soft_limits(checked, joint, motor);
  return motor;
}

double read_multiplier(const CheckedFields& checked) {
  const bool null = checked.node().number("multiplier") == 0.0;
  return (null ? checked : checked.keeping_the_field())
      .number(
          "multiplier", [](double x) { return !(std::abs(x) >= 1e-9 && std::abs(x) <= 1e9); }, 1.0,
          null ? "it must not be 0" : "without its sign it must be between 1e-9 and 1e9");
}

void read_gains(const CheckedFields& checked, MotorSpec& motor) {
  const wbt::Node& node = checked.node();
  if (node.type->field("controlP") != nullptr && node.has("controlP")) {
    motor.gains.p = node.number("controlP");
  } else if (node.type->field("controlPID") != nullptr) {
    const Vec3 pid = node.vec3("controlPID");
    motor.gains = {pid.x, pid.y, pid.z};
  }
  const PidGains& g = motor.gains;
  const std::string_view field = node.has("controlP") ? "controlP" : "controlPID";
  if (!std::isfinite(g.p) || !std::isfinite(g.i) || !std::isfinite(g.d)) {
    checked.warn_of_replacement(field, fmt::format("{} {} {}", g.p, g.i, g.d),
                                fmt::format("{} {} {}", PidGains{}.p, PidGains{}.i, PidGains{}.d),
                                "it must be finite");
    motor.gains = {};
  } else if (!(g.p > 0.0) || !(g.i >= 0.0) || !(g.d >= 0.0)) {
    checked.warn(field,
                 fmt::format("the gains {} {} {} should be P > 0, I >= 0, D >= 0", g.p, g.i, g.d));
  }
}

}  // namespace

Pose motion_of(const JointSpec& spec, double position) {
  return spec.type == JointType::Rotational ? turn_about(spec.anchor, spec.axis, position)
                                            : Pose{{}, position * spec.axis};
}

namespace {

// The only table of the node types of joints.
constexpr std::pair<std::string_view, JointKind> kJointTypes[] = {
    {"HingeJoint", JointKind::Hinge},
    {"SliderJoint", JointKind::Slider},
    {"Hinge2Joint", JointKind::Hinge2},
    {"BallJoint", JointKind::Ball},
};

}  // namespace

std::string_view type_name(JointKind kind) {
  for (const auto& [name, known] : kJointTypes) {
    if (known == kind) {
      return name;
    }
  }
  SERVOSIM_ASSERT(false, "joint kind {} has no node type", static_cast<int>(kind));
  return {};
}

std::optional<JointKind> joint_kind(std::string_view node_type) {
  for (const auto& [name, kind] : kJointTypes) {
    if (name == node_type) {
      return kind;
    }
  }
  return std::nullopt;
}

std::string_view parameters_type(JointKind kind, int axis_number) {
  if (kind == JointKind::Slider || axis_number > 0) {
    return "JointParameters";
  }
  return kind == JointKind::Ball ? "BallJointParameters" : "HingeJointParameters";
}

double read_position(const wbt::Node& node, std::string_view field, const JointSpec& joint,
                     Findings& findings) {
  return read_position(CheckedFields(node, findings), field, joint);
}

void read_joint_parameters(const wbt::Node& parameters, JointSpec& joint, Findings& findings) {
  const CheckedFields checked(parameters, findings);
  const wbt::NodeType& taken = *wbt::find_node_type(parameters_type(joint.kind, joint.axis_number));
  const auto has = [&](std::string_view field) {
    return parameters.type->field(field) != nullptr && taken.field(field) != nullptr;
  };
  read_common(checked, joint);
  check_stops(checked, joint);
  joint.spring.reference = checked.number("springReference", is_too_far, 0.0, kTooFar);
  if (has("axis")) {
    joint.axis = checked.direction(
        "axis", has("suspensionAxis") ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 0.0, 1.0});
  }
  if (has("backlash")) {
    joint.backlash = checked.magnitude("backlash");
    joint.armature = passive_force(checked, "armature", checked.magnitude("armature"));
  }
  if (joint.type == JointType::Linear || !has("anchor")) {
    return;
  }
  joint.anchor = checked.point("anchor");
  if (!has("suspensionAxis")) {
    return;
  }
  const bool too_stiff = checked.node().number("stopERP") > 1.0;  // Webots does not change such a
                                                                  // value
  joint.stops.erp = (too_stiff ? checked.keeping_the_field() : checked)
                        .number(
                            "stopERP", [](double x) { return (x < 0.0 && x != -1.0) || x > 1.0; },
                            -1.0, "it must be -1 or in [0, 1]");
  joint.stops.cfm = checked.positive_or_none("stopCFM");
  read_suspension(checked, joint);
}

JointSpec read_servo_joint(const wbt::Node& servo, JointType type, Findings& findings) {
  const CheckedFields checked(servo, findings);
  JointSpec spec;
  spec.type = type;
  spec.kind = type == JointType::Rotational ? JointKind::Hinge : JointKind::Slider;
  spec.node = servo.id;
  spec.where = servo.where;
  read_common(checked, spec);
  if (servo.version < wbt::Version{6, 0, 0} && spec.position != 0.0) {
    checked.warn_replaced("position",
                          fmt::format("position {} is no start position in files before V6.0; "
                                      "the Servo starts at 0",
                                      spec.position));
    spec.position = 0.0;
  }
  check_stops(checked, spec);
  const AxisAngle rotation = servo.rotation("rotation");
  if (type == JointType::Linear) {
    spec.axis = rotation_matrix(rotation) * Vec3{0.0, 0.0, 1.0};
    return spec;
  }
  spec.axis = unit_or(rotation.axis, {});
  if (spec.axis == Vec3{}) {
    checked.warn_replaced("rotation", "the rotation axis is null; 0 1 0 is used");
    spec.axis = {0.0, 1.0, 0.0};
  }
  spec.anchor = checked.point("translation");
  return spec;
}

DeviceSpec read_joint_device(const wbt::Node& device, JointSpec& joint, Findings& findings) {
  const CheckedFields checked(device, findings);
  const std::string_view type = device.type->name;
  DeviceSpec spec;
  spec.name = device.string("name");
  spec.node_type = type;
  spec.node = device.id;
  spec.where = device.where;
  if (type == "PositionSensor") {
    spec.sensor =
        SensorSpec{joint.type, checked.keeping_the_field().non_negative("noise", 0.0),
                   checked.keeping_the_field().positive_or_none("resolution"), joint.position};
  } else if (type == "Brake") {
    spec.brake = joint.type;
    joint.has_brake = true;
  } else {
    spec.motor = read_motor(checked, joint, type == "LinearMotor" ? "maxForce" : "maxTorque");
    read_gains(checked, *spec.motor);
    spec.motor->muscles = read_muscles(device, findings);
    spec.motor->multiplier = read_multiplier(checked);
    // wb_motor_get_position of Webots 7 reads the joint through its motor.
    spec.sensor = SensorSpec{joint.type, 0.0, -1.0, joint.position};
  }
  return spec;
}

DeviceSpec read_servo_device(const wbt::Node& servo, const JointSpec& joint, Findings& findings) {
  const CheckedFields checked(servo, findings);
  DeviceSpec spec;
  spec.name = servo.string("name");
  spec.model = servo.string("model");
  spec.node_type = "Servo";
  spec.node = servo.id;
  spec.where = servo.where;
  spec.motor = read_motor(checked, joint, "maxForce");
  read_gains(checked, *spec.motor);
  spec.sensor = SensorSpec{joint.type};
  spec.sensor->fixed_position = joint.position;
  return spec;
}

namespace {

std::vector<bool> joints_with_motors(const Scene& scene) {
  std::vector<bool> driven(scene.joints.size(), false);
  const auto mark = [&driven](const std::vector<DeviceSpec>& devices) {
    for (const DeviceSpec& device : devices) {
      if (device.motor && device.joint >= 0) {
        driven[device.joint] = true;
      }
    }
  };
  mark(scene.ownerless_motors);
  for (const RobotSpec& robot : scene.robots) {
    mark(robot.devices);
  }
  return driven;
}

}  // namespace

namespace {

// Sets a field of all joints to 0 that have it for nothing, and warns of it. `why` returns the
// reason, or null.
template <class Why>
void remove_impossible(Scene& scene, std::string_view field, double JointSpec::*member, Why why,
                       Diagnostics& diagnostics) {
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    JointSpec& joint = scene.joints[j];
    const char* const reason = joint.*member != 0.0 ? why(j) : nullptr;
    if (reason != nullptr) {
      diagnostics.replacement(joint.where, fmt::format("{} of joint \"{}\" is not simulated: {}",
                                                       field, joint.name, reason));
      joint.*member = 0.0;
    }
  }
}

constexpr const char* kSeveralAxes = "a joint with several axes cannot have it";
constexpr const char* kNoPhysics = "its endPoint has no Physics";

}  // namespace

void remove_impossible_backlash(Scene& scene, Diagnostics& diagnostics) {
  const std::vector<bool> driven = joints_with_motors(scene);
  const auto why = [&](std::size_t j) -> const char* {
    const JointSpec& joint = scene.joints[j];
    return axis_count(joint.kind) > 1                              ? kSeveralAxes
           : !driven[j]                                            ? "no motor drives it"
           : joint.child < 0 || !scene.solids[joint.child].physics ? kNoPhysics
                                                                   : nullptr;
  };
  remove_impossible(scene, "backlash", &JointSpec::backlash, why, diagnostics);
}

// A joint between a body and the environment moves that body.
void remove_impossible_armatures(Scene& scene, Diagnostics& diagnostics) {
  const auto why = [&scene](std::size_t j) -> const char* {
    const JointSpec& joint = scene.joints[j];
    const int moved = joint.reference && joint.child < 0 ? joint.parent : joint.child;
    return axis_count(joint.kind) > 1      ? kSeveralAxes
           : !is_dynamic(scene, moved)     ? kNoPhysics
           : joint.suspension.is_elastic() ? "its axle is suspended"
                                           : nullptr;
  };
  remove_impossible(scene, "armature", &JointSpec::armature, why, diagnostics);
}

namespace {

// Directions closer than this [rad] count as parallel, or as perpendicular: the digits of a file.
constexpr double kSameDirection = 1e-3;
// ODE needs a plane through the two axes of a joint.
constexpr double kParallel = 1e-6;

using Parameters = std::array<const wbt::Node*, 3>;

// Warns of fields that are ignored in parameters because they belong to another kind of axis.
void check_parameters(const wbt::Node& parameters, std::string_view slot, const JointSpec& axis,
                      Findings& findings) {
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
  findings.replacement(parameters.where,
                       fmt::format("{} of a {} should be {}, not {}{}", slot, type_name(axis.kind),
                                   taken, parameters.type->name, ignored));
}

const wbt::Node* parameters_of(const wbt::Node& joint, std::string_view field,
                               const JointSpec& axis, Findings& findings) {
  const wbt::NodePtr& parameters = joint.node(field);
  if (!parameters || parameters->type->field("springConstant") != nullptr) {
    if (parameters) {
      check_parameters(*parameters, field, axis, findings);
    }
    return parameters.get();
  }
  findings.replacement(parameters->where,
                       fmt::format("{} is not a node of joint parameters; the defaults are used",
                                   parameters->type->name));
  return nullptr;
}

// The first node of a ball has no axis. The other two have axes 1 and 3.
void distribute_ball_axes(std::vector<JointSpec>& axes, const Parameters& parameters) {
  const Vec3 y{0.0, 1.0, 0.0};
  const auto orthogonal_to = [&](const Vec3& given, const Vec3& instead_of_y) {
    return unit_or(cross(given, y), instead_of_y);
  };
  Vec3 a{1.0, 0.0, 0.0};
  Vec3 c{0.0, 0.0, 1.0};
  if (parameters[1] != nullptr) {
    a = axes[1].axis;
    c = orthogonal_to(a, {1.0, 0.0, 0.0});
  }
  if (parameters[2] != nullptr) {
    c = axes[2].axis;
    a = parameters[1] != nullptr ? a : -orthogonal_to(c, {-1.0, 0.0, 0.0});
  }
  axes[0].axis = a;
  axes[2].axis = c;
  for (int k = 1; k < 3; ++k) {
    if (parameters[k] == nullptr) {
      axes[k].spring = axes[0].spring;
      axes[k].damping_constant = axes[0].damping_constant;
    }
  }
}

// Webots creates no such joint between a static and a dynamic side. Its endpoint is then a free
// body, and its motors and sensors have no joint.
void check_hinge2_sides(Scene& scene, std::span<JointSpec> axes, Diagnostics& diagnostics) {
  const JointSpec joint = axes.front();
  const bool child_static = joint.reference && joint.child < 0 && is_dynamic(scene, joint.parent);
  const bool parent_static = is_dynamic(scene, joint.child) && !is_dynamic(scene, joint.parent);
  if (joint.child >= 0 && is_dynamic(scene, joint.parent) && !is_dynamic(scene, joint.child)) {
    diagnostics.replacement(
        joint.where, fmt::format("a Hinge2Joint needs Physics on both sides: Solid \"{}\" has "
                                 "none and is moved without forces",
                                 scene.solids[joint.child].name));
    return;
  }
  if (!child_static && !parent_static) {
    return;
  }
  std::string consequence;
  if (!joint.reference) {
    SolidSpec& child = scene.solids[joint.child];
    child.joint = -1;
    child.free_body = true;
    consequence = fmt::format(", and nothing holds Solid \"{}\"", child.name);
  }
  diagnostics.replacement(joint.where,
                          fmt::format("a Hinge2Joint needs Physics on both sides; as in "
                                      "Webots there is no joint{}",
                                      consequence));
  for (JointSpec& axis : axes) {
    axis.child = -1;
    axis.reference = false;
  }
}

void check_suspension(const Scene& scene, JointSpec& joint, Diagnostics& diagnostics) {
  SuspensionSpec& s = joint.suspension;
  if (!s.is_elastic()) {
    return;
  }
  const bool hinge = joint.kind == JointKind::Hinge;
  const double slant = hinge ? std::abs(dot(joint.axis, s.axis)) : norm(cross(joint.axis, s.axis));
  std::string_view missing;
  if (!is_dynamic(scene, joint.parent) || !is_dynamic(scene, joint.child)) {
    missing = "Physics on both sides";
  } else if (slant > kSameDirection) {
    missing =
        hinge ? "a suspensionAxis perpendicular to its axis" : "a suspensionAxis along axis 1";
  } else {
    return;
  }
  diagnostics.replacement(s.where, fmt::format("the suspension of a {} needs {}; this axle is "
                                               "rigid",
                                               hinge ? "HingeJoint" : "Hinge2Joint", missing));
  s.spring_constant = 0.0;
  s.damping_constant = 0.0;
}

}  // namespace

std::vector<JointSpec> read_joint_axes(const wbt::Node& joint, Findings& findings) {
  static constexpr std::array<std::string_view, 3> kParameters{
      "jointParameters", "jointParameters2", "jointParameters3"};
  static constexpr std::array<std::string_view, 3> kSaved{"position", "position2", "position3"};
  const JointKind kind = joint_kind(joint.type->name).value();
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
    parameters[k] = parameters_of(joint, kParameters[k], axis, findings);
    if (parameters[k] != nullptr) {
      axis.parameters = parameters[k]->id;
      read_joint_parameters(*parameters[k], axis, findings);
    } else {
      axis.position = read_position(joint, kSaved[k], axis, findings);
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

void replace_parallel_axes(std::span<JointSpec> axes, const Mat3& frame, Findings& findings) {
  if (axes.size() == 1) {
    return;
  }
  JointSpec& first = axes.front();
  JointSpec& last = axes.back();
  if (norm(cross(first.axis, last.axis)) < kParallel) {
    findings.replacement(
        first.where, fmt::format("the axes of the {} are parallel; the world's x and z are used",
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
