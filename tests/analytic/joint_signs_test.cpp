// SPDX-License-Identifier: Apache-2.0
// The sign table: for any parent, positive means that the endpoint moves along +axis.
#include <gtest/gtest.h>

#include <cmath>

#include "support/case_names.h"
#include "support/worlds.h"

namespace servosim::test {
namespace joint_signs_test {

class JointSigns : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  OneJoint world() const {
    OneJoint w;
    w.slider = std::get<0>(GetParam());
    w.heavy_parent = std::get<1>(GetParam());
    return w;
  }
  // Returns how far the endpoint has moved along the axis, from its pose alone.
  static double moved(const Simulation& simulation, bool slider) {
    const Pose end = simulation.solid("end").pose();
    const Pose base = simulation.solid("r").pose();
    const Pose relative = inverse(base) * end;
    return slider ? relative.translation.x
                  : std::atan2(relative.rotation(1, 0), relative.rotation(0, 0));
  }
};

TEST_P(JointSigns, VelocityMovesAlongTheAxis) {
  OneJoint w = world();
  w.motor = "maxVelocity 0.7";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(INFINITY);
  motor.set_velocity(0.7);
  motor.set_available_force(10.0);
  simulation.step(100);
  const JointReading joint = simulation.joint(0).reading();
  // 10 N·m reach 0.7 rad/s in a few steps. Then the motion is uniform.
  EXPECT_NEAR(joint.velocity, 0.7, 1e-5);
  EXPECT_GT(joint.position, 0.4);
  EXPECT_NEAR(moved(simulation, w.slider), joint.position, 1e-6);
}

TEST_P(JointSigns, ForceAcceleratesAlongTheAxis) {
  const OneJoint w = world();
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_force(1.5);
  const int steps = 40;
  simulation.step(steps);
  const double h = 0.008;
  const double a = 1.5 / inertia(w);
  // The expected values are those of semi-implicit Euler: v = n·h·a and p = h²·a·n(n+1)/2. The
  // heavy parent yields by 2e-9 of that. ODE turns a body by a small-angle formula: 1e-4 at these
  // speeds.
  EXPECT_NEAR(simulation.joint(0).velocity(), steps * h * a, 1e-6);
  EXPECT_NEAR(simulation.joint(0).position(), a * h * h * steps * (steps + 1) / 2,
              w.slider ? 1e-7 : 3e-4);
  EXPECT_NEAR(moved(simulation, w.slider), simulation.joint(0).position(), 1e-6);
}

TEST_P(JointSigns, StartPositionIsCounted) {
  OneJoint w = world();
  w.parameters = "position 0.4";
  w.motor = "maxVelocity 0.7";
  Simulation simulation = load(w);
  EXPECT_DOUBLE_EQ(simulation.joint(0).position(), 0.4);
  EXPECT_DOUBLE_EQ(simulation.robot("r").motor("m").targets().position, 0.4);
  simulation.robot("r").motor("m").set_position(0.9);
  simulation.step(300);
  EXPECT_NEAR(simulation.joint(0).position(), 0.9, 1e-5);
  EXPECT_NEAR(moved(simulation, w.slider), 0.5, 1e-5) << "the file's pose is the one at 0.4";
}

TEST_P(JointSigns, StopsHoldOnBothSides) {
  OneJoint w = world();
  w.parameters = "position 0.1 minStop -0.2 maxStop 0.35";
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_force(6.0);
  simulation.step(600);
  // The stop is a soft row. It yields by about force·CFM and holds.
  EXPECT_NEAR(simulation.joint(0).position(), 0.35, 1e-3);
  simulation.robot("r").motor("m").set_force(-6.0);
  simulation.step(600);
  EXPECT_NEAR(simulation.joint(0).position(), -0.2, 1e-3);
}

TEST_P(JointSigns, SetJointStateMovesWhatHangsOnIt) {
  const OneJoint w = world();
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_available_force(0.0);
  simulation.joint(0).set_state(-0.6, 0.25);
  EXPECT_DOUBLE_EQ(simulation.joint(0).position(), -0.6);
  EXPECT_NEAR(moved(simulation, w.slider), -0.6, 1e-12);
  simulation.step(10);
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.25, 1e-4);
  EXPECT_NEAR(simulation.joint(0).position(), -0.6 + 10 * 0.008 * 0.25, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(HingeAndSlider, JointSigns,
                         testing::Combine(testing::Bool(), testing::Bool()), [](const auto& test) {
                           return std::string(joint_word(std::get<0>(test.param))) +
                                  parent_word(std::get<1>(test.param));
                         });

TEST(HingePosition, CountsManyTurns) {
  OneJoint w;
  w.motor = "maxVelocity 40";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(INFINITY);
  motor.set_velocity(-40.0);
  simulation.step(1000);
  const double settled = simulation.joint(0).position();
  simulation.step(1000);
  // 40 rad/s for 8 s are 51 turns. ODE's small-angle rotation loses some of them at 0.32 rad a
  // step: 2·atan(0.16) is 0.8 % less than 0.32.
  const double turned = 1000 * 2.0 * std::atan(0.5 * 40.0 * 0.008);
  EXPECT_NEAR(simulation.joint(0).position() - settled, -turned, 0.05);
}

// A motor turns two free bodies against each other. Each turns by almost half a turn a step, so
// that by the angle alone the joint would not move.
TEST(HingePosition, CountsTurnsThatTheAngleDoesNotShow) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }
Robot {
  name "r"
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 }
      device RotationalMotor { name "m" maxTorque 1e6 }
      endPoint Solid {
        boundingObject Box { size 0.6 0.2 0.1 }
        physics Physics { density -1 mass 2 }
      }
    }
  ]
  boundingObject Box { size 0.6 0.2 0.1 }
  physics Physics { density -1 mass 2 }
})");
  simulation.robot("r").motor("m").set_force(4e4);
  double counted = 0.0;
  for (int n = 0; n < 8; ++n) {
    simulation.step();
    counted += simulation.joint(0).velocity() * 0.008;
  }
  ASSERT_GT(simulation.joint(0).velocity(), 1000.0);
  // Each step is right to half a turn: ODE turns a body by less than its speed times h.
  EXPECT_NEAR(simulation.joint(0).position(), counted, 8 * 3.15);
}

