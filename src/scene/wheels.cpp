// SPDX-License-Identifier: Apache-2.0
#include "scene/wheels.h"

#include <algorithm>

#include "scene/checks.h"

namespace servosim {

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
