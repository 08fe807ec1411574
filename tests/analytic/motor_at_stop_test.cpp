// SPDX-License-Identifier: Apache-2.0
// A motor and a stop on one axis are two rows. A motor that holds must hold there, and one that
// drives away from the stop must leave it.
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>

#include "analytic/scheme.h"
#include "support/case_names.h"
#include "support/solver.h"
#include "support/worlds.h"

namespace servosim::test {
namespace motor_at_stop_test {

struct Case {
  bool slider;
  Solver solver;

  friend void PrintTo(const Case& c, std::ostream* out) {
    *out << joint_word(c.slider) << (c.solver == Solver::Tree ? "Tree" : "Ode");
  }
};

class MotorAtStop : public testing::TestWithParam<Case> {
 protected:
  static OneJoint world(const std::string& parameters) {
    OneJoint w;
    w.slider = GetParam().slider;
    w.parameters = parameters;
    return w;
  }
  static Simulation loaded(const OneJoint& w) { return load(w, GetParam().solver); }
};

INSTANTIATE_TEST_SUITE_P(HingeAndSlider, MotorAtStop,
                         testing::Values(Case{false, Solver::Ode}, Case{false, Solver::Tree},
                                         Case{true, Solver::Ode}, Case{true, Solver::Tree}),
                         testing::PrintToStringParamName());

// Without a command the motor holds the joint where it is.
TEST_P(MotorAtStop, HoldsTheJointWhereItIs) {
  for (const char* stops : {"minStop 0 maxStop 0.7", "minStop -0.7", "minStop -3 maxStop 3",
                            "position 0.7 minStop 0 maxStop 0.7"}) {
    for (const bool heavy_parent : {false, true}) {
      OneJoint w = world(stops);
      w.heavy_parent = heavy_parent;
      Simulation simulation = loaded(w);
      const double start = simulation.joint(0).position();
      for (int n = 0; n < 500; ++n) {
        simulation.step();
        ASSERT_NEAR(simulation.joint(0).position(), start, 1e-12) << stops << " " << n;
        ASSERT_NEAR(simulation.joint(0).effort(), 0.0, 1e-8) << stops << " " << n;
      }
    }
  }
}

// Static friction is a row of the same kind.
TEST_P(MotorAtStop, FrictionHoldsTheJointAgainstASmallForce) {
  Simulation simulation = loaded(world("staticFriction 2 minStop 0 maxStop 0.7"));
  simulation.robot("r").motor("m").set_force(0.5);
  simulation.step(500);
  EXPECT_NEAR(simulation.joint(0).position(), 500 * 0.008 * 0.5 * 1e-5, 1e-6)
      << "friction is soft by CFM";
}

// From the first step on only the motor's row acts.
TEST_P(MotorAtStop, LeavesItAsFastAsItIsTold) {
  for (const double sign : {1.0, -1.0}) {
    const OneJoint w = world(sign > 0.0 ? "minStop 0 maxStop 0.7" : "minStop -0.7 maxStop 0");
    Simulation simulation = loaded(w);
    Motor& motor = simulation.robot("r").motor("m");
    motor.set_position(INFINITY);
    motor.set_velocity(sign * 0.1);
    OneDof joint;
    joint.hinge = !GetParam().slider;
    joint.inertia = inertia(w);
    for (int n = 0; n < 400; ++n) {
      joint.step(0.0, sign * 0.1, -10.0, 10.0);
      simulation.step();
      ASSERT_NEAR(simulation.joint(0).position(), joint.p, 1e-9) << n;
      ASSERT_NEAR(simulation.joint(0).velocity(), joint.v, 1e-9) << n;
    }
  }
}

// The stop takes the whole force. The row of a weaker stop would not.
TEST_P(MotorAtStop, PushesAgainstItWithItsForce) {
  Simulation simulation = loaded(world("minStop 0 maxStop 0.7"));
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(INFINITY);
  motor.set_velocity(-1.0);
  simulation.step(500);
  // At rest CFM·force = ERP/h·depth.
  EXPECT_NEAR(simulation.joint(0).position(), -1e-5 * 0.008 / 0.2 * 10.0, 1e-9);
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.0, 1e-9);
  EXPECT_NEAR(simulation.joint(0).effort(), 0.0, 1e-6) << "motor and stop cancel";
  motor.set_velocity(0.1);
  simulation.step(100);
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.1, 1e-6) << "it is not thrown";
}

