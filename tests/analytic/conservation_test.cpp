// SPDX-License-Identifier: Apache-2.0
// A joint between two free bodies cannot change their momentum, and a damper can only lower their
// energy.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/case_names.h"
#include "support/worlds.h"

namespace servosim::test {
namespace conservation_test {

struct Body {
  const char* name;
  double mass;
  double inertia;  // about z through the centre
};

constexpr Body kBase{"r", 3.1, 3.1 * (0.6 * 0.6 + 0.3 * 0.3) / 12.0};
constexpr Body kEnd{"end", 1.7, 1.7 * (0.7 * 0.7 + 0.2 * 0.2) / 12.0};

// Two bodies fly and turn while the joint between them is driven.
std::string two_bodies(bool slider, int step_ms) {
  return fmt::format(
      R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep {} gravity 0 physicsDisableTime 0 CFM 1e-9 }}
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
      step_ms, slider ? "SliderJoint" : "HingeJoint",
      slider ? "JointParameters" : "HingeJointParameters",
      slider ? "axis 1 0 0" : "axis 0 0 1 anchor 0.4 0.05 0",
      slider ? "LinearMotor" : "RotationalMotor");
}

struct Momentum {
  double x = 0.0;
  double y = 0.0;
  double turning = 0.0;  // about the world's origin
};

// The momentum follows from two poses that are one step apart: x⁺ = x + h·v⁺, and a turn by
// 2·atan(h·ω⁺/2).
void add_momentum(Momentum& sum, const Body& body, const Pose& before, const Pose& now, double h) {
  const Vec3 v = (1.0 / h) * (now.translation - before.translation);
  const Mat3 turn = transposed(before.rotation) * now.rotation;
  const double spin = 2.0 / h * std::tan(0.5 * std::atan2(turn(1, 0), turn(0, 0)));
  sum.x += body.mass * v.x;
  sum.y += body.mass * v.y;
  sum.turning +=
      body.mass * (now.translation.x * v.y - now.translation.y * v.x) + body.inertia * spin;
}

// Returns the largest change of the bodies' angular momentum in 4.8 s under three commands. At the
// start this is the spin of the base of 3.1 kg. The function also checks that linear momentum stays
// constant.
double worst_turning(bool slider, int step_ms) {
  Simulation simulation = load(two_bodies(slider, step_ms));
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(slider ? 0.4 : 2.2);
  double worst = 0.0;
  double fastest = 0.0;
  for (int ms = 0; ms < 4800; ms += step_ms) {
    if (ms == 1600) {
      motor.set_position(INFINITY);
      motor.set_velocity(-1.2);
    } else if (ms == 2800) {
      motor.set_force(0.8);
    }
    const Pose base = simulation.solid("r").pose();
    const Pose end = simulation.solid("end").pose();
    simulation.step();
    Momentum sum;
    add_momentum(sum, kBase, base, simulation.solid("r").pose(), 1e-3 * step_ms);
    add_momentum(sum, kEnd, end, simulation.solid("end").pose(), 1e-3 * step_ms);
    // The positions are some metres with a rounding of 1e-16, divided by h.
    EXPECT_NEAR(sum.x, 3.1 * 0.25, 1e-10) << ms;
    EXPECT_NEAR(sum.y, 3.1 * -0.15, 1e-10) << ms;
    worst = std::max(worst, std::abs(sum.turning - kBase.inertia * 0.4));
    fastest = std::max(fastest, std::abs(simulation.joint(0).velocity()));
  }
  EXPECT_GT(fastest, 0.9) << "the motor did something";
  return worst;
}

TEST(FreeBodies, OnASliderKeepTheirMomentum) {
  // The angular momentum is 0.05 kg·m²/s, and each body's own is 1: the rest is rounding.
  EXPECT_LT(worst_turning(true, 8), 1e-12);
}

// The two sides of a hinge are apart by what its ERP has yet to correct, and so are the forces on
// them. That gap is h²·v²/r, so the loss is proportional to the square of the step.
TEST(FreeBodies, OnAHingeKeepTheirMomentumButForTheGap) {
  const double at_8 = worst_turning(false, 8);
  const double at_4 = worst_turning(false, 4);
  const double at_2 = worst_turning(false, 2);
  EXPECT_LT(at_8, 3e-4);
  EXPECT_LT(at_4, at_8 / 3.5);
  EXPECT_LT(at_2, at_4 / 3.5);
}

struct Damper {
  const char* name;
  std::string joint;
  std::string physics;
  std::string world;
  double brake = 0.0;

  friend void PrintTo(const Damper& damper, std::ostream* out) { *out << damper.name; }
};

class Energy : public testing::TestWithParam<std::tuple<Damper, bool>> {};

// The implicit step of a spring never adds energy. With a damper each step takes some.
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
  simulation.joint(0).set_state(0.5, 0.3);
  const auto energy = [&] {
    const JointReading joint = simulation.joint(0).reading();
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
  // Without a damper the implicit step alone takes energy.
  w.parameters = "springConstant 4";
  w.gravity = "0";
  w.child_physics.clear();
  Simulation free = load(w);
  free.joint(0).set_state(0.5, 0.3);
  free.step(200);
  const JointReading joint = free.joint(0).reading();
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
      return std::string(std::get<0>(test.param).name) + joint_word(std::get<1>(test.param));
    });

// A damped pendulum rises less high on each swing. The weight is explicit, so the test compares
// energies where the pendulum is at rest.
TEST(Energy, OfAPendulumFallsFromSwingToSwing) {
  OneJoint w;
  w.axis = "0 1 0";
  w.endpoint = "0.3 0 0";
  w.gravity = "9.81";
  w.motor = "maxTorque 0";
  w.parameters = "dampingConstant 0.15";
  Simulation simulation = load(w);
  const double down = 1.5707963267948966;
  double last = down;  // the pendulum starts level
  double before = 0.0;
  int turns = 0;
  for (int n = 0; n < 1000; ++n) {
    simulation.step();
    const JointReading joint = simulation.joint(0).reading();
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

}  // namespace conservation_test
}  // namespace servosim::test
