// SPDX-License-Identifier: Apache-2.0
// Axis 2 of a BallJoint moves within a quarter turn in either direction: start, stops and soft
// limits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scene/solid_builders.h"
#include "support/ball_world.h"
#include "support/joint_scenes.h"
#include "support/near.h"

namespace servosim::test {
namespace {

TEST(Ball, Motor2StaysWithinAQuarterOfATurn) {
  constexpr double kQuarter = std::numbers::pi / 2.0;
  const Scene free = quiet(
      "BallJoint { device RotationalMotor { name \"a\" } device2 "
      "RotationalMotor { name \"b\" } " +
      end() + "}");
  const std::vector<DeviceSpec>& devices = free.robots.at(0).devices;
  EXPECT_EQ(devices.at(0).motor->max_position, 0.0) << "the others have no limits of their own";
  EXPECT_EQ(devices.at(1).motor->min_position, -kQuarter);
  EXPECT_EQ(devices.at(1).motor->max_position, kQuarter);
  const LoadedScene wide = with_joint(
      "BallJoint { device2 RotationalMotor {\nminPosition -2\nmaxPosition 1.75 } " + end() + "}");
  EXPECT_EQ(wide.messages,
            (Messages{"4:1: warning: minPosition is -2, but motor 2 of a BallJoint moves within "
                      "-pi/2 and pi/2; -1.5707963267948966 is used",
                      "5:1: warning: maxPosition is 1.75, but motor 2 of a BallJoint moves within "
                      "-pi/2 and pi/2; 1.5707963267948966 is used"}));
  EXPECT_EQ(wide.scene.robots.at(0).devices.at(0).motor->max_position, kQuarter);
  const Scene narrow = quiet(
      "BallJoint { device2 RotationalMotor { minPosition -0.5 maxPosition 0.25 } " + end() + "}");
  EXPECT_EQ(narrow.robots.at(0).devices.at(0).motor->max_position, 0.25);
}

// Beyond a quarter turn another triple of positions gives the same pose.
TEST(Ball, StartsWithinItsRange) {
  constexpr double kQuarter = std::numbers::pi / 2.0;
  const std::string motor = " device2 RotationalMotor { name \"b\" } ";
  for (const bool saved : {false, true}) {
    const std::string start =
        saved ? "\nposition2 -2.5"
              : "jointParameters2 JointParameters { axis 1 0 0\nposition -2.5 }";
    const LoadedScene loaded =
        with_joint("BallJoint { " + start + motor + end("rotation 0 1 0 0.5") + "}");
    EXPECT_EQ(
        loaded.messages,
        Messages{fmt::format("4:1: warning: {} is -2.5, but axis 2 of a BallJoint moves within "
                             "-pi/2 and pi/2; -1.5707963267948966 is used",
                             saved ? "position2" : "position")});
    EXPECT_EQ(loaded.scene.joints.at(1).position, -kQuarter);
    EXPECT_EQ(loaded.scene.robots.at(0).devices.at(0).motor->min_position, -kQuarter);
    // The file's pose is that of the replaced position.
    expect_near(start_motion(axes_of(loaded.scene, 0)) * loaded.scene.joints[0].zero_pose,
                {rotation_matrix({{0, 1, 0}, 0.5}), {}});
  }
}

// Two motors hold the ball where it starts, at the edge of its range.
TEST(Ball, ThatShouldStartBeyondItsRangeIsAtRest) {
  for (const double start : {2.5, -1.6}) {
    ball::BallWorld w;
    w.parameters[1] = fmt::format("position {}", start);
    Simulation simulation = Simulation::from_text(ball::world_text(w));
    EXPECT_EQ(simulation.diagnostics().size(), 1u) << start;
    const Mat3 before = ball::turned(simulation);
    simulation.step(500);
    EXPECT_LT(ball::difference(ball::turned(simulation), before), 1e-3) << "what rows give way";
    EXPECT_NEAR(std::abs(simulation.joint(1).position()), std::numbers::pi / 2.0, 1e-3);
  }
}

TEST(Ball, StopsBeyondItsRangeAreReported) {
  const auto stop = [](const std::string& first, const std::string& second) {
    return with_joint("BallJoint { jointParameters BallJointParameters {\n" + first +
                      " } jointParameters2 JointParameters { axis 1 0 0\n" + second + " } " +
                      end() + "}")
        .messages;
  };
  EXPECT_EQ(stop("minStop -2 maxStop 2", "minStop -1.5 maxStop 1.5"), Messages{});
  EXPECT_EQ(stop("", "maxStop 1.75"),
            Messages{"5:1: warning: a stop of axis 2 of a BallJoint beyond pi/2 is not effective: "
                     "that axis moves within -pi/2 and pi/2"});
  EXPECT_EQ(
      stop("minStop -3.5", "minStop -2"),
      (Messages{"4:1: info: a stop of axis 1 of a BallJoint beyond pi counts turns; it is not "
                "effective in every version of Webots",
                "5:1: warning: a stop of axis 2 of a BallJoint beyond pi/2 is not effective: "
                "that axis moves within -pi/2 and pi/2"}));
}

}  // namespace
}  // namespace servosim::test
