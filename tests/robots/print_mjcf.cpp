// SPDX-License-Identifier: Apache-2.0
// usage: print_mjcf FILE
//
// Prints what the reader makes of an MJCF file as JSON, for comparisons with MuJoCo. Ends with 1
// and the errors on standard error if the file cannot be read.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "base/files.h"
#include "robots/mjcf_reader.h"

namespace {

using nlohmann::json;
using namespace servosim;  // NOLINT(google-build-using-namespace)

json list_of(const Vec3& v) { return {v.x, v.y, v.z}; }

json list_of(const std::optional<robots::Range>& range) {
  return range ? json{range->lower, range->upper} : json();
}

// JSON has no infinity.
json finite(double x) { return x == robots::kNoLimit ? json() : json(x); }

json object_of(const robots::Actuator& actuator) {
  return {{"name", actuator.name},
          {"gear", actuator.gear},
          {"gain", actuator.gain},
          {"bias", {actuator.offset, actuator.by_position, actuator.by_velocity}},
          {"command", list_of(actuator.command)},
          {"force", list_of(actuator.force)}};
}

json object_of(const robots::RobotJoint& joint) {
  json actuators = json::array();
  for (const robots::Actuator& actuator : joint.actuators) {
    actuators.push_back(object_of(actuator));
  }
  return {{"name", joint.name},
          {"motion", static_cast<int>(joint.motion)},
          {"axis", list_of(joint.axis)},
          {"anchor", list_of(joint.anchor)},
          {"range", list_of(joint.range)},
          {"target_range", list_of(joint.target_range)},
          {"effort", finite(joint.effort)},
          {"damping", joint.damping},
          {"friction", joint.friction},
          {"armature", joint.armature},
          {"stiffness", joint.stiffness},
          {"rest", joint.rest},
          {"start", joint.start},
          {"has_motor", joint.has_own_motor()},
          {"leader", joint.mimic
                         ? json{joint.mimic->leader, joint.mimic->multiplier, joint.mimic->offset}
                         : json()},
          {"actuators", actuators}};
}

json object_of(const robots::RobotLink& link) {
  json joints = json::array();
  for (const robots::RobotJoint& joint : link.joints) {
    joints.push_back(object_of(joint));
  }
  const MassProperties mass = link.inertial.value_or(MassProperties{});
  return {{"name", link.name},
          {"parent", link.parent},
          {"position", list_of(link.pose.translation)},
          {"rotation", link.pose.rotation.m},
          {"mass", mass.mass},
          {"center", list_of(mass.center)},
          {"inertia", mass.inertia.m},
          {"visuals", link.visuals.size()},
          {"collisions", link.collisions.size()},
          {"joints", joints}};
}

json object_of(const robots::RobotModel& model) {
  json links = json::array();
  for (const robots::RobotLink& link : model.links) {
    links.push_back(object_of(link));
  }
  json sensors = json::array();
  for (const robots::Sensor& sensor : model.sensors) {
    sensors.push_back({{"name", sensor.name}, {"link", sensor.link}});
  }
  json untouched = json::array();
  for (const robots::UntouchedPair& pair : model.untouched) {
    untouched.push_back({pair.first, pair.second});
  }
  return {{"name", model.name},     {"fixed_base", model.fixed_base},
          {"links", links},         {"sensors", sensors},
          {"untouched", untouched}, {"touches_itself", model.touches_itself}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: print_mjcf FILE\n", stderr);
    return 2;
  }
  const std::filesystem::path path = std::filesystem::absolute(argv[1]).lexically_normal();
  auto text = read_file(path.string());
  if (const auto* error = std::get_if<FileError>(&text)) {
    std::fprintf(stderr, "%s %s\n", argv[1], error->reason.c_str());
    return 1;
  }
  Diagnostics diagnostics;
  const auto file =
      diagnostics.sources().add(path.string(), std::move(std::get<std::string>(text)));
  robots::RobotFiles files(path.parent_path().string());
  std::vector<robots::Loss> losses;
  const auto model = robots::read_mjcf(file, files, diagnostics, losses);
  for (const Diagnostic& message : diagnostics.list()) {
    std::fprintf(stderr, "%s\n", to_string(message).c_str());
  }
  if (!model) {
    return 1;
  }
  json all = object_of(*model);
  json lost = json::array();
  for (const robots::Loss& loss : losses) {
    lost.push_back({{"line", diagnostics.sources().resolve(loss.where).line},
                    {"what", loss.what},
                    {"moves", loss.moves}});
  }
  all["losses"] = lost;
  std::puts(all.dump().c_str());
  return 0;
}
