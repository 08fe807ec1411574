// SPDX-License-Identifier: Apache-2.0
// Efforts, feedback, momentum and energy of a BallJoint, also far from the start.
#include <gtest/gtest.h>

#include <cmath>

#include "support/ball_world.h"
#include "support/case_names.h"

namespace servosim::test {
namespace ball_effort_test {

using namespace ball;

// The child's spin, from the positions and velocities of the axes.
Vec3 spin_of(Simulation& simulation) {
  const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Vec3 spin;
  Mat3 carried;
  for (int k = 0; k < 3; ++k) {
    const JointReading r = simulation.joint(k).reading();
    spin = spin + r.velocity * (carried * axes[k]);
    carried = carried * rotation_matrix({axes[k], r.position});
  }
  return spin;
}

// The effort of an axis is the work, per radian of its position, of everything that acts there,
// also far from the start. The test measures it by what it does to a ball in one step.
TEST(BallEffort, IsWhatMovesTheEndpoint) {
  for (const char* parameters : {"springConstant 3 dampingConstant 0.25", "dampingConstant 0.5"}) {
    for (const double force : {0.0, 0.375}) {
      BallWorld w;
      w.parameters[0] = parameters;
      Simulation simulation = load(w);
      let_go(simulation);
      simulation.robot("r").motor("m1").set_available_force(1.0);
      simulation.robot("r").motor("m1").set_force(force);
      simulation.joint(0).set_state(0.25, 0.0);
      simulation.joint(1).set_state(0.875, 0.0);
      simulation.joint(0).set_state(0.25, 0.0625);
      const Vec3 before = spin_of(simulation);
      simulation.step();
      const Vec3 torque = kInertia / kH * (spin_of(simulation) - before);
      // Axis A is x. The step itself turns the axes by 5e-4 rad, so the torque is known to that
      // accuracy.
      EXPECT_GT(std::abs(torque.x), 0.005);
      EXPECT_NEAR(simulation.joint(0).effort(), torque.x, 2e-3 * std::abs(torque.x)) << parameters;
    }
  }
}

TEST(BallFeedback, IsTheTorqueOfTheMotor) {
  BallWorld w;
  w.heavy_parent = true;
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m3");
  for (const char* name : {"m1", "m2", "m3"}) {
    simulation.robot("r").motor(name).enable(8, 0.0);
  }
  simulation.joint(1).set_state(0.625, 0.0);
  simulation.robot("r").motor("m2").set_position(0.625);
  motor.set_acceleration(2.5);
  motor.set_position(INFINITY);
  motor.set_velocity(100.0);
  simulation.step(4);
  EXPECT_NEAR(motor.sampler().value(), kInertia * 2.5, 2e-3) << "slow yet, so nothing else acts";
  EXPECT_NEAR(simulation.robot("r").motor("m2").sampler().value(), 0.0, 2e-3);
  // What accelerates C also turns A, whose motor must hold it: the factor is A·C, the sine of the
  // middle angle.
  EXPECT_NEAR(simulation.robot("r").motor("m1").sampler().value(), kInertia * 2.5 * std::sin(0.625),
              2e-3);
}

class BallEnergy : public testing::TestWithParam<bool> {};

// Springs on all axes, with the middle axis far out, add no energy.
TEST_P(BallEnergy, SpringsKeepItAndDampersTakeIt) {
  for (const double d : {0.0, 0.02}) {
    BallWorld w;
    w.heavy_parent = GetParam();
    for (std::string& p : w.parameters) {
      p = fmt::format("springConstant 3 dampingConstant {}", d);
    }
    Simulation simulation = load(w);
    let_go(simulation);
    simulation.joint(1).set_state(0.75, 0.0);
    simulation.joint(0).set_state(0.5, 1.0);
    simulation.joint(2).set_state(-0.25, 2.0);
    const auto energy = [&simulation] {
      double potential = 0.0;
      for (int k = 0; k < 3; ++k) {
        potential += 0.5 * 3.0 * simulation.joint(k).position() * simulation.joint(k).position();
      }
      const Vec3 spin = spin_of(simulation);
      return potential + 0.5 * kInertia * dot(spin, spin);
    };
    double last = energy();
    const double start = last;
    for (int n = 0; n < 60; ++n) {
      simulation.step(20);
      const double now = energy();
      // The implicit step loses energy; within 20 steps it never gains more than its own error.
      EXPECT_LT(now, last + 1e-3 * start) << n;
      last = now;
    }
    EXPECT_LT(last, 0.2 * start);
  }
}

INSTANTIATE_TEST_SUITE_P(StaticAndDynamicParent, BallEnergy, testing::Bool(), by_parent);

// What the motor gives to one body it takes from the other, so two equal balls turn apart equally.
TEST(BallMomentum, IsKeptBetweenFreeBodies) {
  Simulation simulation = test::load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }
Robot {
  name "r"
  children [
    BallJoint {
      device RotationalMotor { name "a" maxVelocity 1 }
      device3 RotationalMotor { name "c" maxVelocity 1 }
      endPoint Solid {
        name "end"
        boundingObject Sphere { radius 0.3 }
        physics Physics { density -1 mass 2 }
      }
    }
  ]
  boundingObject Sphere { radius 0.3 }
  physics Physics { density -1 mass 2 }
})");
  simulation.robot("r").motor("a").set_position(0.5);
  simulation.robot("r").motor("c").set_force(0.02);
  Mat3 robot = simulation.solid("r").pose().rotation;
  Mat3 end = simulation.solid("end").pose().rotation;
  for (int n = 0; n < 100; ++n) {
    simulation.step();
    const Mat3 robot_now = simulation.solid("r").pose().rotation;
    const Mat3 end_now = simulation.solid("end").pose().rotation;
    // In each step they turn by opposite rotations. The two formulas are equal but for rounding.
    const Mat3 both = (robot_now * transposed(robot)) * (end_now * transposed(end));
    ASSERT_LT(difference(both, Mat3{}), 1e-12) << n;
    robot = robot_now;
    end = end_now;
  }
  EXPECT_GT(std::abs(simulation.joint(2).position()), 0.05);
  EXPECT_NEAR(simulation.joint(0).position(), 0.5, 0.01);
}

}  // namespace ball_effort_test
}  // namespace servosim::test
