// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/world_control.h"
#include "srvp/robot/mcu_robot.h"
#include "srvp/robot/test_support.h"

namespace servosim::srvp::robot {
namespace mcu_robot_test {

using srvp::McuKind;
using srvp::McuOrder;
using srvp::Move;
using srvp::MoveForm;
using test::entry;
using test::hinge;
using test::robot_with;
using Kind = McuOrder::Kind;
using Controls = std::vector<srvp::Control>;

const srvp::Control kAck = srvp::ack();
const srvp::Control kInvalid = nack(srvp::Nack::InvalidParameter);
const srvp::Control kUnable = nack(srvp::Nack::ErrorContactingMcu);

/// A robot that is an MCU, its simulation and its answers.
struct Bench {
  explicit Bench(const std::string& children, McuKind kind = McuKind::Smart,
                 const std::vector<ServoEntry>& entries = {})
      : simulation(robot_with(children)),
        robot(simulation, kind, map_servos(simulation, simulation.robot(0), entries)) {}

  void order(Kind kind, std::vector<Move> moves, MoveForm form = MoveForm::Position) {
    robot.perform({kind, {form, std::move(moves)}},
                  [this](srvp::Control answer) { answers.push_back(answer); });
  }
  void move(std::vector<Move> moves) { order(Kind::Move, std::move(moves)); }
  void run(double seconds) {
    for (const double end = simulation.time() + seconds; simulation.time() < end;) {
      simulation.step();
      robot.after_step();
    }
  }
  double position(std::size_t id) const {
    const McuServo& servo = robot.servos()[id];
    return servo.position(simulation.joint(servo.joint).position());
  }

