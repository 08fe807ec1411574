// SPDX-License-Identifier: Apache-2.0
// Modes, faults and calibrations of a control board. joint_status_test.cpp tests the table itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "support/board_bench.h"
#include "support/four_joints.h"

namespace servosim::test {
namespace {

using namespace yarp;
using std::array;
using std::vector;

// Returns a command with a value for joint 0.
template <class Interface>
auto command(ReturnValue (Interface::*function)(JointSet, Values)) {
  return [function](ControlBoard& board, double value) {
    return (board.view<Interface>().*function)(0, value);
  };
}

// Each command in each mode is obeyed, or dropped with a warning and never kept.
TEST(Board, ObeysTheCommandsOfItsMode) {
  struct Row {
    std::function<ReturnValue(ControlBoard&, double)> command;
    vector<vocab32_t> modes;
  };
  const vector<Row> rows{
      {command(&IPositionControl::positionMove), {VOCAB_CM_POSITION, VOCAB_CM_MIXED}},
      {command(&IPositionControl::relativeMove), {VOCAB_CM_POSITION, VOCAB_CM_MIXED}},
      {command(&IPositionDirect::setPosition), {VOCAB_CM_POSITION_DIRECT}},
      {command(&IVelocityControl::velocityMove), {VOCAB_CM_VELOCITY, VOCAB_CM_MIXED}},
      {command(&IVelocityDirect::setDesiredVelocity), {VOCAB_CM_VELOCITY_DIRECT}},
      {command(&ITorqueControl::setRefTorque), {VOCAB_CM_TORQUE}},
      {command(&IPWMControl::setRefDutyCycle), {VOCAB_CM_PWM}},
      {command(&ICurrentControl::setRefCurrent), {VOCAB_CM_CURRENT}},
  };
  for (const vocab32_t mode :
       {VOCAB_CM_POSITION, VOCAB_CM_POSITION_DIRECT, VOCAB_CM_VELOCITY, VOCAB_CM_VELOCITY_DIRECT,
        VOCAB_CM_MIXED, VOCAB_CM_TORQUE, VOCAB_CM_PWM, VOCAB_CM_CURRENT, VOCAB_CM_IDLE,
        VOCAB_CM_HW_FAULT, VOCAB_CM_CALIBRATING}) {
    for (const Row& row : rows) {
      BoardBench b;
      if (mode == VOCAB_CM_HW_FAULT) {
        b.view<IJointFault>().raise_fault(0, 77, "test");
        b.said.clear();
      } else if (mode == VOCAB_CM_CALIBRATING) {
        b.view<IControlCalibration>().calibrateAxisWithParams(0, 1, 5.0, 1.0, 0.0);
      } else {
        b.view<IControlMode>().setControlMode(0, mode);
      }
      const bool obeys = std::find(row.modes.begin(), row.modes.end(), mode) != row.modes.end();
      const ReturnValue result = row.command(b.board, 4.5);
      EXPECT_EQ(result.status, obeys ? Status::Ok : Status::WrongMode) << to_string(mode);
      EXPECT_EQ(b.said.find("ignored in control mode \"" + to_string(mode)) != std::string::npos,
                !obeys);
      EXPECT_EQ(b.mode(), mode) << "no command changes the mode";
      const auto kept = [&](auto get) { return b.get(get) == 4.5; };
      const bool any =
          kept(&IPositionControl::getTargetPosition) || kept(&IPositionDirect::getRefPosition) ||
          kept(&IVelocityControl::getRefVelocity) || kept(&IVelocityDirect::getDesiredVelocity) ||
          kept(&ITorqueControl::getRefTorque) || kept(&IPWMControl::getRefDutyCycle) ||
          kept(&ICurrentControl::getRefCurrent);
      EXPECT_EQ(any, obeys) << to_string(mode);
    }
  }
}

TEST(Board, WarnsOnceASecond) {
  BoardBench b;
  for (int n = 0; n < 2500; ++n) {
    b.view<IVelocityControl>().velocityMove(0, 1.0);
    b.step();
  }
  EXPECT_EQ(b.said,
            "board \"board\", joint 0 \"m\": velocityMove ignored in control mode \"pos\"\n"
            "board \"board\", joint 0 \"m\": velocityMove ignored in control mode \"pos\" (and 999 "
            "more since the last message)\n"
            "board \"board\", joint 0 \"m\": velocityMove ignored in control mode \"pos\" (and 999 "
            "more since the last message)\n");
}

TEST(Board, DoesNothingOnTheSameModeAgain) {
  BoardBench b;
  b.view<IPositionControl>().positionMove(0, 20.0);
  b.run(0.5);
  const double reference = b.reference();
  EXPECT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION));
  EXPECT_TRUE(b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_STIFF));
  EXPECT_EQ(b.reference(), reference);
  EXPECT_FALSE(b.done());
  b.run(2.0);
  EXPECT_NEAR(b.position(), 20.0, 0.01);
}

