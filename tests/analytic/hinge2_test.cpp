// SPDX-License-Identifier: Apache-2.0
// Tests of Hinge2Joint: axis 1 is fixed in the parent, and axis 2 turns with axis 1. Unless a test
// says otherwise, axis 1 is z, axis 2 is y, both bodies are free, and the parent is too heavy to
// move.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/near.h"
#include "support/worlds.h"

namespace servosim::test {
namespace hinge2_test {

struct Hinge2World {
  std::string parameters;   // axis 1
  std::string parameters2;  // axis 2
  std::string axis2 = "0 1 0";
  std::string motors = "maxVelocity 1000 maxTorque 50";
  std::string gravity = "0";
  std::string endpoint = "0 0 0";
  std::string child = "boundingObject Sphere { radius 0.3 } physics Physics { density -1 mass 2 }";
  std::string parent_mass = "1e9";
  double time_step_ms = 8.0;
};

std::string world_text(const Hinge2World& w) {
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep {} gravity {} physicsDisableTime 0 }}
Robot {{
  name "r"
  children [
    Hinge2Joint {{
      jointParameters HingeJointParameters {{ axis 0 0 1 {} }}
      jointParameters2 JointParameters {{ axis {} {} }}
      device [ RotationalMotor {{ name "m1" {} }} Brake {{ name "b1" }} ]
      device2 [ RotationalMotor {{ name "m2" {} }} Brake {{ name "b2" }} ]
      endPoint Solid {{
        name "end"
        translation {}
        {}
      }}
    }}
  ]
  boundingObject Sphere {{ radius 1 }}
  physics Physics {{ density -1 mass {} }}
}}
)",
                     w.time_step_ms, w.gravity, w.parameters, w.axis2, w.parameters2, w.motors,
                     w.motors, w.endpoint, w.child, w.parent_mass);
}

Simulation load(const Hinge2World& w) { return test::load(world_text(w)); }

constexpr double kH = 0.008;
// The endpoint is a ball of 2 kg. This is its inertia about any axis through its centre.
constexpr double kInertia = 0.4 * 2.0 * 0.3 * 0.3;

void let_go(Simulation& simulation) {
  simulation.robot("r").motor("m1").set_available_force(0.0);
  simulation.robot("r").motor("m2").set_available_force(0.0);
}

// Returns the endpoint's rotation relative to the parent, from the poses alone.
Mat3 turned(const Simulation& s) {
  return transposed(s.solid("r").pose().rotation) * s.solid("end").pose().rotation;
}

Mat3 expected(double p1, double p2, const Vec3& axis2 = {0, 1, 0}) {
  return rotation_matrix({{0, 0, 1}, p1}) * rotation_matrix({axis2, p2});
}

double difference(const Mat3& a, const Mat3& b) {
  double largest = 0.0;
  for (int i = 0; i < 9; ++i) {
    largest = std::max(largest, std::abs(a.m[i] - b.m[i]));
  }
  return largest;
}

class Hinge2Axis : public testing::TestWithParam<int> {
 protected:
  int axis() const { return GetParam(); }
  std::string name(const std::string& base) const { return base + (axis() == 0 ? "1" : "2"); }
  std::string& parameters(Hinge2World& w) const {
    return axis() == 0 ? w.parameters : w.parameters2;
  }
};

TEST_P(Hinge2Axis, ForceAcceleratesAlongTheAxis) {
  Simulation simulation = load(Hinge2World{});
  let_go(simulation);
  Motor& motor = simulation.robot("r").motor(name("m"));
  motor.set_available_force(10.0);
  motor.set_force(0.35);
  const int steps = 40;
  simulation.step(steps);
  const double a = 0.35 / kInertia;
  // The expected values are those of semi-implicit Euler. ODE yields by 1e-9 per row. Its
  // small-angle formula loses (h·v)³/12 a step, at most 2e-6 here.
  EXPECT_NEAR(simulation.joint(axis()).velocity(), steps * kH * a, 1e-6);
  EXPECT_NEAR(simulation.joint(axis()).position(), a * kH * kH * steps * (steps + 1) / 2, 1e-4);
  EXPECT_NEAR(simulation.joint(axis()).effort(), 0.35, 1e-6);
  EXPECT_NEAR(simulation.joint(1 - axis()).position(), 0.0, 1e-6);
}