  Simulation simulation;
  McuRobot robot;
  Controls answers;
};

TEST(McuRobot, AnswersWhenTheServosOfAnOrderAreThere) {
  Bench bench(hinge("a") + hinge("b"));
  EXPECT_EQ(bench.robot.positions(), (std::vector<std::uint8_t>{90, 90}));
  bench.move({{0, 120}, {1, 45}});
  EXPECT_TRUE(bench.robot.moving());
  bench.run(0.1);
  EXPECT_EQ(bench.answers, Controls{});
  EXPECT_GT(bench.position(0), 90.0) << "both move at the same time";
  EXPECT_LT(bench.position(1), 89.0);
  bench.run(2.0);
  EXPECT_EQ(bench.answers, Controls{kAck});
  EXPECT_FALSE(bench.robot.moving());
  EXPECT_EQ(bench.robot.positions(), (std::vector<std::uint8_t>{120, 45}));
}

// The servo of a movement takes its pulses once in 20 ms, turns at its speed, and rests within its
// dead band.
TEST(McuRobot, AServoWithPulsesMovesAsItDoes) {
  constexpr double kDeadZone = 0.008267;   // of an SG90, to both sides [rad]
  constexpr double kNoLoadSpeed = 10.472;  // [rad/s]
  Bench bench(test::hinge("a", "maxVelocity 100\n#servosim servo \"SG90\"\n"));
  bench.run(0.1);
  bench.move({{0, 150}});
  const Motor& motor = *bench.simulation.joint(0).motor();
  double fastest = 0.0;
  while (bench.answers.empty() && bench.simulation.time() < 3.0) {
    bench.run(0.008);
    fastest = std::max(fastest, bench.simulation.joint(0).velocity());
  }
  EXPECT_EQ(bench.answers, Controls{kAck});
  EXPECT_GT(fastest, 0.1 * kNoLoadSpeed);
  EXPECT_LE(fastest, kNoLoadSpeed);
  const double error = motor.targets().position - bench.simulation.joint(0).position();
  EXPECT_LE(std::abs(error), kDeadZone * 1.2);
  EXPECT_NE(error, 0.0) << "no motion within the dead band";
  EXPECT_EQ(motor.servo().reading()->duty, 0.0) << "no torque there";
  // The next position is a pulse within the dead band of where it is.
  bench.run(1.0);
  const double rests = bench.simulation.joint(0).position();
  bench.robot.servos()[0].move_to(bench.position(0) + 0.3);
  bench.run(0.2);
  EXPECT_NEAR(bench.simulation.joint(0).position(), rests, 1e-6);
}

// Its dead band and the steps of its pulses are many degrees of 179 there.
TEST(McuRobot, AServoWithPulsesArrivesInANarrowRange) {
  Bench bench(test::hinge(
      "a", "minPosition -0.1 maxPosition 0.1 maxVelocity 100\n#servosim servo \"SG90\"\n"));
  Controls expected;
  for (const int position : {150, 20, 100, 60, 179, 0}) {
    bench.move({{0, position}});
    bench.run(2.0);
    expected.push_back(kAck);
    EXPECT_EQ(bench.answers, expected) << position;
    EXPECT_NEAR(bench.position(0), position, 12.0);
  }
}

TEST(McuRobot, ABlockedJointIsToldOf) {
  Bench bench(hinge("a", "", "minStop -0.2 maxStop 0.2"), McuKind::Smart,
              {entry(0, "a", -90.0, 90.0)});
  bench.move({{0, 150}});
  bench.run(ServoMovement::kTimeOut);
  EXPECT_EQ(bench.answers, Controls{kUnable});
  bench.move({{0, 95}});
  bench.run(2.0);
  EXPECT_EQ(bench.answers, (Controls{kUnable, kAck}));
}

TEST(McuRobot, AMovementFailsWhenTimeGoesBack) {
  Bench bench(hinge("a"));
  bench.run(1.0);
  bench.move({{0, 120}});
  bench.run(0.1);
  WorldControl(bench.simulation).restart();
  bench.robot.after_reset();
  EXPECT_EQ(bench.answers, Controls{kUnable});
  EXPECT_EQ(bench.robot.positions(), std::vector<std::uint8_t>{90});
  bench.move({{0, 100}});
  bench.run(0.9);
  EXPECT_EQ(bench.answers, (Controls{kUnable, kAck}));
}

TEST(McuRobot, AMotorTooWeakOrTooSlowIsToldOf) {
  Bench weak(hinge("a", "maxTorque 0"));
  weak.move({{0, 150}});
  weak.run(2.0);
  EXPECT_EQ(weak.answers, Controls{kUnable});
  Bench slow(hinge("a", "maxVelocity 0.1"));
  slow.move({{0, 179}});
  slow.run(ServoMovement::kTimeOut + 0.1);
  EXPECT_EQ(slow.answers, Controls{kUnable});
}

TEST(McuRobot, WhatTheMotorMayNotReachIsRefusedAndNothingMoves) {
  Bench bench(hinge("a") + hinge("b", "minPosition -0.5 maxPosition 0.5"), McuKind::Smart,
              {entry(0, "a"), entry(1, "b", -90.0, 90.0)});
  bench.move({{0, 120}, {1, 179}});
  EXPECT_EQ(bench.answers, Controls{kInvalid});
  bench.run(0.5);
  EXPECT_NEAR(bench.position(0), 89.5, 1e-6);
}

TEST(McuRobot, RefusesOrdersItCanNeverPerform) {
  Bench bench(hinge("a"));
  bench.move({{1, 90}});
  bench.move({{0, 180}});
  bench.move({{0, -1}});
  bench.move({});
  bench.order(Kind::Move, {{0, 2000}}, MoveForm::Pwm);
  bench.order(Kind::Store, {{7, 90}});
  bench.order(Kind::Execute, {});
  EXPECT_EQ(bench.answers, Controls(7, kInvalid));
  EXPECT_FALSE(bench.robot.moving());
}

TEST(McuRobot, OfTwoTargetsOfOneServoTheLastCounts) {
  Bench bench(hinge("a"));
  bench.move({{0, 20}, {0, 100}});
  bench.run(2.0);
  EXPECT_EQ(bench.answers, Controls{kAck});
  EXPECT_NEAR(bench.position(0), 100.0, 0.5);
}

TEST(McuRobot, ASmartOneStoresAndExecutes) {
  Bench bench(hinge("a") + hinge("b"));
  bench.order(Kind::Store, {{0, 20}, {1, 100}});
  bench.order(Kind::Store, {{0, 60}});
  EXPECT_EQ(bench.answers, (Controls{kAck, kAck}));
  bench.run(0.5);
  EXPECT_NEAR(bench.position(0), 89.5, 1e-6);
  bench.order(Kind::Execute, {});
  bench.run(2.0);
  EXPECT_EQ(bench.answers, Controls(3, kAck));
  EXPECT_EQ(bench.robot.positions(), (std::vector<std::uint8_t>{60, 100}));
  bench.order(Kind::Execute, {});
  EXPECT_EQ(bench.answers.back(), kInvalid) << "what is executed is stored no more";
}

TEST(McuRobot, WhatCouldNotBeDoneStaysStoredUntilALogin) {
  Bench bench(hinge("a", "", "minStop -0.2 maxStop 0.2"), McuKind::Smart,
              {entry(0, "a", -90.0, 90.0)});
  bench.order(Kind::Store, {{0, 150}});
  bench.order(Kind::Execute, {});
  bench.run(3.0);
  bench.order(Kind::Execute, {});
  bench.run(3.0);
  EXPECT_EQ(bench.answers, (Controls{kAck, kUnable, kUnable}));
  bench.robot.clear_stored();
  bench.order(Kind::Execute, {});
  EXPECT_EQ(bench.answers.back(), kInvalid);
}

TEST(McuRobot, ADumbOneTakesPwmOnly) {
  Bench bench(hinge("a"), McuKind::Dumb);
  bench.order(Kind::Move, {{0, srvp::pwm_of(120, {819, 4096})}}, MoveForm::Pwm);
  bench.run(2.0);
  EXPECT_EQ(bench.answers, Controls{kAck});
  EXPECT_NEAR(bench.position(0), 120.0, 0.5);
  bench.move({{0, 90}});
  bench.order(Kind::Move, {{0, 818}}, MoveForm::Pwm);
  bench.order(Kind::Store, {{0, 2000}}, MoveForm::Pwm);
  bench.order(Kind::Execute, {});
  EXPECT_EQ(bench.answers, (Controls{kAck, kInvalid, kInvalid, kInvalid, kInvalid}));
}

TEST(McuRobot, OrdersWaitForTheOneOnItsWay) {
  Bench bench(hinge("a"));
  bench.move({{0, 120}});
  bench.move({{0, 200}});
  bench.move({{0, 60}});
  EXPECT_EQ(bench.answers, Controls{});
  bench.run(4.0);
  EXPECT_EQ(bench.answers, (Controls{kAck, kInvalid, kAck}));
  EXPECT_NEAR(bench.position(0), 60.0, 0.5);
}

TEST(McuRobot, NotMoreThanABoundedNumberOfOrdersWait) {
  Bench bench(hinge("a"));
  for (std::size_t i = 0; i < McuRobot::kMaxWaiting + 2; ++i) {
    bench.move({{0, 100}});
  }
  EXPECT_EQ(bench.answers, Controls{kUnable});
  bench.run(10.0);
  EXPECT_EQ(bench.answers.size(), McuRobot::kMaxWaiting + 2);
  EXPECT_EQ(bench.answers.back(), kAck);
}

TEST(McuRobot, PositionsStayWithinThoseOfAServo) {
  Bench bench(hinge("a"), McuKind::Smart, {entry(0, "a", 10.0, 20.0)});
  EXPECT_EQ(bench.robot.positions(), std::vector<std::uint8_t>{0});
  Bench above(hinge("a"), McuKind::Smart, {entry(0, "a", -20.0, -10.0)});
  EXPECT_EQ(above.robot.positions(), std::vector<std::uint8_t>{179});
}

}  // namespace mcu_robot_test
}  // namespace servosim::srvp::robot
