// SPDX-License-Identifier: Apache-2.0
// If an endpoint has no Physics, the motor moves it by a law of its own.
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace kinematic_test {

OneJoint kinematic(const std::string& motor) {
  OneJoint w;
  w.slider = true;
  w.child_physics = "NULL";
  w.motor = motor;
  return w;
}

TEST(Kinematic, AcceleratesToItsVelocityAndStopsAtTheTarget) {
  Simulation simulation = load(kinematic("maxVelocity 0.5 acceleration 2"));
  simulation.robot("r").motor("m").set_position(0.3);
  double p = 0.0;
  double v = 0.0;
  for (int n = 0; n < 200; ++n) {
    if (std::abs(0.3 - p) >= 1e-6) {
      v = std::min(0.5, v + 2.0 * 0.008);
      p = std::min(0.3, p + v * 0.008);
    }
    simulation.step();
    ASSERT_NEAR(simulation.joint(0).position(), p, 1e-12) << n;
  }
  EXPECT_DOUBLE_EQ(simulation.joint(0).position(), 0.3);
  EXPECT_EQ(simulation.joint(0).velocity(), 0.0);
  EXPECT_NEAR(simulation.solid("end").pose().translation.x, 0.3, 1e-12);
}

TEST(Kinematic, AvailableForceIsTheAccelerationWhenNoneIsGiven) {
  Simulation simulation = load(kinematic("maxVelocity 5 maxForce 3"));
  simulation.robot("r").motor("m").set_position(4.0);
  simulation.step(10);
  // v grows by 3·h a step, so p = 3·h²·n(n+1)/2.
  EXPECT_NEAR(simulation.joint(0).position(), 3.0 * 0.008 * 0.008 * 55.0, 1e-12);
}

TEST(Kinematic, TheSignOfInfinityIsTheDirection) {
  Simulation simulation = load(kinematic("maxVelocity 0.25"));
  simulation.robot("r").motor("m").set_position(-INFINITY);
  simulation.step(100);
  EXPECT_LT(simulation.joint(0).position(), -0.1);
}

TEST(Kinematic, VelocityControlStopsAtTheSoftLimit) {
  Simulation simulation = load(kinematic("maxVelocity 0.5 minPosition -0.1 maxPosition 0.2"));
  simulation.robot("r").motor("m").set_position(INFINITY);
  simulation.step(300);
  // The joint overshoots by one step at most, 0.5·0.008.
  EXPECT_GE(simulation.joint(0).position(), 0.2);
  EXPECT_LE(simulation.joint(0).position(), 0.2 + 0.5 * 0.008);
}

}  // namespace kinematic_test
}  // namespace servosim::test
