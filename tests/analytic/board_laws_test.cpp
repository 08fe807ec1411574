// SPDX-License-Identifier: Apache-2.0
// Each law of a control board is compared with its closed form, or with the implicit step of the
// solver:
//   v⁺ = (m·v + h·(k·e + d·w + F)) / (m + h²·k + h·d).
// Every law runs on a hinge, in degrees, and on a slider, in metres.
#include <algorithm>

#include "support/board_bench.h"
#include "support/case_names.h"

namespace servosim::test {
namespace board_laws_test {

using namespace yarp;

constexpr double kH = 0.001;
// The world's CFM yields by 1e-5 per N·m, and ODE's small-angle turn loses (h·v)³/12 a step.
constexpr double kSlip = 1e-3;

class Laws : public testing::TestWithParam<bool> {
 protected:
  static OneJoint world() {
    OneJoint w;
    w.slider = GetParam();
    return w;
  }
  // Gravity acts along the slider, or on a hinge's centre of mass that is 0.2 m off the axis.
  static OneJoint weighed() {
    OneJoint w = world();
    w.gravity = "9.81";
    w.axis = w.slider ? "0 0 -1" : "0 1 0";
    w.endpoint = w.slider ? "0 0 0" : "0.2 0 0";
    return w;
  }
  static double inertia() { return test::inertia(world()); }
  static double unit() { return GetParam() ? 1.0 : std::numbers::pi / 180.0; }
  // Returns 20 degrees or 0.2 m, in the board's units.
  static double far() { return GetParam() ? 0.2 : 20.0; }
  static JointConfig with_pid(double kp, double kd, double ki = 0.0) {
    JointConfig joint = BoardBench::joint_config();
    joint.pids.position = Pid{kp * unit(), kd * unit(), ki * unit(), 0.9, 0, 40.0};
    return joint;
  }
};

INSTANTIATE_TEST_SUITE_P(HingeAndSlider, Laws, testing::Bool(), by_joint);

TEST_P(Laws, PositionMoveFollowsMinimumJerk) {
  BoardBench b(world());
  const double x = far();
  ASSERT_TRUE(b.view<IPositionControl>().setRefSpeed(0, x / 3.0));
  ASSERT_TRUE(b.view<IPositionControl>().positionMove(0, x));
  EXPECT_FALSE(b.done());
  for (const double share : {0.103515625, 0.5, 0.896484375}) {
    b.run(0.75);
    EXPECT_NEAR(b.reference(), share * x, 1e-9 * x);
    EXPECT_NEAR(b.position(), share * x, 2e-3 * x) << "the joint follows";
    EXPECT_FALSE(b.done());
  }
  b.run(0.75);
  EXPECT_TRUE(b.done());
  EXPECT_EQ(b.reference(), x);
  b.run(0.5);
  EXPECT_NEAR(b.position(), x, 1e-4 * x);
}

TEST_P(Laws, StiffIsAnImplicitPid) {
  const double kp = 90.0;
  const double kd = 4.0;
  const double ki = 60.0;
  JointConfig joint = with_pid(kp, kd, ki);
  joint.pids.position->offset = 0.8;
  joint.pids.position->stiction_up_val = 0.3;
  BoardBench b(world(), joint);
  ASSERT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION_DIRECT));
  ASSERT_TRUE(b.view<IPositionDirect>().setPosition(0, far()));
  const double rest = far() * unit();
  const double m = inertia();
  double p = 0.0;
  double v = 0.0;
  double integral = 0.0;
  bool full = false;
  for (int n = 0; n < 400; ++n) {
    const double e = rest - p;
    integral = std::clamp(integral + ki * e * kH, -0.9, 0.9);
    full = full || integral == 0.9;
    const double force = integral + 0.8 + (e > 0.0 ? 0.3 : 0.0);
    v = (m * v + kH * (kp * e + force)) / (m + kH * kH * kp + kH * kd);
    p += kH * v;
    b.step();
    ASSERT_NEAR(b.position() * unit(), p, kSlip * rest) << n;
  }
  EXPECT_TRUE(full) << "the integral reached its bound";
}

