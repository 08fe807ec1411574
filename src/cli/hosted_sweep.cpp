// SPDX-License-Identifier: Apache-2.0
#include "cli/hosted_sweep.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "assets/digest.h"
#include "base/child_process.h"
#include "base/files.h"
#include "base/growing_file.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/child_run.h"
#include "cli/commands.h"
#include "cli/run_arguments.h"
#include "run/controller_finder.h"
#include "run/signals.h"
#include "scene/scene.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSourceEndings[]{".c", ".cc", ".cpp", ".cxx",
                                            ".h", ".hh", ".hpp", ".inc"};

constexpr const char* kExtern = "<extern>";

// Returns digests of the sources of a controller, or of its program if it has no sources.
std::string contents_of(const ControllerChoice& choice) {
  namespace fs = std::filesystem;
  std::set<std::string> files;
  if (choice.kind == ControllerChoice::Kind::Sources && choice.source.empty()) {
    for (const auto& entry : fs::directory_iterator(choice.folder)) {
      const std::string name = entry.path().filename();
      if (name == "Makefile" || is_one_of(kSourceEndings, lower_extension(name))) {
        files.insert(entry.path());
      }
    }
  } else {
    files.insert(choice.kind == ControllerChoice::Kind::Sources ? choice.source : choice.program);
  }
  std::string contents = choice.name + '\n';
  for (const std::string& file : files) {
    const auto text = read_file(file);
    const auto* bytes = std::get_if<std::string>(&text);
    contents += bytes != nullptr ? assets::sha256(*bytes) + '\n' : "-\n";
  }
  return contents;
}

}  // namespace

HostedSweep::HostedSweep(const Sweep& sweep, HostedSweepOptions options)
    : sweep_(sweep), options_(std::move(options)) {
  const Scene& scene = WorldInspector(sweep.world()).scene();
  check_overrides(scene, options_.controllers);
  for (const RobotSpec& robot : scene.robots) {
    const ControllerOverride* const asked = find_override(options_.controllers, robot.name);
    const std::string& controller = asked != nullptr ? asked->program : robot.controller;
    if (controller == kExtern) {
      throw InputError(
          fmt::format("robot '{}' has an extern controller, and a sweep starts none; give it a "
                      "program, or --controller '{}=<none>'",
                      printable(robot.name), printable(robot.name)));
    }
    if (!means_no_controller(controller)) {
      needed_ = true;
      const ControllerQuery query{robot.name, robot.controller, scene.project, robot.proto_project};
      contents_ += contents_of(asked != nullptr ? choose_controller(asked->program, query)
                                                : find_controller(query));
    }
  }
  for (std::size_t c = 0; c < sweep.columns().size(); ++c) {
    columns_[sweep.columns()[c]] = c;
  }
}

std::vector<std::string> HostedSweep::arguments_of(const SweepRun& run) const {
  std::vector<std::string> arguments{"--quiet", kNoBusesOption};
  arguments.insert(arguments.end(), options_.arguments.begin(), options_.arguments.end());
  for (std::size_t p = 0; p < run.values.size(); ++p) {
    arguments.push_back(fmt::format("--set={}={}", sweep_.plan().parameters()[p], run.values[p]));
  }
  if (run.seed) {
    arguments.push_back(fmt::format("--seed={}", *run.seed));
  }
  arguments.insert(arguments.end(), {"--", sweep_.options().world});
  return arguments;
}

std::optional<SweepRow> HostedSweep::run(const SweepRun& run) const {
  const auto start = std::chrono::steady_clock::now();
  const ChildRun child = run_child(arguments_of(run));
  if (interrupting_signal() != 0) {
    return std::nullopt;
  }
  SweepRow row = sweep_.begin_row(run);
  std::int64_t exit_code =
      WIFEXITED(child.wait_status) ? WEXITSTATUS(child.wait_status) : std::int64_t{Sweep::Failed};
  std::string message;
  if (child.run.is_null()) {
    message = fmt::format("the run {}: {}", describe_wait_status(child.wait_status),
                          last_line(child.errors));
    exit_code = exit_code == Sweep::Ok ? std::int64_t{Sweep::Failed} : exit_code;
  } else if (child.run.contains("error")) {
    message = child.run.value("error", "");
  } else {
    exit_code = child.run.value("exit_code", exit_code);
    fill(row, child.run);
    message = message_of(run, child.run, child.errors, exit_code);
  }
  row[columns_.at("exit_code")] = exit_code;
  if (!message.empty()) {
    row[columns_.at("message")] = printable(message);
  }
  row[columns_.at("wall_time")] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return row;
}

void HostedSweep::put(SweepRow& row, const std::string& column, const Json& value) const {
  const auto place = columns_.find(column);
  if (place == columns_.end()) {
    return;
  }
  if (value.is_number_integer()) {
    row[place->second] = value.get<std::int64_t>();
  } else if (value.is_number()) {
    row[place->second] = value.get<double>();
  } else if (value.is_string()) {
    row[place->second] = value.get<std::string>();
  }
}

void HostedSweep::fill(SweepRow& row, const Json& run) const {
  for (const char* key : {"seed", "steps", "simulated_time", "state_hash"}) {
    put(row, key, run.value(key, Json()));
  }
  for (const Json& joint : run.at("joints")) {
    const std::string name = printable(joint.value("name", ""));
    put(row, name + ".start", joint.value("start", Json()));
    for (const char* group : {"position", "velocity", "effort", "step_response"}) {
      for (const auto& [key, value] : joint.at(group).items()) {
        put(row, fmt::format("{}.{}.{}", name, group, key), value);
      }
    }
  }
  for (const Json& robot : run.at("robots")) {
    const std::string name = printable(robot.value("name", ""));
    const Json& motion = robot.at("motion");
    if (motion.is_null()) {
      continue;
    }
    constexpr std::array<const char*, 3> kAxes{".position.x", ".position.y", ".position.z"};
    for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
      put(row, name + kAxes[axis], motion.at("position").at(axis));
    }
    put(row, name + ".tilt", motion.at("tilt"));
    put(row, name + ".speed", motion.at("speed"));
  }
}

// Returns why the run failed, what it lacks, or what it reports about a swept value.
std::string HostedSweep::message_of(const SweepRun& run, const Json& json,
                                    const std::string& errors, std::int64_t exit_code) const {
  if (exit_code == Sweep::Incomplete && !json.value("complete", true)) {
    std::string lacks = "it lacks";
    for (const Json& part : json.at("missing")) {
      if (!part.value("accepted", false)) {
        lacks += (lacks.size() > 8 ? ", " : " ") + part.value("subject", "");
      }
    }
    return lacks;
  }
  if (exit_code != Sweep::Ok) {
    const std::string why = last_line(errors);
    return why.empty() ? fmt::format("exit code {}", exit_code) : why;
  }
  for (const Json& notice : json.at("notices")) {
    const std::string text = notice.value("message", "");
    for (std::size_t p = 0; p < run.values.size(); ++p) {
      const std::string place =
          fmt::format("--set {}={}:", sweep_.plan().parameters()[p], run.values[p]);
      if (text.starts_with(place)) {
        return text.substr(std::string_view("--set ").size());
      }
    }
  }
  return {};
}

}  // namespace servosim
