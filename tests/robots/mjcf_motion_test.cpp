// SPDX-License-Identifier: Apache-2.0
// An arm whose actuators have laws of torque moves as it does in MuJoCo: mujoco_laws.py in peers/.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "robots/robot_file.h"
#include "scene/scene.h"
#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"
#include "wbt/test_support.h"
#include "wbt/writer.h"

namespace servosim::robots::mjcf_motion_test {
namespace {

constexpr const char* kFile = SERVOSIM_TEST_DIR "/robots/peers/servo_arm.xml";
constexpr std::size_t kJoints = 6;
using Numbers = std::array<double, kJoints>;

// The commands of the actuators from 0 s and 0.5 s on, and the positions of the joints 0.5 s later,
// by MuJoCo 4.0.0 with RK4 and 0.1 ms.
constexpr Numbers kCommands[] = {{0.5, 0.9, -0.7, 1.2, 3.0, 15.0},
                                 {-0.4, -0.6, 0.5, -2.0, -5.0, 2.0}};
constexpr Numbers kPositions[] = {
    {1.81078338974, 0.901565701648, -0.694896812673, 0.60008758981, 1.17348987278, 0.101668883065},
    {0.815674110687, -0.599961868701, 0.507396690054, -0.999742972625, -0.729953372143,
     0.0153325871672}};

LoadOptions options() {
  LoadOptions options;
  options.integrator = Integrator::Joint;
  return options;
}

// Gives the actuators of the file a command, in terms of the joints.
void command(Simulation& simulation, const Numbers& u) {
  Robot& robot = simulation.robot("servo_arm");
  robot.motor("pan").set_force(3.0 * u[0]);
  robot.motor("lift").set_position(u[1]);
  robot.motor("elbow").set_position(u[2]);
  robot.motor("flex").set_position(u[3] / 2.0);
  robot.motor("roll").set_position(std::numeric_limits<double>::infinity());
  robot.motor("roll").set_velocity(u[4]);
  robot.motor("grip").set_position((2.0 * u[5] + 0.5) / 300.0);
}

Numbers positions(const Simulation& simulation) {
  Numbers found;
  for (std::size_t i = 0; i < kJoints; ++i) {
    found[i] = simulation.joint(static_cast<int>(i)).position();
  }
  return found;
}

TEST(MjcfMotion, IsThatOfMujocoWithLawsOfTorque) {
  Simulation simulation(kFile, options());
  for (std::size_t k = 0; k < 2; ++k) {
    command(simulation, kCommands[k]);
    simulation.step(5000);
    const Numbers found = positions(simulation);
    for (std::size_t i = 0; i < kJoints; ++i) {
      EXPECT_NEAR(found[i], kPositions[k][i], 1e-6) << k << " " << i;
    }
  }
}

// The world that is made of the file needs nothing else.
TEST(MjcfMotion, IsThatOfTheConvertedWorld) {
  Diagnostics diagnostics;
  const wbt::WorldFile world = read_world(kFile, {}, {}, diagnostics);
  const wbt::test::TemporaryProject project;
  Simulation made = Simulation::from_text(wbt::write_world(world), options(), project.path("."));
  Simulation simulation(kFile, options());
  for (Simulation* const each : {&made, &simulation}) {
    command(*each, kCommands[0]);
    each->step(1000);
  }
  EXPECT_EQ(positions(made), positions(simulation));
}

// A motor that got no command has the law of u = 0, but for positions: it holds where it starts.
TEST(MjcfMotion, IsThatOfMotorsWithoutACommand) {
  wbt::test::TemporaryProject project;
  project.write("robot.xml", R"(<mujoco><compiler angle="radian"/><option timestep=".001"/>
<default><geom size=".1" mass="2" contype="0" conaffinity="0" pos=".5 0 0"/>
<joint axis="0 1 0"/></default><worldbody>
<body><joint name="m"/><geom/></body><body><joint name="v"/><geom/></body>
<body><joint name="p" ref=".3"/><geom/></body></worldbody><actuator><motor joint="m"/>
<velocity joint="v" kv="40"/><position joint="p" kp="100" kv="20"/></actuator></mujoco>)");
  Simulation simulation(project.path("robot.xml"), options());
  simulation.step(500);
  const double torque = 2.0 * 9.81 * 0.5;
  EXPECT_GT(simulation.joint(0).position(), 1.5) << "it falls";
  const double q = simulation.joint(1).position();
  EXPECT_NEAR(simulation.joint(1).velocity(), torque * std::cos(q) / 40.0, 0.01);
  EXPECT_NEAR(simulation.joint(2).position(), 0.3 + torque * std::cos(0.35) / 100.0, 0.01);
}

}  // namespace
}  // namespace servosim::robots::mjcf_motion_test
