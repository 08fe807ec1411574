// SPDX-License-Identifier: Apache-2.0
// What a motor does with a joint without Physics.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "devices/motor_support.h"

namespace servosim {
namespace device_motor_kinematic_test {

using test::MotorTest;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kH = 0.016;

class KinematicMotor : public MotorTest {
 protected:
  KinematicMotor() { joint_.dynamic = false; }
};

TEST_F(KinematicMotor, MovesTheJointItself) {
  spec_.acceleration = 5.0;
  Motor motor = make();
  motor.set_position(0.75);
  motor.before_step(kH);
  EXPECT_DOUBLE_EQ(joint_.position, 0.25 + 5.0 * kH * kH);
  EXPECT_NEAR(joint_.velocity, 5.0 * kH, 1e-13);  // a difference divided by h
}

TEST_F(KinematicMotor, CommandsAVelocityWithTheSignOfTheMotion) {
  Motor motor = make();
  const auto command_after_a_step = [&] {
    const double before = joint_.position;
    motor.before_step(kH);
    EXPECT_EQ(std::signbit(motor.commanded_velocity()), joint_.position < before);
    EXPECT_NEAR(motor.commanded_velocity(), joint_.velocity, 1e-13);  // a difference divided by h
    return motor.commanded_velocity();
  };
  motor.set_position(-0.75);
  EXPECT_NEAR(command_after_a_step(), -6.0 * kH, 1e-13) << "speeds up by the available force";
  EXPECT_NEAR(command_after_a_step(), -12.0 * kH, 1e-13);
  motor.set_position(0.75);
  EXPECT_NEAR(command_after_a_step(), 18.0 * kH, 1e-13) << "keeps its speed, as Webots does";
  motor.set_position(kInf);
  motor.set_velocity(-2.0);
  EXPECT_NEAR(command_after_a_step(), 12.0 * kH, 1e-13) << "slows down before it turns";
  for (int n = 0; n < 4; ++n) {
    command_after_a_step();
  }
  EXPECT_NEAR(motor.commanded_velocity(), -12.0 * kH, 1e-13);
}

TEST_F(KinematicMotor, CommandsTheSpeedOfATargetThatItReachesInEachStep) {
  Motor motor = make();
  for (int n = 0; n < 50; ++n) {
    const double before = joint_.position;
    motor.set_position(before + 1e-5);
    motor.before_step(kH);
    EXPECT_NEAR(motor.commanded_velocity(), 1e-5 / kH, 1e-10) << "step " << n;
  }
}

TEST_F(KinematicMotor, TakesTheAvailableForceForAnAccelerationThatIsLarger) {
  spec_.acceleration = 50.0;
  Motor motor = make();
  motor.set_position(0.75);
  motor.before_step(kH);
  EXPECT_DOUBLE_EQ(joint_.position, 0.25 + 6.0 * kH * kH);
}

TEST_F(KinematicMotor, WithoutForceKeepsItsVelocity) {
  Motor motor = make();
  motor.set_position(kInf);
  motor.before_step(kH);
  const double v = joint_.velocity;
  motor.set_available_force(0.0);
  motor.before_step(kH);
  EXPECT_NEAR(joint_.velocity, v, 1e-13);
}

TEST_F(KinematicMotor, RestsAtTheTargetAndForgetsItsVelocity) {
  Motor motor = make();
  motor.set_position(0.25 + 5e-7);
  motor.before_step(kH);
  EXPECT_EQ(joint_.position, 0.25);
  EXPECT_EQ(joint_.velocity, 0.0);
  EXPECT_EQ(motor.commanded_velocity(), 0.0);
}

TEST_F(KinematicMotor, VelocityControlStopsAtSoftLimitsOnly) {
  spec_.min_position = -0.5;
  spec_.max_position = 0.25;
  Motor motor = make();
  motor.set_position(kInf);
  motor.before_step(kH);
  EXPECT_EQ(joint_.position, 0.25) << "already there";
  motor.set_velocity(-2.0);
  motor.before_step(kH);
  EXPECT_LT(joint_.position, 0.25) << "may go back";
  joint_.position = -0.5;
  motor.before_step(kH);
  EXPECT_EQ(joint_.position, -0.5);
}

TEST_F(KinematicMotor, IgnoresForceControl) {
  Motor motor = make();
  motor.set_position(0.75);
  motor.set_force(2.0);
  motor.before_step(kH);
  EXPECT_GT(joint_.position, 0.25);
}

}  // namespace device_motor_kinematic_test
}  // namespace servosim