TEST_P(Hinge2Axis, VelocityIsPursuedAndPositionsMakeThePose) {
  Hinge2World w;
  w.parameters = "position 0.25";
  w.parameters2 = "position -0.5";
  Simulation simulation = load(w);
  const Mat3 zero = transposed(expected(0.25, -0.5));  // the file's pose is that of the positions
  Motor& motor = simulation.robot("r").motor(name("m"));
  motor.set_position(INFINITY);
  motor.set_velocity(-1.75);
  simulation.step(150);
  const JointReading a = simulation.joint(0).reading();
  const JointReading b = simulation.joint(1).reading();
  // The world's CFM of 1e-5 against this inertia takes 1e-5 of the speed.
  EXPECT_NEAR(simulation.joint(axis()).velocity(), -1.75, 1e-4);
  EXPECT_LT(simulation.joint(axis()).position(), -1.5);
  EXPECT_LT(difference(turned(simulation), expected(a.position, b.position) * zero), 1e-6);
}

TEST_P(Hinge2Axis, PositionIsReached) {
  Simulation simulation = load(Hinge2World{});
  simulation.robot("r").motor(name("m")).set_position(0.875);
  simulation.step(300);
  // The error decays by 1 − 10·h per step, to less than 1e-10 of 0.875.
  EXPECT_NEAR(simulation.joint(axis()).position(), 0.875, 1e-8);
}

TEST_P(Hinge2Axis, SpringAndDamperFollowTheImplicitStep) {
  struct Case {
    double k;
    double d;
  };
  for (const Case& c : {Case{3.0, 0.05}, Case{70.0, 4.5}, Case{0.0, 0.13}}) {
    Hinge2World w;
    parameters(w) = fmt::format("position 0.004 springConstant {} dampingConstant {}", c.k, c.d);
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
      ASSERT_NEAR(simulation.joint(axis()).velocity(), v, 1e-8) << n;
    }
  }
}

