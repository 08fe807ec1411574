// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/info.h"
#include "cli/output.h"

namespace servosim {
namespace {

using Json = nlohmann::ordered_json;

Json array_of(const Vec3& v) { return {v.x, v.y, v.z}; }

Json rows_of(const Mat3& m) {
  return {{m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}};
}

Json pose_json(const Pose& pose) {
  return {{"translation", array_of(pose.translation)}, {"rotation", rows_of(pose.rotation)}};
}

Json index_or_null(int index) { return index >= 0 ? Json(index) : Json(); }
Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }
/// Returns null for a negative value, which means that there is none.
Json given_or_null(double value) { return value >= 0.0 ? finite_or_null(value) : Json(); }

const char* name_of(JointType type) {
  return type == JointType::Rotational ? "rotational" : "linear";
}

const char* name_of(Mobility mobility) {
  static constexpr const char* kNames[] = {"static", "kinematic", "dynamic"};
  return kNames[static_cast<int>(mobility)];
}

// Adds the keys of mass properties, which bodies and robots share.
void add_mass(const MassProperties& mass, Json& into) {
  const bool any = mass.mass > 0.0;
  into["mass"] = mass.mass;
  into["center_of_mass"] = any ? array_of(mass.center) : Json();
  into["inertia"] = any ? rows_of(mass.inertia) : Json();
}

// Two equal limits mean that there are none.
void add_range(const char* low, const char* high, double min, double max, Json& into) {
  into[low] = min == max ? Json() : finite_or_null(min);
  into[high] = min == max ? Json() : finite_or_null(max);
}

Json world_json(const Scene& scene, const std::string& path) {
  const WorldSettings& w = scene.world;
  return {{"path", path},
          {"project", scene.project},
          {"title", w.title},
          {"version", scene.version},
          {"basic_time_step_ms", w.basic_time_step_ms},
          {"gravity", array_of(w.gravity)},
          {"coordinate_system", w.coordinate_system.empty() ? Json() : Json(w.coordinate_system)},
          {"erp", w.erp},
          {"cfm", w.cfm},
          {"random_seed", w.random_seed < 0 ? Json() : Json(w.random_seed)}};
}

Json motor_json(const MotorSpec& motor) {
  Json json{{"type", name_of(motor.type)}};
  add_range("min_position", "max_position", motor.min_position, motor.max_position, json);
  json["max_velocity"] = finite_or_null(motor.max_velocity);
  json["max_effort"] = finite_or_null(motor.max_force);
  json["available_effort"] = finite_or_null(motor.available_force);
  json["acceleration"] = given_or_null(motor.acceleration);
  json["pid"] = {motor.gains.p, motor.gains.i, motor.gains.d};
  json["multiplier"] = motor.multiplier;
  json["coupling"] = motor.coupling > 0 ? Json(motor.coupling) : Json();
  json["consumption_factor"] = motor.consumption_factor;
  json["muscles"] = motor.muscles.size();
  json["servo"] = motor.servo != nullptr ? Json(motor.servo_choice) : Json();
  return json;
}

Json sensor_json(const SensorSpec& sensor) {
  return {{"type", name_of(sensor.type)},
          {"resolution", sensor.resolution > 0.0 ? finite_or_null(sensor.resolution) : Json()},
          {"noise", finite_or_null(sensor.noise)}};
}

Json device_json(const DeviceSpec& device, std::size_t index) {
  return {{"tag", index + 1},
          {"name", device.name},
          {"node_type", device.node_type},
          {"model", device.model},
          {"joint", index_or_null(device.joint)},
          {"propeller", index_or_null(device.propeller)},
          {"motor", device.motor ? motor_json(*device.motor) : Json()},
          {"sensor", device.sensor ? sensor_json(*device.sensor) : Json()},
          {"brake", device.brake.has_value()}};
}

Json battery_json(const RobotSpec& robot) {
  if (robot.battery.empty() || robot.battery.front() < 0.0) {
    return {};
  }
  return {{"energy", finite_or_null(robot.battery[0])},
          {"capacity", finite_or_null(robot.battery[1])},
          {"charging_power", finite_or_null(robot.battery[2])},
          {"cpu_power", finite_or_null(robot.cpu_consumption)}};
}

Json robot_json(const WorldView& view, int index) {
  const RobotSpec& robot = view.scene().robots[index];
  Json json{{"name", robot.name},
            {"model", robot.model},
            {"controller", robot.controller},
            {"controller_args", robot.controller_args},
            {"custom_data", robot.custom_data},
            {"supervisor", robot.supervisor},
            {"synchronization", robot.synchronization},
            {"self_collision", robot.self_collision},
            {"battery", battery_json(robot)},
            {"solid", robot.solid}};
  add_mass(view.total_mass(index), json);
  json["bodies"] = view.bodies_of(index);
  json["devices"] = Json::array();
  for (std::size_t d = 0; d < robot.devices.size(); ++d) {
    json["devices"].push_back(device_json(robot.devices[d], d));
  }
  return json;
}

Json solid_json(const WorldView& view, int index) {
  const SolidSpec& solid = view.scene().solids[index];
  return {{"name", solid.name},
          {"node_type", solid.node_type},
          {"parent", index_or_null(solid.parent)},
          {"robot", index_or_null(solid.robot)},
          {"joint", index_or_null(solid.joint)},
          {"mobility", name_of(view.mobility(index))},
          {"body", index_or_null(view.body_of(index))},
          {"pose", pose_json(solid.pose)}};
}

Json suspension_json(const SuspensionSpec& suspension) {
  if (!suspension.is_elastic()) {
    return {};
  }
  return {{"axis", array_of(suspension.axis)},
          {"spring", suspension.spring_constant},
          {"damping", suspension.damping_constant}};
}

Json joint_json(const JointSpec& joint) {
  Json json{{"name", joint.name},
            {"kind", name_of(joint.kind)},
            {"type", name_of(joint.type)},
            {"axis_number", joint.axis_number + 1},
            {"first_axis", joint.first_axis},
            {"robot", index_or_null(joint.robot)},
            {"parent", index_or_null(joint.parent)},
            {"child", index_or_null(joint.child)},
            {"closes_loop", joint.reference},
            {"axis", array_of(joint.axis)},
            {"anchor", joint.kind == JointKind::Slider ? Json() : array_of(joint.anchor)},
            {"position", joint.position}};
  add_range("min_stop", "max_stop", joint.stops.min, joint.stops.max, json);
  json["spring"] = joint.spring.constant;
  json["spring_reference"] = joint.spring.reference;
  json["damping"] = joint.damping_constant;
  json["friction"] = joint.static_friction;
  json["armature"] = joint.armature;
  json["backlash"] = joint.backlash;
  json["stop_erp"] = given_or_null(joint.stops.erp);
  json["stop_cfm"] = given_or_null(joint.stops.cfm);
  json["suspension"] = suspension_json(joint.suspension);
  return json;
}

Json body_json(const WorldView& view, const RigidBody& body) {
  Json json{{"solids", Json::array()},
            {"robot", index_or_null(view.robot_of(body.owner()))},
            {"hold", name_of(body_hold(view.scene(), body.owner()))}};
  for (const RigidBody::Part& part : body.parts) {
    json["solids"].push_back(part.solid);
  }
  add_mass(body.mass, json);
  return json;
}

Json propeller_json(const PropellerSpec& propeller) {
  return {{"solid", index_or_null(propeller.solid)},
          {"axis", array_of(propeller.axis)},
          {"center_of_thrust", array_of(propeller.center)},
          {"thrust_constants", propeller.thrust},
          {"torque_constants", propeller.torque}};
}

/// Returns an array with one element for each of `items`.
template <typename Items, typename Convert>
Json list_of(const Items& items, Convert convert) {
  Json list = Json::array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    list.push_back(convert(i));
  }
  return list;
}

}  // namespace

