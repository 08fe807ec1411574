// SPDX-License-Identifier: Apache-2.0
// Position control through a real joint by P, PI and PID. Each runs without limits, with a velocity
// limit, with an acceleration limit, and with both, and is compared with the recurrence of law and
// motor row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "analytic/scheme.h"
#include "support/case_names.h"
#include "support/worlds.h"

namespace servosim::test {
namespace position_control_test {

struct Case {
  const char* name;
  PidGains gains;
  double velocity;      // limit; 1e6 means none
  double acceleration;  // limit; -1 means none

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

class PositionControl : public testing::TestWithParam<std::tuple<Case, bool>> {
 protected:
  static constexpr double kTarget = 0.8;

  // The slider moves down, and only its weight acts on it. The hinge carries no weight.
  static OneJoint world(const Case& c, bool slider) {
    OneJoint w;
    w.slider = slider;
    w.axis = slider ? "0 0 -1" : "0 0 1";
    w.gravity = "9.81";
    w.motor = fmt::format("{} maxVelocity {} acceleration {} controlPID {} {} {}",
                          slider ? "maxForce 400" : "maxTorque 40", c.velocity, c.acceleration,
                          c.gains.p, c.gains.i, c.gains.d);
    return w;
  }

  // Steps law and row once and compares.
  void expect_step(const Case& c, double weight) {
    const double error = kTarget - joint_.p;
    integral_ += error * joint_.h;
    const double u = c.gains.p * error + c.gains.i * integral_ +
                     c.gains.d * (error - previous_error_) / joint_.h;
    previous_error_ = error;
    const double wanted = std::clamp(u, -c.velocity, c.velocity);
    const double change = c.acceleration < 0.0 ? kUnbounded : c.acceleration * joint_.h;
    fast_ = fast_ || wanted != u;
    hurried_ = hurried_ || std::abs(wanted - commanded_) > change;
    commanded_ += std::clamp(wanted - commanded_, -change, change);
    joint_.step(weight, commanded_, -force_, force_);
    weak_ = weak_ || std::abs(joint_.lambda) == force_;
  }

  OneDof joint_;
  double integral_ = 0.0;
  double previous_error_ = 0.0;
  double commanded_ = 0.0;
  double force_ = 0.0;  // the motor's
  bool fast_ = false;
  bool hurried_ = false;
  bool weak_ = false;
};

TEST_P(PositionControl, FollowsItsRecurrence) {
  const auto& [c, slider] = GetParam();
  const OneJoint w = world(c, slider);
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_position(kTarget);
  joint_.hinge = !slider;
  joint_.inertia = inertia(w);
  force_ = slider ? 400.0 : 40.0;
  const double weight = slider ? w.mass * 9.81 : 0.0;
  for (int n = 0; n < 400; ++n) {
    expect_step(c, weight);
    simulation.step();
    // The rounding of 400 steps. ODE solves its rows to about 1e-12.
    ASSERT_NEAR(simulation.joint(0).position(), joint_.p, 1e-9) << n;
    ASSERT_NEAR(simulation.joint(0).reading().commanded_velocity, commanded_, 1e-8) << n;
    ASSERT_NEAR(simulation.joint(0).effort(), joint_.lambda, 1e-5) << n;
  }
  EXPECT_EQ(fast_, c.velocity < 1e6) << "the velocity limit took part if there is one";
  EXPECT_EQ(hurried_, c.acceleration > 0.0) << "and so did the acceleration limit";
  EXPECT_EQ(weak_, c.velocity == 1e6 && c.acceleration < 0.0) << "otherwise the motor's force did";
  // An integral that has grown while a limit held pushes for another 1.5 s = P/I.
  EXPECT_NEAR(simulation.joint(0).position(), kTarget, 0.05);
}

constexpr PidGains kP{9.0, 0.0, 0.0};
constexpr PidGains kPi{9.0, 6.0, 0.0};
constexpr PidGains kPid{9.0, 6.0, 0.15};

INSTANTIATE_TEST_SUITE_P(
    EveryLaw, PositionControl,
    testing::Combine(
        testing::Values(Case{"P", kP, 1e6, -1.0}, Case{"PVelocity", kP, 1.3, -1.0},
                        Case{"PAcceleration", kP, 1e6, 14.0}, Case{"PBoth", kP, 1.3, 7.0},
                        Case{"Pi", kPi, 1e6, -1.0}, Case{"PiVelocity", kPi, 1.3, -1.0},
                        Case{"PiAcceleration", kPi, 1e6, 14.0}, Case{"PiBoth", kPi, 1.3, 7.0},
                        Case{"Pid", kPid, 1e6, -1.0}, Case{"PidVelocity", kPid, 1.3, -1.0},
                        Case{"PidAcceleration", kPid, 1e6, 14.0}, Case{"PidBoth", kPid, 1.3, 7.0}),
        testing::Bool()),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).name) + joint_word(std::get<1>(test.param));
    });

// The integral removes the sag: P alone holds the joint CFM·weight/P below its target, PI does not.
TEST(PositionControlAtRest, IntegralTakesTheSagAway) {
  for (const double i : {0.0, 5.0}) {
    OneJoint w;
    w.slider = true;
    w.axis = "0 0 -1";
    w.gravity = "9.81 CFM 1e-3";
    w.motor = fmt::format("maxForce 90 controlPID 8 {} 0", i);
    Simulation simulation = load(w);
    simulation.robot("r").motor("m").set_position(0.35);
    simulation.step(2500);
    const double sag = 1e-3 * 2.0 * 9.81 / 8.0;
    // 20 s are 12 time constants P/I of the integral and 160 time constants of P.
    EXPECT_NEAR(simulation.joint(0).position() - 0.35, i > 0.0 ? 0.0 : sag, 1e-7) << i;
  }
}

}  // namespace position_control_test
}  // namespace servosim::test
