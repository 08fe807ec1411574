// SPDX-License-Identifier: Apache-2.0
// Static friction that holds and breaks away, and stops that hold and throw back. Each is one row
// of ODE, so the motion is a recurrence.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "analytic/scheme.h"
#include "support/case_names.h"
#include "support/worlds.h"

namespace servosim::test {
namespace friction_stop_test {

class OneRow : public testing::TestWithParam<bool> {
 protected:
  bool slider() const { return GetParam(); }
  OneJoint world(const std::string& parameters) const {
    OneJoint w;
    w.slider = slider();
    w.parameters = parameters;
    return w;
  }
  OneDof model(const OneJoint& w) const {
    OneDof joint;
    joint.hinge = !slider();
    joint.inertia = inertia(w);
    return joint;
  }
  // The tolerance covers the rounding of some hundred steps.
  static void expect_same(const Simulation& simulation, const OneDof& joint, int n) {
    ASSERT_NEAR(simulation.joint(0).position(), joint.p, 1e-9) << n;
    ASSERT_NEAR(simulation.joint(0).velocity(), joint.v, 1e-9) << n;
  }
};

// A force grows from 0 to 3.2 under a friction of 2. The friction holds, creeping by CFM·force like
// ODE's soft row, breaks away at 2, and catches the joint again when the force is gone.
TEST_P(OneRow, FrictionHoldsBreaksAwayAndCatches) {
  const double friction = 2.0;
  const OneJoint w = world("staticFriction 2");
  Simulation simulation = load(w);
  OneDof joint = model(w);
  bool caught = false;
  for (int n = 0; n < 480; ++n) {
    const double force = n < 320 ? 0.01 * n : 0.0;
    const double before = joint.v;
    simulation.robot("r").motor("m").set_force(force);
    joint.step(force, 0.0, -friction, friction);
    simulation.step();
    expect_same(simulation, joint, n);
    if (n == 200) {
      EXPECT_LT(joint.v, 3e-5) << "creeps by CFM·force while it holds";
      EXPECT_LT(joint.p, 3e-5);
    }
    if (n == 320) {
      EXPECT_GT(before, 0.2) << "it broke away";
    }
    caught = caught || (n > 320 && std::abs(joint.v) < 1e-9);
  }
  EXPECT_TRUE(caught);
}

// A moving part loses friction·distance of its energy until it stops.
TEST_P(OneRow, FrictionBrakesUniformlyToAStop) {
  const OneJoint w = world("staticFriction 0.7");
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_available_force(0.0);
  simulation.joint(0).set_state(-0.3, 0.65);
  OneDof joint = model(w);
  joint.p = -0.3;
  joint.v = 0.65;
  for (int n = 0; n < 400; ++n) {
    joint.step(0.0, 0.0, -0.7, 0.7);
    simulation.step();
    expect_same(simulation, joint, n);
  }
  const double way = joint.inertia * 0.65 * 0.65 / (2.0 * 0.7);
  // The steps are a sum instead of the integral: the difference is half the distance of a step.
  EXPECT_NEAR(simulation.joint(0).position() + 0.3, way, 0.65 * joint.h);
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.0, 1e-12);
}

// Steps a joint once with stops at -0.2 and 0.35. Beyond a stop, the stop's row pushes back with
// ERP/h of the depth.
void step_with_stops(OneDof& joint, double force) {
  const double low = -0.2;
  const double high = 0.35;
  if (joint.p >= high) {
    joint.step(force, -joint.erp / joint.h * (joint.p - high), -kUnbounded, 0.0);
  } else if (joint.p <= low) {
    joint.step(force, -joint.erp / joint.h * (joint.p - low), 0.0, kUnbounded);
  } else {
    joint.step(force);
  }
}

TEST_P(OneRow, StopsHoldALoad) {
  for (const double force : {3.0, -4.5}) {
    const OneJoint w = world("position 0.1 minStop -0.2 maxStop 0.35");
    Simulation simulation = load(w);
    OneDof joint = model(w);
    joint.p = 0.1;
    simulation.robot("r").motor("m").set_force(force);
    for (int n = 0; n < 600; ++n) {
      step_with_stops(joint, force);
      simulation.step();
      expect_same(simulation, joint, n);
    }
    // At rest CFM·force = ERP/h·depth.
    const double depth = 1e-5 * joint.h / joint.erp * force;
    EXPECT_NEAR(joint.p, (force > 0.0 ? 0.35 : -0.2) + depth, 1e-9);
    EXPECT_NEAR(simulation.joint(0).effort(), 0.0, 1e-6) << "force and stop cancel";
  }
}

// Without bounce an impact takes all the speed. What throws the part back is the depth of its last
// free step, which the stop returns as a speed of ERP/h·depth.
TEST_P(OneRow, StopsThrowBackWhatSankIntoThem) {
  const OneJoint w = world("position 0.1 minStop -0.2 maxStop 0.35");
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_available_force(0.0);
  simulation.joint(0).set_state(0.1, 1.9);
  OneDof joint = model(w);
  joint.p = 0.1;
  joint.v = 1.9;
  int impacts = 0;
  for (int n = 0; n < 600; ++n) {
    const double p = joint.p;
    const double v = joint.v;
    step_with_stops(joint, 0.0);
    simulation.step();
    expect_same(simulation, joint, n);
    if (p > 0.35 && v > 0.0) {
      // The speed is less by CFM times the blow, which is at most 2 kg · 2.1 m/s / h.
      EXPECT_NEAR(joint.v, -joint.erp / joint.h * (p - 0.35), 6e-3) << "ERP/h·depth";
      EXPECT_LT(std::abs(joint.v), 1.9) << "never faster than it came";
      ++impacts;
    }
  }
  EXPECT_EQ(impacts, 1);
  EXPECT_LT(joint.p, 0.35) << "thrown back";
}

INSTANTIATE_TEST_SUITE_P(HingeAndSlider, OneRow, testing::Bool(), by_joint);

// A motor with dry friction carries a weight on a slider, like a body on a slope in one dimension.
TEST(FrictionUnderWeight, HoldsItUpToTheFriction) {
  for (const double friction : {19.0, 20.0}) {
    OneJoint w;
    w.slider = true;
    w.axis = "0 0 -1";
    w.gravity = "9.81";
    w.motor = "maxForce 0";
    w.parameters = fmt::format("staticFriction {}", friction);
    Simulation simulation = load(w);
    OneDof joint;
    joint.inertia = w.mass;
    for (int n = 0; n < 250; ++n) {
      joint.step(w.mass * 9.81, 0.0, -friction, friction);
      simulation.step();
      ASSERT_NEAR(simulation.joint(0).position(), joint.p, 1e-9) << n;
    }
    // The weight is 2·9.81 N = 19.62 N.
    EXPECT_EQ(simulation.joint(0).position() > 0.1, friction < 19.62) << friction;
  }
}

}  // namespace friction_stop_test
}  // namespace servosim::test
