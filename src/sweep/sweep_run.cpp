// SPDX-License-Identifier: Apache-2.0
// Turns a run into a row: its columns, the variant that is loaded for it, and its steps.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "base/assert.h"
#include "base/printable.h"
#include "base/shortage.h"
#include "base/text.h"
#include "sim/field_settings.h"
#include "sim/report.h"
#include "sim/run_metrics.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "sweep/sweep_parts.h"

namespace servosim {
namespace {

// The names of the columns of every row. The paths of parameters follow the first four.
enum First : std::size_t { kId, kVersion, kNumber, kRuns, kFirstParameter };
enum AfterParameters : std::size_t {
  kSeed,
  kExitCode,
  kMessage,
  kSteps,
  kTime,
  kWallTime,
  kHash,
  kFirstMetric
};
constexpr const char* kAfterParameters[]{"seed",           "exit_code", "message",   "steps",
                                         "simulated_time", "wall_time", "state_hash"};
constexpr const char* kOfJoint[]{"start",
                                 "position.final",
                                 "position.min",
                                 "position.min_time",
                                 "position.max",
                                 "position.max_time",
                                 "velocity.final",
                                 "velocity.min",
                                 "velocity.min_time",
                                 "velocity.max",
                                 "velocity.max_time",
                                 "effort.final",
                                 "effort.min",
                                 "effort.min_time",
                                 "effort.max",
                                 "effort.max_time",
                                 "step_response.time",
                                 "step_response.from",
                                 "step_response.to",
                                 "step_response.rise_time",
                                 "step_response.overshoot",
                                 "step_response.settling_time"};
constexpr const char* kOfRobot[]{"position.x", "position.y", "position.z", "tilt", "speed"};

// Writes values one after the other. A number that is not finite becomes an empty value.
class RowWriter {
 public:
  RowWriter(SweepRow& row, std::size_t at) : row_(row), at_(at) {}

  void put(double value) {
    SERVOSIM_ASSERT(at_ < row_.size(), "column {} of {}", at_, row_.size());
    if (std::isfinite(value)) {
      row_[at_] = value;
    }
    ++at_;
  }
  void put(const RunMetrics::Range& range) {
    for (const double value : {range.final, range.min, range.min_time, range.max, range.max_time}) {
      put(value);
    }
  }