nlohmann::ordered_json info_json(const WorldView* view, const std::string& path,
                                 const std::vector<Diagnostic>& diagnostics,
                                 const nlohmann::ordered_json& buses) {
  Json json{{"schema", "servosim-info-1"}};
  if (view == nullptr) {
    json["world"] = {{"path", path}};
  } else {
    const Scene& scene = view->scene();
    json["world"] = world_json(scene, path);
    json["world"]["solver"] = solver_json(view->islands());
    json["robots"] = list_of(scene.robots,
                             [&](std::size_t i) { return robot_json(*view, static_cast<int>(i)); });
    json["solids"] = list_of(scene.solids,
                             [&](std::size_t i) { return solid_json(*view, static_cast<int>(i)); });
    json["joints"] =
        list_of(scene.joints, [&](std::size_t i) { return joint_json(scene.joints[i]); });
    json["bodies"] =
        list_of(view->bodies(), [&](std::size_t i) { return body_json(*view, view->bodies()[i]); });
    json["propellers"] = list_of(
        scene.propellers, [&](std::size_t i) { return propeller_json(scene.propellers[i]); });
    json["buses"] = buses;
  }
  json["diagnostics"] =
      list_of(diagnostics, [&](std::size_t i) { return diagnostic_json(diagnostics[i]); });
  return json;
}

}  // namespace servosim