class HingeStops : public testing::TestWithParam<bool> {};

// The stops are more than half a turn away from the start or from position 0.
TEST_P(HingeStops, HoldBeyondHalfATurn) {
  OneJoint w;
  w.heavy_parent = GetParam();
  w.parameters = "position 2 minStop -2 maxStop 3 dampingConstant 0.05";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_force(-0.8);
  simulation.step(1500);
  EXPECT_NEAR(simulation.joint(0).position(), -2.0, 1e-3);
  EXPECT_NEAR(simulation.joint(0).effort(), 0.0, 1e-3) << "motor and stop cancel";
  motor.set_force(0.8);
  simulation.step(1500);
  EXPECT_NEAR(simulation.joint(0).position(), 3.0, 1e-3);
}

TEST_P(HingeStops, HoldAfterMoreThanATurn) {
  OneJoint w;
  w.heavy_parent = GetParam();
  w.parameters = "minStop -9 maxStop 7 dampingConstant 0.05";
  Simulation simulation = Simulation::from_text(world_text(w));
  EXPECT_EQ(simulation.diagnostics().size(), 1u) << "Webots may not keep them";
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_force(0.8);
  simulation.step(2500);
  EXPECT_NEAR(simulation.joint(0).position(), 7.0, 1e-3);
  motor.set_force(-0.8);
  simulation.step(2500);
  EXPECT_NEAR(simulation.joint(0).position(), -9.0, 1e-3);
}

// The joint is fast enough to overshoot half a turn within a step or two.
TEST_P(HingeStops, HoldNearHalfATurnAtSpeed) {
  for (const double stop : {1.9, 2.1, 3.0, 3.13}) {
    OneJoint w;
    w.heavy_parent = GetParam();
    w.time_step_ms = 32.0;
    w.parameters = fmt::format("minStop -{0} maxStop {0}", stop);
    Simulation simulation = load(w);
    simulation.robot("r").motor("m").set_available_force(0.0);
    simulation.joint(0).set_state(0.0, 9.0);
    for (int n = 0; n < 400; ++n) {
      simulation.step();
      ASSERT_LT(std::abs(simulation.joint(0).position()), stop + 9.0 * 0.032) << stop << " " << n;
    }
  }
}

// A stop holds a motor that drives into it. Together they put nothing on the endpoint.
TEST_P(HingeStops, CancelTheMotorThatPushesAgainstThem) {
  for (const bool slider : {false, true}) {
    for (const double stop : {0.3, 2.5}) {
      OneJoint w;
      w.slider = slider;
      w.heavy_parent = GetParam();
      w.parameters = fmt::format("minStop -{0} maxStop {0} dampingConstant 1", stop);
      w.motor = slider ? "maxForce 4" : "maxTorque 4";
      Simulation simulation = load(w);
      Motor& motor = simulation.robot("r").motor("m");
      for (const double target : {3.0, -3.0}) {
        motor.set_position(target);
        simulation.step(1500);
        EXPECT_NEAR(simulation.joint(0).position(), std::copysign(stop, target), 2e-3);
        EXPECT_NEAR(simulation.joint(0).effort(), 0.0, 1e-3)
            << slider << " " << stop << " " << target;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(StaticAndDynamicParent, HingeStops, testing::Bool(), by_parent);

// Webots' own regression test, with another arm and can: an arm on a can is driven with 5 rad/s²
// towards a target beyond its limit. After 21 steps of 32 ms the law has commanded 5·h²·21·22/2 =
// 1.18272 rad. Webots ends at 1.18212, and the torque is what this acceleration takes.
class Regression : public testing::TestWithParam<Solver> {};

TEST_P(Regression, ArmOnAStandingCan) {
  LoadOptions options;
  options.solver = GetParam();
  options.notice = [](std::string_view) {};
  Simulation simulation = Simulation::from_text(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 32 }
Solid { name "floor" boundingObject Plane { } }
Robot {
  name "r"
  translation 0 0 0.1
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0 0.1 }
      device RotationalMotor { name "m" controlPID 15 5 1 acceleration 5 minPosition -1.51 maxPosition 1.51 }
      endPoint Solid {
        translation 0 0 0.11
        boundingObject Box { size 0.24 0.08 0.02 }
        physics Physics { density -1 mass 1 }
      }
    }
  ]
  boundingObject Cylinder { radius 0.1 height 0.2 }
  physics Physics { density -1 mass 20 }
})",
                                                std::move(options));
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(3.0);
  motor.enable(32, 0.0);
  EXPECT_DOUBLE_EQ(motor.targets().position, 1.51);
  simulation.step(21);
  EXPECT_NEAR(simulation.joint(0).position(), 1.18212, 1e-3);
  // This is I·a of the box about its centre.
  EXPECT_NEAR(motor.sampler().value(), (0.24 * 0.24 + 0.08 * 0.08) / 12.0 * 5.0, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Each, Regression, testing::Values(Solver::Ode, Solver::Tree),
                         testing::PrintToStringParamName());

}  // namespace joint_signs_test
}  // namespace servosim::test
