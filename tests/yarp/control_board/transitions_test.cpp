// SPDX-License-Identifier: Apache-2.0
// The table of transitions on a board that runs: the effect of each request in each status on the
// mode and on a motion that is under way. joint_status_test.cpp tests the answers alone.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/board_bench.h"

namespace servosim::test {
namespace {

using namespace yarp;
using Modes = std::vector<vocab32_t>;

constexpr vocab32_t kJunk = 12345;

const Modes kOrdinary{VOCAB_CM_POSITION, VOCAB_CM_POSITION_DIRECT, VOCAB_CM_VELOCITY,
                      VOCAB_CM_MIXED,    VOCAB_CM_VELOCITY_DIRECT, VOCAB_CM_TORQUE,
                      VOCAB_CM_PWM,      VOCAB_CM_CURRENT,         VOCAB_CM_IDLE};
const Modes kOthers{VOCAB_CM_FORCE_IDLE,
                    VOCAB_CM_OPENLOOP,
                    VOCAB_CM_IMPEDANCE_POS,
                    VOCAB_CM_IMPEDANCE_VEL,
                    VOCAB_CM_HW_FAULT,
                    VOCAB_CM_CALIBRATING,
                    VOCAB_CM_CALIB_DONE,
                    VOCAB_CM_CONFIGURED,
                    VOCAB_CM_NOT_CONFIGURED,
                    VOCAB_CM_UNKNOWN,
                    kJunk};

Modes requests() {
  Modes all = kOrdinary;
  all.insert(all.end(), kOthers.begin(), kOthers.end());
  return all;
}

bool is_in(vocab32_t mode, const Modes& list) {
  return std::find(list.begin(), list.end(), mode) != list.end();
}

// Returns the mode of an ordinary joint after a request, or kJunk for a request that it refuses.
vocab32_t expected(vocab32_t request) {
  switch (request) {
    case VOCAB_CM_FORCE_IDLE:
      return VOCAB_CM_IDLE;
    case VOCAB_CM_OPENLOOP:
      return VOCAB_CM_PWM;
    case VOCAB_CM_IMPEDANCE_POS:
      return VOCAB_CM_POSITION;
    case VOCAB_CM_IMPEDANCE_VEL:
      return VOCAB_CM_VELOCITY;
    default:
      return is_in(request, kOrdinary) ? request : kJunk;
  }
}

// A joint in a status, which moves if it can.
struct Moving : BoardBench {
  explicit Moving(vocab32_t status) : BoardBench({}, joint_config(), config(status)) {
    if (status == VOCAB_CM_HW_FAULT) {
      board.view<IJointFault>().raise_fault(0, 77, "test");
    } else if (status == VOCAB_CM_CALIBRATING) {
      board.view<IControlCalibration>().calibrateAxisWithParams(0, 1, 5.0, 1.0, 0.0);
    } else if (status != VOCAB_CM_NOT_CONFIGURED) {
      board.view<IControlMode>().setControlMode(0, status);
    }
    board.view<IPositionControl>().positionMove(0, 20.0);
    board.view<IPositionDirect>().setPosition(0, 20.0);
    board.view<IVelocityControl>().velocityMove(0, 6.0);
    board.view<IVelocityDirect>().setDesiredVelocity(0, 6.0);
    board.view<ITorqueControl>().setRefTorque(0, 0.01);
    board.view<IPWMControl>().setRefDutyCycle(0, 0.01);
    board.view<ICurrentControl>().setRefCurrent(0, 0.01);
    step(30);
    said.clear();
  }
  static BoardConfig config(vocab32_t status) {
    BoardConfig config;
    config.start_configured = status != VOCAB_CM_NOT_CONFIGURED;
    return config;
  }
  vocab32_t interaction() const {
    vocab32_t mode = 0;
    EXPECT_TRUE(board.view<IInteractionMode>().getInteractionMode(0, &mode));
    return mode;
  }
};

TEST(BoardTable, OrdinaryStatusesGoWhereTheyMay) {
  for (const vocab32_t from : kOrdinary) {
    for (const vocab32_t request : requests()) {
      SCOPED_TRACE(to_string(from) + " to " + to_string(request));
      Moving b(from);
      ASSERT_EQ(b.mode(), from);
      const double reference = b.reference();
      const bool done = b.done();
      const vocab32_t next = expected(request);
      const bool refused = next == kJunk;
      const bool compliant = request == VOCAB_CM_IMPEDANCE_POS || request == VOCAB_CM_IMPEDANCE_VEL;
      EXPECT_EQ(bool(b.view<IControlMode>().setControlMode(0, request)), !refused);
      EXPECT_EQ(b.mode(), refused ? from : next);
      EXPECT_EQ(b.interaction(), compliant ? VOCAB_IM_COMPLIANT : VOCAB_IM_STIFF);
      if (refused || (next == from && !compliant)) {
        EXPECT_EQ(b.reference(), reference) << "as if nobody had asked";
        EXPECT_EQ(b.done(), done);
      } else {
        EXPECT_EQ(b.reference(), b.position()) << "it holds where it is";
        EXPECT_TRUE(b.done());
        EXPECT_EQ(b.reference(VOCAB_PIDTYPE_VELOCITY), 0.0);
      }
    }
  }
}

TEST(BoardTable, SpecialStatusesStay) {
  for (const vocab32_t from : {VOCAB_CM_HW_FAULT, VOCAB_CM_CALIBRATING, VOCAB_CM_NOT_CONFIGURED}) {
    for (const vocab32_t request : requests()) {
      SCOPED_TRACE(to_string(from) + " to " + to_string(request));
      Moving b(from);
      ASSERT_EQ(b.mode(), from);
      const double reference = b.reference();
      const bool cleared = from == VOCAB_CM_HW_FAULT && request == VOCAB_CM_FORCE_IDLE;
      EXPECT_EQ(bool(b.view<IControlMode>().setControlMode(0, request)), cleared);
      EXPECT_EQ(b.mode(), cleared ? VOCAB_CM_IDLE : from);
      EXPECT_EQ(b.interaction(), VOCAB_IM_STIFF);
      if (!cleared) {
        EXPECT_EQ(b.reference(), reference);
      }
    }
  }
}

}  // namespace
}  // namespace servosim::test
