// SPDX-License-Identifier: Apache-2.0
// OdeJointDrive together with ODE's own effects on joints and bodies: stops and sleep.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/case_names.h"
#include "support/ode_rig.h"

namespace servosim::test {
namespace ode_joint_drive_world_test {

class OdeDriveInItsWorld : public testing::TestWithParam<bool> {
 protected:
  bool slider() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Joints, OdeDriveInItsWorld, testing::Bool(), by_joint);

constexpr Attached kAttachments[] = {Attached::WorldFirst, Attached::WorldSecond,
                                     Attached::HeavyFirst, Attached::HeavySecond};

void set(const Rig& rig, bool slider, int parameter, double value) {
  slider ? dJointSetSliderParam(rig.joint, parameter, value)
         : dJointSetHingeParam(rig.joint, parameter, value);
}

// Nothing moves, so the sum of all forces along the joint is zero.
TEST_P(OdeDriveInItsWorld, EffortKnowsWhatPushesAgainstAStop) {
  for (const Attached how : kAttachments) {
    const Rig rig(slider(), how);
    set(rig, slider(), dParamLoStop, -0.3);
    set(rig, slider(), dParamHiStop, 0.3);
    OdeJointDrive drive(rig.joint, {.max_force = 6.0});
    drive.set_position(2.0);
    for (int k = 0; k < 300; ++k) {
      rig.step(drive);
    }
    EXPECT_NEAR(drive.position(), 0.3, 1e-3);
    EXPECT_NEAR(drive.effort(), 0.0, 1e-3);
  }
}

// The joint is at the stop from the start. A drive that holds does not throw the joint, whatever
// the fudge factor. A drive that leaves the stop has the commanded speed.
TEST_P(OdeDriveInItsWorld, HoldsAtAStopAndLeavesIt) {
  for (const Attached how : kAttachments) {
    for (const double fudge : {1.0, 0.25}) {
      const Rig rig(slider(), how);
      set(rig, slider(), dParamLoStop, -0.3);
      set(rig, slider(), dParamHiStop, 0.0);
      set(rig, slider(), dParamFudgeFactor, fudge);
      OdeJointDrive drive(rig.joint, {.max_force = 6.0});
      for (int k = 0; k < 200; ++k) {
        rig.step(drive);
      }
      EXPECT_NEAR(drive.position(), 0.0, 1e-9);
      EXPECT_NEAR(drive.effort(), 0.0, 1e-9);
      drive.set_position(std::numeric_limits<double>::infinity());
      // ODE reverses the stops of a hinge if the world is its first body.
      const double away = !slider() && how == Attached::WorldFirst ? 0.1 : -0.1;
      drive.set_velocity(away);
      for (int k = 0; k < 100; ++k) {
        rig.step(drive);
        EXPECT_LT(std::abs(drive.velocity()), 0.1 + 1e-9) << k;
      }
      EXPECT_NEAR(drive.velocity(), away, 1e-6);
    }
  }
}

// The drive pushes from the first step on, and ODE must not report that its solver fails.
TEST_P(OdeDriveInItsWorld, PushesAgainstAStopAtWhichItBegins) {
  for (const Attached how : kAttachments) {
    for (const double velocity : {0.1, -0.1}) {
      const Rig rig(slider(), how, 1e-5);
      set(rig, slider(), dParamLoStop, velocity < 0.0 ? 0.0 : -0.3);
      set(rig, slider(), dParamHiStop, velocity < 0.0 ? 0.3 : 0.0);
      const bool is_swapped = !slider() && how == Attached::WorldFirst;
      OdeJointDrive drive(rig.joint, {.max_force = 6.0});
      drive.set_position(std::numeric_limits<double>::infinity());
      drive.set_velocity(is_swapped ? -velocity : velocity);
      rig.step(drive);
      // The stop yields by CFM times the force.
      EXPECT_NEAR(std::abs(drive.velocity()), 1e-5 * 6.0, 1e-6) << velocity;
    }
  }
}

TEST_P(OdeDriveInItsWorld, TakesItsRowsAwayWithIt) {
  const Rig rig(slider(), Attached::HeavyFirst);
  const int joints = dBodyGetNumJoints(rig.box);
  {
    OdeJointDrive drive(rig.joint, {.max_force = 6.0, .spring_constant = 3.0});
    rig.step(drive);
    EXPECT_EQ(dBodyGetNumJoints(rig.box), joints + 2) << "motor and spring";
  }
  EXPECT_EQ(dBodyGetNumJoints(rig.box), joints);
}

// ODE's default thresholds put a body to sleep when it is slower than 0.01 m/s and 0.01 rad/s for
// ten steps.
TEST_P(OdeDriveInItsWorld, ASlowMoveArrivesAndThenTheBodySleeps) {
  for (const Attached how : kAttachments) {
    const Rig rig(slider(), how);
    rig.let_sleep();
    OdeJointDrive drive(rig.joint, {.acceleration = 0.1});
    drive.set_velocity(0.005);
    drive.set_position(0.02);
    for (int k = 0; k < 2000; ++k) {
      rig.step(drive);
    }
    EXPECT_NEAR(drive.position(), 0.02, 1e-6);
    EXPECT_FALSE(dBodyIsEnabled(rig.box));
  }
}

TEST_P(OdeDriveInItsWorld, ASlowStartIsNotIdle) {
  const Rig rig(slider(), Attached::WorldFirst);
  rig.let_sleep();
  OdeJointDrive drive(rig.joint, {.acceleration = 1e-5});
  drive.set_position(std::numeric_limits<double>::infinity());
  for (int k = 0; k < 100; ++k) {
    rig.step(drive);
  }
  EXPECT_NEAR(drive.velocity(), 100 * kStep * 1e-5, 1e-12);
}

TEST_P(OdeDriveInItsWorld, ALoadThatIsHeldLetsTheBodySleep) {
  const Rig rig(slider(), Attached::WorldFirst, 1e-5);  // the motor's row slips by 2e-4 m/s
  rig.let_sleep();
  dWorldSetGravity(rig.world, -9.81, 0, 0);
  OdeJointDrive drive(rig.joint, {.max_force = 50.0});
  drive.set_position(0.01);
  for (int k = 0; k < 1000; ++k) {
    rig.step(drive);
  }
  EXPECT_NEAR(drive.position(), 0.01, 1e-4);
  EXPECT_FALSE(dBodyIsEnabled(rig.box));
}

TEST_P(OdeDriveInItsWorld, AWeakSpringAndASmallForceGoOnWorking) {
  for (const double force : {0.0, 1e-4}) {
    const Rig rig(slider(), Attached::WorldSecond);
    rig.let_sleep();
    OdeJointDrive drive(rig.joint,
                        {.spring_constant = force == 0.0 ? 1e-3 : 0.0, .rest_position = 0.1});
    drive.set_force(force);
    for (int k = 0; k < 500; ++k) {
      rig.step(drive);
      ASSERT_TRUE(dBodyIsEnabled(rig.box)) << k;
    }
    // Both begin with the same force, which the spring keeps for a part of its travel only.
    const double t = 500 * kStep;
    const double w = std::sqrt(1e-3 / rig.inertia());
    const double way =
        force == 0.0 ? 0.1 * (1.0 - std::cos(w * t)) : force / rig.inertia() * t * t / 2.0;
    EXPECT_NEAR(drive.position(), way, 0.01 * way) << "0.4 % of it is the step length";
  }
}

TEST(OdeDriveAsleep, AFreeJointIsLeftToOde) {
  const Rig rig(false, Attached::WorldFirst);
  rig.let_sleep();
  OdeJointDrive drive(rig.joint);
  drive.set_force(0.0);
  rig.set_rate(0.005);
  for (int k = 0; k < 20; ++k) {
    rig.step(drive);
  }
  EXPECT_FALSE(dBodyIsEnabled(rig.box));
}

TEST(OdeDriveAsleep, ACommandWakesABodyAndASleepingOneGathersNoForce) {
  const Rig rig(false, Attached::WorldFirst);
  OdeJointDrive drive(rig.joint);
  drive.set_force(0.9);
  rig.step(drive);
  dBodySetAngularVel(rig.box, 0, 0, 0);
  dBodyDisable(rig.box);
  for (int k = 0; k < 50; ++k) {
    rig.step(drive);
  }
  drive.set_force(0.9);
  rig.step(drive);
  EXPECT_NEAR(drive.velocity(), kStep * 0.9 / kInertia, 1e-9);
}

}  // namespace ode_joint_drive_world_test
}  // namespace servosim::test
