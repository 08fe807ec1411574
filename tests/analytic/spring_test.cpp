// SPDX-License-Identifier: Apache-2.0
// Springs and dampers follow the implicit step
//   v⁺ = (v − h·k·p/I) / (1 + h²·k/I + h·d/I),   p⁺ = p + h·v⁺.
#include <gtest/gtest.h>

#include <cmath>

#include "support/case_names.h"
#include "support/worlds.h"

namespace servosim::test {
namespace spring_test {

struct Case {
  bool slider;
  bool heavy_parent;
  double k;
  double d;

  friend void PrintTo(const Case& c, std::ostream* out) {
    *out << case_name(
        fmt::format("{}{}_k_{}_d_{}", joint_word(c.slider), parent_word(c.heavy_parent), c.k, c.d));
  }
};

class Spring : public testing::TestWithParam<Case> {};

TEST_P(Spring, FollowsTheImplicitStep) {
  const Case& c = GetParam();
  OneJoint w;
  w.slider = c.slider;
  w.heavy_parent = c.heavy_parent;
  w.parameters = fmt::format("position 0.4 springConstant {} dampingConstant {}", c.k, c.d);
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_available_force(0.0);
  const double h = 0.008;
  const double m = inertia(w);
  double p = 0.4;
  double v = 0.0;
  for (int n = 0; n < 300; ++n) {
    v = (v - h * c.k / m * p) / (1.0 + h * h * c.k / m + h * c.d / m);
    p += h * v;
    simulation.step();
    // ODE's small-angle rotation loses (h·v)³/12 a step, which adds up to 1e-5 for these hinges.
    const double tolerance = c.slider ? 1e-8 : 2e-5;
    ASSERT_NEAR(simulation.joint(0).position(), p, tolerance) << n;
    ASSERT_NEAR(simulation.joint(0).effort(),
                -c.k * simulation.joint(0).position() - c.d * simulation.joint(0).velocity(), 1e-6)
        << n;
  }
}

INSTANTIATE_TEST_SUITE_P(UnderOverAndUndamped, Spring,
                         testing::Values(Case{false, false, 3.0, 0.2}, Case{false, true, 3.0, 0.2},
                                         Case{false, false, 700.0, 45.0},
                                         Case{false, true, 0.0, 1.3}, Case{true, false, 13.0, 0.9},
                                         Case{true, true, 13.0, 0.9},
                                         Case{true, false, 900.0, 160.0},
                                         Case{true, true, 0.0, 2.4}),
                         testing::PrintToStringParamName());

// The spring of a slider acts along the slider in any attitude of its parent.
TEST(Spring, OfASliderTurnsWithItsParent) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }
Robot {
  name "r"
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 }
      device RotationalMotor { name "m" maxTorque 0 }
      endPoint Solid {
        name "arm"
        children [
          SliderJoint {
            jointParameters JointParameters { axis 1 0 0 springConstant 13 }
            endPoint Solid {
              name "end"
              boundingObject Sphere { radius 0.1 }
              physics Physics { density -1 mass 2 }
            }
          }
        ]
        boundingObject Sphere { radius 1 }
        physics Physics { density -1 mass 1e9 }
      }
    }
  ]
})");
  simulation.joint(0).set_state(1.25, 0.0);
  simulation.joint(1).set_state(0.375, 0.0);
  const double h = 0.008;
  double p = 0.375;
  double v = 0.0;
  for (int n = 0; n < 200; ++n) {
    v = (v - h * 13.0 / 2.0 * p) / (1.0 + h * h * 13.0 / 2.0);
    p += h * v;
    simulation.step();
    // The arm is 5e8 times as heavy, so it moves by less than 1e-9.
    ASSERT_NEAR(simulation.joint(1).position(), p, 1e-8) << n;
  }
  const Vec3 at = simulation.solid("end").pose().translation;
  EXPECT_NEAR(at.x, p * std::cos(1.25), 1e-6);
  EXPECT_NEAR(at.y, p * std::sin(1.25), 1e-6);
}

TEST(Brake, AddsDampingAtOnce) {
  OneJoint w;
  w.slider = true;
  Simulation simulation = load(w);
  Robot& robot = simulation.robot("r");
  robot.motor("m").set_available_force(0.0);
  simulation.joint(0).set_state(0.0, 1.4);
  robot.brake("b").set_damping_constant(5.0);
  const double h = 0.008;
  double v = 1.4;
  for (int n = 0; n < 100; ++n) {
    simulation.step();
    v /= 1.0 + h * 5.0 / w.mass;
    ASSERT_NEAR(simulation.joint(0).velocity(), v, 1e-8);
  }
  robot.brake("b").set_damping_constant(0.0);
  simulation.step(50);
  EXPECT_NEAR(simulation.joint(0).velocity(), v, 1e-8) << "and takes it away again";
}

}  // namespace spring_test
}  // namespace servosim::test
