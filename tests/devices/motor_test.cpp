// SPDX-License-Identifier: Apache-2.0
// What each command of a motor does, on a joint that is only a record.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "devices/motor_support.h"

namespace servosim {
namespace device_motor_test {

using test::MotorTest;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kH = 0.016;

using Said = std::vector<std::string>;

TEST_F(MotorTest, StartsAtTheJointsPositionWithEverythingItMayUse) {
  const Motor motor = make();
  EXPECT_EQ(motor.targets().position, 0.25);
  EXPECT_EQ(motor.targets().velocity, 4.0);
  EXPECT_EQ(motor.targets().available_force, 6.0);
  EXPECT_EQ(motor.targets().acceleration, -1.0);
  EXPECT_EQ(motor.targets().gains.p, 10.0);
  EXPECT_FALSE(motor.targets().force_control);
  EXPECT_TRUE(std::isnan(motor.sampler().value()));
  EXPECT_EQ(Motor(spec_, "r", nullptr, notices_).targets().position, 0.0) << "without a joint";
}

TEST_F(MotorTest, TargetsAreClampedToTheSoftLimitsAndReportedOncePerSide) {
  spec_.min_position = -0.5;
  spec_.max_position = 0.75;
  Motor motor = make();
  motor.set_position(0.5);
  EXPECT_EQ(motor.targets().position, 0.5);
  motor.set_position(2.0);
  EXPECT_EQ(motor.targets().position, 0.75);
  motor.set_position(3.0);
  motor.set_position(-2.0);
  EXPECT_EQ(motor.targets().position, -0.5);
  EXPECT_EQ(said_, (Said{notice("target position above maxPosition: 2 replaced by 0.75"),
                         notice("target position below minPosition: -2 replaced by -0.5")}));
  motor.set_position(kInf);
  EXPECT_EQ(motor.targets().position, kInf) << "infinity is no target";
}

TEST_F(MotorTest, RoundingErrorsAreNoViolationOfALimit) {
  spec_.min_position = -0.5;
  spec_.max_position = 0.02;
  Motor motor = make();
  motor.set_position(0.020000000000000004);
  EXPECT_EQ(motor.targets().position, 0.02);
  motor.set_velocity(std::nextafter(spec_.max_velocity, kInf));
  EXPECT_EQ(said_, Said{});
  motor.set_position(0.0200000001);
  EXPECT_EQ(said_.size(), 1u);
}

TEST_F(MotorTest, EqualLimitsAreNone) {
  spec_.min_position = spec_.max_position = 0.5;
  Motor motor = make();
  motor.set_position(3.0);
  EXPECT_EQ(motor.targets().position, 3.0);
  EXPECT_TRUE(said_.empty());
}

TEST_F(MotorTest, VelocityIsClampedToItsMaximumEitherWay) {
  Motor motor = make();
  motor.set_velocity(-3.0);
  EXPECT_EQ(motor.targets().velocity, -3.0);
  motor.set_velocity(-9.0);
  EXPECT_EQ(motor.targets().velocity, -4.0);
  motor.set_velocity(kInf);
  EXPECT_EQ(motor.targets().velocity, 4.0);
  EXPECT_EQ(said_, Said{notice("velocity beyond maxVelocity: -9 replaced by -4")});
}

TEST_F(MotorTest, AvailableForceIsCappedAtItsMaximum) {
  Motor motor = make();
  motor.set_available_force(2.5);
  EXPECT_EQ(motor.targets().available_force, 2.5);
  motor.set_available_force(7.0);
  EXPECT_EQ(motor.targets().available_force, 6.0);
  EXPECT_EQ(said_, Said{notice("available force beyond the maximum: 7 replaced by 6")});
}

TEST_F(MotorTest, ForceIsClampedToWhatIsAvailable) {
  Motor motor = make();
  motor.set_available_force(2.5);
  motor.set_force(-2.0);
  EXPECT_EQ(motor.targets().force, -2.0);
  motor.set_force(-3.0);
  EXPECT_EQ(motor.targets().force, -2.5);
  EXPECT_EQ(said_, Said{notice("force beyond the available force: -3 replaced by -2.5")});
  motor.set_available_force(1.5);
  EXPECT_EQ(motor.targets().force, -2.5) << "is not clamped again";
}

TEST_F(MotorTest, MultiplierScalesPositionVelocityAndForceOnly) {
  spec_.multiplier = -0.5;
  Motor motor = make();
  motor.set_position(3.0);
  motor.set_velocity(5.0);
  EXPECT_EQ(motor.targets().position, -1.5);
  EXPECT_EQ(motor.targets().velocity, -2.5);
  motor.set_force(4.0);
  EXPECT_EQ(motor.targets().force, -2.0);
  motor.set_acceleration(7.0);
  motor.set_available_force(5.0);
  EXPECT_EQ(motor.targets().acceleration, 7.0);
  EXPECT_EQ(motor.targets().available_force, 5.0);
  motor.set_position(kInf);
  EXPECT_EQ(motor.targets().position, kInf) << "unchanged, sign included";
}

TEST_F(MotorTest, OnlyAPositionEndsForceControl) {
  Motor motor = make();
  motor.set_force(2.0);
  motor.set_velocity(1.5);
  motor.set_acceleration(3.0);
  motor.set_available_force(5.0);
  motor.set_control_pid({3, 2, 1});
  EXPECT_TRUE(motor.targets().force_control);
  motor.set_position(0.5);
  EXPECT_FALSE(motor.targets().force_control);
  EXPECT_EQ(motor.targets().force, 0.0);
  motor.set_force(2.0);
  motor.set_position(kInf);
  EXPECT_FALSE(motor.targets().force_control);
}

// Runs a bad command: it must be refused by name and leave everything as it was.
void expect_refused(Motor& motor, const std::function<void()>& command,
                    const std::string& message) {
  const auto state = [&motor] {
    const PidGains& g = motor.targets().gains;
    return std::vector<double>{motor.targets().position,
                               motor.targets().velocity,
                               motor.targets().acceleration,
                               motor.targets().available_force,
                               motor.targets().force,
                               motor.targets().force_control ? 2.0 : 3.0,
                               g.p,
                               g.i,
                               g.d};
  };
  const std::vector<double> before = state();
  try {
    command();
    ADD_FAILURE() << "not refused: " << message;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), message);
  }
  EXPECT_EQ(state(), before) << message;
}

