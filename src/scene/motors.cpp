// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/letter_case.h"
#include "scene/checks.h"
#include "scene/device_builders.h"
#include "scene/solid_builders.h"

namespace servosim {

namespace {

using Group = std::vector<DeviceSpec*>;

// Returns the reason why a value of another motor of the group changes.
std::string reason(const DeviceSpec& first) {
  return fmt::format("to fit the motor \"{}\" it is coupled to", first.name);
}

CoupledLimits limits_for(const DeviceSpec& first, const MotorSpec& sibling) {
  const MotorSpec& m = *first.motor;
  return coupled_limits({m.min_position, m.max_position, m.max_velocity}, m.multiplier,
                        sibling.multiplier);
}

void impose_limits(const DeviceSpec& first, DeviceSpec& sibling, Findings& findings) {
  MotorSpec& motor = *sibling.motor;
  const auto [low, high, velocity] = limits_for(first, motor);
  if ((same_limit(low, motor.min_position) && same_limit(high, motor.max_position)) ||
      !std::isfinite(high - low)) {
    return;
  }
  findings.replacement(
      sibling.where,
      fmt::format("minPosition and maxPosition of \"{}\" become {} and {} instead of "
                  "{} and {} {}",
                  sibling.name, low, high, motor.min_position, motor.max_position, reason(first)));
  motor.min_position = low;
  motor.max_position = high;
  findings.add({sibling.node, "minPosition", low});
  findings.add({sibling.node, "maxPosition", high});
}

void impose_speed(const DeviceSpec& first, DeviceSpec& sibling, Findings& findings) {
  MotorSpec& motor = *sibling.motor;
  const double speed = limits_for(first, motor).velocity;
  if (same_limit(speed, motor.max_velocity) || !std::isfinite(speed)) {
    return;
  }
  findings.replacement(
      sibling.where, fmt::format("maxVelocity of \"{}\" becomes {} instead of {} {}", sibling.name,
                                 speed, motor.max_velocity, reason(first)));
  motor.max_velocity = speed;
  findings.add({sibling.node, "maxVelocity", speed});
}

void couple(const RobotSpec& robot, const Group& group, int number, Findings& findings) {
  if (group.size() == 1) {
    findings.warning(
        group[0]->where,
        fmt::format("the name \"{}\" is that of a coupled motor, but no other motor of robot "
                    "\"{}\" is called \"{}::...\"; it moves on its own",
                    group[0]->name, robot.name, *coupling_base(group[0]->name)));
    return;
  }
  for (DeviceSpec* member : group) {
    member->motor->coupling = number;
    if (member != group[0]) {
      impose_limits(*group[0], *member, findings);
      impose_speed(*group[0], *member, findings);
    }
  }
}

}  // namespace

std::optional<std::string_view> coupling_base(std::string_view motor_name) {
  const std::size_t at = motor_name.find("::");
  if (at == std::string_view::npos || motor_name.find("::", at + 2) != std::string_view::npos) {
    return std::nullopt;
  }
  return motor_name.substr(0, at);
}

bool same_limit(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

CoupledLimits coupled_limits(const CoupledLimits& first, double first_multiplier,
                             double multiplier) {
  SERVOSIM_ASSERT(first_multiplier != 0.0 && multiplier != 0.0, "multipliers {} and {}",
                  first_multiplier, multiplier);
  const double ratio = multiplier / first_multiplier;
  CoupledLimits limits;
  limits.velocity = first.velocity * std::abs(ratio);
  if (first.low != 0.0 || first.high != 0.0) {
    limits.low = first.low * ratio + 0.0;  // + 0.0 avoids "-0" in messages
    limits.high = first.high * ratio + 0.0;
    if (limits.low > limits.high) {
      std::swap(limits.low, limits.high);
    }
  }
  return limits;
}

void couple_motors(Scene& scene, Findings& findings) {
  for (RobotSpec& robot : scene.robots) {
    std::vector<Group> groups;  // in the order of their first members
    std::map<std::string_view, std::size_t> group_of;
    for (DeviceSpec& device : robot.devices) {
      // Servos are older than coupled motors, so their names couple nothing.
      const bool may_couple = device.motor && device.node_type != "Servo";
      const auto base = may_couple ? coupling_base(device.name) : std::nullopt;
      if (!base) {
        continue;
      }
      const auto [known, is_new] = group_of.try_emplace(*base, groups.size());
      if (is_new) {
        groups.emplace_back();
      }
      groups[known->second].push_back(&device);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      couple(robot, groups[g], static_cast<int>(g) + 1, findings);
    }
  }
}

namespace {

MuscleSpec read_muscle(const wbt::Node& node, Findings& findings) {
  const CheckedFields checked(node, findings);
  return {checked.positive("volume", 0.01), checked.bounded_point("startOffset"),
          checked.bounded_point("endOffset")};
}

}  // namespace

std::vector<MuscleSpec> read_muscles(const wbt::Node& motor, Findings& findings) {
  // V8.6 had one muscle, in a separate field.
  std::vector<wbt::NodePtr> nodes = motor.has("muscle")
                                        ? std::vector<wbt::NodePtr>{motor.node("muscle")}
                                        : motor.nodes("muscles");
  std::vector<MuscleSpec> muscles;
  for (const wbt::NodePtr& node : nodes) {
    if (node == nullptr) {
      continue;
    }
    if (node->type->name != "Muscle") {
      findings.replacement(
          node->where, fmt::format("a {} is not a Muscle node; it is left out", node->type->name));
      continue;
    }
    muscles.push_back(read_muscle(*node, findings));
  }
  return muscles;
}

void place_muscles(std::vector<MuscleSpec>& muscles, const Placement& at) {
  for (MuscleSpec& muscle : muscles) {
    muscle.start_offset = at.pose * scaled(muscle.start_offset, at.scale);
    muscle.end_offset = scaled(muscle.end_offset, at.scale);
  }
}

namespace {

// Larger constants overflow at speeds that a simulation can have.
constexpr double kMaxPropellerConstant = 1e9;

std::array<double, 2> read_constants(const CheckedFields& checked, std::string_view field) {
  const auto v = std::get<wbt::Vec2>(checked.node().value(field));
  if (std::abs(v.x) <= kMaxPropellerConstant && std::abs(v.y) <= kMaxPropellerConstant) {
    return {v.x, v.y};
  }
  checked.warn_of_replacement(field, fmt::format("{} {}", v.x, v.y), "0 0",
                              "both must be within 1e9");
  return {};
}

}  // namespace

PropellerSpec read_propeller(const wbt::Node& node, const Placement& at, Findings& findings) {
  const CheckedFields checked(node, findings);
  PropellerSpec spec;
  spec.node = node.id;
  spec.axis = at.pose.rotation * checked.direction("shaftAxis", {1.0, 0.0, 0.0});
  spec.center = at.pose * scaled(checked.bounded_point("centerOfThrust"), at.scale);
  spec.thrust = read_constants(checked, "thrustConstants");
  spec.torque = read_constants(checked, "torqueConstants");
  return spec;
}

std::optional<DeviceSpec> read_propeller_motor(const wbt::Node& propeller, Findings& findings) {
  const wbt::NodePtr& device = propeller.node("device");
  if (!device) {
    findings.warning(propeller.where, "this Propeller has no motor as its device: it never turns");
    return std::nullopt;
  }
  if (device->type->name != "RotationalMotor") {
    findings.replacement(device->where, fmt::format("a {} cannot turn a Propeller; it is left out",
                                                    device->type->name));
    return std::nullopt;
  }
  JointSpec shaft;
  return read_joint_device(*device, shaft, findings);
}

DifferentialWheelsSpec read_wheels(const wbt::Node& node, Findings& findings) {
  const CheckedFields checked(node, findings);
  DifferentialWheelsSpec wheels;
  wheels.axle_length = checked.positive("axleLength", 0.1);
  wheels.wheel_radius = checked.positive("wheelRadius", 0.01);
  wheels.max_speed = checked.magnitude("maxSpeed");
  wheels.max_acceleration = checked.magnitude("maxAcceleration");
  wheels.speed_unit = checked.finite("speedUnit", 1.0);
  wheels.slip_noise = checked.magnitude("slipNoise");
  wheels.encoder_noise = checked.non_negative_or_none("encoderNoise");
  wheels.encoder_resolution = checked.non_negative_or_none("encoderResolution");
  wheels.max_force = checked.magnitude("maxForce");
  wheels.motor_consumption = checked.magnitude("motorConsumption");
  return wheels;
}

int wheel_side(const wbt::Node& node) {
  if (!node.type->is_solid) {
    return -1;
  }
  const std::string name = lower_case(node.string("name"));
  return name == "left wheel" ? 0 : name == "right wheel" ? 1 : -1;
}

JointSpec wheel_joint(const wbt::Node& wheel) {
  JointSpec joint;
  joint.kind = JointKind::Hinge;
  joint.type = JointType::Rotational;
  joint.axis = {-1.0, 0.0, 0.0};
  joint.anchor = wheel.vec3("translation");
  joint.node = wheel.id;
  joint.where = wheel.where;
  return joint;
}

}  // namespace servosim
