// SPDX-License-Identifier: Apache-2.0
// Direct velocity control is compared with the implicit step of its damper,
//   v⁺ = (m·v + h·(kp·r + F)) / (m + h·kp),
// on a hinge, in degrees, and on a slider, in metres. Other tests check the bounds of torque and
// current.
#include <algorithm>

#include "support/board_bench.h"
#include "support/case_names.h"

namespace servosim::test {
namespace board_velocity_test {

using namespace yarp;

constexpr double kH = 0.001;
// The world's CFM yields by 1e-5 per N·m, and ODE's small-angle turn loses (h·v)³/12 a step.
constexpr double kSlip = 1e-3;

class DirectVelocity : public testing::TestWithParam<bool> {
 protected:
  static OneJoint world() {
    OneJoint w;
    w.slider = GetParam();
    return w;
  }
  static double inertia() { return test::inertia(world()); }
  static double unit() { return GetParam() ? 1.0 : std::numbers::pi / 180.0; }
  // Returns 20 degrees or 0.2 m, in the board's units.
  static double far() { return GetParam() ? 0.2 : 20.0; }
  /// Makes a joint whose gains are in SI units.
  static JointConfig with_pid(double kp, double ki = 0.0, double max_int = 0.0) {
    JointConfig joint = BoardBench::joint_config();
    joint.pids.velocity = Pid{kp * unit(), 0.0, ki * unit(), max_int, 0.0, 40.0};
    return joint;
  }
};

INSTANTIATE_TEST_SUITE_P(HingeAndSlider, DirectVelocity, testing::Bool(), by_joint);

TEST_P(DirectVelocity, IsAnImplicitPid) {
  const double m = inertia();
  const double kp = 12.0 * m;
  const double ki = 200.0 * m;
  const double kff = 3.0 * m;
  const double r = far() * unit();
  const double most = 1.2 * m * r;  // bounds the integral
  JointConfig joint = with_pid(8.0 * kp, 8.0 * ki, most);
  joint.pids.velocity->scale = 3.0;
  joint.pids.velocity->kff = kff * unit();
  joint.pids.velocity->offset = 0.7 * m * r;
  joint.pids.velocity->stiction_up_val = 0.4 * m * r;
  joint.pids.velocity->stiction_down_val = 0.3 * m * r;
  BoardBench b(world(), joint);
  ASSERT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY_DIRECT));
  ASSERT_TRUE(b.view<IVelocityDirect>().setDesiredVelocity(0, far()));
  double v = 0.0;
  double integral = 0.0;
  bool full = false;
  bool above = false;
  for (int n = 0; n < 400; ++n) {
    const double e = r - v;
    integral = std::clamp(integral + ki * e * kH, -most, most);
    full = full || integral == most;
    above = above || e < 0.0;
    const double extra = integral + kff * r + m * r * (0.7 + (e > 0.0 ? 0.4 : -0.3));
    v = (m * v + kH * (kp * r + extra)) / (m + kH * kp);
    b.step();
    ASSERT_NEAR(b.speed() * unit(), v, kSlip * r) << n;
  }
  EXPECT_TRUE(full && above) << "every term took part";
}

TEST_P(DirectVelocity, StepsWhereVelocityModeRamps) {
  JointConfig joint = BoardBench::joint_config();
  joint.pids.direct_velocity = true;
  BoardBench b(world(), joint);
  b.view<IPositionControl>().setRefAcceleration(0, 2.0 * far());
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY);
  b.view<IVelocityControl>().velocityMove(0, far());
  b.run(0.25);
  EXPECT_NEAR(b.reference(VOCAB_PIDTYPE_VELOCITY), 0.5 * far(), 1e-9 * far());
  EXPECT_NEAR(b.speed(), 0.5 * far(), 1e-2 * far());
  bool enabled = false;
  b.view<IPidControl>().isPidEnabled(VOCAB_PIDTYPE_VELOCITY, 0, &enabled);
  EXPECT_TRUE(enabled) << "not the position Pid";
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY_DIRECT);
  b.view<IVelocityDirect>().setDesiredVelocity(0, far());
  b.step();
  EXPECT_EQ(b.reference(VOCAB_PIDTYPE_VELOCITY), far());
  b.run(0.2);
  EXPECT_NEAR(b.speed(), far(), kSlip * far());
  EXPECT_TRUE(b.view<IPositionControl>().stop(0));
  b.run(0.2);
  EXPECT_NEAR(b.speed(), 0.0, kSlip * far());
  EXPECT_EQ(b.get(&IVelocityDirect::getDesiredVelocity), 0.0);
}

// Compliance is a law of positions, so the commanded velocity is integrated for it.
TEST_P(DirectVelocity, GivesWayToComplianceInVelocityMode) {
  JointConfig joint = BoardBench::joint_config();
  joint.pids.direct_velocity = true;
  BoardBench b(world(), joint);
  const double m = inertia();
  b.view<IImpedanceControl>().setImpedance(0, 2500.0 * m * unit(), 100.0 * m * unit());
  b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_COMPLIANT);
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY);
  b.view<IPositionControl>().setRefAcceleration(0, 1e6);
  b.view<IVelocityControl>().velocityMove(0, 0.5 * far());
  b.run(1.0);
  EXPECT_NEAR(b.reference(), 0.5 * far(), 1e-3 * far());
  EXPECT_NEAR(b.reference() - b.position(), 100.0 / 2500.0 * 0.5 * far(), 1e-3 * far());
  // Direct velocity mode stores the interaction mode without using it.
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY_DIRECT);
  b.view<IVelocityDirect>().setDesiredVelocity(0, 0.5 * far());
  b.run(0.1);
  EXPECT_NEAR(b.speed(), 0.5 * far(), kSlip * far());
}