TEST_P(Hinge2Axis, BrakeDampsAtOnceAndLetsGo) {
  Simulation simulation = load(Hinge2World{});
  let_go(simulation);
  Brake& brake = simulation.robot("r").brake(name("b"));
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

// On axis 1 near stops are ODE's own. Far stops, and those of axis 2, are angular rows.
TEST_P(Hinge2Axis, StopsHoldOnBothSides) {
  struct Case {
    double low;
    double high;
  };
  for (const Case& c : {Case{-0.2, 0.35}, Case{-2.5, 3.0}, Case{-7.5, 8.0}}) {
    Hinge2World w;
    parameters(w) =
        fmt::format("position 0.125 dampingConstant 0.05 minStop {} maxStop {}", c.low, c.high);
    Simulation simulation = Simulation::from_text(world_text(w));
    EXPECT_EQ(simulation.diagnostics().size(), c.high > 3.1 ? 1u : 0u) << "Webots may not keep it";
    let_go(simulation);
    Motor& motor = simulation.robot("r").motor(name("m"));
    motor.set_available_force(2.0);
    for (const double force : {0.5, -0.5}) {
      motor.set_force(force);
      simulation.step(1200);
      // A stop yields by about force·CFM·h/ERP, which is 2e-7.
      EXPECT_NEAR(simulation.joint(axis()).position(), force > 0.0 ? c.high : c.low, 1e-5);
      EXPECT_NEAR(simulation.joint(axis()).effort(), 0.0, 1e-4) << "stop and force cancel";
    }
  }
}

TEST_P(Hinge2Axis, SetJointStateMovesWhatHangsOnIt) {
  Simulation simulation = load(Hinge2World{});
  let_go(simulation);
  simulation.joint(1 - axis()).set_state(0.5, 0.03125);
  simulation.joint(axis()).set_state(-7.25, 0.0625);
  EXPECT_DOUBLE_EQ(simulation.joint(axis()).position(), -7.25);
  EXPECT_DOUBLE_EQ(simulation.joint(1 - axis()).position(), 0.5);
  const Mat3 wanted = axis() == 0 ? expected(-7.25, 0.5) : expected(0.5, -7.25);
  EXPECT_LT(difference(turned(simulation), wanted), 1e-12);
  EXPECT_NEAR(simulation.joint(axis()).velocity(), 0.0625, 1e-12);
  EXPECT_NEAR(simulation.joint(1 - axis()).velocity(), 0.03125, 1e-12) << "the other keeps its own";
  simulation.step(10);
  EXPECT_NEAR(simulation.joint(axis()).position(), -7.25 + 10 * kH * 0.0625, 1e-4);
  EXPECT_NEAR(simulation.joint(1 - axis()).position(), 0.5 + 10 * kH * 0.03125, 1e-4);
}

// 2·|ω|·h > π: the angle alone would show the wheel turning backwards.
TEST_P(Hinge2Axis, TurnsAreCountedAtHighSpeed) {
  for (const double speed : {300.0, -300.0}) {
    Simulation simulation = load(Hinge2World{});
    let_go(simulation);
    simulation.joint(axis()).set_state(0.0, speed);
    simulation.step(500);
    // ODE turns a body by 2·atan(h·ω/2) = 1.752 rad a step here. The same angle could also be −4.53
    // rad; the speed, 2.4 rad a step, tells the two apart.
    const double turn = 2.0 * std::atan(0.5 * kH * speed);
    EXPECT_NEAR(simulation.joint(axis()).position(), 500 * turn, 0.1) << "gives way by 1e-4";
    EXPECT_NEAR(simulation.joint(axis()).velocity(), speed, 1.0);
  }
}

TEST_P(Hinge2Axis, FrictionHoldsAndBreaksAway) {
  Hinge2World w;
  parameters(w) = "staticFriction 0.75";
  w.motors = "maxTorque 0.8";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor(name("m"));
  motor.set_force(0.7);
  simulation.step(100);
  EXPECT_NEAR(simulation.joint(axis()).position(), 0.0, 1e-4) << "CFM lets it creep by 1e-5·τ";
  motor.set_force(0.8);
  simulation.step(100);
  EXPECT_NEAR(simulation.joint(axis()).velocity(), 100 * kH * (0.8 - 0.75) / kInertia, 1e-4);
}

// Webots keeps the last speed, and friction pulls the joint up to it again.
TEST_P(Hinge2Axis, ForceControlForgetsTheSpeedOfBefore) {
  Hinge2World w;
  parameters(w) = "staticFriction 0.5";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor(name("m"));
  motor.set_position(INFINITY);
  motor.set_velocity(2.5);
  simulation.step(50);
  motor.set_force(0.0);
  simulation.step(50);  // the joint is at rest after 2.5·I/0.5 = 0.36 s
  EXPECT_NEAR(simulation.joint(axis()).velocity(), 0.0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Axes, Hinge2Axis, testing::Values(0, 1), [](const auto& test) {
  return test.param == 0 ? std::string("First") : std::string("Second");
});

// A weight that is off axis 2 turns axis 1, and the reverse. Each motor holds its own torque.
TEST(Hinge2, FeedbackIsTheTorqueOfEachMotor) {
  Hinge2World w;
  w.gravity = "9.81";
  w.parent_mass = "30";  // the pin that holds it can carry this
  w.endpoint = "0.25 0 0";
  Simulation simulation = load(w);
  simulation.solid(simulation.robot(0).solid()).pin(true);
  Motor& motor = simulation.robot("r").motor("m2");
  motor.enable(8, 0.0);
  simulation.robot("r").motor("m1").enable(8, 0.0);
  simulation.step(300);
  // Turning about +y lowers the weight at +x: the motor holds it up.
  EXPECT_NEAR(motor.sampler().value(), -2.0 * 9.81 * 0.25, 1e-3);
  EXPECT_NEAR(simulation.joint(1).effort(), -2.0 * 9.81 * 0.25, 1e-3);
  EXPECT_NEAR(simulation.robot("r").motor("m1").sampler().value(), 0.0, 1e-3);
  // Motor 1 accelerates the wheel, which is off its axis, about z by 1.25 rad/s².
  simulation.robot("r").motor("m1").set_acceleration(1.25);
  simulation.robot("r").motor("m1").set_position(INFINITY);
  simulation.robot("r").motor("m1").set_velocity(3.0);
  simulation.step(3);
  const double inertia = kInertia + 2.0 * 0.25 * 0.25;
  EXPECT_NEAR(simulation.robot("r").motor("m1").sampler().value(), inertia * 1.25, 1e-3);
}

// A dynamic and a kinematic endpoint have the same poses at the same positions.
TEST(Hinge2, KinematicAndDynamicPosesAgree) {
  Hinge2World w;
  w.parameters = "anchor 0.25 0 0 position 0.375";
  w.parameters2 = "position -0.75";
  w.endpoint = "0.5 0.25 -0.125";
  w.axis2 = "0.6 0.8 0.5";
  Simulation dynamic = load(w);
  w.child = "";
  Simulation kinematic = Simulation::from_text(world_text(w));
  EXPECT_EQ(kinematic.diagnostics().size(), 1u) << "it needs Physics on both sides";
  for (Simulation* s : {&dynamic, &kinematic}) {
    s->robot("r").motor("m1").set_position(1.25);
    s->robot("r").motor("m2").set_position(0.5);
    s->robot("r").motor("m1").set_velocity(2.0);
    s->robot("r").motor("m2").set_velocity(2.0);
    s->step(1500);
  }
  EXPECT_NEAR(dynamic.joint(0).position(), 1.25, 1e-5);
  EXPECT_NEAR(dynamic.joint(1).position(), 0.5, 1e-5);
  const auto relative = [](const Simulation& s) {
    return inverse(s.solid("r").pose()) * s.solid("end").pose();
  };
  const Pose a = relative(dynamic);
  const Pose b = relative(kinematic);
  // Both are within 1e-6 of their targets, where the kinematic law stops.
  EXPECT_LT(difference(a.rotation, b.rotation), 1e-5);
  EXPECT_LT(norm(a.translation - b.translation), 1e-5);
}

// The axes are not perpendicular. ODE's rates are projections, but the velocities are those of the
// positions.
TEST(Hinge2, ObliqueAxesHaveTheirOwnVelocities) {
  Hinge2World w;
  w.axis2 = "0 0.8 0.6";
  Simulation simulation = load(w);
  let_go(simulation);
  simulation.joint(0).set_state(0.5, 0.75);
  simulation.joint(1).set_state(-0.25, -1.25);
  EXPECT_LT(difference(turned(simulation), expected(0.5, -0.25, {0, 0.8, 0.6})), 1e-12);
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.75, 1e-12);
  EXPECT_NEAR(simulation.joint(1).velocity(), -1.25, 1e-12);
  const double before = simulation.joint(0).position();
  simulation.step(1);
  EXPECT_NEAR((simulation.joint(0).position() - before) / kH, 0.75, 0.01);
  EXPECT_LT(difference(turned(simulation), expected(simulation.joint(0).position(),
                                                    simulation.joint(1).position(), {0, 0.8, 0.6})),
            1e-4)
      << "what ODE's rows leave of a fast turn about both";
}

// The shipped car drives round the point about which its front wheels are turned.
TEST(Hinge2, SteeredWheelsDriveACarInACircle) {
  LoadOptions options;
  options.notice = [](std::string_view) {};
  Simulation simulation(std::string(SERVOSIM_WORLDS_DIR) + "/steering.wbt", std::move(options));
  for (const Diagnostic& diagnostic : simulation.diagnostics()) {
    EXPECT_EQ(diagnostic.severity, Severity::Info) << to_string(diagnostic);
  }
  Robot& robot = simulation.robot("car");
  // The wheelbase is 0.5 m and the track 0.36 m. The car turns about a point 1.554 m left of the
  // rear axle.
  robot.motor("left steer").set_position(std::atan(0.5 / (1.554 - 0.18)));
  robot.motor("right steer").set_position(std::atan(0.5 / (1.554 + 0.18)));
  for (const char* drive : {"left drive", "right drive"}) {
    robot.motor(drive).set_position(INFINITY);
    // The car drives slowly, because the tyres slip by an amount that depends on the force in the
    // curve.
    robot.motor(drive).set_velocity(drive[0] == 'l' ? 2.43 : 3.0);
  }
  simulation.step(250);
  const auto rear_axle = [&simulation] {
    return simulation.solid("car").pose() * Vec3{-0.25, 0, 0};
  };
  const Vec3 start = rear_axle();
  const Pose pose = simulation.solid("car").pose();
  const Vec3 center = start + 1.554 * (pose.rotation * Vec3{0, 1, 0});
  double travelled = 0.0;
  for (int n = 0; n < 2000; ++n) {
    const Vec3 before = rear_axle();
    simulation.step();
    travelled += norm(rear_axle() - before);
    const Vec3 from_center = rear_axle() - center;
    // The measured difference is 1.6 %: the wheels yield to the rows and slip a little.
    ASSERT_NEAR(std::hypot(from_center.x, from_center.y), 1.554, 0.05) << n;
  }
  EXPECT_GT(travelled, 2.5) << "more than a quarter of the circle";
  EXPECT_NEAR(rear_axle().z, 0.08, 0.01) << "on its springs";
}

}  // namespace hinge2_test
}  // namespace servosim::test