 private:
  SweepRow& row_;
  std::size_t at_;
};

void put_joint(RowWriter out, const RunMetrics::JointMetrics& joint) {
  out.put(joint.start);
  out.put(joint.position);
  out.put(joint.velocity);
  out.put(joint.effort);
  if (const auto& marks = joint.response.marks()) {
    for (const double value : {marks->begin, marks->from, marks->to, marks->rise_time(),
                               marks->overshoot(), marks->settling_time()}) {
      out.put(value);
    }
  }
}

void put_robot(RowWriter out, const RobotPose& pose) {
  for (const double value :
       {pose.position.x, pose.position.y, pose.position.z, pose.tilt, pose.speed}) {
    out.put(value);
  }
}

}  // namespace

SweepValue sweep_value(const std::string& text) {
  if (const auto whole = parse_number<std::int64_t>(text)) {
    return *whole;
  }
  if (const auto number = parse_number<double>(text); number && std::isfinite(*number)) {
    return *number;
  }
  return text;
}

void Sweep::Parts::name_columns() {
  columns = {"sweep", "servosim", "run", "runs"};
  for (const std::string& path : plan.parameters()) {
    columns.push_back(printable(path));
  }
  columns.insert(columns.end(), std::begin(kAfterParameters), std::end(kAfterParameters));
  for (const int joint : watch(*world, options.watch).joints) {
    for (const char* metric : kOfJoint) {
      columns.push_back(printable(world->joint(joint).name()) + '.' + metric);
    }
  }
  for (const Robot& robot : world->robots()) {
    for (const char* metric : kOfRobot) {
      columns.push_back(printable(robot.name()) + '.' + metric);
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!places.emplace(columns[c], c).second) {
      throw std::invalid_argument(
          fmt::format("two columns of the results would be called '{}'", printable(columns[c])));
    }
  }
}

// Returns the subjects that are missing and not accepted, such as `PROTO 'Table', PROTO 'Chair'`;
// empty if there are none.
std::string Sweep::Parts::missing_in(const Simulation& simulation) const {
  std::set<std::string> subjects;
  std::string all;
  const auto& allowed = options.allow_missing;
  for (const Diagnostic& d : simulation.diagnostics()) {
    if (d.missing && std::find(allowed.begin(), allowed.end(), d.missing->kind) == allowed.end() &&
        subjects.insert(d.missing->subject).second) {
      all += (all.empty() ? "" : ", ") + d.missing->subject;
    }
  }
  return all;
}

std::unique_ptr<SweepVariant> Sweep::Parts::load_variant(const SweepRun& run) const {
  const std::vector<FieldSetting> settings = plan.settings(run);
  auto variant = std::make_unique<SweepVariant>(
      SweepVariant{run.variant, load(settings, run.seed), {}, false, false, {}, {}, {}});
  const Simulation& simulation = variant->simulation;
  const std::vector<Diagnostic> replaced =
      replacements(simulation.diagnostics(), world->diagnostics());
  variant->replaces = !replaced.empty();
  const auto is_its = [&](const Diagnostic& d) {
    return d.severity != Severity::Info &&
           std::any_of(settings.begin(), settings.end(),
                       [&d](const FieldSetting& setting) { return d.file == setting.place; });
  };
  const auto& list = simulation.diagnostics();
  const auto about_values = std::find_if(list.begin(), list.end(), is_its);
  variant->warning = variant->replaces            ? to_string(first_of(replaced, settings))
                     : about_values != list.end() ? to_string(*about_values)
                                                  : "";
  const std::string missing = missing_in(simulation);
  variant->incomplete = !missing.empty();
  if (variant->incomplete && !variant->replaces) {
    variant->warning = "it lacks " + missing;
  }
  variant->watched = watch(simulation, options.watch);
  const auto place_of = [this](const std::string& thing, const char* metric) {
    const auto found = places.find(printable(thing) + '.' + metric);
    if (found == places.end()) {
      throw std::invalid_argument(
          fmt::format("the variant has '{}', which the world without parameters does not have, so "
                      "that the results have no column for it: sweep it by itself",
                      printable(thing)));
    }
    return found->second;
  };
  for (const int joint : variant->watched.joints) {
    variant->joint_columns.push_back(
        place_of(std::string(simulation.joint(joint).name()), kOfJoint[0]));
  }
  for (const Robot& robot : simulation.robots()) {
    variant->robot_columns.push_back(place_of(std::string(robot.name()), kOfRobot[0]));
  }
  return variant;
}

std::int64_t Sweep::Parts::steps_of(const Simulation& simulation) const {
  if (options.steps) {
    return *options.steps;
  }
  return steps_for(options.duration.value_or(kUsualDuration), simulation.basic_time_step_ms());
}

std::size_t Sweep::Parts::after_parameters(std::size_t column) const {
  return kFirstParameter + plan.parameters().size() + column;
}

void Sweep::Parts::begin(const SweepRun& run, SweepRow& row) const {
  row.assign(columns.size(), std::monostate());
  row[kId] = id;
  row[kVersion] = SERVOSIM_VERSION;
  row[kNumber] = static_cast<std::int64_t>(run.number);
  row[kRuns] = static_cast<std::int64_t>(plan.size());
  for (std::size_t p = 0; p < run.values.size(); ++p) {
    row[kFirstParameter + p] = sweep_value(printable(run.values[p]));
  }
  if (run.seed) {
    row[after_parameters(kSeed)] = *run.seed;
  }
}

// @returns false if the run was interrupted.
bool Sweep::Parts::run(const SweepRun& run, std::unique_ptr<SweepVariant>& loaded, SweepRow& row,
                       const std::function<bool()>& is_over) const {
  const auto start = std::chrono::steady_clock::now();
  begin(run, row);
  const auto end = [&](Exit code, const std::string& message) {
    row[after_parameters(kExitCode)] = static_cast<std::int64_t>(code);
    if (!message.empty()) {
      row[after_parameters(kMessage)] = printable(message);
    }
    row[after_parameters(kWallTime)] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return true;
  };
  try {
    if (loaded == nullptr || loaded->number != run.variant) {
      loaded = load_variant(run);
    } else {
      loaded->simulation.reset();
      if (run.seed) {
        WorldControl(loaded->simulation).set_seed(*run.seed);
      }
    }
  } catch (const std::exception& error) {
    loaded = nullptr;
    rethrow_if_short(error);
    return end(BadInput, error.what());
  }
  try {
    if (!simulate(*loaded, row, is_over)) {
      return false;
    }
  } catch (const std::invalid_argument& error) {
    return end(BadInput, error.what());
  } catch (const StepFailed& error) {
    return end(Failed, error.what());
  }
  return end(loaded->replaces ? BadInput : loaded->incomplete ? Incomplete : Ok, loaded->warning);
}

bool Sweep::Parts::simulate(SweepVariant& variant, SweepRow& row,
                            const std::function<bool()>& is_over) const {
  Simulation& simulation = variant.simulation;
  const std::int64_t steps = steps_of(simulation);
  if (const std::optional<std::int64_t> seed = WorldInspector(simulation).seed()) {
    row[after_parameters(kSeed)] = *seed;
  }
  RunMetrics metrics(simulation, variant.watched);
  std::int64_t taken = 0;
  const auto finish = [&] {
    row[after_parameters(kSteps)] = taken;
    row[after_parameters(kTime)] = simulation.time();
    row[after_parameters(kHash)] = fmt::format("{:016x}", simulation.state_hash());
    for (std::size_t j = 0; j < metrics.joints().size(); ++j) {
      put_joint(RowWriter(row, variant.joint_columns[j]), metrics.joints()[j]);
    }
    for (std::size_t r = 0; r < metrics.robots().size(); ++r) {
      const RunMetrics::Root& root = metrics.robots()[r];
      put_robot(RowWriter(row, variant.robot_columns[r]),
                robot_pose(simulation, *root.robot, root.start));
    }
  };
  try {
    for (; taken < steps; ++taken) {
      if (is_over()) {
        return false;
      }
      simulation.step();
      metrics.update(simulation.time());
    }
  } catch (const StepFailed&) {
    finish();
    throw;
  }
  finish();
  return true;
}

}  // namespace servosim