TEST_P(Laws, ScaleDividesGainsByPowersOfTwo) {
  const auto go = [](double kp, double kd, double ki, double scale) {
    JointConfig joint = with_pid(kp, kd, ki);
    joint.pids.position->scale = scale;
    BoardBench b(world(), joint);
    b.view<IPositionControl>().positionMove(0, far());
    b.run(0.7);
    return b.position();
  };
  EXPECT_EQ(go(720.0, 32.0, 480.0, 3.0), go(90.0, 4.0, 60.0, 0.0));
}

TEST_P(Laws, StiffPushesNoHarderThanMaxOutput) {
  JointConfig joint = with_pid(1e9, 0.0, 1e9);
  joint.pids.position->max_output = 0.6;
  BoardBench b(world(), joint);
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION_DIRECT);
  b.view<IPositionDirect>().setPosition(0, far());
  b.step(50);
  EXPECT_NEAR(b.speed() * unit(), 50 * kH * 0.6 / inertia(), 1e-6);
  EXPECT_NEAR(b.output(), 0.6, 1e-9);
}

// The gains are a million times what an explicit law survives at this step.
TEST_P(Laws, NoGainIsTooLarge) {
  for (const double kd : {0.0, 1e8}) {
    BoardBench b(world(), with_pid(1e9, kd));
    b.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION_DIRECT);
    b.view<IPositionDirect>().setPosition(0, 1e-4 * far());
    for (int n = 0; n < 2000; ++n) {
      b.step();
      ASSERT_LT(std::abs(b.position()), far());
    }
    if (kd > 0.0) {
      EXPECT_NEAR(b.position(), 1e-4 * far(), 1e-6 * far()) << "kd/kp is 0.1 s";
    }
  }
}

TEST_P(Laws, CompliantBendsByTorqueOverStiffness) {
  BoardBench b(weighed());
  const double weight = GetParam() ? 2.0 * 9.81 : 0.2 * 2.0 * 9.81;
  const double k = weight / (0.5 * far());
  ASSERT_TRUE(b.view<IImpedanceControl>().setImpedance(0, k, 0.3 * k));
  ASSERT_TRUE(b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_COMPLIANT));
  b.run(8.0);
  const double bent = b.position();
  const double pull = weight * (GetParam() ? 1.0 : std::cos(bent * unit()));
  EXPECT_NEAR(bent, pull / k, 1e-4 * far());
  EXPECT_NEAR(b.torque(), -pull, 1e-3 * weight);
  EXPECT_NEAR(b.output(), -pull, 1e-3 * weight);
  // A feed-forward that carries the weight brings the joint back without a change of mode.
  ASSERT_TRUE(b.view<IImpedanceControl>().setImpedanceOffset(0, -weight));
  b.run(8.0);
  EXPECT_NEAR(b.position(), 0.0, 1e-4 * far());
  EXPECT_EQ(b.mode(), VOCAB_CM_POSITION);
}

TEST_P(Laws, CompliantDecaysByItsDamping) {
  BoardBench b(world());
  const double mu = 3.0 * inertia();  // [N·m·s/rad|N·s/m]
  b.view<IImpedanceControl>().setImpedance(0, 0.0, mu * unit());
  b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_COMPLIANT);
  b.simulation.joint(0).set_state(0.0, 0.8);
  b.step(300);
  EXPECT_NEAR(b.speed() * unit(), 0.8 * std::pow(1.0 + kH * 3.0, -300), 1e-6);
}

// With stiffness 25·m and damping 6·m the poles are −3 ± 4i.
TEST_P(Laws, CompliantSwingsAsSpringAndDamper) {
  BoardBench b(world());
  const double m = inertia();
  b.view<IImpedanceControl>().setImpedance(0, 25.0 * m * unit(), 6.0 * m * unit());
  b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_COMPLIANT);
  b.simulation.joint(0).set_state(0.2);
  for (int n = 1; n <= 1500; ++n) {
    b.step();
    const double t = n * kH;
    const double x = 0.2 * std::exp(-3.0 * t) * (std::cos(4.0 * t) + 0.75 * std::sin(4.0 * t));
    // The first-order error of Euler's method is about h·ω²·t/2 at 1 ms.
    ASSERT_NEAR(b.position() * unit(), x, 2e-3) << t;
  }
}