TEST_F(MotorTest, RefusesWhatMakesNoSense) {
  Motor motor = make();
  motor.set_force(2.0);
  const double nan = std::nan("");
  expect_refused(
      motor, [&] { motor.set_position(nan); },
      "position is nan; it must be a number or an infinity");
  expect_refused(
      motor, [&] { motor.set_velocity(nan); },
      "velocity is nan; it must be a number or an infinity");
  expect_refused(
      motor, [&] { motor.set_acceleration(nan); },
      "acceleration is nan; it must be -1 or a number >= 0");
  expect_refused(
      motor, [&] { motor.set_acceleration(-2.0); },
      "acceleration is -2; it must be -1 or a number >= 0");
  expect_refused(
      motor, [&] { motor.set_available_force(nan); },
      "available force is nan; it must be a number >= 0");
  expect_refused(
      motor, [&] { motor.set_available_force(-3.0); },
      "available force is -3; it must be a number >= 0");
  expect_refused(
      motor, [&] { motor.set_force(nan); }, "force is nan; it must be a number or an infinity");
  expect_refused(
      motor,
      [&] {
        motor.set_control_pid({0, 2, 3});
      },
      "P is 0; it must be a number > 0");
  expect_refused(
      motor,
      [&] {
        motor.set_control_pid({nan, 2, 3});
      },
      "P is nan; it must be a number > 0");
  expect_refused(
      motor,
      [&] {
        motor.set_control_pid({3, -2, 3});
      },
      "I is -2; it must be a number >= 0");
  expect_refused(
      motor,
      [&] {
        motor.set_control_pid({3, 2, nan});
      },
      "D is nan; it must be a number >= 0");
  expect_refused(
      motor, [&] { motor.enable(-8, 0.0); }, "sampling period is -8; it must be a number >= 0");
  EXPECT_TRUE(said_.empty());
}

TEST_F(MotorTest, EveryCommandWakesTheJoint) {
  Motor motor = make();
  const std::function<void()> commands[] = {
      [&] { motor.set_position(0.5); },          [&] { motor.set_velocity(1.5); },
      [&] { motor.set_acceleration(2.0); },      [&] { motor.set_available_force(3.0); },
      [&] { motor.set_control_pid({2, 3, 4}); }, [&] { motor.set_force(1.0); }};
  for (const auto& command : commands) {
    joint_.wake = false;
    command();
    EXPECT_TRUE(joint_.wake);
  }
}

TEST_F(MotorTest, DrivesTowardsTheTarget) {
  joint_.static_friction = 2.0;
  Motor motor = make();
  motor.set_position(0.5);
  motor.before_step(kH);
  EXPECT_EQ(joint_.drive.velocity, 2.5);
  EXPECT_EQ(joint_.drive.max_force, 6.0);
  EXPECT_EQ(joint_.drive.force, 0.0);
  motor.set_available_force(1.5);
  motor.before_step(kH);
  EXPECT_EQ(joint_.drive.max_force, 2.0) << "friction is the larger one";
}

