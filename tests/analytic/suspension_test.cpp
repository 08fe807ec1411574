// SPDX-License-Identifier: Apache-2.0
// Axles with a suspension have the static sag m·g/k and the implicit step of spring and damper. The
// hinge itself works as if it had no suspension.
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace suspension_test {

struct Axle {
  bool hinge2 = false;  // axis 1 is z if true; otherwise the joint is a hinge; the wheel turns
                        // about y in both
  std::string suspension = "suspensionSpringConstant 800 suspensionDampingConstant 30";
  std::string parameters;  // joint parameters of the wheel's axis
  std::string motor = "maxVelocity 1000 maxTorque 50";
  std::string gravity = "0";
};

// The robot has a wheel of 2 kg that can yield along z. CFM is small, so that the fixture of the
// robot carries its 10 kN without sinking.
std::string world_text(const Axle& a) {
  const std::string up = a.suspension + " suspensionAxis 0 0 1";
  const std::string joint =
      a.hinge2 ? fmt::format(
                     "Hinge2Joint {{ jointParameters HingeJointParameters {{ axis 0 0 1 "
                     "{} }} jointParameters2 JointParameters {{ axis 0 1 0 {} }} device2 [",
                     up, a.parameters)
               : fmt::format(
                     "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 {} "
                     "{} }} device [",
                     up, a.parameters);
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 CFM 1e-12 gravity {} physicsDisableTime 0 }}
Robot {{
  name "r"
  children [
    {} RotationalMotor {{ name "m" {} }} Brake {{ name "b" }} ]
      endPoint Solid {{
        name "wheel"
        boundingObject Sphere {{ radius 0.3 }}
        physics Physics {{ density -1 mass 2 }}
      }}
    }}
  ]
  boundingObject Sphere {{ radius 1 }}
  physics Physics {{ density -1 mass 1000 }}
}})",
                     a.gravity, joint, a.motor);
}

constexpr double kH = 0.008;
constexpr double kMass = 2.0;
constexpr double kInertia = 0.4 * kMass * 0.3 * 0.3;

Vec3 wheel(const Simulation& s) {
  return (inverse(s.solid("r").pose()) * s.solid("wheel").pose()).translation;
}

class Suspension : public testing::TestWithParam<bool> {
 protected:
  // Loads the world and holds the robot fast, so that the wheel hangs from it.
  static Simulation pinned(const Axle& axle) {
    Simulation simulation = load(world_text(axle));
    simulation.solid(simulation.robot(0).solid()).pin(true);
    return simulation;
  }
  Axle axle() const {
    Axle a;
    a.hinge2 = GetParam();
    return a;
  }
  // Returns the index of the wheel's axis.
  int joint() const { return GetParam() ? 1 : 0; }
};

TEST_P(Suspension, SagsByWeightOverStiffness) {
  Axle a = axle();
  a.gravity = "9.81";
  a.suspension = "suspensionSpringConstant 800 suspensionDampingConstant 30";
  Simulation simulation = pinned(a);
  simulation.step(1500);
  // The motion has decayed to e^-90. The motor at its target adds nothing along z.
  EXPECT_NEAR(wheel(simulation).z, -kMass * 9.81 / 800.0, 1e-9);
  EXPECT_NEAR(wheel(simulation).x, 0.0, 1e-6);
  EXPECT_NEAR(wheel(simulation).y, 0.0, 1e-6);
}

TEST_P(Suspension, FollowsTheImplicitStep) {
  struct Case {
    double k;
    double d;
  };
  for (const Case& c : {Case{800.0, 0.0}, Case{800.0, 30.0}, Case{90.0, 160.0}}) {
    Axle a = axle();
    a.gravity = "9.81";
    a.suspension =
        fmt::format("suspensionSpringConstant {} suspensionDampingConstant {}", c.k, c.d);
    Simulation simulation = pinned(a);
    double z = 0.0;
    double v = 0.0;
    for (int n = 0; n < 300; ++n) {
      v = (v - kH * 9.81 - kH * c.k / kMass * z) / (1.0 + kH * kH * c.k / kMass + kH * c.d / kMass);
      z += kH * v;
      simulation.step();
      // At first the robot sinks by 1e-12·F·h, which is 1e-10.
      ASSERT_NEAR(wheel(simulation).z, z, 1e-9) << n << " " << c.k << " " << c.d;
    }
  }
}

