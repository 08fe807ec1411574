// SPDX-License-Identifier: Apache-2.0
// The sign table: positive = the endpoint moves along +axis, whatever the parent is.
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace {

class JointSigns : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  OneJoint world() const {
    OneJoint w;
    w.slider = std::get<0>(GetParam());
    w.heavy_parent = std::get<1>(GetParam());
    return w;
  }
  // How far the endpoint moved along the axis, from its pose alone.
  static double moved(const Simulation& simulation, bool slider) {
    const Pose end = simulation.solid_pose("end");
    const Pose base = simulation.solid_pose("r");
    const Pose relative = inverse(base) * end;
    return slider ? relative.translation.x
                  : std::atan2(relative.rotation(1, 0), relative.rotation(0, 0));
  }
};

TEST_P(JointSigns, VelocityMovesAlongTheAxis) {
  OneJoint w = world();
  w.motor = "maxVelocity 0.7";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(INFINITY);
  motor.set_velocity(0.7);
  motor.set_available_force(10.0);
  simulation.step(100);
  const JointReading joint = simulation.joint(0);
  // 10 N·m reach 0.7 rad/s in a few steps; then the motion is uniform.
  EXPECT_NEAR(joint.velocity, 0.7, 1e-5);
  EXPECT_GT(joint.position, 0.4);
  EXPECT_NEAR(moved(simulation, w.slider), joint.position, 1e-6);
}

TEST_P(JointSigns, ForceAcceleratesAlongTheAxis) {
  const OneJoint w = world();
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_force(1.5);
  const int steps = 40;
  simulation.step(steps);
  const double h = 0.008;
  const double a = 1.5 / inertia(w);
  // Semi-implicit Euler: v = n·h·a and p = h²·a·n(n+1)/2. The heavy parent gives way by 2e-9 of
  // that; ODE turns a body by an angle through a small-angle formula: 1e-4 at these speeds.
  EXPECT_NEAR(simulation.joint(0).velocity, steps * h * a, 1e-6);
  EXPECT_NEAR(simulation.joint(0).position, a * h * h * steps * (steps + 1) / 2,
              w.slider ? 1e-7 : 3e-4);
  EXPECT_NEAR(moved(simulation, w.slider), simulation.joint(0).position, 1e-6);
}

TEST_P(JointSigns, StartPositionIsCounted) {
  OneJoint w = world();
  w.parameters = "position 0.4";
  w.motor = "maxVelocity 0.7";
  Simulation simulation = load(w);
  EXPECT_DOUBLE_EQ(simulation.joint(0).position, 0.4);
  EXPECT_DOUBLE_EQ(simulation.robot("r").motor("m").target_position(), 0.4);
  simulation.robot("r").motor("m").set_position(0.9);
  simulation.step(300);
  EXPECT_NEAR(simulation.joint(0).position, 0.9, 1e-5);
  EXPECT_NEAR(moved(simulation, w.slider), 0.5, 1e-5) << "the file's pose is the one at 0.4";
}

TEST_P(JointSigns, StopsHoldOnBothSides) {
  OneJoint w = world();
  w.parameters = "position 0.1 minStop -0.2 maxStop 0.35";
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_force(6.0);
  simulation.step(600);
  // The stop is a soft row: it gives way by about force·CFM, and holds.
  EXPECT_NEAR(simulation.joint(0).position, 0.35, 1e-3);
  simulation.robot("r").motor("m").set_force(-6.0);
  simulation.step(600);
  EXPECT_NEAR(simulation.joint(0).position, -0.2, 1e-3);
}

TEST_P(JointSigns, SetJointStateMovesWhatHangsOnIt) {
  const OneJoint w = world();
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_available_force(0.0);
  simulation.set_joint_state(0, -0.6, 0.25);
  EXPECT_DOUBLE_EQ(simulation.joint(0).position, -0.6);
  EXPECT_NEAR(moved(simulation, w.slider), -0.6, 1e-12);
  simulation.step(10);
  EXPECT_NEAR(simulation.joint(0).velocity, 0.25, 1e-4);
  EXPECT_NEAR(simulation.joint(0).position, -0.6 + 10 * 0.008 * 0.25, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(HingeAndSlider, JointSigns,
                         testing::Combine(testing::Bool(), testing::Bool()), [](const auto& test) {
                           return std::string(std::get<0>(test.param) ? "Slider" : "Hinge") +
                                  (std::get<1>(test.param) ? "DynamicParent" : "StaticParent");
                         });

TEST(HingePosition, CountsManyTurns) {
  OneJoint w;
  w.motor = "maxVelocity 40";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(INFINITY);
  motor.set_velocity(-40.0);
  simulation.step(1000);
  const double settled = simulation.joint(0).position;
  simulation.step(1000);
  // 40 rad/s for 8 s: 51 turns, less what ODE's small-angle rotation loses at 0.32 rad a step:
  // 2·atan(0.16) is 0.8 % less than 0.32.
  const double turned = 1000 * 2.0 * std::atan(0.5 * 40.0 * 0.008);
  EXPECT_NEAR(simulation.joint(0).position - settled, -turned, 0.05);
}

}  // namespace
}  // namespace servosim::test
