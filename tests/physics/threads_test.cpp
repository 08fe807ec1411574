// SPDX-License-Identifier: Apache-2.0
// Several simulations in several threads: each gives what it gives alone.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "support/worlds.h"

namespace servosim::test {
namespace {

constexpr const char* kMesh =
    "IndexedFaceSet { coord Coordinate { point [ -.2 -.2 -.1, .2 -.2 -.1, .2 .2 -.1, -.2 .2 -.1, "
    "-.2 -.2 .1, "
    ".2 -.2 .1, .2 .2 .1, -.2 .2 .1 ] } coordIndex [ 0 3 2 1 -1 4 5 6 7 -1 0 1 5 4 -1 1 2 6 5 -1 2 "
    "3 7 6 -1 "
    "3 0 4 7 -1 ] }";

// Meshes, a can and a capsule fall on each other next to a moving arm. `n` shifts them a little.
std::string heap(int n) {
  std::string text = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 16 }
Solid { name "floor" boundingObject Plane { } }
Robot { name "r" translation 3 0 0.5 children [ HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
  device [ RotationalMotor { name "m" } PositionSensor { name "s" noise 0.25 } ]
  endPoint Solid { translation 0.3 0 0 boundingObject Box { size 0.6 0.1 0.1 } physics Physics { } } } ] }
)";
  for (int i = 0; i < 4; ++i) {
    text += fmt::format(
        "Solid {{ name \"s{}\" translation {} {} {} rotation 1 1 0 0.{}5 boundingObject {} physics "
        "Physics {{ }} "
        "}}\n",
        i, 0.013 * n, 0.05 * i, 0.4 + 0.3 * i, i,
        i == 3 ? "Cylinder { radius 0.1 height 0.2 }" : kMesh);
  }
  return text;
}

// The meshes touch at more points than are used, and say so.
Simulation load_heap(int n) {
  LoadOptions options;
  options.notice = [](std::string_view message) {
    EXPECT_NE(message.find("deepest are used"), std::string_view::npos) << message;
  };
  return Simulation::from_text(heap(n), std::move(options));
}

std::uint64_t run(int n) {
  Simulation simulation = load_heap(n);
  simulation.robot("r").motor("m").set_position(-0.5);
  simulation.step(300);
  return simulation.state_hash();
}

void expect_equal_in_threads(int count) {
  std::vector<std::uint64_t> alone;
  for (int n = 0; n < count; ++n) {
    alone.push_back(run(n));
  }
  EXPECT_NE(alone.front(), alone.back());
  std::vector<std::uint64_t> together(count);
  std::vector<std::thread> threads;
  for (int n = 0; n < count; ++n) {
    threads.emplace_back([&together, n] { together[n] = run(n); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(together, alone);
}

TEST(Threads, TwoDoNotDisturbEachOther) { expect_equal_in_threads(2); }
TEST(Threads, FourDoNotDisturbEachOther) { expect_equal_in_threads(4); }

TEST(Threads, ASimulationMayMoveToAnother) {
  Simulation simulation = load_heap(5);
  simulation.robot("r").motor("m").set_position(-0.5);
  simulation.step(100);
  std::thread([&simulation] { simulation.step(100); }).join();
  simulation.step(100);
  EXPECT_EQ(simulation.state_hash(), run(5));
}

}  // namespace
}  // namespace servosim::test
