// SPDX-License-Identifier: Apache-2.0
// The thrust of a Propeller is T = t1·|Ω|·Ω − t2·|Ω|·V, and its torque on the body is −Q about the
// axis.
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace propeller_test {

constexpr double kH = 0.008;  // [s]
constexpr double kMass = 1.5;
// The box's moment of inertia about z.
constexpr double kInertia = kMass * (0.4 * 0.4 + 0.3 * 0.3) / 12.0;

// The world has a box with a propeller along z whose motor reaches its speed within one step.
std::string drone(const std::string& propeller, const std::string& gravity = "0") {
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity {} physicsDisableTime 1 }}
Robot {{
  name "drone" translation 2 3 4
  children [ Pose {{ rotation 0 1 0 -1.5707963267948966 children [ Propeller {{
    {}
    device RotationalMotor {{ name "m" maxVelocity 200 maxTorque 1e9 }}
    slowHelix Solid {{ name "slow" physics Physics {{ density -1 mass 50 }} boundingObject NULL }}
    fastHelix Solid {{ name "fast" }}
  }} ] }} ]
  boundingObject Box {{ size 0.4 0.3 0.1 }}
  physics Physics {{ density -1 mass {} }}
}})",
                     gravity, propeller, kMass);
}

// Loading reports blades with Physics, and nothing else.
Simulation load_blades(const std::string& text) {
  Simulation simulation = Simulation::from_text(text);
  for (const Diagnostic& d : simulation.diagnostics()) {
    EXPECT_EQ(d.message, "Physics of a Propeller's blades is not used");
  }
  return simulation;
}

Simulation turning(const std::string& text, double speed) {
  Simulation simulation = load_blades(text);
  Motor& motor = simulation.robot(0).motor("m");
  motor.set_position(INFINITY);
  motor.set_velocity(speed);
  return simulation;
}

// Returns the turn about z after n steps of constant angular acceleration, by ODE's small-angle
// formula.
double turned(double acceleration, int n) {
  double angle = 0.0;
  for (int k = 1; k <= n; ++k) {
    angle += 2.0 * std::atan(0.5 * kH * kH * k * acceleration);
  }
  return angle;
}

double yaw(const Simulation& simulation) {
  const Mat3 r = simulation.solid("drone").pose().rotation;
  return std::atan2(r(1, 0), r(0, 0));
}

TEST(Propeller, HoversWhenItsThrustIsTheWeight) {
  const double speed = 85.0;
  Simulation simulation = turning(
      drone(fmt::format("thrustConstants {:.17g} 0 torqueConstants 0 0", kMass * 9.81 / 85 / 85),
            "9.81"),
      speed);
  simulation.step(500);
  // The shaft's velocity is a difference of angles that grow to 340. Rounding is 1e-13 of that,
  // over 500 steps.
  EXPECT_NEAR(simulation.solid("drone").pose().translation.z, 4.0, 1e-9);
  simulation.robot(0).motor("m").set_velocity(90.0);
  simulation.step(100);
  const double a = 9.81 * (90.0 * 90.0 / 85.0 / 85.0 - 1.0);
  EXPECT_NEAR(simulation.solid("drone").pose().translation.z, 4.0 + a * kH * kH * 100 * 101 / 2,
              1e-8)
      << "it did not fall asleep";
}

TEST(Propeller, PullsTheOtherWayWhenItTurnsTheOtherWay) {
  for (const double speed : {60.0, -60.0}) {
    Simulation simulation = turning(drone("thrustConstants 0.002 0 torqueConstants 0 0"), speed);
    simulation.step(50);
    const double a = 0.002 * std::abs(speed) * speed / kMass;
    EXPECT_NEAR(simulation.solid("drone").pose().translation.z, 4.0 + a * kH * kH * 50 * 51 / 2,
                1e-10);
  }
}

TEST(Propeller, TurnsItsBodyAgainstItsOwnSense) {
  for (const double speed : {60.0, -60.0}) {
    Simulation simulation = turning(drone("thrustConstants 0 0 torqueConstants 0.00005 0"), speed);
    simulation.step(50);
    const double a = -0.00005 * std::abs(speed) * speed / kInertia;
    EXPECT_NEAR(yaw(simulation), turned(a, 50), 1e-10);
    EXPECT_GT(std::abs(yaw(simulation)), 0.4);
  }
}