// Only the reference pulls; the damper resists the joint's own motion.
TEST_P(Laws, CompliantDampsItsOwnVelocity) {
  BoardBench b(world());
  const double m = inertia();
  b.view<IImpedanceControl>().setImpedance(0, 2500.0 * m * unit(), 100.0 * m * unit());
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY);
  b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_COMPLIANT);
  b.view<IPositionControl>().setRefAcceleration(0, 100.0 * far());
  b.view<IVelocityControl>().velocityMove(0, 0.5 * far());
  b.run(2.0);
  // At constant speed the spring pulls with what the damper takes: σ·lag = μ·v.
  EXPECT_NEAR(b.speed(), 0.5 * far(), 1e-3 * far());
  EXPECT_NEAR(b.reference() - b.position(), 100.0 / 2500.0 * 0.5 * far(), 1e-3 * far());
}

TEST_P(Laws, TorqueIsTheTorque) {
  BoardBench b(world());
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_TORQUE);
  b.view<ITorqueControl>().setRefTorque(0, 0.7);
  b.step(100);
  EXPECT_NEAR(b.speed() * unit(), 100 * kH * 0.7 / inertia(), 1e-9);
  EXPECT_NEAR(b.torque(), 0.7, 1e-9);
  b.view<IPidControl>().setPidOffset(VOCAB_PIDTYPE_TORQUE, 0, -0.7);
  b.step(100);
  EXPECT_NEAR(b.speed() * unit(), 100 * kH * 0.7 / inertia(), 1e-9) << "the offset adds";
  b.view<ITorqueControl>().setRefTorque(0, 1e6);
  b.step();
  EXPECT_NEAR(b.output(), 50.0, 1e-9) << "no more than the motor has";
}

TEST_P(Laws, PwmAndCurrentAreTorquesByTheirConstants) {
  JointConfig joint = BoardBench::joint_config();
  joint.effort_per_percent = 0.02;
  joint.effort_per_ampere = 0.4;
  for (const bool current : {false, true}) {
    BoardBench b(world(), joint);
    b.view<IControlMode>().setControlMode(0, current ? VOCAB_CM_CURRENT : VOCAB_CM_PWM);
    if (current) {
      b.view<ICurrentControl>().setRefCurrent(0, 1.5);
    } else {
      b.view<IPWMControl>().setRefDutyCycle(0, 30.0);
    }
    b.step(100);
    EXPECT_NEAR(b.speed() * unit(), 100 * kH * 0.6 / inertia(), 1e-9);
    double percent = 0.0;
    double ampere = 0.0;
    b.view<IPWMControl>().getDutyCycle(0, &percent);
    b.view<ICurrentControl>().getCurrent(0, &ampere);
    EXPECT_NEAR(percent, 30.0, 1e-9);
    EXPECT_NEAR(ampere, 1.5, 1e-9);
  }
}

TEST_P(Laws, IdleLeavesTheJointToItself) {
  OneJoint w = world();
  w.parameters = "staticFriction 0.2";
  BoardBench b(w);
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_IDLE);
  b.simulation.joint(0).set_state(0.0, 0.9);
  b.step(100);
  EXPECT_NEAR(b.speed() * unit(), 0.9 - 100 * kH * 0.2 / inertia(), 1e-6) << "but its friction";
  EXPECT_EQ(b.output(), 0.0);
}

TEST_P(Laws, VelocityIsRampedAndIntegrated) {
  BoardBench b(world());
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY);
  b.view<IPositionControl>().setRefAcceleration(0, 2.0 * far());
  b.view<IVelocityControl>().velocityMove(0, far());
  b.run(0.25);
  EXPECT_NEAR(b.reference(VOCAB_PIDTYPE_VELOCITY), 0.5 * far(), 1e-9 * far());
  b.run(0.25);
  // The ramp of n steps adds up to Σ a·h·n·h = a·t²/2·(1 + h/t).
  const double ramped = 0.25 * far() * (1.0 + kH / 0.5);
  EXPECT_NEAR(b.reference(), ramped, 1e-9 * far());
  b.run(1.0);
  EXPECT_NEAR(b.reference(), ramped + far(), 1e-9 * far());
  EXPECT_NEAR(b.position(), ramped + far(), 2e-3 * far());
  EXPECT_NEAR(b.speed(), far(), 2e-3 * far());
  b.view<IPositionControl>().stop(0);
  b.run(0.5);
  EXPECT_NEAR(b.position(), ramped + far(), 2e-3 * far()) << "stopped at once";
}

