// SPDX-License-Identifier: Apache-2.0
// Joints under a control law from outside, Motor::drive(). A soft row is the implicit step
//   v⁺ = (I·v + h·(k·e + d·w + F)) / (I + h²·k + h·d),   p⁺ = p + h·v⁺
// of a spring and damper towards a rest position that is e away and moves at w, with an additional
// effort F.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "servosim/joint_drive.h"
#include "support/case_names.h"
#include "support/worlds.h"

namespace servosim::test {
namespace drive_test {

constexpr double kH = 0.008;
constexpr double kMuch = 1e6;

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

class SoftDrive : public testing::TestWithParam<Case> {
 protected:
  static OneJoint world() {
    OneJoint w;
    w.slider = GetParam().slider;
    w.heavy_parent = GetParam().heavy_parent;
    w.parameters = "position 0.4";
    w.motor = GetParam().slider ? "maxForce 1e6" : "maxTorque 1e6";
    return w;
  }
  // ODE's small-angle rotation loses (h·v)³/12 a step, here up to 3.4e-7 in each of 300 steps. A
  // spring corrects this loss; a damper alone does not.
  static double tolerance() { return GetParam().slider ? 1e-8 : 2e-4; }
};

TEST_P(SoftDrive, IsTheImplicitStepTowardsAMovingRestPosition) {
  const Case& c = GetParam();
  Simulation simulation = load(world());
  Motor& motor = simulation.robot("r").motor("m");
  const double m = inertia(world());
  double p = 0.4;
  double v = 0.0;
  for (int n = 0; n < 300; ++n) {
    const double rest = 0.7 + 0.3 * std::sin(0.05 * n);
    const double rest_velocity = 0.3 * 0.05 / kH * std::cos(0.05 * n);
    JointDrive drive =
        spring_drive(c.k, c.d, rest - simulation.joint(0).position(), rest_velocity, kMuch, kH);
    drive.force = 0.6;
    motor.drive(drive);
    v = (m * v + kH * (c.k * (rest - p) + c.d * rest_velocity + 0.6)) /
        (m + kH * kH * c.k + kH * c.d);
    const double at_rest = c.k * (rest - p) + c.d * rest_velocity + 0.6;
    p += kH * v;
    simulation.step();
    ASSERT_NEAR(simulation.joint(0).position(), p, tolerance()) << n;
    // The effort follows from the law and the measured velocity.
    ASSERT_NEAR(simulation.joint(0).effort(),
                at_rest - (kH * c.k + c.d) * simulation.joint(0).velocity(),
                (c.k + c.d / kH) * tolerance() + 1e-6)
        << n;
  }
}

TEST_P(SoftDrive, PushesNoHarderThanItMay) {
  const Case& c = GetParam();
  Simulation simulation = load(world());
  Motor& motor = simulation.robot("r").motor("m");
  const double m = inertia(world());
  const double most = 0.07;
  double v = 0.0;
  for (int n = 0; n < 20; ++n) {
    motor.drive(spring_drive(c.k, c.d, 0.9, 5.0, most, kH));
    const double wanted = (m * v + kH * (c.k * 0.9 + c.d * 5.0)) / (m + kH * kH * c.k + kH * c.d);
    v = std::min(wanted, v + kH * most / m);
    simulation.step();
    ASSERT_NEAR(simulation.joint(0).velocity(), v, 1e-6) << n;
  }
  EXPECT_GT(v, 0.5 * 20 * kH * most / m);
}

TEST_P(SoftDrive, LeavesNothingBehind) {
  const auto go = [](bool driven) {
    Simulation simulation = load(world());
    Motor& motor = simulation.robot("r").motor("m");
    if (driven) {
      motor.drive(spring_drive(GetParam().k, GetParam().d, 0.0, 0.0, kMuch, kH));
    } else {
      motor.set_position(0.4);
    }
    simulation.step(3);
    motor.set_position(0.7);
    simulation.step(40);
    return simulation.joint(0).position();
  };
  EXPECT_EQ(go(true), go(false));
}

TEST_P(SoftDrive, IsSavedAndRestored) {
  const Case& c = GetParam();
  Simulation simulation = load(world());
  Motor& motor = simulation.robot("r").motor("m");
  motor.drive(spring_drive(c.k, c.d, 0.2, 0.1, kMuch, kH));
  simulation.step(5);
  const SimulationState state = simulation.save();
  simulation.step(7);
  const std::uint64_t hash = simulation.state_hash();
  motor.set_position(-0.3);
  simulation.step(4);
  simulation.restore(state);
  EXPECT_TRUE(motor.targets().driven);
  simulation.step(7);
  EXPECT_EQ(simulation.state_hash(), hash);
}

INSTANTIATE_TEST_SUITE_P(HingesAndSliders, SoftDrive,
                         testing::Values(Case{false, false, 3.0, 0.2}, Case{false, true, 3.0, 0.2},
                                         Case{false, false, 700.0, 45.0},
                                         Case{false, true, 0.0, 1.3}, Case{true, false, 13.0, 0.9},
                                         Case{true, true, 13.0, 0.9}, Case{true, false, 9e6, 160.0},
                                         Case{true, true, 0.0, 2.4}),
                         testing::PrintToStringParamName());

// Against a stop ODE adds the whole force of a motor row. A soft spring must not become a blow.
TEST(Drive, OfASoftRowAtAStopStaysSoft) {
  for (const bool slider : {false, true}) {
    OneJoint w;
    w.slider = slider;
    w.parameters = "minStop -0.2 maxStop 0.5";
    Simulation simulation = load(w);
    Motor& motor = simulation.robot("r").motor("m");
    const auto pull_to = [&](double rest, int steps) {
      for (int n = 0; n < steps; ++n) {
        motor.drive(spring_drive(0.8, slider ? 2.5 : 0.3, rest - simulation.joint(0).position(),
                                 0.0, 10.0, kH));
        simulation.step();
      }
    };
    pull_to(1.1, 1500);
    EXPECT_NEAR(simulation.joint(0).position(), 0.5, 0.01) << slider;
    EXPECT_NEAR(simulation.joint(0).velocity(), 0.0, 1e-3) << slider;
    // After its release the joint leaves the stop as slowly as the spring pulls. 10 N·m would give
    // it h·10/I at once.
    pull_to(0.4, 1);
    EXPECT_LT(std::abs(simulation.joint(0).velocity()), 0.1 * kH * 10.0 / inertia(w)) << slider;
    pull_to(0.4, 3000);
    EXPECT_NEAR(simulation.joint(0).position(), 0.4, 1e-3) << slider;
  }
}

// Each axis of a joint with several axes has its own spring.
TEST(Drive, HoldsEveryAxisOfAJointOfSeveralAxes) {
  for (const int axes : {2, 3}) {
    const std::string third = axes == 2 ? "" : R"(jointParameters3 JointParameters { axis 1 0 0 }
        device3 RotationalMotor { name "m3" maxTorque 1e6 })";
    Simulation simulation =
        load(fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 0 physicsDisableTime 0 }}
Robot {{
  name "r"
  children [
    {} {{
      jointParameters {} {{ {} }}
      jointParameters2 JointParameters {{ axis 0 1 0 }}
      device RotationalMotor {{ name "m1" maxTorque 1e6 }}
      device2 RotationalMotor {{ name "m2" maxTorque 1e6 }}
      {}
      endPoint Solid {{
        name "end"
        boundingObject Sphere {{ radius 0.3 }}
        physics Physics {{ density -1 mass 2 }}
      }}
    }}
  ]
  boundingObject Sphere {{ radius 1 }}
  physics Physics {{ density -1 mass 1e9 }}
}}
)",
                         axes == 2 ? "Hinge2Joint" : "BallJoint",
                         axes == 2 ? "HingeJointParameters" : "BallJointParameters",
                         axes == 2 ? "axis 0 0 1" : "", third));
    constexpr double kInertia = 0.4 * 2.0 * 0.3 * 0.3;
    const double k = 9.0;
    const double d = 2.0 * std::sqrt(k * kInertia);
    const std::array<double, 3> rest{0.3, -0.2, 0.25};
    for (int n = 0; n < 1000; ++n) {
      for (int i = 0; i < axes; ++i) {
        simulation.robot("r")
            .motor(fmt::format("m{}", i + 1))
            .drive(spring_drive(k, d, rest[i] - simulation.joint(i).position(), 0.0, kMuch, kH));
      }
      simulation.step();
    }
    for (int i = 0; i < axes; ++i) {
      EXPECT_NEAR(simulation.joint(i).position(), rest[i], 1e-6) << axes << ' ' << i;
    }
  }
}

