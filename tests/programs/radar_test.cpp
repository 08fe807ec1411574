// SPDX-License-Identifier: Apache-2.0
// Controllers that read Radars: hosted, in the process of the simulation, by TCP and in Python.
#include <gtest/gtest.h>

#include <string>

#include "programs/program.h"
#include "programs/shell.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::ScopedVariable;
using test::shell;
using test::ShellResult;
using test::TempFolder;

// The second of three Solids leaves, and the third one is behind the radar.
constexpr const char* kBoxes = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 32 gravity 0 }
DEF NEAR Solid { translation 3 -1 0 name "near" radarCrossSection 2
  boundingObject Box { size 0.2 0.2 0.2 } }
Solid { translation 6 0 0 name "far" radarCrossSection 2 linearVelocity 1.5 0 0
  boundingObject Box { size 0.2 0.2 0.2 } physics Physics { } }
Solid { translation -3 0 0 name "behind" radarCrossSection 2 boundingObject Sphere { } }
Robot { name "eye" controller "CONTROLLER" supervisor TRUE children [ Radar { name "radar" } ] }
)";

constexpr const char* kEcho = R"(
#include <stdio.h>
#include <webots/radar.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

int main() {
  wb_robot_init();
  const WbDeviceTag radar = wb_robot_get_device("radar");
  wb_radar_enable(radar, 64);
  wb_robot_step(32);
  printf("before %d %d\n", wb_radar_get_number_of_targets(radar), wb_radar_get_targets(radar) == NULL);
  wb_robot_step(32);
  const WbRadarTarget *target = wb_radar_get_targets(radar);
  printf("first %d %.3f %.3f %.1f\n", wb_radar_get_number_of_targets(radar), target[0].distance,
         target[0].azimuth, target[0].received_power);
  wb_robot_step(64);
  target = wb_radar_get_target(radar, 1);
  printf("second %.3f %.3f\n", target->distance, target->speed);
  wb_supervisor_node_remove(wb_supervisor_node_get_from_def("NEAR"));
  wb_robot_step(32);
  printf("still %d\n", wb_radar_get_number_of_targets(radar));
  wb_robot_step(32);
  printf("removed %d\n", wb_radar_get_number_of_targets(radar));
  wb_radar_disable(radar);
  printf("kept %d\n", wb_radar_get_number_of_targets(radar));
  wb_robot_cleanup();
  return 0;
}
)";

std::string boxes(const std::string& controller) {
  std::string text = kBoxes;
  return text.replace(text.find("CONTROLLER"), 10, controller);
}

void expect_targets(const std::string& output) {
  for (const char* line :
       {"before 0 1\n", "first 2 3.162 0.322 -28.0\n", "second 6.192 1.500\n", "still 2\n",
        "removed 1\n", "kept 1\n",
        "Error: wb_radar_get_number_of_targets() called for a disabled device! Please use: "
        "wb_radar_enable().\n"}) {
    EXPECT_TRUE(contains(output, line)) << line << output;
  }
}

TEST(Radar, ReachesControllers) {
  const TempFolder folder;
  folder.write("worlds/w.wbt", boxes("echo"));
  folder.write("worlds/extern.wbt", boxes("<extern>"));
  folder.write("controllers/echo/echo.c", kEcho);
  const ShellResult run = shell("servosim run worlds/w.wbt 2>&1", folder.path());
  EXPECT_EQ(run.status, 0) << run.output;
  expect_targets(run.output);
  const ShellResult alone = shell(
      "LD_LIBRARY_PATH=\"$(servosim webots-home)/lib/controller\" SERVOSIM_WORLD=worlds/w.wbt "
      "controllers/echo/echo 2>&1",
      folder.path());
  EXPECT_EQ(alone.status, 0) << alone.output;
  expect_targets(alone.output);
  const TempFolder temporary;
  const ScopedVariable tmpdir("TMPDIR", temporary.path());
  Program simulation({"run", (folder.path() / "worlds/extern.wbt").string(), "--extern-tcp",
                      "127.0.0.1", "--extern-urls", "--quiet"});
  ASSERT_TRUE(simulation.wait_for_output("tcp://127.0.0.1:"));
  ASSERT_TRUE(simulation.wait_for_output("/eye\n"));
  std::string port = simulation.out();
  port = port.substr(port.find("127.0.0.1:") + 10);
  port.resize(port.find('/'));
  const ShellResult by_tcp =
      shell("servosim controller --protocol tcp --port " + port + " controllers/echo/echo 2>&1",
            folder.path());
  EXPECT_EQ(by_tcp.status, 0) << by_tcp.output;
  expect_targets(by_tcp.output);
  EXPECT_EQ(simulation.finish(), 0) << simulation.err();
}

TEST(Radar, ReachesControllersInPython) {
  SKIP_WITHOUT_PYTHON_API();
  const TempFolder folder;
  folder.write("worlds/w.wbt", boxes("listen"));
  folder.write("controllers/listen/listen.py", R"(
from controller import Robot
robot = Robot()
radar = robot.getDevice('radar')
radar.enable(32)
robot.step(32)
robot.step(32)
for target in radar.getTargets():
    print(f'{target.distance:.3f} {target.speed:.3f} {target.azimuth:.3f}')
print('targets', radar.getNumberOfTargets(), len(radar.targets))
)");
  const ShellResult run = shell("servosim run worlds/w.wbt 2>&1", folder.path());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(contains(run.output, "3.162 0.000 0.322\n6.096 1.500 0.000\ntargets 2 2\n"))
      << run.output;
}

}  // namespace
}  // namespace servosim
