// SPDX-License-Identifier: Apache-2.0
// What a joint between two free bodies cannot change, and what a damper can only lower.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/worlds.h"

namespace servosim::test {
namespace {

struct Body {
  const char* name;
  double mass;
  double inertia;  // about z through its centre
};

constexpr Body kBase{"r", 3.1, 3.1 * (0.6 * 0.6 + 0.3 * 0.3) / 12.0};
constexpr Body kEnd{"end", 1.7, 1.7 * (0.7 * 0.7 + 0.2 * 0.2) / 12.0};

// Two bodies that fly and turn as the joint between them is driven.
std::string two_bodies(bool slider) {
  return fmt::format(
      R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 0 physicsDisableTime 0 CFM 1e-9 }}
Robot {{
  name "r"
  linearVelocity 0.25 -0.15 0
  angularVelocity 0 0 0.4
  children [
    {} {{
      jointParameters {} {{ springConstant 1.5 {} }}
      device {} {{ name "m" maxVelocity 3 acceleration 9 }}
      endPoint Solid {{
        name "end"
        translation 0.8 0.15 0
        boundingObject Box {{ size 0.7 0.2 0.1 }}
        physics Physics {{ density -1 mass 1.7 }}
      }}
    }}
  ]
  boundingObject Box {{ size 0.6 0.3 0.2 }}
  physics Physics {{ density -1 mass 3.1 }}
}})",
      slider ? "SliderJoint" : "HingeJoint", slider ? "JointParameters" : "HingeJointParameters",
      slider ? "axis 1 0 0" : "axis 0 0 1 anchor 0.4 0.05 0",
      slider ? "LinearMotor" : "RotationalMotor");
}

struct Momentum {
  double x = 0.0;
  double y = 0.0;
  double turning = 0.0;  // about the world's origin
};

// From two poses a step apart: x⁺ = x + h·v⁺, and a turn by 2·atan(h·ω⁺/2).
void add_momentum(Momentum& sum, const Body& body, const Pose& before, const Pose& now) {
  const double h = 0.008;
  const Vec3 v = (1.0 / h) * (now.translation - before.translation);
  const Mat3 turn = transposed(before.rotation) * now.rotation;
  const double spin = 2.0 / h * std::tan(0.5 * std::atan2(turn(1, 0), turn(0, 0)));
  sum.x += body.mass * v.x;
  sum.y += body.mass * v.y;
  sum.turning +=
      body.mass * (now.translation.x * v.y - now.translation.y * v.x) + body.inertia * spin;
}

class FreeBodies : public testing::TestWithParam<bool> {};

TEST_P(FreeBodies, KeepTheirMomentumWhateverTheMotorDoes) {
  Simulation simulation = load(two_bodies(GetParam()));
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(GetParam() ? 0.4 : 2.2);
  // About the world's origin: only the base moves at the start.
  const double turning = kBase.inertia * 0.4;
  double fastest = 0.0;
  for (int n = 0; n < 600; ++n) {
    if (n == 200) {
      motor.set_position(INFINITY);
      motor.set_velocity(-1.2);
    } else if (n == 350) {
      motor.set_force(0.8);
    }
    const Pose base = simulation.solid_pose("r");
    const Pose end = simulation.solid_pose("end");
    simulation.step();
    Momentum sum;
    add_momentum(sum, kBase, base, simulation.solid_pose("r"));
    add_momentum(sum, kEnd, end, simulation.solid_pose("end"));
    // Positions of some metres in 1e-16, divided by h.
    ASSERT_NEAR(sum.x, 3.1 * 0.25, 1e-10) << n;
    ASSERT_NEAR(sum.y, 3.1 * -0.15, 1e-10) << n;
    // The two sides of the joint are apart by what its ERP has yet to make good, and the forces
    // with them: 1e-4 of the angular momentum in all.
    ASSERT_NEAR(sum.turning, turning, 1e-3) << n;
    if (n % 50 == 0) printf("%d %d %g\n", (int)GetParam(), n, sum.turning - turning);
    fastest = std::max(fastest, std::abs(simulation.joint(0).velocity));
  }
  EXPECT_GT(fastest, 0.9) << "the motor did something";
}