TEST_P(DirectVelocity, TakesAnyGain) {
  BoardBench b(world(), with_pid(1e9));
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY_DIRECT);
  b.view<IVelocityDirect>().setDesiredVelocity(0, far());
  b.run(0.1);
  for (int n = 0; n < 1000; ++n) {
    b.step();
    ASSERT_NEAR(b.speed(), far(), kSlip * far()) << n;
  }
}

TEST_P(DirectVelocity, PushesNoHarderThanMaxOutput) {
  JointConfig joint = with_pid(1e9, 1e9, 1e9);
  joint.pids.velocity->max_output = 0.6;
  joint.pids.velocity->offset = 5.0;
  BoardBench b(world(), joint);
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY_DIRECT);
  b.view<IVelocityDirect>().setDesiredVelocity(0, 400.0 * far());
  b.step(10);
  EXPECT_NEAR(b.speed() * unit(), 10 * kH * 0.6 / inertia(), 1e-6);
  EXPECT_NEAR(b.output(), 0.6, 1e-9);
}

TEST_P(DirectVelocity, StopsAtTheLimits) {
  // An effort of 50 needs this distance to brake.
  const double braking = far() * far() * unit() * inertia() / (2.0 * 50.0);
  for (const double sign : {1.0, -1.0}) {
    BoardBench b(world());
    b.view<IControlLimits>().setLimits(0, -far(), far());
    b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY_DIRECT);
    b.view<IVelocityDirect>().setDesiredVelocity(0, sign * far());
    b.run(0.5);
    EXPECT_NEAR(b.speed(), sign * far(), kSlip * far());
    b.run(1.5);
    EXPECT_NEAR(b.position(), sign * far(), braking + kSlip * far());
    EXPECT_NEAR(b.speed(), 0.0, kSlip * far());
    EXPECT_EQ(b.get(&IVelocityDirect::getDesiredVelocity), sign * far());
    b.simulation.joint(0).set_state(sign * 1.1 * far() * unit());
    b.run(0.2);
    EXPECT_NEAR(b.position(), sign * 1.1 * far(), kSlip * far()) << "no further, and not back";
    b.view<IVelocityDirect>().setDesiredVelocity(0, -sign * far());
    b.run(0.5);
    EXPECT_NEAR(b.speed(), -sign * far(), kSlip * far());
  }
}

// The ramp does not proceed while a limit holds the joint. However long the limit held it, and
// whatever speed was commanded, the way back begins with the first step of the ramp.
TEST_P(DirectVelocity, LeavesALimitWithTheAccelerationAskedFor) {
  for (const bool direct : {false, true}) {
    for (const double sign : {1.0, -1.0}) {
      JointConfig joint = BoardBench::joint_config();
      joint.pids.direct_velocity = direct;
      BoardBench b(world(), joint);
      const double a = 2.0 * far();
      b.view<IControlLimits>().setLimits(0, -0.5 * far(), 0.5 * far());
      b.view<IPositionControl>().setRefAcceleration(0, a);
      b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY);
      b.view<IVelocityControl>().velocityMove(0, sign * far());
      b.run(3.0);
      const double limit = b.position();
      EXPECT_NEAR(limit, sign * 0.5 * far(), 5e-2 * far()) << direct;
      b.view<IVelocityControl>().velocityMove(0, -sign * far());
      b.run(0.3);
      EXPECT_NEAR(b.speed(), -sign * 0.3 * a, 2e-2 * far()) << direct;
      EXPECT_NEAR(b.position(), limit - sign * 0.5 * a * 0.3 * 0.3, 2e-2 * far()) << direct;
    }
  }
}

// The Pids of torque and current bound efforts by offset and max_output.
TEST(BoardLaws, EffortsAreBoundedByTheirPids) {
  for (const vocab32_t type : {VOCAB_PIDTYPE_TORQUE, VOCAB_PIDTYPE_CURRENT}) {
    BoardBench b;
    b.view<IControlMode>().setControlMode(
        0, type == VOCAB_PIDTYPE_TORQUE ? VOCAB_CM_TORQUE : VOCAB_CM_CURRENT);
    Pid pid;
    b.view<IPidControl>().getPid(type, 0, &pid);
    EXPECT_EQ(pid.max_output, 50.0) << "the motor's";
    pid.kp = pid.ki = pid.kd = 1e6;
    pid.offset = 0.1;
    pid.max_output = 0.4;
    EXPECT_TRUE(b.view<IPidControl>().setPid(type, 0, pid));
    for (const double reference : {0.2, 3.0, -3.0}) {
      b.view<ITorqueControl>().setRefTorque(0, reference);
      b.view<ICurrentControl>().setRefCurrent(0, reference);
      b.step();
      EXPECT_NEAR(b.output(), std::clamp(reference + 0.1, -0.4, 0.4), 1e-9);
    }
  }
}

}  // namespace board_velocity_test
}  // namespace servosim::test
