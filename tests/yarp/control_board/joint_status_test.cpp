// SPDX-License-Identifier: Apache-2.0
// Every cell of the table of transitions: each request in each status.
#include "yarp/control_board/joint_status.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tuple>

namespace servosim::yarp::test {
namespace {

constexpr vocab32_t kJunk = 12345;

const std::vector<vocab32_t> kActive{VOCAB_CM_POSITION, VOCAB_CM_POSITION_DIRECT, VOCAB_CM_VELOCITY,
                                     VOCAB_CM_MIXED,    VOCAB_CM_TORQUE,          VOCAB_CM_PWM,
                                     VOCAB_CM_CURRENT,  VOCAB_CM_VELOCITY_DIRECT};
const std::vector<vocab32_t> kNever{VOCAB_CM_HW_FAULT,
                                    VOCAB_CM_CALIBRATING,
                                    VOCAB_CM_CALIB_DONE,
                                    VOCAB_CM_NOT_CONFIGURED,
                                    VOCAB_CM_CONFIGURED,
                                    VOCAB_CM_UNKNOWN,
                                    kJunk};

std::vector<vocab32_t> all(std::vector<vocab32_t> more) {
  more.insert(more.end(), kActive.begin(), kActive.end());
  return more;
}

std::vector<vocab32_t> requests() {
  std::vector<vocab32_t> list = all({VOCAB_CM_IDLE, VOCAB_CM_FORCE_IDLE});
  list.insert(list.end(), kNever.begin(), kNever.end());
  return list;
}

bool is_in(vocab32_t mode, const std::vector<vocab32_t>& list) {
  return std::find(list.begin(), list.end(), mode) != list.end();
}

std::string cell_name(const testing::TestParamInfo<std::tuple<vocab32_t, vocab32_t>>& info) {
  const auto code = [](vocab32_t v) { return v == kJunk ? std::string("junk") : to_string(v); };
  return code(std::get<0>(info.param)) + "_to_" + code(std::get<1>(info.param));
}

class Cell : public testing::TestWithParam<std::tuple<vocab32_t, vocab32_t>> {
 protected:
  vocab32_t from = std::get<0>(GetParam());
  vocab32_t wanted = std::get<1>(GetParam());
};

// A joint in an active mode, or idle.
using Ordinary = Cell;

TEST_P(Ordinary, GoesWhereItMay) {
  const JointStatus joint({}, from);
  const JointStatus::ModeChange answer = joint.request_mode(wanted, false);
  if (is_in(wanted, kNever)) {
    EXPECT_FALSE(answer.result);
    EXPECT_EQ(answer.next, from);
  } else {
    EXPECT_TRUE(answer.result);
    EXPECT_EQ(answer.next, wanted == VOCAB_CM_FORCE_IDLE ? VOCAB_CM_IDLE : wanted);
  }
}

TEST_P(Ordinary, FaultsWhenAskedForAnInvalidModeIfThatIsWanted) {
  JointStatus::Rules rules;
  rules.modes = {VOCAB_CM_POSITION, VOCAB_CM_CURRENT};
  rules.fault_on_invalid_mode = true;
  const JointStatus joint(rules, from);
  const bool valid =
      is_in(wanted, {VOCAB_CM_POSITION, VOCAB_CM_CURRENT, VOCAB_CM_IDLE, VOCAB_CM_FORCE_IDLE});
  EXPECT_EQ(bool(joint.request_mode(wanted, false).result), valid);
  EXPECT_EQ(joint.request_mode(wanted, false).next == VOCAB_CM_HW_FAULT, !valid);
}

INSTANTIATE_TEST_SUITE_P(Table, Ordinary,
                         testing::Combine(testing::ValuesIn(all({VOCAB_CM_IDLE})),
                                          testing::ValuesIn(requests())),
                         cell_name);

// A joint with a fault, in calibration, or without configuration.
using Special = Cell;

TEST_P(Special, StaysAndRefuses) {
  for (const bool cause_persists : {false, true}) {
    const JointStatus joint({}, from);
    const JointStatus::ModeChange answer = joint.request_mode(wanted, cause_persists);
    const bool cleared =
        from == VOCAB_CM_HW_FAULT && wanted == VOCAB_CM_FORCE_IDLE && !cause_persists;
    EXPECT_EQ(bool(answer.result), cleared);
    EXPECT_EQ(answer.next, cleared ? VOCAB_CM_IDLE : from);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Special,
                         testing::Combine(testing::Values(VOCAB_CM_HW_FAULT, VOCAB_CM_CALIBRATING,
                                                          VOCAB_CM_NOT_CONFIGURED),
                                          testing::ValuesIn(requests())),
                         cell_name);

TEST(JointStatus, SaysWhatItCanDo) {
  JointStatus::Rules rules;
  rules.modes = {VOCAB_CM_TORQUE, VOCAB_CM_VELOCITY};
  const JointStatus joint(rules, VOCAB_CM_IDLE);
  EXPECT_EQ(joint.requestable_modes(),
            (std::vector<vocab32_t>{VOCAB_CM_IDLE, VOCAB_CM_FORCE_IDLE, VOCAB_CM_VELOCITY,
                                    VOCAB_CM_TORQUE}));
  const JointStatus::ModeChange answer = joint.request_mode(VOCAB_CM_POSITION, false);
  EXPECT_EQ(answer.result.status, Status::NotAvailable);
  EXPECT_EQ(answer.next, VOCAB_CM_IDLE);
  EXPECT_EQ(joint.request_mode(kJunk, false).result.status, Status::BadValue);
}

TEST(JointStatus, TakesInteractionModesInEveryStatusButWhileCalibrating) {
  for (const vocab32_t mode :
       all({VOCAB_CM_IDLE, VOCAB_CM_HW_FAULT, VOCAB_CM_NOT_CONFIGURED, VOCAB_CM_CALIBRATING})) {
    const JointStatus joint({}, mode);
    for (const vocab32_t wanted : {VOCAB_IM_STIFF, VOCAB_IM_COMPLIANT}) {
      EXPECT_EQ(bool(joint.request_interaction(wanted).result), mode != VOCAB_CM_CALIBRATING);
      EXPECT_EQ(joint.request_interaction(wanted).next, mode);
    }
    EXPECT_FALSE(joint.request_interaction(VOCAB_IM_UNKNOWN).result);
  }
}

TEST(JointStatus, FaultsWhenItCannotBeCompliant) {
  JointStatus::Rules rules;
  rules.compliant = false;
  for (const vocab32_t mode : all({VOCAB_CM_IDLE})) {
    const JointStatus joint(rules, mode);
    EXPECT_EQ(joint.request_interaction(VOCAB_IM_COMPLIANT).result.status, Status::NotAvailable);
    EXPECT_EQ(joint.request_interaction(VOCAB_IM_COMPLIANT).next, VOCAB_CM_HW_FAULT);
    EXPECT_TRUE(joint.request_interaction(VOCAB_IM_STIFF).result);
  }
  const JointStatus unconfigured(rules, VOCAB_CM_NOT_CONFIGURED);
  EXPECT_EQ(unconfigured.request_interaction(VOCAB_IM_COMPLIANT).next, VOCAB_CM_NOT_CONFIGURED);
  rules.fault_on_invalid_interaction = false;
  const JointStatus joint(rules, VOCAB_CM_POSITION);
  EXPECT_EQ(joint.request_interaction(VOCAB_IM_COMPLIANT).next, VOCAB_CM_POSITION);
}

TEST(Vocabs, AreTheNumbersOfYarp) {
  EXPECT_EQ(VOCAB_CM_POSITION, 7565168);
  EXPECT_EQ(VOCAB_CM_POSITION_DIRECT, 1685286768);
  EXPECT_EQ(VOCAB_CM_VELOCITY, 7103862);
  EXPECT_EQ(VOCAB_CM_VELOCITY_DIRECT, 1684825462);
  EXPECT_EQ(VOCAB_CM_MIXED, 7891309);
  EXPECT_EQ(VOCAB_CM_TORQUE, 1903325044);
  EXPECT_EQ(VOCAB_CM_OPENLOOP, 1852141679);
  EXPECT_EQ(VOCAB_CM_PWM, 1836544105);
  EXPECT_EQ(VOCAB_CM_CURRENT, 1920295785);
  EXPECT_EQ(VOCAB_CM_IDLE, 7103593);
  EXPECT_EQ(VOCAB_CM_FORCE_IDLE, 1818519910);
  EXPECT_EQ(VOCAB_CM_IMPEDANCE_POS, 1869639017);
  EXPECT_EQ(VOCAB_CM_IMPEDANCE_VEL, 1702260073);
  EXPECT_EQ(VOCAB_CM_HW_FAULT, 1634105192);
  EXPECT_EQ(VOCAB_CM_CALIBRATING, 7102819);
  EXPECT_EQ(VOCAB_CM_CALIB_DONE, 1684824419);
  EXPECT_EQ(VOCAB_CM_NOT_CONFIGURED, 1852270179);
  EXPECT_EQ(VOCAB_CM_CONFIGURED, 2036819555);
  EXPECT_EQ(VOCAB_CM_UNKNOWN, 2003529333);
  EXPECT_EQ(VOCAB_IM_STIFF, 1718187123);
  EXPECT_EQ(VOCAB_IM_COMPLIANT, 1886220131);
  EXPECT_EQ(VOCAB_IM_UNKNOWN, 1852534389);
  EXPECT_EQ(VOCAB_PIDTYPE_TORQUE, 7434868);
  EXPECT_EQ(VOCAB_PIDTYPE_CURRENT, 7501155);
  EXPECT_EQ(to_string(VOCAB_CM_TORQUE), "torq");
  EXPECT_EQ(to_string(VOCAB_CM_POSITION), "pos");
}

}  // namespace
}  // namespace servosim::yarp::test
