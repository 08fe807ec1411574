// SPDX-License-Identifier: Apache-2.0
// The rotation of a BallJoint's endpoint is R(A,p1)·R(B,p2)·R(C,p3). A = x, B = y, C = z unless a
// test says otherwise.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/ball_world.h"
#include "support/case_names.h"

namespace servosim::test {
namespace ball_test {

using namespace ball;

class BallAxis : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  int axis() const { return std::get<0>(GetParam()); }
  BallWorld world() const {
    BallWorld w;
    w.heavy_parent = std::get<1>(GetParam());
    w.rotation = "0.6 0 0.8 0.75";  // the axes are the robot's, not the world's
    return w;
  }
  std::string name(char letter) const { return letter + std::to_string(axis() + 1); }
};

TEST_P(BallAxis, ForceAcceleratesAlongTheAxis) {
  Simulation simulation = load(world());
  let_go(simulation);
  Motor& motor = simulation.robot("r").motor(name('m'));
  motor.set_available_force(10.0);
  motor.set_force(0.35);
  const int steps = 40;
  simulation.step(steps);
  const double a = 0.35 / kInertia;
  // The expected values are those of semi-implicit Euler. ODE turns by a small-angle formula, which
  // loses (h·v)³/12 a step, at most 2e-6.
  EXPECT_NEAR(simulation.joint(axis()).velocity(), steps * kH * a, 1e-6);
  EXPECT_NEAR(simulation.joint(axis()).position(), a * kH * kH * steps * (steps + 1) / 2, 1e-4);
  EXPECT_NEAR(simulation.joint(axis()).effort(), 0.35, 1e-6);
  EXPECT_LT(difference(turned(simulation), euler(simulation)), 1e-9);
}

TEST_P(BallAxis, PositionIsReachedFromAStartPosition) {
  BallWorld w = world();
  w.parameters = {"position 0.25", "position -0.5", "position 0.75"};
  Simulation simulation = load(w);
  const Mat3 zero =
      transposed(euler(0.25, -0.5, 0.75));  // the file's pose is that of the positions
  simulation.robot("r").motor(name('m')).set_position(1.125);
  simulation.step(400);
  const double start[] = {0.25, -0.5, 0.75};
  for (int k = 0; k < 3; ++k) {
    // The P loop has converged. The motors that hold are as exact as their rows are stiff.
    EXPECT_NEAR(simulation.joint(k).position(), k == axis() ? 1.125 : start[k], 1e-6) << k;
  }
  EXPECT_LT(difference(turned(simulation), euler(simulation) * zero), 1e-9);
}

// With the middle axis turned away, each motor still turns its own position at the commanded speed.
TEST_P(BallAxis, VelocityIsThatOfTheOwnPosition) {
  Simulation simulation = load(world());
  simulation.joint(1).set_state(0.875, 0.0);
  simulation.robot("r").motor("m2").set_position(0.875);
  Motor& motor = simulation.robot("r").motor(name('m'));
  motor.set_position(INFINITY);
  motor.set_velocity(axis() == 1 ? -1.25 : 1.25);
  simulation.step(50);
  for (int k = 0; k < 3; ++k) {
    const double wanted = k != axis() ? 0.0 : k == 1 ? -1.25 : 1.25;
    // The rows act along the axes at the start of the step. The error is 1e-4 of the turn in the
    // step.
    EXPECT_NEAR(simulation.joint(k).velocity(), wanted, 0.02) << k;
  }
  const double before = simulation.joint(axis()).position();
  simulation.step(10);
  EXPECT_NEAR(simulation.joint(axis()).position() - before, 10 * kH * (axis() == 1 ? -1.25 : 1.25),
              2e-3);
}

TEST_P(BallAxis, SpringAndDamperFollowTheImplicitStep) {
  struct Case {
    double k;
    double d;
  };
  for (const Case& c : {Case{3.0, 0.05}, Case{70.0, 4.5}, Case{0.0, 0.13}}) {
    BallWorld w = world();
    w.parameters[axis()] =
        fmt::format("position 0.004 springConstant {} dampingConstant {}", c.k, c.d);
    Simulation simulation = load(w);
    let_go(simulation);
    simulation.joint(axis()).set_state(0.004, 0.03125);
    double p = 0.004;
    double v = 0.03125;
    for (int n = 0; n < 300; ++n) {
      v = (v - kH * c.k / kInertia * p) / (1.0 + kH * kH * c.k / kInertia + kH * c.d / kInertia);
      p += kH * v;
      simulation.step();
      // The swings are small, so that ODE's turning is exact to (h·v)³/12 = 1e-12 a step.
      ASSERT_NEAR(simulation.joint(axis()).position(), p, 1e-9) << n;
      ASSERT_NEAR(
          simulation.joint(axis()).effort(),
          -c.k * simulation.joint(axis()).position() - c.d * simulation.joint(axis()).velocity(),
          1e-12);
    }
  }
}

TEST_P(BallAxis, BrakeDampsAtOnceAndLetsGo) {
  Simulation simulation = load(world());
  let_go(simulation);
  Brake& brake = simulation.robot("r").brake(name('b'));
  brake.set_damping_constant(0.75);
  simulation.joint(axis()).set_state(0.0, 1.4);
  double v = 1.4;
  for (int n = 0; n < 30; ++n) {
    simulation.step();
    v /= 1.0 + kH * 0.75 / kInertia;
    ASSERT_NEAR(simulation.joint(axis()).velocity(), v, 1e-8);
  }
  brake.set_damping_constant(0.0);
  simulation.step(50);
  EXPECT_NEAR(simulation.joint(axis()).velocity(), v, 1e-8);
}

TEST_P(BallAxis, StopsHoldOnBothSides) {
  BallWorld w = world();
  w.parameters[axis()] = "position 0.125 dampingConstant 0.05 minStop -0.5 maxStop 0.75";
  Simulation simulation = load(w);
  let_go(simulation);
  Motor& motor = simulation.robot("r").motor(name('m'));
  motor.set_available_force(2.0);
  for (const double force : {0.5, -0.5}) {
    motor.set_force(force);
    simulation.step(600);
    // A stop yields by about force·CFM·h/ERP, which is 2e-7.
    EXPECT_NEAR(simulation.joint(axis()).position(), force > 0.0 ? 0.75 : -0.5, 1e-5);
    EXPECT_NEAR(simulation.joint(axis()).effort(), 0.0, 1e-4) << "stop and force cancel";
  }
  // A motor that drives into the stop is held, too.
  motor.set_position(1.5);
  simulation.step(600);
  EXPECT_NEAR(simulation.joint(axis()).position(), 0.75, 1e-4);
  EXPECT_NEAR(simulation.joint(axis()).effort(), 0.0, 1e-3);
}

TEST_P(BallAxis, FrictionHoldsAndBreaksAway) {
  BallWorld w = world();
  w.parameters[axis()] = "staticFriction 0.75";
  w.motors = "maxTorque 0.8";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor(name('m'));
  motor.set_force(0.7);
  simulation.step(100);
  EXPECT_NEAR(simulation.joint(axis()).position(), 0.0, 1e-4) << "CFM lets it creep by 1e-5·τ";
  motor.set_force(0.8);
  simulation.step(100);
  EXPECT_NEAR(simulation.joint(axis()).velocity(), 100 * kH * (0.8 - 0.75) / kInertia, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Axes, BallAxis,
                         testing::Combine(testing::Values(0, 1, 2), testing::Bool()),
                         [](const auto& test) {
                           return std::string(1, "ABC"[std::get<0>(test.param)]) +
                                  parent_word(std::get<1>(test.param));
                         });

class Ball : public testing::TestWithParam<bool> {
 protected:
  BallWorld world() const {
    BallWorld w;
    w.heavy_parent = GetParam();
    return w;
  }
};

TEST_P(Ball, PositionsSetAreThePosesAngles) {
  Simulation simulation = load(world());
  let_go(simulation);
  simulation.joint(0).set_state(2.5, 0.5);
  simulation.joint(1).set_state(-1.125, -0.25);
  simulation.joint(2).set_state(-8.75, 0.75);  // velocity 0.75, and a position beyond one turn
  EXPECT_LT(difference(turned(simulation), euler(2.5, -1.125, -8.75)), 1e-12);
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.5, 1e-12);
  EXPECT_NEAR(simulation.joint(1).velocity(), -0.25, 1e-12);
  EXPECT_NEAR(simulation.joint(2).velocity(), 0.75, 1e-12);
  simulation.step();
  // One step later the positions are those of the pose that ODE has computed, turns included.
  EXPECT_NEAR(simulation.joint(0).position(), 2.5 + kH * 0.5, 1e-4);
  EXPECT_NEAR(simulation.joint(1).position(), -1.125 - kH * 0.25, 1e-4);
  EXPECT_NEAR(simulation.joint(2).position(), -8.75 + kH * 0.75, 1e-4);
  EXPECT_LT(difference(turned(simulation), euler(simulation)), 1e-12);
}

// The body spins fast on its third axis and is held on the others: 2·|ω|·h > π.
TEST_P(Ball, TurnsAreCountedAtHighSpeed) {
  Simulation simulation = load(world());
  simulation.robot("r").motor("m3").set_available_force(0.0);
  simulation.joint(2).set_state(0.0, -300.0);
  simulation.step(500);
  // ODE turns a body by 2·atan(h·ω/2) a step.
  EXPECT_NEAR(simulation.joint(2).position(), -500 * 2.0 * std::atan(0.5 * kH * 300.0), 0.2);
}

TEST_P(Ball, Motor2StopsAtAQuarterOfATurn) {
  LoadOptions options;
  options.solver = solver_of_tests();
  options.notice = [](std::string_view) {};
  Simulation simulation = Simulation::from_text(world_text(world()), std::move(options));
  Motor& motor = simulation.robot("r").motor("m2");
  motor.set_position(2.5);
  EXPECT_EQ(motor.targets().position, std::numbers::pi / 2.0);
  simulation.step(600);
  EXPECT_NEAR(simulation.joint(1).position(), std::numbers::pi / 2.0, 1e-3);
  for (const int held : {0, 2}) {
    EXPECT_TRUE(std::isfinite(simulation.joint(held).position()));
  }
  motor.set_position(-0.5);  // moves out of the pose where A and C coincide
  simulation.step(600);
  EXPECT_NEAR(simulation.joint(1).position(), -0.5, 1e-6);
  EXPECT_NEAR(simulation.joint(0).position(), 0.0, 1e-3);
  EXPECT_NEAR(simulation.joint(2).position(), 0.0, 1e-3);
}

// In this pose A and C coincide. The motion must stay bounded: the body comes to rest at the
// targets of all motors.
TEST_P(Ball, RestsAtTheLimitOfMotor2) {
  for (const double limit : {std::numbers::pi / 2.0, -std::numbers::pi / 2.0}) {
    BallWorld w = world();
    w.motors = "";
    w.endpoint = "-0.4 0 0.1";
    Simulation simulation = load(w);
    simulation.robot("r").motor("m1").set_position(0.3);
    simulation.robot("r").motor("m2").set_position(limit);
    simulation.robot("r").motor("m3").set_position(-0.2);
    simulation.step(1000);
    for (int n = 0; n < 1000; ++n) {
      const Mat3 before = turned(simulation);
      simulation.step();
      ASSERT_LT(difference(turned(simulation), before), 1e-5) << n << ": jitter of 4e-6 rad";
    }
    // Where sin∠(A,C) is 1e-6 or less, rounding leaves p1 and p3 uncertain by about 0.1.
    EXPECT_NEAR(simulation.joint(0).position(), 0.3, 0.05);
    EXPECT_NEAR(simulation.joint(1).position(), limit, 1e-4);
    EXPECT_NEAR(simulation.joint(2).position(), -0.2, 0.05);
  }
}

// The body is pushed through that pose while no motors hold the other axes.
TEST_P(Ball, PassesTheLimitOfMotor2WithoutAJump) {
  Simulation simulation = load(world());
  let_go(simulation);
  simulation.joint(1).set_state(1.55, 0.0);
  simulation.joint(1).set_state(1.55, 0.25);
  const double h = kH;
  double previous[3] = {simulation.joint(0).position(), simulation.joint(1).position(),
                        simulation.joint(2).position()};
  for (int n = 0; n < 20; ++n) {
    simulation.step();
    for (int k = 0; k < 3; ++k) {
      const double now = simulation.joint(k).position();
      ASSERT_NEAR(now, previous[k] + (k == 1 ? h * 0.25 : 0.0), 1e-6) << n << " " << k;
      previous[k] = now;
    }
  }
  EXPECT_GT(previous[1], std::numbers::pi / 2.0 + 0.01);
}

// The motor of A holds a weight with the torque about its own axis, also where the middle angle θ
// is not 0.
TEST_P(Ball, MotorsHoldTheTorquesOfTheTextbook) {
  BallWorld w = world();
  w.heavy_parent = false;
  w.gravity = "9.81";
  w.endpoint = "0 0.25 0";
  Simulation simulation = load(w);
  simulation.robot("r").motor("m2").set_position(0.75);
  simulation.step(600);
  // The torques follow from the virtual work of m·g·dz. About x the weight at y = 0.25 has the
  // lever 0.25. About C, which has turned by 0.75, the weight at x = −0.25·p3 sinks by sin(0.75).
  const double weight = 2.0 * 9.81;
  EXPECT_NEAR(simulation.joint(0).effort(), weight * 0.25, 1e-3);
  EXPECT_NEAR(simulation.joint(1).effort(), 0.0, 1e-3);
  EXPECT_NEAR(simulation.joint(2).effort(), weight * 0.25 * std::sin(0.75), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(StaticAndDynamicParent, Ball, testing::Bool(), by_parent);

TEST(BallJoint, KinematicAndDynamicPosesAgree) {
  BallWorld w;
  w.heavy_parent = true;
  w.parameters = {"anchor 0.25 0 0 position 0.375", "position -0.75", "position 0.125"};
  w.endpoint = "0.5 0.25 -0.125";
  Simulation dynamic = load(w);
  w.child = "";
  Simulation kinematic = load(w);
  const double target[] = {1.25, 0.5, -1.75};
  for (Simulation* s : {&dynamic, &kinematic}) {
    for (int k = 0; k < 3; ++k) {
      Motor& motor = s->robot("r").motor("m" + std::to_string(k + 1));
      motor.set_position(target[k]);
      motor.set_velocity(2.0);
    }
    s->step(1500);
  }
  const auto relative = [](const Simulation& s) {
    return inverse(s.solid("r").pose()) * s.solid("end").pose();
  };
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(dynamic.joint(k).position(), target[k], 1e-5);
    EXPECT_NEAR(kinematic.joint(k).position(), target[k], 1e-5);
  }
  EXPECT_LT(difference(relative(dynamic).rotation, relative(kinematic).rotation), 1e-5);
  EXPECT_LT(norm(relative(dynamic).translation - relative(kinematic).translation), 1e-5);
}

// Positions 1 and 3 jump by half a turn where axis 2 passes 90 degrees. If they had stops of their
// own, this would be a violation of half a turn, which ODE would answer with hundreds of rad/s.
TEST(Ball, WithStopsOnTheOuterAxesStaysBelowTheLimitOfTheMiddleOne) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }
Robot { name "r" children [ BallJoint {
  jointParameters BallJointParameters { minStop -0.5 maxStop 0.5 }
  jointParameters2 JointParameters { axis 1 0 0 }
  jointParameters3 JointParameters { axis 0 0 1 minStop -0.5 maxStop 0.5 }
  endPoint Solid { name "end" translation 0.25 0 0 boundingObject Box { size 0.3 0.2 0.1 }
    physics Physics { } } } ] })");
  simulation.joint(1).set_state(1.3, 5.0);
  for (int n = 0; n < 500; ++n) {
    simulation.step();
    for (int axis = 0; axis < 3; ++axis) {
      ASSERT_LT(std::abs(simulation.joint(axis).velocity()), 20.0) << axis << " in step " << n;
    }
    ASSERT_LT(std::abs(simulation.joint(1).position()), 1.62);  // the stop yields by the motion of
                                                                // one step
  }
}

}  // namespace ball_test
}  // namespace servosim::test
