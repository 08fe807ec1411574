// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "servosim/math.h"
#include "wbt/convert/convert.h"
#include "wbt/convert/placing.h"
#include "wbt/eras/legacy.h"

namespace servosim {
namespace {

// Collects the names of a robot's devices. Devices of robots inside of it are not its own.
void collect_device_names(const wbt::Node& node, std::set<std::string>& names) {
  wbt::for_each_child(node, [&](const wbt::NodePtr& child) {
    if (child->type->field("controller") == nullptr) {
      if (child->type->is_device) {
        names.insert(child->string("name"));
      }
      collect_device_names(*child, names);
    }
  });
}

wbt::NodePtr present_physics(wbt::Node physics) {
  const wbt::NodePtr modern = wbt::modern_physics(physics);
  if (!modern) {
    return shared(std::move(physics));
  }
  remove_field(physics, "orientation");
  std::vector<Vec3> centers = modern->vec3s("centerOfMass");
  std::transform(centers.begin(), centers.end(), centers.begin(), tidy);
  if (!centers.empty()) {
    set_field(physics, "centerOfMass", std::move(centers));
  }
  if (const auto& rows = modern->vec3s("inertiaMatrix"); rows.size() == 2) {
    set_field(physics, "inertiaMatrix", inertia_rows(wbt::inertia_tensor(rows[0], rows[1])));
  }
  return shared(std::move(physics));
}

class ModernNodes {
 public:
  explicit ModernNodes(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::vector<wbt::NodePtr> rewrite(const std::vector<wbt::NodePtr>& nodes) {
    Rewriter rewriter([this](wbt::Node node) { return change(std::move(node)); },
                      [this](const wbt::Node& node) { enter(node); });
    std::vector<wbt::NodePtr> result = rewriter.rewrite(nodes);
    for (wbt::NodePtr& node : result) {
      node = with_joints_in_solids(node);
    }
    return result;
  }

 private:
  static bool is_robot(const wbt::Node& node) { return node.type->field("controller") != nullptr; }

  void enter(const wbt::Node& node) {
    if (is_robot(node)) {
      collect_device_names(node, names_.emplace_back());
    } else if (node.type->name == "Servo") {
      sensors_.push_back(sensor_name(node, names_.back()));
    }
  }

  wbt::NodePtr change(wbt::Node node) {
    const std::string_view type = node.type->name;
    if (type == "Servo") {
      report_servo(node);
      const std::string sensor = std::move(sensors_.back());
      sensors_.pop_back();
      auto solid = shared(retyped(node, "Solid"));
      wbt::NodePtr joint = servo_joint(std::move(node), sensor, diagnostics_);
      servos_[joint.get()] = std::move(solid);
      return joint;
    }
    if (is_robot(node)) {
      names_.pop_back();
    }
    if (type == "DifferentialWheels") {
      return wheeled_robot(std::move(node), diagnostics_);
    }
    if (type == "Camera" && node.string("type") == "range-finder") {
      return range_finder(std::move(node));
    }
    if (type == "Cubemap") {
      diagnostics_.warning(node.where,
                           "Webots has no Cubemap any more; these pictures of the sky "
                           "are left out: see the fields of Background");
      return {};
    }
    if (type == "Physics") {  // done before the axes are turned, since that turns present fields
      return present_physics(std::move(node));
    }
    if (type != "Slot") {
      take_servos_as_solids(node);
    }
    return shared(std::move(node));
  }

  void report_servo(const wbt::Node& servo) {
    if (!std::exchange(said_servo_, true)) {
      diagnostics_.warning(
          servo.where,
          "Servo nodes become joints: present controllers use wb_motor_ functions on the motor of "
          "the Servo's name and wb_position_sensor_ functions on the sensor \"NAME sensor\"");
    }
  }

  // If a field requires a Solid, such as the endPoint of a joint, a Servo there is no joint.
  void take_servos_as_solids(wbt::Node& node) {
    for (wbt::Field& field : node.fields) {
      auto* child = std::get_if<wbt::NodePtr>(&field.value);
      if (const auto servo = child != nullptr ? servos_.find(child->get()) : servos_.end();
          servo != servos_.end()) {
        diagnostics_.warning(field.where, fmt::format("a Servo as {} of a {} moves nothing; it "
                                                      "becomes a Solid",
                                                      field.type->name, node.type->name));
        *child = servo->second;
      }
    }
  }

  wbt::NodePtr range_finder(wbt::Node camera);
  wbt::NodePtr with_joints_in_solids(const wbt::NodePtr& node);

  Diagnostics& diagnostics_;
  // Names of devices: the first set is for those outside of any robot, the others are nested.
  std::vector<std::set<std::string>> names_{1};
  std::vector<std::string> sensors_;  // names for the sensors of the Servos around the present node
  // The Solid of each Servo by the joint that replaced the Servo, in case only the Solid is needed.
  std::map<const wbt::Node*, wbt::NodePtr> servos_;
  bool said_servo_ = false;
};

wbt::NodePtr ModernNodes::range_finder(wbt::Node camera) {
  diagnostics_.warning(camera.where,
                       "a Camera of type \"range-finder\" becomes a RangeFinder: controllers use "
                       "wb_range_finder_ functions");
  wbt::Node finder = retyped(camera, "RangeFinder");
  copy_field(camera, "rangeNoise", finder, "noise");
  copy_field(camera, "rangeResolution", finder, "resolution");
  copy_field(camera, "near", finder, "minRange");
  return shared(std::move(finder));
}

// Webots makes joints only below a Solid, while a Servo could be anywhere.
wbt::NodePtr ModernNodes::with_joints_in_solids(const wbt::NodePtr& node) {
  if (node->type->is_solid) {
    return node;  // it may be a Servo of type "none"
  }
  if (servos_.count(node.get()) > 0) {
    wbt::Node base = new_node("Solid", *node);
    set_field(base, "name", std::string("base"));
    set_field(base, "children", std::vector<wbt::NodePtr>{node});
    return shared(std::move(base));
  }
  const wbt::Field* children = node->find("children");
  if (children == nullptr) {
    return node;
  }
  auto changed = std::get<std::vector<wbt::NodePtr>>(children->value);
  for (wbt::NodePtr& child : changed) {
    child = with_joints_in_solids(child);
  }
  if (changed == std::get<std::vector<wbt::NodePtr>>(children->value)) {
    return node;
  }
  wbt::Node copy = *node;
  set_field(copy, "children", std::move(changed));
  return shared(std::move(copy));
}

}  // namespace

void use_modern_nodes(wbt::WorldFile& world, Diagnostics& diagnostics) {
  world.nodes = ModernNodes(diagnostics).rewrite(world.nodes);
}

namespace {

bool is_linear(const wbt::Node& servo) { return servo.string("type") == "linear"; }

// Before V6.0 the field showed where the Servo was, and the Servo started at 0. Absurd values also
// become 0.
double start_position(const wbt::Node& servo) {
  const double position = servo.number("position");
  const bool used = servo.version >= wbt::Version{6, 0, 0} && std::abs(position) <= 1e8;
  return used ? position : 0.0;
}

// Returns the axis in the frame of the parent. A linear Servo slides along z of its own frame.
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
    copy_field(servo, "translation", parameters, "anchor");
  }
  if (const double position = start_position(servo); position != 0.0) {
    set_field(parameters, "position", position);
  }
  for (const std::string_view field :
       {"minStop", "maxStop", "springConstant", "dampingConstant", "staticFriction"}) {
    copy_field(servo, field, parameters, field);
  }
  return shared(std::move(parameters));
}

std::vector<wbt::NodePtr> servo_devices(const wbt::Node& servo, const std::string& sensor_name) {
  const bool linear = is_linear(servo);
  wbt::Node motor = new_node(linear ? "LinearMotor" : "RotationalMotor", servo);
  set_field(motor, "name", servo.string("name"));
  for (const std::string_view field :
       {"maxVelocity", "minPosition", "maxPosition", "acceleration"}) {
    copy_field(servo, field, motor, field);
  }
  copy_field(servo, "maxForce", motor, linear ? "maxForce" : "maxTorque");
  if (servo.has("controlP")) {
    set_field(motor, "controlPID", Vec3{servo.number("controlP"), 0.0, 0.0});
  }
  wbt::Node sensor = new_node("PositionSensor", servo);
  set_field(sensor, "name", sensor_name);
  return {shared(std::move(motor)), shared(std::move(sensor))};
}

// Unlike a Servo's own fields, those of an endPoint include the position.
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

// Returns a Solid whose motor and sensor can be found but do not move or measure anything. With
// Physics the Solid is a separate body that nothing holds. A Hinge2Joint without Physics above it
// has this effect.
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
  wbt::Node solid = retyped(servo, "Solid");
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

// The robot drives towards its -z axis if the wheels turn forwards.
wbt::NodePtr joint_of(const wbt::Node& robot, const std::string& name, const wbt::NodePtr& wheel) {
  wbt::Node parameters = new_node("HingeJointParameters", *wheel);
  set_field(parameters, "axis", Vec3{-1.0, 0.0, 0.0});
  copy_field(*wheel, "translation", parameters, "anchor");
  wbt::Node joint = new_node("HingeJoint", *wheel);
  set_field(joint, "jointParameters", shared(std::move(parameters)));
  set_field(joint, "device", wheel_devices(robot, name));
  set_field(joint, "endPoint", wheel);
  return shared(std::move(joint));
}

// A DifferentialWheels without wheels moved as if it had wheels.
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
        "; without Physics it rolls only on wheels with a Cylinder of one radius as boundingObject";
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

wbt::NodePtr wheeled_robot(wbt::Node wheels, Diagnostics& diagnostics) {
  wbt::Node robot = retyped(wheels, "Robot");
  std::vector<wbt::NodePtr> children = wheels.nodes("children");
  put_on_joint(children, wheels, "left wheel", -1.0);
  put_on_joint(children, wheels, "right wheel", 1.0);
  set_field(robot, "children", std::move(children));
  report(wheels, diagnostics);
  return shared(std::move(robot));
}

}  // namespace servosim
