// SPDX-License-Identifier: Apache-2.0
#include "convert/servo_joints.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "convert/placing.h"
#include "convert/rewrite.h"
#include "servosim/math.h"

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

}  // namespace servosim
