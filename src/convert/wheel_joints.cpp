// SPDX-License-Identifier: Apache-2.0
#include "convert/wheel_joints.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "convert/placing.h"
#include "convert/rewrite.h"
#include "servosim/math.h"

namespace servosim {
namespace {

std::vector<wbt::NodePtr> wheel_devices(const wbt::Node& robot, const std::string& wheel) {
  wbt::Node motor = new_node("RotationalMotor", robot);
  set_field(motor, "name", wheel + " motor");
  set_field(motor, "maxVelocity", robot.number("maxSpeed"));
  set_field(motor, "maxTorque", robot.number("maxForce"));
  if (!robot.node("physics")) {
    set_field(motor, "acceleration", robot.number("maxAcceleration"));
  }
  if (const double unit = robot.number("speedUnit"); unit != 1.0) {
    set_field(motor, "multiplier", unit);
  }
  wbt::Node sensor = new_node("PositionSensor", robot);
  set_field(sensor, "name", wheel + " sensor");
  if (const double pulses = robot.number("encoderResolution"); pulses > 1e-9) {
    set_field(sensor, "resolution", 1.0 / pulses);
  }
  return {shared(std::move(motor)), shared(std::move(sensor))};
}

// The robot drives towards its -z when the wheels turn forwards.
wbt::NodePtr joint_of(const wbt::Node& robot, const std::string& name, const wbt::NodePtr& wheel) {
  wbt::Node parameters = new_node("HingeJointParameters", *wheel);
  set_field(parameters, "axis", Vec3{-1.0, 0.0, 0.0});
  carry_field(*wheel, "translation", parameters, "anchor");
  wbt::Node joint = new_node("HingeJoint", *wheel);
  set_field(joint, "jointParameters", shared(std::move(parameters)));
  set_field(joint, "device", wheel_devices(robot, name));
  set_field(joint, "endPoint", wheel);
  return shared(std::move(joint));
}

// What moved a robot without wheels was only the idea of them.
wbt::NodePtr imagined_wheel(const wbt::Node& robot, const std::string& name, double side) {
  wbt::Node wheel = new_node("Solid", robot);
  set_field(wheel, "translation", tidy({0.5 * side * robot.number("axleLength"), 0.0, 0.0}));
  set_field(wheel, "name", name);
  return shared(std::move(wheel));
}

void put_on_joint(std::vector<wbt::NodePtr>& children, const wbt::Node& robot,
                  const std::string& name, double side) {
  for (wbt::NodePtr& child : children) {
    if (child && child->type->is_solid && child->string("name") == name) {
      child = joint_of(robot, name, child);
      return;
    }
  }
  children.push_back(joint_of(robot, name, imagined_wheel(robot, name, side)));
}

void report(const wbt::Node& robot, Diagnostics& diagnostics) {
  std::string lost;
  for (const std::string_view field : {"slipNoise", "encoderNoise", "motorConsumption"}) {
    if (const double value = robot.number(field); value > 0.0) {
      lost += fmt::format("{}{} {}", lost.empty() ? "; lost: " : ", ", field, value);
    }
  }
  if (!robot.node("physics")) {
    lost +=
        "; without Physics only the wheels turn: to drive, the robot and both wheels need Physics";
  }
  diagnostics.warning(
      robot.where,
      fmt::format("DifferentialWheels becomes a Robot with the motors \"left wheel motor\" and "
                  "\"right wheel motor\": instead of wb_differential_wheels_set_speed() a "
                  "controller calls wb_motor_set_position(motor, INFINITY) once and "
                  "wb_motor_set_velocity() with the same numbers; instead of encoders it reads the "
                  "sensors \"left wheel sensor\" and \"right wheel sensor\" [rad], times {}{}",
                  robot.number("encoderResolution") > 0.0 ? robot.number("encoderResolution") : 1.0,
                  lost));
}

}  // namespace

wbt::NodePtr robot_with_wheels(wbt::Node wheels, Diagnostics& diagnostics) {
  wbt::Node robot = successor(wheels, "Robot");
  std::vector<wbt::NodePtr> children = wheels.nodes("children");
  put_on_joint(children, wheels, "left wheel", -1.0);
  put_on_joint(children, wheels, "right wheel", 1.0);
  set_field(robot, "children", std::move(children));
  report(wheels, diagnostics);
  return shared(std::move(robot));
}

}  // namespace servosim