TEST(Board, StopsWhenTheInteractionModeReallyChanges) {
  for (const vocab32_t from : {VOCAB_IM_STIFF, VOCAB_IM_COMPLIANT}) {
    BoardBench b;
    const vocab32_t to = from == VOCAB_IM_STIFF ? VOCAB_IM_COMPLIANT : VOCAB_IM_STIFF;
    b.view<IInteractionMode>().setInteractionMode(0, from);
    b.view<IPositionControl>().positionMove(0, 20.0);
    b.run(0.8);
    EXPECT_TRUE(b.view<IInteractionMode>().setInteractionMode(0, to));
    EXPECT_TRUE(b.done());
    EXPECT_EQ(b.mode(), VOCAB_CM_POSITION);
    EXPECT_EQ(b.reference(), b.position());
    b.run(2.0);
    EXPECT_LT(b.position(), 15.0);
  }
}

TEST(Board, KeepsTheInteractionModeWhereItIsNotUsed) {
  BoardBench b;
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_TORQUE);
  b.view<ITorqueControl>().setRefTorque(0, 0.3);
  EXPECT_TRUE(b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_COMPLIANT));
  EXPECT_EQ(b.get(&ITorqueControl::getRefTorque), 0.3);
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_IDLE);
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION);
  vocab32_t interaction = 0;
  b.view<IInteractionMode>().getInteractionMode(0, &interaction);
  EXPECT_EQ(interaction, VOCAB_IM_COMPLIANT);
}

TEST(Board, LeavesAFaultByForceIdleOnly) {
  BoardBench b;
  EXPECT_TRUE(b.view<IJointFault>().raise_fault(0, 42, "broken encoder", true));
  int code = 0;
  std::string message;
  EXPECT_TRUE(b.view<IJointFault>().getLastJointFault(0, &code, &message));
  EXPECT_EQ(code, 42);
  EXPECT_EQ(message, "broken encoder");
  int powered = 1;
  b.view<IAmplifierControl>().getAmpStatus(0, &powered);
  EXPECT_EQ(powered, 0);
  EXPECT_EQ(b.view<IControlMode>().setControlMode(0, VOCAB_CM_IDLE).status, Status::Refused);
  EXPECT_EQ(b.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION).status, Status::Refused);
  EXPECT_EQ(b.view<IControlMode>().setControlMode(0, VOCAB_CM_FORCE_IDLE).status, Status::Refused)
      << "the cause persists";
  EXPECT_EQ(b.mode(), VOCAB_CM_HW_FAULT);
  EXPECT_TRUE(b.view<IJointFault>().clear_fault_cause(0));
  EXPECT_EQ(b.mode(), VOCAB_CM_HW_FAULT);
  EXPECT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_FORCE_IDLE));
  EXPECT_EQ(b.mode(), VOCAB_CM_IDLE);
  b.view<IJointFault>().getLastJointFault(0, &code, &message);
  EXPECT_EQ(code, 42) << "the last one";
  EXPECT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION));
}

TEST(Board, FaultsByItsOwnEyes) {
  JointConfig joint = BoardBench::joint_config();
  joint.max_torque = 3.0;
  joint.hard_limit_margin = 10.0;
  joint.min_position = -30.0;
  joint.max_position = 30.0;
  joint.effort_per_ampere = 0.5;
  BoardBench b({}, joint);
  int code = 0;
  std::string message;
  const auto fault = [&] {
    b.view<IJointFault>().getLastJointFault(0, &code, &message);
    return b.mode() == VOCAB_CM_HW_FAULT ? code : 0;
  };
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_TORQUE);
  b.view<ITorqueControl>().setRefTorque(0, 3.1);
  b.step(2);
  EXPECT_EQ(fault(), 1) << "torque";
  b.step();
  EXPECT_EQ(b.output(), 0.0);
  EXPECT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_FORCE_IDLE));
  EXPECT_TRUE(b.view<IAmplifierControl>().setMaxCurrent(0, 4.0));
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_CURRENT);
  b.view<ICurrentControl>().setRefCurrent(0, 4.1);
  b.step(2);
  EXPECT_EQ(fault(), 2) << "current";
  b.step();
  EXPECT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_FORCE_IDLE));
  b.simulation.joint(0).set_state(39.9 * b.unit());
  b.step();
  EXPECT_EQ(fault(), 0);
  b.simulation.joint(0).set_state(40.1 * b.unit());
  b.step();
  EXPECT_EQ(fault(), 3) << "hard limit";
  EXPECT_FALSE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_FORCE_IDLE))
      << "it is still out there";
  b.simulation.joint(0).set_state(0.0);
  EXPECT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_FORCE_IDLE));
}