TEST_P(Laws, MixedAddsTrajectoryAndVelocity) {
  BoardBench b(world());
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_MIXED);
  b.view<IPositionControl>().setRefAcceleration(0, 1e6);
  b.view<IPositionControl>().setRefSpeed(0, far());
  b.view<IPositionControl>().positionMove(0, far());
  b.view<IVelocityControl>().velocityMove(0, 0.1 * far());
  b.run(0.5);
  EXPECT_NEAR(b.reference(), (0.5 + 0.05) * far(), 1e-9 * far());
  b.run(0.5);
  EXPECT_TRUE(b.done()) << "of the trajectory";
  b.run(0.5);
  EXPECT_NEAR(b.reference(), (1.0 + 0.15) * far(), 1e-9 * far());
  EXPECT_NEAR(b.position(), (1.0 + 0.15) * far(), 2e-3 * far());
  b.view<IPositionControl>().stop(0);
  b.run(0.3);
  EXPECT_NEAR(b.speed(), 0.0, 1e-3 * far());
}

TEST_P(Laws, PositionDirectSteps) {
  BoardBench b(world());
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION_DIRECT);
  b.view<IPositionDirect>().setPosition(0, 0.3 * far());
  b.step();
  EXPECT_EQ(b.reference(), 0.3 * far());
  b.run(1.0);
  EXPECT_NEAR(b.position(), 0.3 * far(), 1e-4 * far());
}

// A new target during a motion: the reference continues from its position and with its speed.
TEST_P(Laws, RetargetingIsContinuous) {
  for (const Profile profile : {Profile::MinimumJerk, Profile::Trapezoid, Profile::ConstantSpeed}) {
    JointConfig joint = BoardBench::joint_config();
    joint.profile = profile;
    BoardBench b(world(), joint);
    b.view<IPositionControl>().setRefSpeed(0, 0.5 * far());
    b.view<IPositionControl>().setRefAcceleration(0, far());
    b.view<IPositionControl>().positionMove(0, far());
    double x = 0.0;
    double v = 0.0;
    double largest = 0.0;
    for (int n = 0; n < 6000; ++n) {
      if (n == 700) {
        b.view<IPositionControl>().positionMove(0, -0.4 * far());
      }
      b.step();
      largest = std::max(largest, std::abs(b.reference(VOCAB_PIDTYPE_VELOCITY) - v));
      // The peak speed is 1.875 times the mean speed of far()/2. A motion that has to reverse at
      // 1.6 times its mean speed, as this one does, peaks at 2.7 times: this is the largest slope
      // of the polynomial.
      ASSERT_LE(std::abs(b.reference() - x), 1.4 * far() * kH) << n << ": no jump";
      x = b.reference();
      v = b.reference(VOCAB_PIDTYPE_VELOCITY);
    }
    EXPECT_EQ(b.reference(), -0.4 * far());
    if (profile != Profile::ConstantSpeed) {  // ConstantSpeed jumps by its nature
      EXPECT_LE(largest, 10.0 * far() * kH);
    }
  }
}