TEST_P(Suspension, ItsMotorTurnsTheWheel) {
  Simulation simulation = pinned(axle());
  Motor& motor = simulation.robot("r").motor("m");
  motor.enable(8, 0.0);
  motor.set_position(0.75);
  simulation.step(300);
  EXPECT_NEAR(simulation.joint(joint()).position(), 0.75, 1e-7);
  const Pose pose = simulation.solid("wheel").pose();
  EXPECT_NEAR(std::atan2(pose.rotation(0, 2), pose.rotation(0, 0)), 0.75, 1e-5) << "about +y";
  motor.set_acceleration(3.5);
  motor.set_position(INFINITY);
  motor.set_velocity(-1000.0);
  simulation.step(10);
  EXPECT_NEAR(motor.sampler().value(), -kInertia * 3.5, 1e-4);
  EXPECT_NEAR(simulation.joint(joint()).velocity(), -10 * kH * 3.5, 1e-3);
  motor.set_force(0.5);
  const double before = simulation.joint(joint()).velocity();
  simulation.step(10);
  EXPECT_NEAR(simulation.joint(joint()).velocity() - before, 10 * kH * 0.5 / kInertia, 1e-4);
  EXPECT_NEAR(simulation.joint(joint()).effort(), 0.5, 1e-4);
}

TEST_P(Suspension, ItsWheelHasStops) {
  Axle a = axle();
  a.parameters = "position 0.125 dampingConstant 0.05 minStop -0.5 maxStop 2.5";
  Simulation simulation = pinned(a);
  Motor& motor = simulation.robot("r").motor("m");
  for (const double force : {0.5, -0.5}) {
    motor.set_force(force);
    simulation.step(1500);
    EXPECT_NEAR(simulation.joint(joint()).position(), force > 0.0 ? 2.5 : -0.5, 1e-5);
  }
}

TEST_P(Suspension, ItsWheelHasASpringADamperAndABrake) {
  Axle a = axle();
  a.parameters = "position 0.004 springConstant 3 dampingConstant 0.05";
  Simulation simulation = pinned(a);
  simulation.robot("r").motor("m").set_available_force(0.0);
  simulation.robot("r").brake("b").set_damping_constant(0.01);
  double p = 0.004;
  double v = 0.0;
  for (int n = 0; n < 200; ++n) {
    v = (v - kH * 3.0 / kInertia * p) / (1.0 + kH * kH * 3.0 / kInertia + kH * 0.06 / kInertia);
    p += kH * v;
    simulation.step();
    // In small swings ODE's turning is exact. The robot turns by 1e-10.
    ASSERT_NEAR(simulation.joint(joint()).position(), p, 1e-9) << n;
  }
}

TEST_P(Suspension, CountsTurns) {
  Simulation simulation = pinned(axle());
  simulation.robot("r").motor("m").set_available_force(0.0);
  simulation.joint(joint()).set_state(0.0, 300.0);  // 2·|ω|·h > π
  simulation.step(500);
  EXPECT_NEAR(simulation.joint(joint()).position(), 500 * 2.0 * std::atan(0.5 * kH * 300.0), 0.1);
}

// A joint that is moved between steps keeps position and speed of the axle.
TEST_P(Suspension, KeepsItsTravelWhenItsWheelIsPutElsewhere) {
  Axle a = axle();
  a.gravity = "9.81";
  Simulation simulation = pinned(a);
  double z = 0.0;
  double v = 0.0;
  for (int n = 0; n < 100; ++n) {
    if (n == 20 || n == 50) {
      simulation.joint(joint()).set_state(0.625, 0.25);
      simulation.joint(0).set_state(0.375, -0.125);
      ASSERT_LT(wheel(simulation).z, -0.01);
    }
    v = (v - kH * 9.81 - kH * 800.0 / kMass * z) /
        (1.0 + kH * kH * 800.0 / kMass + kH * 30.0 / kMass);
    z += kH * v;
    simulation.step();
    ASSERT_NEAR(wheel(simulation).z, z, 1e-9) << n << ": as in FollowsTheImplicitStep";
  }
  EXPECT_NEAR(wheel(simulation).x, 0.0, 1e-6);
}

// Without constants the axle is as stiff as any joint.
TEST_P(Suspension, WithoutConstantsIsRigid) {
  Axle a = axle();
  a.gravity = "9.81";
  a.suspension = "suspensionSpringConstant 0";
  Simulation simulation = pinned(a);
  simulation.step(300);
  EXPECT_NEAR(wheel(simulation).z, 0.0, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Joints, Suspension, testing::Bool(), [](const auto& test) {
  return test.param ? std::string("Hinge2") : std::string("Hinge");
});

}  // namespace suspension_test
}  // namespace servosim::test
