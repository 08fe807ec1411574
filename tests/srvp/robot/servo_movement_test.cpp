// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "srvp/robot/mcu_robot.h"

namespace servosim::srvp::robot {
namespace {

using State = ServoMovement::State;
using Path = std::function<double(double)>;  // time to position

constexpr double kStep = 0.01;

struct Outcome {
  State state;
  double time;
};

// Looks at the movement in each step until it is over.
Outcome follow(const std::vector<ServoMovement::Goal>& goals, const std::vector<Path>& paths) {
  ServoMovement movement(goals, 0.0);
  std::vector<double> positions(paths.size());
  double time = 0.0;
  for (int n = 1; n < 10'000; ++n) {
    time = n * kStep;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      positions[i] = paths[i](time);
    }
    if (const State state = movement.update(positions, time); state != State::Moving) {
      return {state, time};
    }
  }
  return {State::Moving, time};
}

double still(double) { return 90.0; }
// Moves from 90 at that speed to a position and stays there.
Path sweep(double speed, double end) {
  return [=](double t) {
    return speed > 0.0 ? std::min(90.0 + speed * t, end) : std::max(90.0 + speed * t, end);
  };
}

TEST(ServoMovement, IsDoneAfterRestingNearTheTarget) {
  const Outcome outcome = follow({{0, 120.0}}, {sweep(60.0, 120.4)});
  EXPECT_EQ(outcome.state, State::Done);
  EXPECT_NEAR(outcome.time, 0.5 + ServoMovement::kRest, 2 * kStep);
}

TEST(ServoMovement, OneThatIsThereIsDoneAfterItsRest) {
  const Outcome outcome = follow({{0, 90.0}}, {still});
  EXPECT_EQ(outcome.state, State::Done);
  EXPECT_NEAR(outcome.time, kStep + ServoMovement::kRest, 1e-9);
}

TEST(ServoMovement, FailsWhenItComesNoNearer) {
  const Outcome outcome = follow({{0, 120.0}}, {sweep(60.0, 119.0)});
  EXPECT_EQ(outcome.state, State::Failed);
  EXPECT_NEAR(outcome.time, 29.0 / 60.0 + ServoMovement::kStallTime, 2 * kStep);
}

TEST(ServoMovement, HalfADegreeIsNearAndMoreIsNot) {
  EXPECT_EQ(follow({{0, 120.0}}, {sweep(60.0, 120.49)}).state, State::Done);
  EXPECT_EQ(follow({{0, 120.0}}, {sweep(60.0, 119.51)}).state, State::Done);
  EXPECT_EQ(follow({{0, 120.0}}, {sweep(60.0, 120.51)}).state, State::Failed);
}

TEST(ServoMovement, SwingingPastIsNotArriving) {
  const Path swings = [](double t) { return 120.0 - 30.0 * std::cos(6.0 * t) * std::exp(-t); };
  const Outcome outcome = follow({{0, 120.0}}, {swings});
  EXPECT_EQ(outcome.state, State::Done);
  EXPECT_GT(outcome.time, 2.0) << "at 0.26 s it passed for the first time";
}

TEST(ServoMovement, ASlowOneIsWaitedForUntilTheTimeIsUp) {
  const Outcome slow = follow({{0, 95.0}}, {sweep(1.0, 95.0)});
  EXPECT_EQ(slow.state, State::Done);
  const Outcome slower = follow({{0, 120.0}}, {sweep(0.5, 120.0)});
  EXPECT_EQ(slower.state, State::Failed);
  EXPECT_NEAR(slower.time, ServoMovement::kTimeOut, 1e-9);
}

TEST(ServoMovement, EndsWhenTheLastServoHas) {
  const Outcome both = follow({{0, 60.0}, {1, 120.0}}, {sweep(-60.0, 60.0), sweep(20.0, 120.0)});
  EXPECT_EQ(both.state, State::Done);
  EXPECT_GT(both.time, 1.5);
  const Outcome one_is_stuck = follow({{0, 91.0}, {1, 150.0}}, {still, sweep(20.0, 150.0)});
  EXPECT_EQ(one_is_stuck.state, State::Failed);
  EXPECT_GT(one_is_stuck.time, 3.0);
}

TEST(ServoMovement, OneThatIsPushedAwayMayComeBack) {
  const Path pushed = [](double t) { return t > 2.0 && t < 2.3 ? 93.0 : 90.0; };
  const Outcome outcome = follow({{0, 90.0}, {1, 135.0}}, {pushed, sweep(20.0, 135.0)});
  EXPECT_EQ(outcome.state, State::Done);
}

TEST(ServoMovement, GoalsNameTheServosTheyMean) {
  EXPECT_EQ(follow({{1, 120.0}}, {still, sweep(60.0, 120.0), still}).state, State::Done);
  EXPECT_EQ(follow({{2, 120.0}}, {still, sweep(60.0, 120.0), still}).state, State::Failed);
}

TEST(ServoMovement, WhatIsNoNumberNeverArrives) {
  EXPECT_EQ(follow({{0, 120.0}}, {[](double) { return std::nan(""); }}).state, State::Failed);
}

}  // namespace
}  // namespace servosim::srvp::robot