INSTANTIATE_TEST_SUITE_P(HingeAndSlider, FreeBodies, testing::Bool(), [](const auto& test) {
  return std::string(test.param ? "Slider" : "Hinge");
});

struct Damper {
  const char* name;
  std::string joint;
  std::string physics;
  std::string world;
  double brake = 0.0;
};

class Energy : public testing::TestWithParam<std::tuple<Damper, bool>> {};

// On a spring, whose implicit step never adds energy: with any damper each step takes some.
TEST_P(Energy, FallsInEveryStepWithADamper) {
  const auto& [damper, slider] = GetParam();
  OneJoint w;
  w.slider = slider;
  w.gravity = "0 " + damper.world;
  w.motor = slider ? "maxForce 0" : "maxTorque 0";
  w.parameters = "springConstant 4 " + damper.joint;
  w.child_physics = fmt::format("Physics {{ density -1 mass {} {} }}", w.mass, damper.physics);
  Simulation simulation = load(w);
  simulation.robot("r").brake("b").set_damping_constant(damper.brake);
  simulation.set_joint_state(0, 0.5, 0.3);
  const auto energy = [&] {
    const JointReading joint = simulation.joint(0);
    return 0.5 * inertia(w) * joint.velocity * joint.velocity +
           0.5 * 4.0 * joint.position * joint.position;
  };
  const double first = 0.5 * inertia(w) * 0.3 * 0.3 + 0.5 * 4.0 * 0.5 * 0.5;
  double last = first;
  for (int n = 0; n < 200; ++n) {
    simulation.step();
    const double now = energy();
    ASSERT_LT(now, last) << n;
    last = now;
  }
  // The same without: what the implicit step alone has taken.
  w.parameters = "springConstant 4";
  w.gravity = "0";
  w.child_physics.clear();
  Simulation free = load(w);
  free.set_joint_state(0, 0.5, 0.3);
  free.step(200);
  const JointReading joint = free.joint(0);
  const double undamped = 0.5 * inertia(w) * joint.velocity * joint.velocity +
                          0.5 * 4.0 * joint.position * joint.position;
  EXPECT_LT(last, 0.95 * undamped) << "the damper itself";
}

INSTANTIATE_TEST_SUITE_P(
    EachDamper, Energy,
    testing::Combine(testing::Values(Damper{"DampingConstant", "dampingConstant 0.3", "", ""},
                                     Damper{"Brake", "", "", "", 0.4},
                                     Damper{"StaticFriction", "staticFriction 0.06", "", ""},
                                     Damper{"Damping", "",
                                            "damping Damping { linear 0.2 angular 0.3 }", ""},
                                     Damper{"DefaultDamping", "", "",
                                            "defaultDamping Damping { linear 0.4 angular 0.15 }"}),
                     testing::Bool()),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).name) +
             (std::get<1>(test.param) ? "Slider" : "Hinge");
    });

// A damped pendulum rises less high each time: explicit weight, so compared where it stands.
TEST(Energy, OfAPendulumFallsFromSwingToSwing) {
  OneJoint w;
  w.axis = "0 1 0";
  w.endpoint = "0.3 0 0";
  w.gravity = "9.81";
  w.motor = "maxTorque 0";
  w.parameters = "dampingConstant 0.15";
  Simulation simulation = load(w);
  const double down = 1.5707963267948966;
  double last = down;  // it starts level
  double before = 0.0;
  int turns = 0;
  for (int n = 0; n < 1000; ++n) {
    simulation.step();
    const JointReading joint = simulation.joint(0);
    if (n > 0 && before * joint.velocity < 0.0) {
      const double height = std::abs(joint.position - down);
      EXPECT_LT(height, last - 0.01) << turns;
      last = height;
      ++turns;
    }
    before = joint.velocity;
  }
  EXPECT_GE(turns, 6);
}

}  // namespace
}  // namespace servosim::test
