// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "servosim/math.h"
#include "wbt/convert/convert.h"
#include "wbt/convert/passes.h"
#include "wbt/convert/placing.h"

namespace servosim {
namespace {

bool is_linear(const wbt::Node& servo) { return servo.string("type") == "linear"; }

// Before V6.0 the field showed where the Servo was; it started at 0. Absurd ones are 0 too.
double start_position(const wbt::Node& servo) {
  const double position = servo.number("position");
  const bool used = servo.version >= wbt::Version{6, 0, 0} && std::abs(position) <= 1e8;
  return used ? position : 0.0;
}

// In the frame of the parent. A linear Servo slides along z of its own frame.
Vec3 axis_of(const wbt::Node& servo, Diagnostics& diagnostics) {
  const AxisAngle rotation = servo.rotation("rotation");
  if (is_linear(servo)) {
    return rotation * Vec3{0.0, 0.0, 1.0};
  }
  if (unit_or(rotation.axis, {}) == Vec3{}) {
    diagnostics.warning(servo.where_of("rotation"), "the rotation axis is null; 0 1 0 is used");
    return {0.0, 1.0, 0.0};
  }
  return rotation.axis;
}

wbt::NodePtr parameters_of(const wbt::Node& servo, const Vec3& axis) {
  wbt::Node parameters =
      new_node(is_linear(servo) ? "JointParameters" : "HingeJointParameters", servo);
  set_field(parameters, "axis", axis);
  if (!is_linear(servo)) {
    carry_field(servo, "translation", parameters, "anchor");
  }
  if (const double position = start_position(servo); position != 0.0) {
    set_field(parameters, "position", position);
  }
  for (const std::string_view field :
       {"minStop", "maxStop", "springConstant", "dampingConstant", "staticFriction"}) {
    carry_field(servo, field, parameters, field);
  }
  return shared(std::move(parameters));
}

std::vector<wbt::NodePtr> servo_devices(const wbt::Node& servo, const std::string& sensor_name) {
  const bool linear = is_linear(servo);
  wbt::Node motor = new_node(linear ? "LinearMotor" : "RotationalMotor", servo);
  set_field(motor, "name", servo.string("name"));
  for (const std::string_view field :
       {"maxVelocity", "minPosition", "maxPosition", "acceleration"}) {
    carry_field(servo, field, motor, field);
  }
  carry_field(servo, "maxForce", motor, linear ? "maxForce" : "maxTorque");
  if (servo.has("controlP")) {
    set_field(motor, "controlPID", Vec3{servo.number("controlP"), 0.0, 0.0});
  }
  wbt::Node sensor = new_node("PositionSensor", servo);
  set_field(sensor, "name", sensor_name);
  return {shared(std::move(motor)), shared(std::move(sensor))};
}

// Unlike a Servo's own fields, those of an endPoint contain the position.
void add_position(wbt::Node& solid, const wbt::Node& servo, const Vec3& axis) {
  const double position = start_position(servo);
  if (position == 0.0) {
    return;
  }
  if (is_linear(servo)) {
    set_field(solid, "translation", tidy(servo.vec3("translation") + position * axis));
    return;
  }
  const AxisAngle rotation = servo.rotation("rotation");
  const bool null = unit_or(rotation.axis, {}) == Vec3{};
  set_turn(solid, "rotation", AxisAngle{axis, (null ? 0.0 : rotation.angle) + position});
}

// Its motor and its sensor can be found, and move and measure nothing. Physics makes it a body of
// its own that nothing holds: so does a Hinge2Joint that has no Physics above it.
wbt::NodePtr unheld_solid(const wbt::Node& servo, wbt::Node solid,
                          std::vector<wbt::NodePtr> devices) {
  const bool free = solid.node("physics") != nullptr;
  wbt::Node joint = new_node(free ? "Hinge2Joint" : "HingeJoint", servo);
  set_field(joint, "device", std::move(devices));
  wbt::Node holder = free ? new_node("Solid", servo) : solid;
  std::vector<wbt::NodePtr> children;
  if (free) {
    set_field(holder, "name", servo.string("name") + " base");
    set_field(joint, "endPoint", shared(std::move(solid)));
  } else {
    children = holder.nodes("children");
  }
  children.push_back(shared(std::move(joint)));
  set_field(holder, "children", std::move(children));
  return shared(std::move(holder));
}

}  // namespace

std::string sensor_name(const wbt::Node& servo, std::set<std::string>& taken) {
  const std::string& name = servo.string("name");
  const std::string wanted = (name.empty() ? "position" : name) + " sensor";
  std::string free = wanted;
  for (int n = 2; !taken.insert(free).second; ++n) {
    free = fmt::format("{} {}", wanted, n);
  }
  return free;
}

wbt::NodePtr servo_joint(wbt::Node servo, const std::string& sensor, Diagnostics& diagnostics) {
  wbt::Node solid = successor(servo, "Solid");
  const std::string& type = servo.string("type");
  if (type == "none") {
    return unheld_solid(servo, std::move(solid), servo_devices(servo, sensor));
  }
  if (type != "linear" && type != "rotational") {
    diagnostics.warning(servo.where_of("type"),
                        fmt::format("type is \"{}\", but it must be \"rotational\", \"linear\" or "
                                    "\"none\"; \"rotational\" is used",
                                    type));
  }
  const Vec3 axis = axis_of(servo, diagnostics);
  add_position(solid, servo, axis);
  wbt::Node joint = new_node(is_linear(servo) ? "SliderJoint" : "HingeJoint", servo);
  set_field(joint, "jointParameters", parameters_of(servo, axis));
  set_field(joint, "device", servo_devices(servo, sensor));
  set_field(joint, "endPoint", shared(std::move(solid)));
  return shared(std::move(joint));
}

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
