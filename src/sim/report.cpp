// SPDX-License-Identifier: Apache-2.0
#include "sim/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "base/text.h"
#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

using Json = nlohmann::json;
using Visit = std::function<void(const JsonKeys&, const Json&)>;

constexpr std::size_t kDeepest = 32;

// The parser calls these functions. Each returns whether the parser continues.
class Visitor : public nlohmann::json_sax<Json> {
 public:
  explicit Visitor(const Visit& visit) : visit_(visit) {}

  bool null() override { return tell(nullptr); }
  bool boolean(bool value) override { return tell(value); }
  bool number_integer(number_integer_t value) override { return tell(value); }
  bool number_unsigned(number_unsigned_t value) override { return tell(value); }
  bool number_float(number_float_t value, const string_t&) override { return tell(value); }
  bool string(string_t& value) override { return tell(value); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    is_object_ = true;  // an array around the object would have ended the parse
    return tell(Json::object()) && enter();
  }
  bool key(string_t& key) override {
    keys_.back().swap(key);
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override {
    const bool goes_on = tell(Json::array()) && enter();
    ++arrays_;
    return goes_on;
  }
  bool end_array() override {
    --arrays_;
    return end_object();
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool tell(const Json& value) {
    if (arrays_ == 0 && is_object_) {
      visit_(keys_, value);
    }
    return is_object_;
  }
  bool enter() {
    keys_.emplace_back();
    return keys_.size() <= kDeepest;
  }

  const Visit& visit_;
  JsonKeys keys_;  // one for each object and array that contains the value
  int arrays_ = 0;
  bool is_object_ = false;  // whether the outermost value is an object
};

}  // namespace

bool visit_json_object(std::string_view text, const Visit& visit) {
  Visitor visitor(visit);
  return Json::sax_parse(text, &visitor);
}

namespace {

constexpr std::string_view kPose = ".pose";

bool is_robot(const Scene& scene, int solid) {
  const int robot = scene.solids[solid].robot;
  return robot >= 0 && scene.robots[robot].solid == solid;
}

}  // namespace

std::vector<std::string> body_names(const Scene& scene) {
  std::vector<std::string> names;
  std::map<std::string, int> counts;
  for (int s = 0; s < static_cast<int>(scene.solids.size()); ++s) {
    const SolidSpec& solid = scene.solids[s];
    std::string name = solid.name;
    if (solid.robot >= 0) {
      const RobotSpec& robot = scene.robots[solid.robot];
      name = is_robot(scene, s) ? robot.name : robot.name + '/' + name;
    }
    const int count = ++counts[name];
    names.push_back(count == 1 ? name : name + " #" + std::to_string(count));
  }
  return names;
}

ReportedParts watch(const Simulation& simulation, const std::vector<std::string>& globs) {
  const int joints = simulation.joints().size();
  const int propellers = simulation.propellers().size();
  std::vector<std::string> names;
  for (int j = 0; j < joints; ++j) {
    names.push_back(simulation.joint(j).name());
  }
  for (int p = 0; p < propellers; ++p) {
    names.push_back(simulation.propellers()[p].name());
  }
  // Poses are matched only where a glob ends in ".pose", so that '*' does not include them.
  const auto is_pose = [](const std::string& glob) { return glob.ends_with(kPose); };
  std::vector<int> posed;  // the Solids whose poses are in `names`
  const Scene& scene = WorldInspector(simulation).scene();
  if (std::any_of(globs.begin(), globs.end(), is_pose)) {
    const std::vector<std::string> bodies = body_names(scene);
    for (int s = 0; s < static_cast<int>(bodies.size()); ++s) {
      const SolidSpec& solid = scene.solids[s];
      if (solid.physics || solid.joint >= 0 || is_robot(scene, s)) {
        names.push_back(bodies[s] + std::string(kPose));
        posed.push_back(s);
      }
    }
  }
  const std::vector<bool> chosen = matching_names(names, globs, "`servosim info WORLD` lists them");
  ReportedParts watched;
  for (int i = 0; i < static_cast<int>(chosen.size()); ++i) {
    if (!chosen[i]) {
      continue;
    }
    if (i >= joints + propellers) {
      const int solid = posed[i - joints - propellers];
      if (is_robot(scene, solid)) {
        watched.robots.push_back(scene.solids[solid].robot);
      } else {
        watched.bodies.push_back(solid);
      }
    } else if (i >= joints) {
      watched.propellers.push_back(i - joints);
    } else if (WorldInspector(simulation).joint_in_scene(i) >= 0) {
      watched.joints.push_back(i);
    }
  }
  return watched;
}

JointCommand command_of(const Motor* motor, const JointReading& reading) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (motor == nullptr || motor->targets().force_control) {
    return {kNone, kNone};
  }
  return {motor->targets().driven ? kNone : motor->targets().position, reading.commanded_velocity};
}

std::optional<JointRange> range_of(const JointSpec& spec, const Motor* motor) {
  const MotorLimits limits = motor != nullptr ? motor->limits() : MotorLimits();
  const JointRange range = limits.has_range() ? JointRange{limits.min_position, limits.max_position}
                                              : JointRange{spec.stops.min, spec.stops.max};
  return range.lower != range.upper ? std::optional(range) : std::nullopt;
}

RobotPose robot_pose(const Simulation& simulation, const Robot& robot, const Mat3& start) {
  const Solid root = simulation.solid(robot.solid());
  const Pose pose = root.pose();
  const Vec3 up = WorldInspector(simulation).scene().world.up;
  const Vec3 now = pose.rotation * (transposed(start) * up);
  return {pose.translation, std::acos(std::clamp(dot(now, up), -1.0, 1.0)),
          norm(root.velocity().linear)};
}

void report_missing_pictures(Simulation& simulation) {
  WorldControl control(simulation);
  for (const MissingPart& part : control.take_missing()) {
    const bool is_known = std::ranges::any_of(
        simulation.diagnostics(),
        [&part](const Diagnostic& d) { return d.missing && *d.missing == part; });
    if (part.kind == Missing::Pictures && !is_known) {
      control.report(
          fmt::format("{}{}{}", part.subject, part.remedy.empty() ? "" : ": ", part.remedy));
    }
  }
}

std::int64_t steps_for(double duration, double basic_time_step_ms) {
  const double steps = std::ceil(duration * 1000.0 / basic_time_step_ms - 1e-9);
  if (steps > 1e18) {
    throw std::invalid_argument(fmt::format("a duration of {} s has too many steps", duration));
  }
  return std::max<std::int64_t>(0, std::llround(steps));
}

}  // namespace servosim
