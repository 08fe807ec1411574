// SPDX-License-Identifier: Apache-2.0
// Controllers that start anew, robots that come and go, other worlds: with real processes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "host/host.h"
#include "scene/scene.h"
#include "unit/host_test_support.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

using test::TempFolder;

constexpr const char* kHead = "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n";

std::string robot(const std::string& name, const std::string& controller = "follower") {
  return "Robot { name \"" + name + "\" controller \"" + controller +
         "\" children HingeJoint { jointParameters HingeJointParameters { } "
         "device RotationalMotor { name \"m\" } endPoint Solid { name \"e\" } } }\n";
}

std::shared_ptr<const wbt::WorldFile> tree(const std::string& text) {
  Diagnostics diagnostics;
  return std::make_shared<const wbt::WorldFile>(
      wbt::read_world_text(text, "world", ".", {}, diagnostics));
}

// A run of a text with something done after a step.
class Orders : public testing::Test {
 protected:
  struct Outcome {
    int status;
    std::string out;
    std::string err;
  };

  Outcome run(const std::string& nodes, int steps, int at,
              const std::function<void(Simulation&, Host&)>& action) {
    Console console;
    const auto file = folder_.write("worlds/w.wbt", kHead + nodes);
    std::filesystem::create_directories(folder_ / "controllers/follower");
    std::filesystem::copy_file(ORDER_FOLLOWER, folder_ / "controllers/follower/follower",
                               std::filesystem::copy_options::overwrite_existing);
    Simulation simulation(file.string());
    HostOptions options;
    options.steps = steps;
    options.trace_path = trace_;
    int taken = 0;
    Host* running = nullptr;
    options.on_step = [&] {
      if (++taken == at) {
        action(simulation, *running);
      }
    };
    options.load_world = [](const std::string& path) { return Simulation(path); };
    Host host(simulation, std::move(options), console);
    running = &host;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = host.run();
    steps_taken_ = taken;
    time_ = simulation.time();
    return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
  }

  // In any order, as each comes from a pipe of its own.
  static std::multiset<std::string> lines(const std::string& text) {
    std::multiset<std::string> found;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      found.insert(line.substr(line.find("] ") == std::string::npos ? 0 : line.find("] ") + 2));
    }
    return found;
  }

  TempFolder folder_;
  std::string trace_;
  int steps_taken_ = 0;
  double time_ = 0.0;
};

using Lines = std::multiset<std::string>;

TEST_F(Orders, AControllerStartsAnewAndTheOthersGoOn) {
  const Outcome outcome =
      run(robot("a") + robot("b"), 20, 10, [](Simulation& simulation, Host& host) {
        SupervisorOrders orders;
        orders.restart_controllers = {&simulation.robot("a")};
        host.order(orders);
      });
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "b begins at 0.000", "a ends at 0.080",
                                       "a begins at 0.080", "a ends at 0.160", "b ends at 0.160"}))
      << outcome.err;
}

TEST_F(Orders, RobotsThatLeaveLoseTheirControllersAndNewOnesGetThem) {
  const Outcome outcome = run(robot("a") + robot("b"), 20, 10, [](Simulation& simulation, Host&) {
    auto changed =
        std::make_shared<wbt::WorldFile>(*tree(kHead + robot("a") + robot("b") + robot("c")));
    changed->nodes.erase(changed->nodes.begin() + 1);
    changed->path = simulation.world_file()->path;
    changed->project = simulation.world_file()->project;
    simulation.rebuild(changed);
  });
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "b begins at 0.000", "a ends at 0.080",
                                       "c begins at 0.080", "b ends at 0.160", "c ends at 0.160"}))
      << outcome.err;
}

TEST_F(Orders, AResetTakesTimeBackAndControllersGoOn) {
  const Outcome outcome = run(robot("a"), 20, 12, [](Simulation&, Host& host) {
    SupervisorOrders orders;
    orders.reset = true;
    host.order(orders);
  });
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "a ends at 0.064"}));
  EXPECT_EQ(steps_taken_, 20);
}

TEST_F(Orders, AWorldIsReadAnewWithItsControllers) {
  trace_ = folder_ / "trace.csv";
  const Outcome outcome = run(robot("a"), 20, 12, [](Simulation&, Host& host) {
    SupervisorOrders orders;
    orders.reload_world = true;
    host.order(orders);
  });
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "a ends at 0.096", "a begins at 0.000",
                                       "a ends at 0.064"}));
  EXPECT_EQ(steps_taken_, 20);
  EXPECT_NEAR(time_, 0.064, 1e-12);
  EXPECT_EQ(lines(test::read_text(trace_)).size(), 21u);
}

TEST_F(Orders, AnotherWorldTakesThePlaceUnlessItCannot) {
  const auto load = [](const std::string& path) {
    return [path](Simulation&, Host& host) {
      SupervisorOrders orders;
      orders.load_world = path;
      host.order(orders);
    };
  };
  const std::string next = folder_.write("worlds/next.wbt", kHead + robot("d", "void"));
  const Outcome outcome = run(robot("a"), 20, 12, load(next));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "a ends at 0.096"}));
  EXPECT_EQ(steps_taken_, 20);
  const Outcome missing = run(robot("a"), 20, 12, load(folder_ / "worlds/none.wbt"));
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(lines(missing.out), (Lines{"a begins at 0.000", "a ends at 0.160"}));
  EXPECT_NE(missing.err.find("the present one goes on"), std::string::npos) << missing.err;
  trace_ = folder_ / "trace.csv";
  const Outcome traced = run(robot("a"), 20, 12, load(next));
  EXPECT_EQ(traced.status, 1);
  EXPECT_NE(traced.err.find("other joints than those in the trace"), std::string::npos)
      << traced.err;
}

}  // namespace
}  // namespace servosim
