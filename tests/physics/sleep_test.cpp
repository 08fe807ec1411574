// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/worlds.h"

namespace servosim::test {
namespace {

// How far a slider gets in 8 s that starts with 5 mm/s and is left alone. (A body without any joint
// or contact never sleeps.)
double drift(const std::string& info) {
  Simulation simulation = load(fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 0 {} }}
Robot {{ name "r" children [ SliderJoint {{ endPoint Solid {{
  linearVelocity 0 0 0.005 boundingObject Sphere {{ }} physics Physics {{ }} }} }} ] }})",
                                           info));
  simulation.step(1000);
  return simulation.joint(0).position();
}

// 5 mm/s is below the threshold of 10 mm/s: the body stops after the time to fall asleep.
TEST(Sleep, ComesAfterItsTime) {
  // ODE counts the time in steps; one more or less is 0.04 mm.
  EXPECT_NEAR(drift("physicsDisableTime 2.5"), 0.005 * 2.5, 1e-4);
  EXPECT_NEAR(drift(""), 0.005 * 1.0, 1e-4);
  EXPECT_NEAR(drift("physicsDisableTime 0"), 0.005 * 8.0, 1e-9);
  EXPECT_NEAR(drift("physicsDisableLinearThreshold 0.004"), 0.005 * 8.0, 1e-9);
}

const char* kRobot = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { } }
Robot { name "r" translation 0 0 0.1
  boundingObject Box { size 0.4 0.4 0.2 } physics Physics { density -1 mass 4 }
  children [ HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0 0.2 }
    device [ RotationalMotor { name "m" } PositionSensor { name "s" } ]
    endPoint Solid { name "arm" translation 0 0 0.2
      boundingObject Box { size 0.3 0.1 0.1 } physics Physics { density -1 mass 1 } } } ]
})";

TEST(Sleep, ARestingRobotDoesNotChangeAtAll) {
  Simulation simulation = load(kRobot);
  simulation.step(500);
  const Pose base = simulation.solid("r").pose();
  const Pose arm = simulation.solid("arm").pose();
  const double position = simulation.joint(0).position();
  simulation.step(500);
  EXPECT_EQ(simulation.solid("r").pose(), base);
  EXPECT_EQ(simulation.solid("arm").pose(), arm);
  EXPECT_EQ(simulation.joint(0).position(), position);
}

TEST(Sleep, AnyMotorCommandEndsIt) {
  const std::function<void(Motor&)> commands[] = {
      [](Motor& m) { m.set_position(0.5); },
      [](Motor& m) {
        m.set_position(INFINITY);
        m.set_velocity(0.5);
      },
      [](Motor& m) { m.set_force(0.25); },
  };
  for (const auto& command : commands) {
    Simulation simulation = load(kRobot);
    simulation.step(500);
    command(simulation.robot("r").motor("m"));
    simulation.step(100);
    EXPECT_GT(simulation.joint(0).position(), 0.1);
  }
}

TEST(Sleep, SettingAJointEndsItToo) {
  Simulation simulation = load(kRobot);
  simulation.step(500);
  simulation.robot("r").motor("m").set_available_force(0.0);
  simulation.step(500);
  simulation.joint(0).set_state(0.25, 2.0);
  simulation.step(5);
  EXPECT_GT(simulation.joint(0).position(), 0.3);
}

TEST(Sleep, EndsWhenSomethingFallsOnIt) {
  Simulation simulation = load(std::string(kRobot) + R"(
Solid { name "stone" translation 0.5 0 8 linearVelocity -0.4 0 0 boundingObject Sphere { radius 0.1 }
  physics Physics { density -1 mass 9 } })");
  simulation.step(130);  // asleep from 1 s on; the stone needs 1.25 s
  const Pose before = simulation.solid("r").pose();
  simulation.step(60);
  EXPECT_NE(simulation.solid("r").pose(), before);
}

// A force that friction holds must not pile up while the joint sleeps and fling it when it wakes.
TEST(Sleep, ForcesOfSleepingJointsDoNotPileUp) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0.2 }
Robot { name "r" children [ HingeJoint {
  jointParameters HingeJointParameters { axis 0 0 1 staticFriction 0.4 }
  device [ RotationalMotor { name "m" } ]
  endPoint Solid { boundingObject Box { size 0.3 0.1 0.1 } physics Physics { } } } ] })");
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_force(0.25);
  simulation.step(1000);
  const double asleep = simulation.joint(0).position();
  motor.set_force(0.2);
  simulation.step(3);
  // Friction is soft: it creeps with CFM times the torque, 2e-6 rad/s.
  EXPECT_NEAR(simulation.joint(0).position(), asleep, 1e-6);
}

}  // namespace
}  // namespace servosim::test