TEST_F(MotorTest, WithoutAvailableForceStopsAskingAndKeepsItsErrors) {
  Motor motor = make();
  motor.set_control_pid({2.0, 30.0, 0.0});
  motor.set_position(0.5);
  motor.before_step(kH);
  motor.set_available_force(0.0);
  motor.before_step(kH);
  EXPECT_EQ(joint_.drive.velocity, 0.0);
  EXPECT_EQ(joint_.drive.max_force, 0.0);
  motor.set_available_force(3.0);
  motor.before_step(kH);
  EXPECT_DOUBLE_EQ(joint_.drive.velocity, 2.0 * 0.25 + 30.0 * 2 * 0.25 * kH);
}

// A file with maxForce below 0: Webots copies the available force before it checks the field.
TEST_F(MotorTest, ANegativeAvailableForceDoesNotDrive) {
  spec_.max_force = 10.0;
  spec_.available_force = -3.0;
  joint_.static_friction = 0.5;
  Motor motor = make();
  motor.set_position(0.75);
  motor.before_step(kH);
  EXPECT_EQ(joint_.drive.max_force, 0.5) << "friction only";
  joint_.static_friction = 0.0;
  motor.before_step(kH);
  EXPECT_LE(joint_.drive.max_force, 0.0);
  motor.set_force(2.0);
  EXPECT_EQ(motor.targets().force, 0.0);
  motor.set_position(0.75);
  motor.set_available_force(5.0);
  motor.before_step(kH);
  EXPECT_EQ(joint_.drive.max_force, 5.0) << "until it is set";
}

TEST_F(MotorTest, ForceControlLeavesFrictionToTheJoint) {
  joint_.static_friction = 1.25;
  Motor motor = make();
  motor.set_position(0.5);
  motor.before_step(kH);
  motor.set_force(-2.0);
  motor.before_step(kH);
  EXPECT_EQ(joint_.drive.velocity, 0.0);
  EXPECT_EQ(joint_.drive.max_force, 1.25);
  EXPECT_EQ(joint_.drive.force, -2.0);
  motor.set_position(0.25);
  motor.before_step(kH);
  EXPECT_EQ(joint_.drive.force, 0.0);
}

TEST_F(MotorTest, NewGainsForgetTheErrors) {
  Motor motor = make();
  motor.set_control_pid({2.0, 30.0, 0.0});
  motor.set_position(0.5);
  motor.before_step(kH);
  motor.set_control_pid({2.0, 30.0, 0.0});
  motor.before_step(kH);
  EXPECT_DOUBLE_EQ(joint_.drive.velocity, 2.0 * 0.25 + 30.0 * 0.25 * kH);
}

TEST_F(MotorTest, FeedbackIsSampledWhenDue) {
  Motor motor = make();
  joint_.constraint_effort = 1.5;
  joint_.effort = 9.0;
  motor.enable(32, 100.0);
  motor.after_step(116.0);
  EXPECT_TRUE(std::isnan(motor.sampler().value()));
  motor.after_step(132.0);
  EXPECT_EQ(motor.sampler().value(), 1.5);
}

TEST_F(MotorTest, FeedbackWithoutPhysicsOnBothSidesIsReportedOnce) {
  joint_.has_feedback = false;
  Motor motor = make();
  motor.enable(32, 0.0);
  motor.enable(32, 0.0);
  EXPECT_EQ(said_,
            Said{"robot \"r\", motor \"m\": no force feedback, because the endPoint and the Solid "
                 "above the joint do not both have Physics"});
  EXPECT_EQ(motor.sampler().period_ms(), 0);
}

TEST_F(MotorTest, WithoutAJointKeepsWhatItIsToldAndDoesNothing) {
  spec_.fixed_position = 0.75;
  Motor motor(spec_, "r", nullptr, notices_);
  EXPECT_EQ(motor.targets().position, 0.75);
  motor.set_position(1.5);
  motor.set_velocity(-3.0);
  motor.before_step(kH);
  EXPECT_EQ(motor.targets().position, 1.5);
  EXPECT_EQ(motor.targets().velocity, -3.0);
  EXPECT_EQ(motor.commanded_velocity(), 0.0);
  motor.set_force(2.5);
  motor.before_step(kH);
  EXPECT_EQ(motor.targets().force, 2.5);
  EXPECT_TRUE(said_.empty());
  motor.enable(32, 0.0);
  EXPECT_EQ(said_.size(), 1u);
}

TEST(Notices, GoToStderrAsWarnings) {
  testing::internal::CaptureStderr();
  Notices().report("robot \"r\" is tired");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "Warning: robot \"r\" is tired\n");
}

}  // namespace device_motor_test
}  // namespace servosim
