// SPDX-License-Identifier: Apache-2.0
// What coupled motors pass on to each other, and what they keep to themselves.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/report_once.h"
#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/robot.h"

namespace servosim {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

class CoupledMotorsTest : public testing::Test {
 protected:
  CoupledMotorsTest()
      : notices_([this](std::string_view m) { said_.emplace_back(m); }),
        left_(left_spec_, "r", &joints_[0], notices_),
        right_(right_spec_, "r", &joints_[1], notices_) {
    const auto both = std::make_shared<const std::vector<Motor*>>(std::vector{&left_, &right_});
    left_.set_coupled(both);
    right_.set_coupled(both);
  }
  static MotorSpec spec(const std::string& name, double multiplier) {
    MotorSpec s;
    s.name = name;
    s.multiplier = multiplier;
    s.max_velocity = 4.0;
    s.max_force = s.available_force = 6.0;
    return s;
  }

  std::vector<std::string> said_;
  Notices notices_;
  JointState joints_[2];
  const MotorSpec left_spec_ = spec("g::left", 2.0);
  const MotorSpec right_spec_ = spec("g::right", -0.5);
  Motor left_;
  Motor right_;
};

// An infinite target would be velocity control.
TEST_F(CoupledMotorsTest, AMultiplierMakesNoFiniteTargetInfinite) {
  constexpr double kMax = std::numeric_limits<double>::max();
  left_.set_position(1.5e308);
  EXPECT_EQ(left_.targets().position, kMax);
  EXPECT_EQ(right_.targets().position, -0.75e308);
  left_.set_position(-1.5e308);
  EXPECT_EQ(left_.targets().position, -kMax);
  EXPECT_TRUE(said_.empty());
}

TEST_F(CoupledMotorsTest, EachAppliesItsMultiplierToPositionVelocityAndForce) {
  left_.set_position(0.75);
  EXPECT_EQ(left_.targets().position, 1.5);
  EXPECT_EQ(right_.targets().position, -0.375);
  right_.set_velocity(1.25);
  EXPECT_EQ(left_.targets().velocity, 2.5);
  EXPECT_EQ(right_.targets().velocity, -0.625);
  left_.set_force(1.75);
  EXPECT_EQ(left_.targets().force, 3.5);
  EXPECT_EQ(right_.targets().force, -0.875);
  EXPECT_TRUE(right_.targets().force_control);
  left_.set_position(-kInf);
  EXPECT_EQ(right_.targets().position, -kInf);
  EXPECT_FALSE(right_.targets().force_control);
  EXPECT_TRUE(said_.empty());
}

TEST_F(CoupledMotorsTest, KeepTheRestToThemselves) {
  left_.set_acceleration(3.0);
  left_.set_available_force(2.5);
  left_.set_control_pid({7.0, 2.0, 0.5});
  EXPECT_EQ(right_.targets().acceleration, -1.0);
  EXPECT_EQ(right_.targets().available_force, 6.0);
  EXPECT_EQ(right_.targets().gains.p, 10.0);
}

TEST_F(CoupledMotorsTest, BothJointsWake) {
  right_.set_position(0.25);
  EXPECT_TRUE(joints_[0].wake);
  EXPECT_TRUE(joints_[1].wake);
}

TEST_F(CoupledMotorsTest, ClampForcesWithoutAWord) {
  left_.set_force(20.0);
  EXPECT_EQ(left_.targets().force, 6.0);
  EXPECT_EQ(right_.targets().force, -6.0);
  left_.set_available_force(7.0);
  EXPECT_EQ(left_.targets().available_force, 6.0);
  EXPECT_TRUE(said_.empty());
  left_.set_velocity(3.0);  // 6 rad/s
  EXPECT_EQ(said_.size(), 1u) << "velocities are reported all the same";
}

TEST_F(CoupledMotorsTest, ARefusedCommandReachesNobody) {
  EXPECT_THROW(left_.set_position(std::nan("")), std::invalid_argument);
  EXPECT_EQ(right_.targets().position, 0.0);
  EXPECT_FALSE(joints_[1].wake);
}

}  // namespace
}  // namespace servosim
