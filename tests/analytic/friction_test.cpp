// SPDX-License-Identifier: Apache-2.0
// Contact friction of blocks and balls is compared with the recurrence of the same discrete scheme.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/worlds.h"

namespace servosim::test {
namespace friction_test {

constexpr double kH = 0.008;
constexpr double kG = 9.81;
constexpr double kMass = 3.0;
// The joints' own softness would add slip of CFM times the force. 1e-12 is far below rounding.
constexpr const char* kInfo = "basicTimeStep 8 physicsDisableTime 0 CFM 1e-12";
// Some hundred steps add numbers near 1, which have gone through ODE's matrix inversions.
constexpr double kTolerance = 1e-9;

// Returns the depth of a soft contact that carries `force` at rest: depth·ERP/h = CFM·force.
double depth_under(double force) { return 0.001 * kH * force / 0.2; }

struct Slide {
  std::string contact;  // fields of ContactProperties between "floor" and "block"
  Vec3 velocity;        // the block's, at the start
  double floor_yaw = 0.0;
  double block_yaw = 0.0;
  bool block_first = false;
};

// A block slides on the floor. Its centre of mass is in its bottom, so that friction does not tilt
// it and each of its four corners carries a quarter of the weight from the first step on.
Simulation sliding(const Slide& s) {
  const double z = 0.05 - depth_under(kMass * kG / 4.0);
  const std::string floor = fmt::format(
      "Solid {{ name \"floor\" rotation 0 0 1 {} contactMaterial \"floor\" boundingObject Plane {{ "
      "}} }}\n",
      s.floor_yaw);
  const std::string block = fmt::format(
      "Solid {{ name \"block\" translation 0 0 {} rotation 0 0 1 {} linearVelocity {} {} 0 "
      "contactMaterial \"block\" boundingObject Box {{ size 0.4 0.4 0.1 }} physics Physics {{ "
      "density -1 mass {} centerOfMass 0 0 -0.05 }} }}\n",
      z, s.block_yaw, s.velocity.x, s.velocity.y, kMass);
  return load(
      fmt::format("#VRML_SIM R2023b utf8\nWorldInfo {{ {} contactProperties [ "
                  "ContactProperties {{ bounce 0 {} }} ] }}\n{}{}",
                  kInfo, s.contact, s.block_first ? block : floor, s.block_first ? floor : block));
}

constexpr int kSteps = 40;

// Returns the distance in kSteps of a block that starts with `speed` and loses `loss` per step.
double way(double speed, double loss) {
  return kH * (kSteps * speed - loss * kSteps * (kSteps + 1) / 2.0);
}

void expect_way(const Slide& s, double mu_along_x, double mu_along_y) {
  Simulation simulation = sliding(s);
  const double z = simulation.solid("block").pose().translation.z;
  simulation.step(kSteps);
  const Vec3 p = simulation.solid("block").pose().translation;
  const auto expected = [](double speed, double mu) {
    return std::copysign(way(std::abs(speed), mu * kG * kH), speed) * (speed != 0.0);
  };
  EXPECT_NEAR(p.x, expected(s.velocity.x, mu_along_x), kTolerance) << s.contact;
  EXPECT_NEAR(p.y, expected(s.velocity.y, mu_along_y), kTolerance) << s.contact;
  EXPECT_NEAR(p.z, z, kTolerance) << s.contact;
}

constexpr const char* kPair = "material1 \"floor\" material2 \"block\" ";

TEST(Friction, SlowsByMuGPerSecond) {
  expect_way({std::string(kPair) + "coulombFriction 0.3", {2, 0, 0}}, 0.3, 0.0);
  expect_way({std::string(kPair) + "coulombFriction 0.3", {0, -2, 0}}, 0.0, 0.3);
}

// The pyramid is square: each direction has its whole friction.
TEST(Friction, OfTwoValuesDiffersAlongAndAcross) {
  // Both surfaces have both values and are aligned: each counts twice.
  for (const bool block_first : {false, true}) {
    expect_way({std::string(kPair) + "coulombFriction [ 0.1 0.25 ]", {3, -4, 0}, 0, 0, block_first},
               0.2, 0.5);
  }
}

TEST(Friction, OfThreeValuesTakesTheDirectionOfTheFirstMaterial) {
  for (const bool block_first : {false, true}) {
    expect_way(
        {std::string(kPair) + "coulombFriction [ 0.1 0.3 0.05 ]", {3, 4, 0}, 0, 0.6, block_first},
        0.15, 0.35);
    // If the materials are given in the other order, the direction is the block's, a quarter turn
    // away here.
    expect_way({"material1 \"block\" material2 \"floor\" coulombFriction [ 0.1 0.3 0.05 ]",
                {4, 3, 0},
                0,
                std::numbers::pi / 2,
                block_first},
               0.35, 0.15);
  }
}

TEST(Friction, OfFourValuesAddsTheSecondSurfaceByItsAngle) {
  const double angle = 0.5;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  for (const bool block_first : {false, true}) {
    expect_way({std::string(kPair) + "coulombFriction [ 0.1 0.2 0.15 0.05 ]",
                {4, 5, 0},
                0,
                angle,
                block_first},
               0.1 + 0.15 * c + 0.05 * s, 0.2 + 0.15 * s + 0.05 * c);
    // The floor is material2 now. The block keeps the axes, so the friction acts along the block's
    // axes.
    expect_way({"material1 \"block\" material2 \"floor\" coulombFriction [ 0.1 0.2 0.15 0.05 ]",
                {4, 5, 0},
                angle,
                0,
                block_first},
               0.1 + 0.15 * c + 0.05 * s, 0.2 + 0.15 * s + 0.05 * c);
  }
}

TEST(Friction, InfiniteAlongStaysFiniteAcross) {
  Simulation simulation = sliding({std::string(kPair) + "coulombFriction [ -1 0.2 ]", {0.5, 3, 0}});
  simulation.step(kSteps);
  const Vec3 p = simulation.solid("block").pose().translation;
  EXPECT_NEAR(p.x, 0.0, kTolerance) << "held from the first step on";
  EXPECT_NEAR(p.y, way(3, 0.4 * kG * kH), kTolerance);
}

// A block that starts along the floor's friction direction goes straight on, wherever
// frictionRotation turns that direction, and is slowed by the first coefficient. Across it, the
// second coefficient slows it.
TEST(Friction, DirectionsTurnAboutTheOutwardNormal) {
  const double turn = 0.7;
  for (const bool block_first : {false, true}) {
    for (const bool across : {false, true}) {
      const double heading = turn + (across ? std::numbers::pi / 2 : 0.0);
      const Vec3 along{std::cos(heading), std::sin(heading), 0};
      Simulation simulation = sliding(
          {fmt::format("{} coulombFriction [ 0.1 0.4 0.05 ] frictionRotation {} 5", kPair, turn),
           3.0 * along, 0, 0.2, block_first});
      simulation.step(kSteps);
      const Vec3 p = simulation.solid("block").pose().translation;
      EXPECT_NEAR(dot(p, along), way(3, (across ? 0.45 : 0.15) * kG * kH), kTolerance);
      EXPECT_NEAR(dot(p, Vec3{-along.y, along.x, 0}), 0.0, kTolerance);
    }
  }
}

// The block's outward normal points down: a yaw of +0.7 undoes its own turn of +0.7.
TEST(Friction, TheSecondSurfaceTurnsToo) {
  expect_way({std::string(kPair) + "coulombFriction [ 0.1 0.2 0.15 0.05 ] frictionRotation 0 0.7",
              {4, 5, 0},
              0,
              0.7},
             0.1 + 0.15, 0.2 + 0.05);
}

TEST(Friction, IsThatOfTheFirstMatchOrTheDefault) {
  // The text closes the first node and opens a second one.
  expect_way({std::string(kPair) + "coulombFriction 0.3 } ContactProperties { material1 \"block\" "
                                   "material2 \"floor\" bounce 0 coulombFriction 0.7",
              {2, 0, 0}},
             0.3, 0.0);
  expect_way({"material1 \"block\" coulombFriction 0.3 } ContactProperties { material1 \"block\" "
              "material2 \"floor\" bounce 0 coulombFriction 0.2",
              {2, 0, 0}},
             0.2, 0.0);
  // No ContactProperties name this pair. Webots' default of 1 applies, not the value of "default"
  // on "default". The default also bounces, but not below 1 cm/s, so a block at rest stays at rest.
  expect_way({"coulombFriction 0.3", {4, 0, 0}}, 1.0, 0.0);
}

// Returns how far a block slides on a slope. Its friction directions are x and y of the slope.
double slipped(const std::string& contact, double slope, int steps) {
  const double normal_force = kMass * kG * std::cos(slope);
  const double z = 0.05 - depth_under(normal_force / 4.0);
  Simulation simulation = load(fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ {0} contactProperties [ ContactProperties {{ bounce 0 "
      "material1 \"floor\" material2 \"block\" {1} }} ] }}\n"
      "Solid {{ rotation 0 1 0 {2} contactMaterial \"floor\" boundingObject Plane {{ }} }}\n"
      "Solid {{ name \"block\" translation {3} 0 {4} rotation 0 1 0 {2} contactMaterial \"block\" "
      "boundingObject Box {{ size 0.4 0.4 0.1 }} physics Physics {{ density -1 mass {5} "
      "centerOfMass 0 0 -0.05 }} }}\n",
      kInfo, contact, slope, z * std::sin(slope), z * std::cos(slope), kMass));
  const Vec3 start = simulation.solid("block").pose().translation;
  simulation.step(steps);
  const Vec3 moved = simulation.solid("block").pose().translation - start;
  EXPECT_NEAR(moved.y, 0.0, kTolerance);
  return std::copysign(norm(moved), moved.x);
}

// Each of the four corners yields by slip·force: v' = (v + g·sin·h) / (1 + 4h/(m·slip)).
double slip_way(double slip, double slope, int steps) {
  double v = 0.0;
  double x = 0.0;
  for (int n = 0; n < steps; ++n) {
    v = (v + kG * std::sin(slope) * kH) / (1.0 + 4.0 * kH / (kMass * slip));
    x += kH * v;
  }
  return x;
}

TEST(Friction, ForceDependentSlipYieldsByTheForce) {
  const double slip = 0.04;
  const double slope = 0.3;
  EXPECT_NEAR(slipped("forceDependentSlip 0.04", slope, 200), slip_way(slip, slope, 200),
              kTolerance);
  // In the end the speed is slip times the force per contact point.
  const double drift = (slip_way(slip, slope, 1001) - slip_way(slip, slope, 1000)) / kH;
  EXPECT_NEAR(drift, slip * kMass * kG * std::sin(slope) / 4.0, kTolerance);
}

TEST(Friction, ForceDependentSlipHasDirectionsToo) {
  const double slope = 0.3;
  // Along x the slip is 0.01 + 0.03. Across it would be 0.35.
  EXPECT_NEAR(slipped("forceDependentSlip [ 0.01 0.32 0.03 ]", slope, 100),
              slip_way(0.04, slope, 100), kTolerance);
  EXPECT_NEAR(slipped("forceDependentSlip [ 0.32 0.01 0.03 ] frictionRotation 1.5707963267948966 0",
                      slope, 100),
              slip_way(0.04, slope, 100), kTolerance);
  EXPECT_NEAR(slipped("forceDependentSlip [ 0.02 0.3 ]", slope, 100), slip_way(0.04, slope, 100),
              kTolerance);
}

Simulation rolling(const std::string& contact, double speed, double spin_z) {
  constexpr double kRadius = 0.15;
  return load(fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ {} contactProperties [ ContactProperties {{ bounce 0 {} "
      "}} ] }}\nSolid {{ boundingObject Plane {{ }} }}\n"
      "Solid {{ name \"ball\" translation 0 0 {} linearVelocity {} 0 0 angularVelocity 0 {} {} "
      "boundingObject Sphere {{ radius {} }} physics Physics {{ density -1 mass {} }} }}\n",
      kInfo, contact, kRadius - depth_under(kMass * kG), speed, speed / kRadius, spin_z, kRadius,
      kMass));
}

// The torque about the axis of rolling is rho·N, which decelerates a ball by a = 5·rho·g/(7·r).
TEST(Friction, RollingFrictionSlowsABall) {
  const double a = 5.0 * 0.004 * kG / (7.0 * 0.15);
  Simulation simulation = rolling("rollingFriction 0.004 0.004 0", 1.5, 0);
  simulation.step(kSteps);
  EXPECT_NEAR(simulation.solid("ball").pose().translation.x, way(1.5, a * kH), kTolerance);
  Simulation free = rolling("", 1.5, 0);
  free.step(kSteps);
  EXPECT_NEAR(free.solid("ball").pose().translation.x, way(1.5, 0.0), kTolerance);
  // The ball comes to rest after v²/2a, in steps of h.
  simulation.step(2000);
  const double end = simulation.solid("ball").pose().translation.x;
  EXPECT_NEAR(end, 1.5 * 1.5 / (2.0 * a), 1.5 * kH);
  simulation.step(100);
  EXPECT_NEAR(simulation.solid("ball").pose().translation.x, end, kTolerance);
}

// If there is only one number, it applies to every axis.
TEST(Friction, RollingFrictionOfOneNumberActsAboutAllAxes) {
  const double a = 5.0 * 0.004 * kG / (7.0 * 0.15);
  const double diagonal = std::sqrt(0.5);
  for (const Vec3& way_to : {Vec3{1, 0, 0}, Vec3{0, 1, 0}}) {
    Simulation simulation = rolling("rollingFriction 0.004 0 0", 0, 0);
    const Vec3 velocity = 1.5 * way_to;
    simulation.solid("ball").set_velocity({velocity, cross({0, 0, 1.0 / 0.15}, velocity)});
    simulation.step(kSteps);
    EXPECT_NEAR(dot(simulation.solid("ball").pose().translation, way_to), way(1.5, a * kH),
                kTolerance);
  }
  // With a second or a third number each axis has its own number.
  for (const char* numbers : {"0.004 0 0.1", "0.004 1e-9 0"}) {
    Simulation simulation = rolling(std::string("rollingFriction ") + numbers, 0, 0);
    const Vec3 velocity = 1.5 * diagonal * Vec3{1, 1, 0};
    simulation.solid("ball").set_velocity({velocity, cross({0, 0, 1.0 / 0.15}, velocity)});
    simulation.step(kSteps);
    const Vec3 at = simulation.solid("ball").pose().translation;
    EXPECT_GT(std::abs(at.x - at.y), 0.005) << numbers << ": one of two axes only";
  }
}

// rhoN acts against spinning on the spot: I·α = rhoN·N.
void expect_slowed_top(const std::string& friction) {
  SCOPED_TRACE(friction);
  const double spin = 20.0;
  const double alpha = 0.002 * kG / (0.4 * 0.15 * 0.15);
  Simulation simulation = rolling(friction, 0, spin);
  simulation.step(kSteps);
  const Mat3 r = simulation.solid("ball").pose().rotation;
  double angle = 0.0;
  for (int n = 1; n <= kSteps; ++n) {
    angle += 2.0 * std::atan(0.5 * kH * (spin - n * alpha * kH));  // ODE's small-angle rotation
  }
  EXPECT_NEAR(std::remainder(std::atan2(r(1, 0), r(0, 0)) - angle, 2.0 * std::numbers::pi), 0.0,
              kTolerance);
}

TEST(Friction, SpinningFrictionStopsATop) {
  expect_slowed_top("rollingFriction 0 0 0.002");
  expect_slowed_top("rollingFriction 0.002 0 0");  // a single number applies to every axis
}

}  // namespace friction_test
}  // namespace servosim::test