// v ← v + h·(t1·Ω² − t2·Ω·v)/m converges to t1·Ω/t2 by a constant factor per step.
TEST(Propeller, LosesThrustWithTheSpeedAlongItsAxis) {
  const double t1 = 0.002;
  const double t2 = 0.03;
  const double speed = 50.0;
  Simulation simulation = turning(drone("thrustConstants 0.002 0.03 torqueConstants 0 0"), speed);
  double v = 0.0;
  double z = 4.0;
  for (int n = 0; n < 200; ++n) {
    simulation.step();
    v += kH * (t1 * speed * speed - t2 * speed * v) / kMass;
    z += kH * v;
  }
  EXPECT_NEAR(simulation.solid("drone").pose().translation.z, z, 1e-10);
  EXPECT_NEAR(v, t1 * speed / t2 * (1.0 - std::pow(1.0 - kH * t2 * speed / kMass, 200)), 1e-12);
}

TEST(Propeller, LosesTorqueWithThatSpeedToo) {
  std::string text = drone("thrustConstants 0 0 torqueConstants 0.00005 0.0004");
  text.replace(text.find("name \"drone\""), 12, "name \"drone\" linearVelocity 0 0 3");
  Simulation simulation = turning(text, 60.0);
  simulation.step(50);
  const double torque = 0.00005 * 60.0 * 60.0 - 0.0004 * 60.0 * 3.0;
  EXPECT_NEAR(yaw(simulation), turned(-torque / kInertia, 50), 1e-10);
}

TEST(Propeller, PushesWhereItsCentreIs) {
  // The field is in the frame of the Pose. On the body the thrust acts at (-0.05, 0.2, 0) along z.
  Simulation simulation = turning(
      drone("centerOfThrust 0 0.2 0.05 thrustConstants 0.0001 0 torqueConstants 0 0"), 40.0);
  simulation.step(1);
  const double thrust = 0.0001 * 40.0 * 40.0;
  const Mat3 r = simulation.solid("drone").pose().rotation;
  const double ix = kMass * (0.3 * 0.3 + 0.1 * 0.1) / 12.0;
  const double iy = kMass * (0.4 * 0.4 + 0.1 * 0.1) / 12.0;
  // The torque is r × F = (0.2·T, 0.05·T, 0). The turn in one step is h²·α.
  EXPECT_NEAR(r(2, 1), kH * kH * 0.2 * thrust / ix, 1e-8);
  EXPECT_NEAR(-r(2, 0), kH * kH * 0.05 * thrust / iy, 1e-8);
}

TEST(Propeller, HasAMotorThatMovesAsWithoutPhysics) {
  std::string text = drone("thrustConstants 0.002 0 torqueConstants 0 0");
  text.replace(text.find("maxTorque 1e9"), 13, "maxTorque 30 ");
  Simulation simulation = turning(text, 60.0);
  // The available torque is the acceleration, as in every kinematic motor.
  double v = 0.0;
  double z = 4.0;
  for (int n = 1; n <= 100; ++n) {
    simulation.step();
    const double speed = 30.0 * kH * n;
    v += kH * 0.002 * speed * speed / kMass;
    z += kH * v;
  }
  EXPECT_NEAR(simulation.solid("drone").pose().translation.z, z, 1e-10);
}

TEST(Propeller, StopsPushingAtATargetPosition) {
  Simulation simulation = load_blades(drone("thrustConstants 0.002 0 torqueConstants 0 0"));
  Motor& motor = simulation.robot(0).motor("m");
  motor.set_velocity(60.0);
  motor.set_position(3.0);  // takes six steps of 0.48 rad and a last step of 0.12 rad
  double v = 0.0;
  double z = 4.0;
  for (int n = 0; n < 40; ++n) {
    simulation.step();
    const double speed = n < 6 ? 60.0 : n == 6 ? 0.12 / kH : 0.0;
    v += kH * 0.002 * speed * speed / kMass;
    z += kH * v;
  }
  EXPECT_NEAR(simulation.solid("drone").pose().translation.z, z, 1e-12);
}

TEST(Propeller, PushesTheBodyItsSolidIsPartOf) {
  const std::string text = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 }
Robot { name "drone" boundingObject Box { size 0.4 0.3 0.1 } physics Physics { density -1 mass 1.1 }
  children [ Solid { name "pod" boundingObject Box { size 0.4 0.3 0.1 } physics Physics { density -1 mass 0.4 }
    children [ Propeller { shaftAxis 0 0 3 thrustConstants 0.002 0 torqueConstants 0 0
      device RotationalMotor { name "m" maxVelocity 200 maxTorque 1e9 } } ] } ] })";
  Simulation simulation = turning(text, 60.0);
  simulation.step(50);
  EXPECT_NEAR(simulation.solid("drone").pose().translation.z,
              0.002 * 3600.0 / kMass * kH * kH * 50 * 51 / 2, 1e-10);
}

}  // namespace propeller_test
}  // namespace servosim::test