TEST(Board, FaultsOnInvalidModesIfThatIsWanted) {
  BoardConfig config;
  config.fault_on_invalid_mode = true;
  Four f(config);
  EXPECT_FALSE(f.view<IControlMode>().setControlMode(3, VOCAB_CM_TORQUE));
  EXPECT_EQ(f.modes()[3], VOCAB_CM_HW_FAULT);
  EXPECT_EQ(f.said,
            "board \"board\", joint 3 \"m3\": hardware fault 5: control mode \"torq\" is not "
            "one of its own\n");
}

TEST(Board, CoupledJointsChangeTogetherOrNotAtAll) {
  BoardConfig config;
  config.coupled = {{0, 1}, {2, 3}};
  Four f(config);
  EXPECT_TRUE(f.view<IControlMode>().setControlMode(1, VOCAB_CM_TORQUE));
  EXPECT_FALSE(f.view<IControlMode>().setControlMode(2, VOCAB_CM_TORQUE)) << "joint 3 cannot";
  EXPECT_EQ(f.modes(),
            (array{VOCAB_CM_TORQUE, VOCAB_CM_TORQUE, VOCAB_CM_POSITION, VOCAB_CM_POSITION}));
  EXPECT_TRUE(f.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_COMPLIANT));
  vocab32_t interaction = 0;
  f.view<IInteractionMode>().getInteractionMode(1, &interaction);
  EXPECT_EQ(interaction, VOCAB_IM_COMPLIANT);
  f.view<IJointFault>().raise_fault(2, 9, "test", true);
  EXPECT_EQ(f.modes()[3], VOCAB_CM_HW_FAULT);
  EXPECT_FALSE(f.view<IControlMode>().setControlMode(3, VOCAB_CM_FORCE_IDLE))
      << "joint 2 is still broken";
  f.view<IJointFault>().clear_fault_cause(2);
  EXPECT_TRUE(f.view<IControlMode>().setControlMode(3, VOCAB_CM_FORCE_IDLE));
  EXPECT_EQ(f.modes()[2], VOCAB_CM_IDLE);
}

TEST(Board, OldNamesOfModes) {
  BoardConfig config;
  config.report_openloop = true;
  BoardBench b({}, BoardBench::joint_config(), config);
  EXPECT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_PWM));
  EXPECT_EQ(b.mode(), VOCAB_CM_OPENLOOP);
  b.view<IPWMControl>().setRefDutyCycle(0, 5.0);
  EXPECT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_OPENLOOP)) << "the same mode";
  EXPECT_EQ(b.get(&IPWMControl::getRefDutyCycle), 5.0);
  EXPECT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_IMPEDANCE_VEL));
  EXPECT_EQ(b.mode(), VOCAB_CM_VELOCITY);
  vocab32_t interaction = 0;
  b.view<IInteractionMode>().getInteractionMode(0, &interaction);
  EXPECT_EQ(interaction, VOCAB_IM_COMPLIANT);
  EXPECT_NE(b.said.find("deprecated"), std::string::npos);
  EXPECT_TRUE(b.view<ITorqueControl>().setTorqueMode());
  EXPECT_EQ(b.mode(), VOCAB_CM_TORQUE);
  EXPECT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION_DIRECT));
  EXPECT_EQ(b.mode(), VOCAB_CM_POSITION_DIRECT);
}

// The board behaves like one that was just turned on.
TEST(Board, WaitsForItsConfiguration) {
  BoardConfig config;
  config.start_configured = false;
  JointConfig joint = BoardBench::joint_config();
  BoardBench b({}, joint, config);
  EXPECT_EQ(b.mode(), VOCAB_CM_NOT_CONFIGURED);
  EXPECT_FALSE(b.view<IJointFault>().raise_fault(0, 1, "test"));
  Pid pid;
  b.view<IPidControl>().getPid(VOCAB_PIDTYPE_POSITION, 0, &pid);
  EXPECT_TRUE(b.view<IPidControl>().setPid(VOCAB_PIDTYPE_POSITION, 0, pid));
  EXPECT_TRUE(b.view<IControlLimits>().setLimits(0, -40.0, 40.0));
  EXPECT_EQ(b.mode(), VOCAB_CM_NOT_CONFIGURED);
  EXPECT_FALSE(b.view<IControlCalibration>().calibrationDone(0));
  EXPECT_TRUE(b.view<IAmplifierControl>().setMaxCurrent(0, 90.0));
  EXPECT_EQ(b.mode(), VOCAB_CM_IDLE);

  joint.needs_calibration = true;
  BoardBench c({}, joint, config);
  c.board.view<IPidControl>().setPid(VOCAB_PIDTYPE_POSITION, 0, pid);
  c.board.view<IControlLimits>().setLimits(0, -40.0, 40.0);
  c.board.view<IAmplifierControl>().setMaxCurrent(0, 90.0);
  EXPECT_EQ(c.mode(), VOCAB_CM_NOT_CONFIGURED) << "it waits for its calibration";
  EXPECT_TRUE(c.board.view<IControlCalibration>().calibrateAxisWithParams(0, 1, 0.0, 0.0, 0.0));
  EXPECT_EQ(c.mode(), VOCAB_CM_CALIBRATING);
  c.step(3);
  EXPECT_EQ(c.mode(), VOCAB_CM_POSITION);
  EXPECT_TRUE(c.board.view<IControlCalibration>().calibrationDone(0));
}

