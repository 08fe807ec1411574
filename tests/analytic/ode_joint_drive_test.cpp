// SPDX-License-Identifier: Apache-2.0
// OdeJointDrive works in ODE worlds without servosim, in the joint's own reading, for each way to
// attach it.
#include "servosim/ode_joint_drive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/case_names.h"
#include "support/ode_rig.h"
#include "support/worlds.h"

namespace servosim::test {
namespace ode_joint_drive_test {

struct Case {
  bool slider;
  Attached how;

  friend void PrintTo(const Case& c, std::ostream* out) {
    static const char* const kHow[] = {"WorldFirst", "WorldSecond", "HeavyFirst", "HeavySecond"};
    *out << joint_word(c.slider) << kHow[static_cast<int>(c.how)];
  }
};

class OdeDrive : public testing::TestWithParam<Case> {
 protected:
  Rig rig{GetParam().slider, GetParam().how};
};

// On a joint that follows, the drive follows the recurrence in the comment of VelocityController.
TEST_P(OdeDrive, FollowsTheLaw) {
  OdeJointDrive drive(
      rig.joint,
      {.gains = {11.0, 4.0, 0.05}, .max_velocity = 2.5, .max_force = 1e4, .acceleration = 9.0});
  drive.set_position(0.9);
  double p = 0.0;
  double integral = 0.0;
  double last_error = 0.0;
  double v = 0.0;
  double fastest = 0.0;
  for (int k = 1; k <= 250; ++k) {
    const double error = 0.9 - p;
    integral += error * kStep;
    const double u = 11.0 * error + 4.0 * integral + 0.05 * (error - last_error) / kStep;
    last_error = error;
    v += std::clamp(std::clamp(u, -2.5, 2.5) - v, -9.0 * kStep, 9.0 * kStep);
    p += v * kStep;
    fastest = std::max(fastest, std::abs(v));
    rig.step(drive);
    ASSERT_NEAR(drive.position(), p, rig.drift(2.5, k)) << k;
    // P, I and D/h multiply that drift.
    ASSERT_NEAR(drive.commanded_velocity(), v, 25.0 * rig.drift(2.5, k)) << k;
    ASSERT_NEAR(drive.velocity(), rig.rate(), 0.0) << k;
  }
  EXPECT_GT(fastest, 2.0) << "the speed was near its limit";
}

TEST_P(OdeDrive, SpringAndDamperAreTheImplicitStep) {
  const double k = 13.0;
  const double d = 0.3;
  OdeJointDrive drive(
      rig.joint,
      {.max_force = 0.0, .spring_constant = k, .rest_position = 0.4, .damping_constant = 0.1});
  drive.set_brake(d - 0.1);
  const double m = rig.inertia();
  double p = 0.0;
  double v = 0.0;
  for (int n = 1; n <= 200; ++n) {
    v = (v - kStep * k / m * (p - 0.4)) / (1.0 + kStep * kStep * k / m + kStep * d / m);
    p += kStep * v;
    rig.step(drive);
    ASSERT_NEAR(drive.position(), p, rig.drift(4.0, n)) << n;
    // The force in the step is the change of momentum.
    ASSERT_NEAR(drive.effort(), -k * (drive.position() - 0.4) - d * drive.velocity(), 1e-9) << n;
  }
  EXPECT_GT(p, 0.1) << "it went towards the rest position";
}

TEST_P(OdeDrive, ABrakeLetsGoAgain) {
  OdeJointDrive drive(rig.joint, {.max_force = 0.0});
  drive.set_brake(0.5);
  rig.set_rate(1.4);
  const double slower = 1.0 / (1.0 + kStep * 0.5 / rig.inertia());
  rig.step(drive);
  EXPECT_NEAR(drive.velocity(), 1.4 * slower, 1e-9);
  drive.set_brake(0.0);
  rig.step(drive);
  EXPECT_NEAR(drive.velocity(), 1.4 * slower, 1e-9);
}

TEST_P(OdeDrive, FrictionStopsAndHolds) {
  OdeJointDrive drive(rig.joint, {.static_friction = 0.8});
  drive.set_force(0.0);
  rig.set_rate(0.2);
  const double slower = kStep * 0.8 / rig.inertia();
  rig.step(drive);
  EXPECT_NEAR(drive.velocity(), 0.2 - slower, 1e-9);
  EXPECT_NEAR(drive.effort(), -0.8, 1e-9);
  for (int k = 0; k < 100; ++k) {
    rig.step(drive);
  }
  EXPECT_NEAR(drive.velocity(), 0.0, 1e-9);
  drive.set_force(0.7);
  rig.step(drive);
  // CFM lets the row slip by 1e-10/h per newton.
  EXPECT_NEAR(drive.velocity(), 0.0, 1e-7) << "less than the friction moves nothing";
  drive.set_force(1.3);
  rig.step(drive);
  EXPECT_NEAR(drive.velocity(), kStep * (1.3 - 0.8) / rig.inertia(), 1e-7);
  EXPECT_NEAR(drive.effort(), 1.3 - 0.8, 1e-9);
}

TEST_P(OdeDrive, ForceControlAccelerates) {
  OdeJointDrive drive(rig.joint, {.max_force = 3.0});
  drive.set_force(1.7);
  double v = 0.0;
  for (int k = 0; k < 20; ++k) {
    v += kStep * 1.7 / rig.inertia();
    rig.step(drive);
    ASSERT_NEAR(drive.velocity(), v, 1e-9) << k;
    ASSERT_NEAR(drive.effort(), 1.7, 1e-9) << k;
  }
  drive.set_force(-50.0);
  rig.step(drive);
  EXPECT_NEAR(drive.effort(), -3.0, 1e-9) << "clamped to the available force";
  EXPECT_NEAR(drive.velocity(), v - kStep * 3.0 / rig.inertia(), 1e-9);
}

TEST_P(OdeDrive, AWeakMotorGivesWhatItHas) {
  OdeJointDrive drive(rig.joint, {.max_force = 3.0});
  drive.set_position(5.0);
  drive.set_available_force(0.6);
  rig.step(drive);
  EXPECT_NEAR(drive.effort(), 0.6, 1e-9);
  EXPECT_NEAR(drive.velocity(), kStep * 0.6 / rig.inertia(), 1e-9);
}

TEST_P(OdeDrive, ReleaseLeavesAFreeJoint) {
  {
    OdeJointDrive drive(rig.joint, {.spring_constant = 5.0, .damping_constant = 0.7});
    drive.set_position(0.5);
    rig.step(drive);
  }
  EXPECT_EQ(dJointGetFeedback(rig.joint), nullptr);
  rig.set_rate(0.3);
  dWorldStep(rig.world, kStep);
  EXPECT_NEAR(rig.rate(), 0.3, 1e-9);
}

TEST_P(OdeDrive, MovesAsTheSameJointOfAWorldFile) {
  OneJoint w;
  w.slider = GetParam().slider;
  w.heavy_parent =
      GetParam().how == Attached::HeavyFirst || GetParam().how == Attached::HeavySecond;
  w.time_step_ms = 1000.0 * kStep;
  w.parameters = "springConstant 3 dampingConstant 0.2 staticFriction 0.05";
  w.motor = "controlPID 9 2 0.01 acceleration 30 maxVelocity 3 ";
  w.motor += w.slider ? "maxForce 8" : "maxTorque 8";
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_position(0.7);
  const Rig soft(GetParam().slider, GetParam().how, 1e-5);  // the CFM of Webots' worlds
  OdeJointDrive drive(soft.joint, {.gains = {9.0, 2.0, 0.01},
                                   .max_velocity = 3.0,
                                   .max_force = 8.0,
                                   .acceleration = 30.0,
                                   .static_friction = 0.05,
                                   .spring_constant = 3.0,
                                   .damping_constant = 0.2});
  drive.set_position(0.7);
  for (int k = 0; k < 400; ++k) {
    simulation.step();
    soft.step(drive);
    const JointReading theirs = simulation.joint(0).reading();
    // Both do the same arithmetic in a different order.
    ASSERT_NEAR(drive.position(), theirs.position, 1e-12) << k;
    ASSERT_NEAR(drive.effort(), theirs.effort, 1e-9) << k;
  }
  EXPECT_NEAR(drive.position(), 0.7, 0.05);
}

INSTANTIATE_TEST_SUITE_P(
    Attachments, OdeDrive,
    testing::Values(Case{false, Attached::WorldFirst}, Case{false, Attached::WorldSecond},
                    Case{false, Attached::HeavyFirst}, Case{false, Attached::HeavySecond},
                    Case{true, Attached::WorldFirst}, Case{true, Attached::WorldSecond},
                    Case{true, Attached::HeavyFirst}, Case{true, Attached::HeavySecond}),
    testing::PrintToStringParamName());

TEST(OdeDriveHinge, CountsItsTurns) {
  const Rig rig(false, Attached::WorldFirst);
  OdeJointDrive drive(rig.joint, {.max_velocity = 15.0, .max_force = 1e4, .spring_constant = 0.3});
  drive.set_position(std::numeric_limits<double>::infinity());
  drive.set_velocity(-12.0);
  for (int k = 0; k < 375; ++k) {
    rig.step(drive);
  }
  EXPECT_NEAR(drive.position(), -375 * kStep * 12.0, 0.05) << "nearly six turns back";
  drive.set_position(25.0);
  drive.set_velocity(15.0);
  for (int k = 0; k < 1200; ++k) {
    rig.step(drive);
  }
  EXPECT_NEAR(drive.position(), 25.0, 1e-6) << "four turns on";
  drive.set_available_force(0.0);
  rig.step(drive);
  EXPECT_NEAR(drive.effort(), -0.3 * drive.position(), 1e-9) << "the spring was wound up";
}

// The hinge carries the arm: at rest the effort is the moment of the arm's weight.
TEST(OdeDriveHinge, EffortIsTheMomentAboutTheAnchor) {
  Rig rig(false, Attached::WorldSecond);
  dBodySetPosition(rig.box, 0.25, 0, 0);
  dJointSetHingeAxis(rig.joint, 0, 1, 0);
  dJointSetHingeAnchor(rig.joint, 0, 0, 0);
  dWorldSetGravity(rig.world, 0, 0, -9.81);
  OdeJointDrive drive(rig.joint, {.max_force = 50.0});
  for (int k = 0; k < 200; ++k) {
    rig.step(drive);
  }
  // About +y the weight turns the box by +m·g·r. The drive holds against it.
  EXPECT_NEAR(drive.effort(), -kMass * 9.81 * 0.25, 1e-3);
}

TEST(OdeDriveHinge, UsesAFeedbackThatIsSetLater) {
  const Rig rig(false, Attached::WorldFirst);
  dJointFeedback theirs{};
  {
    OdeJointDrive drive(rig.joint);
    dJointSetFeedback(rig.joint, &theirs);
    drive.set_position(0.4);
    rig.step(drive);
    EXPECT_GT(drive.effort(), 0.01);
    dJointSetFeedback(rig.joint, nullptr);
    EXPECT_TRUE(std::isnan(drive.effort()));
    dJointSetFeedback(rig.joint, &theirs);
  }
  EXPECT_EQ(dJointGetFeedback(rig.joint), &theirs);
}

TEST(OdeDriveHinge, ClampsTargetsToItsLimits) {
  const Rig rig(false, Attached::WorldFirst);
  OdeJointDrive drive(rig.joint, {.max_force = 1e3, .min_position = -0.2, .max_position = 0.6});
  drive.set_position(1.5);
  for (int k = 0; k < 300; ++k) {
    rig.step(drive);
  }
  EXPECT_NEAR(drive.position(), 0.6, 1e-6);
}

template <typename Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

// The line of the slider misses the centres of both bodies, so that the two forces alone are not a
// couple.
TEST(OdeDriveSlider, GivesAPairOfBodiesNoAngularMomentum) {
  for (const bool spring : {false, true}) {
    dInitODE2(0);
    const dWorldID world = dWorldCreate();
    dMass mass;
    dMassSetBox(&mass, 1.0, 0.3, 0.4, 0.5);
    dMassAdjust(&mass, 2.0);
    const dBodyID bodies[] = {dBodyCreate(world), dBodyCreate(world)};
    for (const dBodyID body : bodies) {
      dBodySetMass(body, &mass);
    }
    dBodySetPosition(bodies[1], 0.2, 0.7, 0.0);
    const dJointID slider = dJointCreateSlider(world, nullptr);
    dJointAttach(slider, bodies[0], bodies[1]);
    dJointSetSliderAxis(slider, 1, 0, 0);
    DriveSettings settings;
    settings.max_force = spring ? 0.0 : 5.0;
    settings.spring_constant = spring ? 8.0 : 0.0;
    settings.rest_position = 1.0;
    {
      OdeJointDrive drive(slider, settings);
      drive.set_position(INFINITY);
      drive.set_velocity(1.5);
      drive.before_step(kStep);
      dWorldStep(world, kStep);
      EXPECT_GT(drive.effort(), 4.0);
    }
    double moment = 0.0;  // about z; both bodies turn about axes of their boxes
    double spin = 0.0;
    for (const dBodyID body : bodies) {
      const dReal* const at = dBodyGetPosition(body);
      const dReal* const v = dBodyGetLinearVel(body);
      spin = dBodyGetAngularVel(body)[2];
      moment += 2.0 * (at[0] * v[1] - at[1] * v[0]) + mass.I[10] * spin;
    }
    EXPECT_LT(spin, -0.01);
    // 5 N with an arm of 0.7 m in a step of 8 ms would be 0.028 N·m·s.
    EXPECT_NEAR(moment, 0.0, 1e-4) << (spring ? "spring" : "motor");
    dWorldDestroy(world);
  }
}

TEST(OdeDriveErrors, SayWhatIsWrong) {
  const Rig rig(false, Attached::WorldFirst);
  EXPECT_EQ(refusal([] { OdeJointDrive drive(nullptr); }), "the joint is null");
  const dJointID ball = dJointCreateBall(rig.world, nullptr);
  EXPECT_EQ(refusal([&] { OdeJointDrive drive(ball); }),
            "the joint is neither a hinge nor a slider");
  const dJointID loose = dJointCreateSlider(rig.world, nullptr);
  EXPECT_EQ(refusal([&] { OdeJointDrive drive(loose); }),
            "the joint is attached to no body; call dJointAttach first");
  EXPECT_EQ(refusal([&] {
              OdeJointDrive drive(rig.joint, {.gains = {0.0, 0.0, 0.0}});
            }),
            "P is 0; it must be a number > 0, at most 1e18");
  EXPECT_EQ(refusal([&] { OdeJointDrive drive(rig.joint, {.max_force = -3.0}); }),
            "max_force is -3; it must be from 0 to 1e+18");
  EXPECT_EQ(
      refusal([&] { OdeJointDrive drive(rig.joint, {.min_position = 0.5, .max_position = 0.25}); }),
      "max_position is 0.25; it must be from 0.5 to 1e+08");
  EXPECT_EQ(dJointGetFeedback(rig.joint), nullptr) << "a drive that was not made left nothing";
  OdeJointDrive drive(rig.joint);
  EXPECT_EQ(refusal([&] { OdeJointDrive second(rig.joint); }),
            "the joint has a dJointFeedback: another drive's, which must be released first, or "
            "your own, to be set after the drive is made");
  EXPECT_EQ(refusal([&] { drive.set_position(NAN); }),
            "position is nan; it must be a number or an infinity");
  EXPECT_EQ(refusal([&] { drive.set_velocity(NAN); }), "velocity is nan; it must be a number");
  EXPECT_EQ(refusal([&] { drive.set_force(NAN); }), "force is nan; it must be a number");
  EXPECT_EQ(refusal([&] { drive.set_acceleration(-0.5); }),
            "acceleration is -0.5; it must be -1 or a number >= 0");
  EXPECT_EQ(refusal([&] { drive.set_available_force(-2.0); }),
            "available force is -2; it must be a number >= 0");
  EXPECT_EQ(refusal([&] { drive.set_brake(INFINITY); }),
            "brake is inf; it must be from 0 to 1e+18");
  EXPECT_EQ(refusal([&] { drive.before_step(0.0); }),
            "step length is 0; it must be a finite number > 0");
}

}  // namespace ode_joint_drive_test
}  // namespace servosim::test