TEST(Drive, WithoutARowIsTheJointsFriction) {
  OneJoint w;
  w.parameters = "staticFriction 0.3";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  motor.drive({0.0, 0.0, 0.29, 0.0});
  simulation.step(50);
  // The world's CFM lets a row creep by 1e-5 rad/s per N·m.
  EXPECT_NEAR(simulation.joint(0).position(), 0.0, 50 * kH * 1e-5 * 0.3);
  motor.drive({0.0, 0.0, 0.31, 0.0});
  simulation.step(50);
  // 0.01 N·m remain.
  EXPECT_NEAR(simulation.joint(0).velocity(), 50 * kH * 0.01 / inertia(w), 1e-3);
}

TEST(Drive, MovesAJointWithoutPhysicsAtItsVelocity) {
  OneJoint w;
  w.child_physics = "NULL";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  for (int n = 0; n < 500; ++n) {
    motor.drive(spring_drive(4.0, 0.7, 1.2 - simulation.joint(0).position(), 0.0, 1.0, kH));
    simulation.step();
  }
  EXPECT_NEAR(simulation.joint(0).position(), 1.2, 1e-6);
  motor.drive({});
  simulation.step();
  EXPECT_EQ(simulation.joint(0).velocity(), 0.0);
}

TEST(Drive, ObeysTheAvailableForce) {
  OneJoint w;
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_available_force(0.4);
  motor.drive({1000.0, 9.0, 0.0, 0.0});
  simulation.step();
  EXPECT_NEAR(simulation.joint(0).velocity(), kH * 0.4 / inertia(w), 1e-6);
  motor.drive({0.0, 0.0, -9.0, 0.0});
  simulation.step();
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.0, 1e-6);
}

TEST(Drive, RefusesWhatIsNoDrive) {
  Simulation simulation = load(OneJoint());
  Motor& motor = simulation.robot("r").motor("m");
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  for (const JointDrive& bad : {JointDrive{nan, 1.0, 2.0, 3.0}, JointDrive{inf, 1.0, 2.0, 3.0},
                                JointDrive{1.0, nan, 2.0, 3.0}, JointDrive{1.0, -1.0, 2.0, 3.0},
                                JointDrive{1.0, 2.0, nan, 3.0}, JointDrive{1.0, 2.0, 3.0, nan},
                                JointDrive{1.0, 2.0, 3.0, -1.0}, JointDrive{1.0, 2.0, 3.0, inf}}) {
    EXPECT_THROW(motor.drive(bad), std::invalid_argument);
    EXPECT_FALSE(motor.targets().driven);
  }
}

}  // namespace drive_test
}  // namespace servosim::test