// The distance of the stops makes no difference.
TEST_P(MotorAtStop, MovesTheSameForNearAndFarStops) {
  Simulation near = loaded(world("minStop 0 maxStop 0.7"));
  Simulation far = loaded(world("minStop 0 maxStop 3"));
  for (int n = 0; n < 300; ++n) {
    for (Simulation* s : {&near, &far}) {
      s->robot("r").motor("m").set_position(n < 150 ? -1.0 : 0.3);
      s->step();
    }
    ASSERT_EQ(near.joint(0).position(), far.joint(0).position()) << n;
  }
}

class OtherJointsAtStop : public testing::TestWithParam<Solver> {};

INSTANTIATE_TEST_SUITE_P(Each, OtherJointsAtStop, testing::Values(Solver::Ode, Solver::Tree),
                         testing::PrintToStringParamName());

// Joints with several axes: each axis holds at its stops, and a motor drives it off one of them.
TEST_P(OtherJointsAtStop, HoldAndLeave) {
  const std::string stops = "minStop 0 maxStop 0.5";
  const std::string hinge2 = fmt::format(
      "Hinge2Joint {{ jointParameters HingeJointParameters {{ axis 0 0 1 {0} }} "
      "jointParameters2 JointParameters {{ axis 0 1 0 {0} }} "
      "device RotationalMotor {{ name \"1\" }} device2 RotationalMotor {{ name \"2\" }} ",
      stops);
  const std::string ball = fmt::format(
      "BallJoint {{ jointParameters BallJointParameters {{ {0} }} "
      "jointParameters2 JointParameters {{ axis 0 1 0 {0} }} "
      "jointParameters3 JointParameters {{ axis 0 0 1 {0} }} "
      "device RotationalMotor {{ name \"1\" }} device2 RotationalMotor {{ name \"2\" }} "
      "device3 RotationalMotor {{ name \"3\" }} ",
      stops);
  for (const auto& [joint, axes] : {std::pair(hinge2, 2), std::pair(ball, 3)}) {
    for (int driven = 0; driven < axes; ++driven) {
      Simulation simulation = load(fmt::format(
                                       R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 0 physicsDisableTime 0 }}
Robot {{ name "r" children [ {} endPoint Solid {{
  boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ density -1 mass 2 }} }} }} ]
  boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ density -1 mass 1e9 }} }})",
                                       joint),
                                   GetParam());
      simulation.step(300);
      for (int axis = 0; axis < axes; ++axis) {
        ASSERT_NEAR(simulation.joint(axis).position(), 0.0, 1e-9) << axes << " " << axis;
      }
      Motor& motor = simulation.robot("r").motor(std::to_string(driven + 1));
      motor.set_position(INFINITY);
      motor.set_velocity(0.1);
      simulation.step(300);
      for (int axis = 0; axis < axes; ++axis) {
        EXPECT_NEAR(simulation.joint(axis).position(), axis == driven ? 0.1 * 300 * 0.008 : 0.0,
                    1e-4)
            << axes << " " << driven << " " << axis;
      }
    }
  }
}

// A gripper as in many worlds: both fingers begin at a stop.
TEST_P(OtherJointsAtStop, LeaveAGripperAsItIsUntilItIsTold) {
  Simulation simulation = load(R"(#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 32 }
Robot { translation 0 0 1 name "r" children [
  SliderJoint { jointParameters JointParameters { axis 0 1 0 maxStop 0.05 }
    device LinearMotor { name "finger" maxPosition 0.05 }
    endPoint Solid { name "f" boundingObject Box { size 0.02 0.01 0.05 }
      physics Physics { density -1 mass 0.2 } } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 1 0 0 maxStop 0.9 }
    device RotationalMotor { name "knuckle" maxPosition 0.9 maxTorque 3 }
    endPoint Solid { translation 1.04 0 0 name "k" boundingObject Box { size 0.08 0.02 0.02 }
      physics Physics { density -1 mass 0.06 } } }
] })",
                               GetParam());
  for (int n = 0; n < 300; ++n) {
    simulation.step();
    ASSERT_NEAR(simulation.joint(0).position(), 0.0, 1e-6) << n;
    ASSERT_NEAR(simulation.joint(1).position(), 0.0, 1e-6) << n;
  }
}

}  // namespace motor_at_stop_test
}  // namespace servosim::test