TEST(Board, CalibratesByMovingToAPlace) {
  BoardBench b;
  b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_COMPLIANT);
  EXPECT_TRUE(b.view<IControlCalibration>().calibrateAxisWithParams(0, 3, 12.0, 24.0, 2.0));
  EXPECT_EQ(b.mode(), VOCAB_CM_CALIBRATING);
  EXPECT_FALSE(b.view<IControlCalibration>().calibrationDone(0));
  EXPECT_EQ(b.view<IControlMode>().setControlMode(0, VOCAB_CM_FORCE_IDLE).status, Status::Refused);
  EXPECT_EQ(b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_STIFF).status,
            Status::Refused);
  EXPECT_EQ(b.view<IControlCalibration>().calibrateAxisWithParams(0, 3, 1.0, 1.0, 1.0).status,
            Status::Refused);
  b.run(0.25);
  EXPECT_NEAR(b.position(), 6.0, 0.05) << "moved by the position loop, stiff";
  b.run(0.5);
  EXPECT_EQ(b.mode(), VOCAB_CM_POSITION);
  vocab32_t interaction = 0;
  b.view<IInteractionMode>().getInteractionMode(0, &interaction);
  EXPECT_EQ(interaction, VOCAB_IM_STIFF);
  b.run(0.5);
  EXPECT_NEAR(b.position(), 10.0, 0.5) << "what was 12 is 10 now";
  EXPECT_NEAR(b.simulation.joint(0).position() / b.unit(), b.position() + 2.0, 1e-9);
}

// A joint on its way goes to the place that is set meanwhile.
TEST(Board, CalibratesToThePlaceThatIsSetMeanwhile) {
  BoardBench b;
  EXPECT_TRUE(b.view<IControlCalibration>().calibrateAxisWithParams(0, 3, 12.0, 24.0, 0.0));
  b.run(0.25);
  const double reference = b.reference();
  EXPECT_TRUE(b.view<IControlCalibration>().setCalibrationParameters(
      0, CalibrationParameters{3, -9.0, 30.0, -5.0}));
  b.step();
  EXPECT_NEAR(b.reference(), reference, 0.1) << "it goes on from there";
  b.run(2.0);
  EXPECT_EQ(b.mode(), VOCAB_CM_POSITION);
  EXPECT_NEAR(b.simulation.joint(0).position() / b.unit(), -9.0, 0.5);
  EXPECT_NEAR(b.position(), -4.0, 0.5);
}

TEST(Board, FaultsWhenACalibrationFails) {
  BoardConfig config;
  config.calibration_timeout = 2.0;
  OneJoint w;
  w.parameters = "minStop -0.1 maxStop 0.1";
  BoardBench b(w, BoardBench::joint_config(), config);
  b.view<IControlCalibration>().calibrateAxisWithParams(0, 3, 30.0, 100.0, 0.0);
  b.run(2.1);
  EXPECT_EQ(b.mode(), VOCAB_CM_HW_FAULT) << "a stop is in the way";
  EXPECT_EQ(b.view<IControlCalibration>().calibrateAxisWithParams(0, 3, 1.0, 1.0, 0.0).status,
            Status::Refused);
  EXPECT_TRUE(b.view<IControlMode>().setControlMode(0, VOCAB_CM_FORCE_IDLE));
  EXPECT_TRUE(b.view<IControlCalibration>().setCalibrationParameters(
      0, CalibrationParameters{3, 2.0, 5.0, 0.0}));
  EXPECT_TRUE(b.view<IControlCalibration>().calibrateRobot());
  b.step();
  EXPECT_EQ(b.mode(), VOCAB_CM_CALIBRATING);
  EXPECT_TRUE(b.view<IControlCalibration>().abortCalibration());
  EXPECT_EQ(b.mode(), VOCAB_CM_HW_FAULT);
}

}  // namespace
}  // namespace servosim::test
