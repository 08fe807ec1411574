// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"
#include "run/test_support.h"
#include "scene/scene.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/world_file.h"

namespace servosim::test {

inline constexpr const char* kHead = "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n";

inline std::string robot(const std::string& name, const std::string& controller = "follower",
                         const std::string& more = "") {
  return "Robot { name \"" + name + "\" controller \"" + controller + "\" " + more +
         " children HingeJoint { jointParameters HingeJointParameters { } "
         "device RotationalMotor { name \"m\" } endPoint Solid { name \"e\" } } }\n";
}

/// Returns a robot whose controller plays that role of scripted_controller.c.
inline std::string actor(const std::string& name, const std::string& role,
                         const std::string& more = "") {
  return robot(name, "actor", "controllerArgs [ \"" + role + "\" ] " + more);
}

inline std::shared_ptr<const wbt::WorldFile> tree(const std::string& text) {
  Diagnostics diagnostics;
  return std::make_shared<const wbt::WorldFile>(
      wbt::read_world_text(text, "world", ".", {}, diagnostics));
}

/// The order is undefined, because each line comes from a pipe of its own.
using Lines = std::multiset<std::string>;

/// Runs a world from a text and does something after a step.
class RunFixture : public testing::Test {
 protected:
  struct Outcome {
    int status;
    std::string out;
    std::string err;
  };
  using Action = std::function<void(Simulation&, servosim::Run&)>;

  Outcome run(const std::string& nodes, std::optional<int> steps, int at = 0,
              const Action& action = {}) {
    Console console;
    const auto file = folder_.write("worlds/w.wbt", kHead + nodes);
    const std::vector<std::pair<std::string, const char*>> programs{
        {"follower", FOLLOWING_CONTROLLER},
        {"other", FOLLOWING_CONTROLLER},
        {"actor", SCRIPTED_CONTROLLER}};
    for (const auto& [name, program] : programs) {
      std::filesystem::create_directories(folder_ / ("controllers/" + name));
      std::filesystem::copy_file(program, folder_ / ("controllers/" + name + "/" + name),
                                 std::filesystem::copy_options::overwrite_existing);
    }
    Simulation simulation(file.string());
    RunOptions options = options_;
    options.steps = steps;
    int taken = 0;
    servosim::Run* running = nullptr;
    options.on_step = [&] {
      if (++taken == at) {
        action(simulation, *running);
      }
    };
    options.load_world = [](const std::string& path) { return Simulation(path); };
    servosim::Run run(simulation, std::move(options), console);
    running = &run;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = run.execute();
    steps_taken_ = taken;
    time_ = simulation.time();
    seconds_simulated_ = run.seconds_simulated();
    return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
  }
  static Action change_to(const std::string& nodes) {
    return [nodes](Simulation& simulation, servosim::Run&) {
      auto changed = std::make_shared<wbt::WorldFile>(*tree(kHead + nodes));
      changed->path = WorldInspector(simulation).world_file()->path;
      changed->project = WorldInspector(simulation).world_file()->project;
      WorldControl(simulation).rebuild(changed);
    };
  }
  static Action restart(const std::string& robot) {
    return [robot](Simulation& simulation, servosim::Run& run) {
      RunRequests requests;
      requests.restart_controllers = {&simulation.robot(robot)};
      run.request(requests);
    };
  }

  static Lines lines(const std::string& text) {
    Lines found;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      found.insert(line.substr(line.find("] ") == std::string::npos ? 0 : line.find("] ") + 2));
    }
    return found;
  }

  TempFolder folder_;
  RunOptions options_;
  int steps_taken_ = 0;
  double time_ = 0.0;
  double seconds_simulated_ = 0.0;
};

}  // namespace servosim::test
