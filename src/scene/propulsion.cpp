// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "scene/checks.h"
#include "scene/device_builders.h"
#include "scene/solid_builders.h"

namespace servosim {

namespace {

// Larger constants overflow with speeds that a simulation can have.
constexpr double kLargestConstant = 1e9;

std::array<double, 2> read_constants(const Checked& checked, std::string_view field) {
  const auto v = std::get<wbt::Vec2>(checked.node().value(field));
  if (std::abs(v.x) <= kLargestConstant && std::abs(v.y) <= kLargestConstant) {
    return {v.x, v.y};
  }
  checked.replaced(field, fmt::format("{} {}", v.x, v.y), "0 0", "both must be within 1e9");
  return {};
}

}  // namespace

PropellerSpec read_propeller(const wbt::Node& node, const Placement& at, Diagnostics& diagnostics) {
  const Checked checked(node, diagnostics);
  PropellerSpec spec;
  spec.node = node.id;
  spec.axis = at.pose.rotation * checked.direction("shaftAxis", {1.0, 0.0, 0.0});
  spec.center = at.pose * scaled(checked.near_point("centerOfThrust"), at.scale);
  spec.thrust = read_constants(checked, "thrustConstants");
  spec.torque = read_constants(checked, "torqueConstants");
  return spec;
}

std::optional<DeviceSpec> read_propeller_motor(const wbt::Node& propeller,
                                               Diagnostics& diagnostics) {
  const wbt::NodePtr& device = propeller.node("device");
  if (!device) {
    diagnostics.warning(propeller.where,
                        "this Propeller has no motor as its device: it never turns");
    return std::nullopt;
  }
  if (device->type->name != "RotationalMotor") {
    diagnostics.warning(device->where, fmt::format("a {} cannot turn a Propeller; it is left out",
                                                   device->type->name));
    return std::nullopt;
  }
  JointSpec shaft;
  return read_joint_device(*device, shaft, diagnostics);
}

namespace {

// Letters of the alphabet only.
std::string lower_case(std::string text) {
  for (char& c : text) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

double read_or_minus_one(const Checked& checked, std::string_view field) {
  return checked.number(
      field, [](double x) { return x < 0.0 && x != -1.0; }, -1.0, "it must be -1 or >= 0");
}

}  // namespace

DifferentialWheelsSpec read_wheels(const wbt::Node& node, Diagnostics& diagnostics) {
  const Checked checked(node, diagnostics);
  DifferentialWheelsSpec wheels;
  wheels.axle_length = checked.positive("axleLength", 0.1);
  wheels.wheel_radius = checked.positive("wheelRadius", 0.01);
  wheels.max_speed = checked.magnitude("maxSpeed");
  wheels.max_acceleration = checked.magnitude("maxAcceleration");
  wheels.speed_unit = checked.finite("speedUnit", 1.0);
  wheels.slip_noise = checked.magnitude("slipNoise");
  wheels.encoder_noise = read_or_minus_one(checked, "encoderNoise");
  wheels.encoder_resolution = read_or_minus_one(checked, "encoderResolution");
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
