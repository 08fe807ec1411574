// SPDX-License-Identifier: Apache-2.0
// A change of mode changes the effort of a motor that carries a weight by a bounded amount.
#include <vector>

#include "support/board_bench.h"
#include "support/case_names.h"

namespace servosim::test {
namespace board_hand_over_test {

using namespace yarp;

constexpr double kH = 0.001;

class HandOver : public testing::TestWithParam<bool> {
 protected:
  // Gravity acts along the slider, or on a hinge's centre of mass that is 0.2 m off the axis.
  static OneJoint weighed() {
    OneJoint w;
    w.slider = GetParam();
    w.gravity = "9.81";
    w.axis = w.slider ? "0 0 -1" : "0 1 0";
    w.endpoint = w.slider ? "0 0 0" : "0.2 0 0";
    return w;
  }
  static double unit() { return GetParam() ? 1.0 : std::numbers::pi / 180.0; }
};

INSTANTIATE_TEST_SUITE_P(HingeAndSlider, HandOver, testing::Bool(), by_joint);

// The test switches between every pair of modes on a joint that carries a weight and looks at the
// motor's effort. Torque, PWM and current start with the motor's last effort. Position modes start
// at rest where the joint is: the effort that carried the weight is gone until the joint has
// sagged. So the jump is at most that effort, plus kd times the speed.
TEST_P(HandOver, OfEveryPairOfModesIsBounded) {
  const std::vector<vocab32_t> modes{VOCAB_CM_POSITION,       VOCAB_CM_POSITION_DIRECT,
                                     VOCAB_CM_VELOCITY,       VOCAB_CM_MIXED,
                                     VOCAB_CM_TORQUE,         VOCAB_CM_PWM,
                                     VOCAB_CM_CURRENT,        VOCAB_CM_IDLE,
                                     VOCAB_CM_VELOCITY_DIRECT};
  for (const vocab32_t from : modes) {
    for (const vocab32_t to : modes) {
      for (const vocab32_t interaction : {VOCAB_IM_STIFF, VOCAB_IM_COMPLIANT}) {
        BoardBench b(weighed());
        b.view<IInteractionMode>().setInteractionMode(0, interaction);
        b.view<IImpedanceControl>().setImpedance(0, GetParam() ? 400.0 : 0.5,
                                                 GetParam() ? 40.0 : 0.1);
        b.run(0.5);
        b.view<IControlMode>().setControlMode(0, from);
        b.run(0.02);
        const double before = b.output();
        const double speed = std::abs(b.speed());
        b.view<IControlMode>().setControlMode(0, to);
        b.step();
        Pid pid;
        Pid velocity_pid;
        double sigma = 0.0;
        double mu = 0.0;
        b.view<IPidControl>().getPid(VOCAB_PIDTYPE_POSITION, 0, &pid);
        b.view<IPidControl>().getPid(VOCAB_PIDTYPE_VELOCITY, 0, &velocity_pid);
        b.view<IImpedanceControl>().getImpedance(0, &sigma, &mu);
        const bool direct = to == VOCAB_CM_VELOCITY_DIRECT;
        const bool compliant = interaction == VOCAB_IM_COMPLIANT;
        const double k = direct ? 0.0 : compliant ? sigma : pid.kp;
        const double d = direct ? velocity_pid.kp : compliant ? mu : pid.kd;
        // Gravity adds this to the speed in one step.
        const double fall = 9.81 / (GetParam() ? 1.0 : 0.2) / unit() * kH;
        const double loop = (d + k * kH) * (speed + fall);
        const bool effort = to == VOCAB_CM_TORQUE || to == VOCAB_CM_PWM || to == VOCAB_CM_CURRENT;
        const double bound = effort ? 1e-9 : from == to ? loop : std::abs(before) + loop;
        EXPECT_LE(std::abs(b.output() - before), bound + 1e-9)
            << to_string(from) << " to " << to_string(to) << ' ' << to_string(interaction);
      }
    }
  }
}

}  // namespace board_hand_over_test
}  // namespace servosim::test
