// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "physics/bodies.h"
#include "physics/ode_library.h"

namespace servosim::test {
namespace {

constexpr double kStep = 0.007;  // [s]; the time to rest is no multiple of it

// Two bodies on sliders: one sleeps by our rule, its twin by ODE's own. Kicked by the same random
// speeds around the threshold they must always be awake or asleep together.
TEST(OdeSleep, FollowsOdesOwnRuleStepByStep) {
  use_ode();
  const dWorldID world = dWorldCreate();
  const SleepRule rule{0.05, 0.01, 0.02};
  SleepClock clock;
  dBodyID bodies[2];
  for (dBodyID& body : bodies) {
    body = dBodyCreate(world);
    const dJointID slider = dJointCreateSlider(world, nullptr);
    dJointAttach(slider, body, nullptr);
    dJointSetSliderAxis(slider, 1.0, 0.0, 0.0);
  }
  dBodySetData(bodies[0], &clock);
  dBodySetAutoDisableFlag(bodies[0], 0);
  dBodySetAutoDisableFlag(bodies[1], 1);
  dBodySetAutoDisableTime(bodies[1], rule.time);
  dBodySetAutoDisableSteps(bodies[1], 0);
  dBodySetAutoDisableLinearThreshold(bodies[1], rule.linear_threshold);
  dBodySetAutoDisableAngularThreshold(bodies[1], rule.angular_threshold);
  dBodyEnable(bodies[1]);  // its clock starts with the settings above
  std::mt19937 random(11);
  std::uniform_real_distribution<double> speed(0.0, 0.0105);
  int asleep = 0;
  for (int n = 0; n < 3000; ++n) {
    const double v = speed(random);
    for (const dBodyID body : bodies) {
      if (dBodyIsEnabled(body) != 0) {
        dBodySetLinearVel(body, v, 0.0, 0.0);
      }
    }
    if (has_rested(bodies[0], rule, kStep)) {
      fall_asleep(bodies[0]);
    }
    EXPECT_TRUE(ode_step(world, kStep, SIZE_MAX, {}).done);
    ASSERT_EQ(dBodyIsEnabled(bodies[0]), dBodyIsEnabled(bodies[1])) << n;
    ASSERT_EQ(dBodyGetPosition(bodies[0])[0], dBodyGetPosition(bodies[1])[0]) << n;
    if (dBodyIsEnabled(bodies[0]) == 0 && ++asleep % 3 == 0) {
      wake(bodies[0]);
      dBodyEnable(bodies[1]);
    }
  }
  EXPECT_GT(asleep, 300);
  EXPECT_LT(asleep, 2700);
  dWorldDestroy(world);
}

}  // namespace
}  // namespace servosim::test