// The test covers both directions, torque control and compliance. Beyond a limit the position loop
// brings the joint back.
TEST_P(Laws, LimitsProtectTorqueAndCompliance) {
  for (const bool compliant : {false, true}) {
    for (const double sign : {1.0, -1.0}) {
      JointConfig joint = BoardBench::joint_config();
      joint.min_position = joint.max_position = 0.0;
      BoardBench b(world(), joint);
      b.view<IControlLimits>().setLimits(0, -far(), far());
      if (compliant) {
        b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_COMPLIANT);
        b.view<IImpedanceControl>().setImpedanceOffset(0, 0.8 * sign);
        b.view<IImpedanceControl>().setImpedance(0, 0.0, 0.0);
      } else {
        b.view<IControlMode>().setControlMode(0, VOCAB_CM_TORQUE);
        b.view<ITorqueControl>().setRefTorque(0, 0.8 * sign);
      }
      b.run(4.0);
      EXPECT_NEAR(b.position(), sign * far(), 0.01 * far());
      EXPECT_NEAR(b.speed(), 0.0, 0.01 * far());
      EXPECT_EQ(b.mode(), compliant ? VOCAB_CM_POSITION : VOCAB_CM_TORQUE);
      EXPECT_EQ(b.said, "");
      // A joint that rests beyond a limit gets kp·(limit − q), as an implicit step. An effort that
      // leads inward passes.
      const double out = 0.001 * far() * unit();
      b.simulation.joint(0).set_state(sign * (far() * unit() + out));
      b.step();
      Pid pid;
      b.view<IPidControl>().getPid(VOCAB_PIDTYPE_POSITION, 0, &pid);
      const double kp = pid.kp / unit();
      const double kd = pid.kd / unit();
      EXPECT_NEAR(sign * b.output(), -kp * out / (1.0 + (kH * kH * kp + kH * kd) / inertia()),
                  1e-3 * kp * out);
      b.simulation.joint(0).set_state(sign * 1.1 * far() * unit());
      b.view<ITorqueControl>().setRefTorque(0, -0.3 * sign);
      b.view<IImpedanceControl>().setImpedanceOffset(0, -0.3 * sign);
      b.step();
      EXPECT_NEAR(b.output(), -0.3 * sign, 1e-6);
    }
  }
}

// PWM and current stop at the motor's limits, wherever the user's limits and the encoder's zero
// are.
TEST_P(Laws, PwmAndCurrentStopAtTheHardwareLimits) {
  for (const vocab32_t mode : {VOCAB_CM_PWM, VOCAB_CM_CURRENT}) {
    for (const double sign : {1.0, -1.0}) {
      OneJoint w = world();
      const double limit = far() * unit();
      w.motor = fmt::format("{} 50 minPosition {} maxPosition {}",
                            w.slider ? "maxForce" : "maxTorque", -limit, limit);
      BoardBench b(w);
      b.view<IControlLimits>().setLimits(0, -0.1 * far(), 0.1 * far());
      b.view<IEncodersTimed>().setEncoder(0, 0.3 * far());
      b.view<IControlMode>().setControlMode(0, mode);
      b.view<IPWMControl>().setRefDutyCycle(0, 0.8 * sign);
      b.view<ICurrentControl>().setRefCurrent(0, 0.8 * sign);
      b.run(0.2);
      EXPECT_NEAR(b.output(), 0.8 * sign, 1e-6) << "beyond the user's, as it is";
      b.run(4.0);
      EXPECT_NEAR(b.simulation.joint(0).position(), sign * limit, 0.01 * limit);
      EXPECT_NEAR(b.speed(), 0.0, 0.01 * far());
      EXPECT_EQ(b.mode(), mode);
      b.view<IPWMControl>().setRefDutyCycle(0, -0.3 * sign);
      b.view<ICurrentControl>().setRefCurrent(0, -0.3 * sign);
      b.step();
      EXPECT_NEAR(b.output(), -0.3 * sign, 1e-6) << "what leads inward passes";
    }
  }
}

// A joint with backlash has two flanks, which are rows already. There is no third row that could be
// soft.
TEST(BoardLaws, AJointWithBacklashIsStiffOnly) {
  OneJoint w;
  w.parameters = "backlash 0.002";
  BoardBench b(w);
  b.view<IPositionControl>().positionMove(0, 15.0);
  b.run(3.0);
  EXPECT_NEAR(b.position(), 15.0, 0.1) << "within the play of 0.11 degrees";
  EXPECT_EQ(b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_COMPLIANT).status,
            Status::NotAvailable);
  EXPECT_EQ(b.mode(), VOCAB_CM_HW_FAULT);
  EXPECT_EQ(b.said, "board \"board\", joint 0 \"m\": hardware fault 6: it cannot be compliant\n");
}

}  // namespace board_laws_test
}  // namespace servosim::test
