// SPDX-License-Identifier: Apache-2.0
// Interfaces without motion: motors, amplifiers, limits of errors, the remote calibrator, other
// names.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <tuple>
#include <vector>

#include "support/board_bench.h"
#include "support/four_joints.h"

namespace servosim::test {
namespace board_interfaces_test {

using namespace yarp;
using std::array;

const double kNan = std::nan("");

// A value can be set and read back for each joint. A value that is no number is refused.
template <class Interface>
void expect_kept(ReturnValue (Interface::*set)(JointSet, Values),
                 ReturnValue (Interface::*get)(JointSet, Results) const, double at_first) {
  Four f;
  auto motors = f.view<Interface>();
  double value = kNan;
  EXPECT_TRUE((motors.*get)(2, &value));
  EXPECT_EQ(value, at_first);
  EXPECT_TRUE((motors.*set)(2, 7.25));
  EXPECT_EQ((motors.*set)(2, kNan).status, Status::BadValue);
  EXPECT_TRUE((motors.*get)(2, &value));
  EXPECT_EQ(value, 7.25);
  EXPECT_TRUE((motors.*get)(1, &value));
  EXPECT_EQ(value, at_first);
  EXPECT_EQ((motors.*set)(4, 7.25).status, Status::OutOfRange);
  EXPECT_EQ((motors.*get)(4, &value).status, Status::OutOfRange);
}

TEST(Board, KeepsWhatItIsToldOfItsMotors) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  expect_kept(&IMotor::setTemperatureLimit, &IMotor::getTemperatureLimit, kInf);
  expect_kept(&IMotor::setGearboxRatio, &IMotor::getGearboxRatio, 1.0);
  expect_kept(&IMotorEncoders::setMotorEncoderCountsPerRevolution,
              &IMotorEncoders::getMotorEncoderCountsPerRevolution, 0.0);
  expect_kept(&IAmplifierControl::setNominalCurrent, &IAmplifierControl::getNominalCurrent, kInf);
  expect_kept(&IAmplifierControl::setPeakCurrent, &IAmplifierControl::getPeakCurrent, kInf);
  expect_kept(&IAmplifierControl::setMaxCurrent, &IAmplifierControl::getMaxCurrent, kInf);
  expect_kept(&IAmplifierControl::setPWMLimit, &IAmplifierControl::getPWMLimit, 100.0);
}

TEST(Board, HasNeitherTemperaturesNorASupply) {
  Four f;
  int motors = 0;
  EXPECT_TRUE(f.view<IMotor>().getNumberOfMotors(&motors));
  EXPECT_EQ(motors, 4);
  array<double, 4> values{1.0, 2.0, 3.0, 4.0};
  EXPECT_EQ(f.view<IMotor>().getTemperature(0, &values[0]).status, Status::NotAvailable);
  EXPECT_EQ(f.view<IMotor>().getTemperature(kAllJoints, values).status, Status::NotAvailable);
  EXPECT_EQ(f.view<IAmplifierControl>().getPowerSupplyVoltage(0, &values[0]).status,
            Status::NotAvailable);
  EXPECT_EQ(f.view<IMotor>().getTemperature(4, &values[0]).status, Status::OutOfRange);
  EXPECT_EQ(f.view<IAmplifierControl>().getPowerSupplyVoltage(-1, &values[0]).status,
            Status::OutOfRange);
  EXPECT_EQ(values, (array{1.0, 2.0, 3.0, 4.0}));
}

TEST(Board, BoundsItsDutyCycle) {
  BoardBench b;
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_PWM);
  EXPECT_TRUE(b.view<IPWMControl>().setRefDutyCycle(0, -60.0));
  EXPECT_TRUE(b.view<IAmplifierControl>().setPWMLimit(0, 40.0));
  EXPECT_EQ(b.get(&IPWMControl::getRefDutyCycle), -40.0);
  EXPECT_TRUE(b.view<IPWMControl>().setRefDutyCycle(0, 60.0));
  EXPECT_EQ(b.get(&IPWMControl::getRefDutyCycle), 40.0);
  b.step();
  EXPECT_NEAR(b.get(&IAmplifierControl::getPWM), 40.0, 1e-9);
}

TEST(Board, PowersItsAmplifiersByTheirModes) {
  Four f;
  f.view<IControlMode>().setControlMode(1, VOCAB_CM_IDLE);
  array<int, 4> powered{};
  EXPECT_TRUE(f.view<IAmplifierControl>().getAmpStatus(kAllJoints, powered));
  EXPECT_EQ(powered, (array{1, 0, 1, 1}));
  EXPECT_TRUE(f.view<IAmplifierControl>().enableAmp(1));
  EXPECT_TRUE(f.view<IAmplifierControl>().disableAmp(2));
  EXPECT_TRUE(f.view<IAmplifierControl>().getAmpStatus(kAllJoints, powered));
  EXPECT_EQ(powered, (array{1, 0, 1, 1})) << "both are deprecated";
  EXPECT_EQ(
      f.said,
      "board \"board\", joint 1 \"m1\": enableAmp is deprecated and does nothing; set a mode\n"
      "board \"board\", joint 2 \"m2\": disableAmp is deprecated and does nothing; set mode "
      "\"idl\"\n");
}

TEST(Board, KeepsLimitsOfErrorsAndFaultsByNone) {
  Four f;
  const array<double, 4> limits{0.5, 0.25, 1.0, 2.0};
  array<double, 4> read{};
  for (const vocab32_t type : {VOCAB_PIDTYPE_POSITION, VOCAB_PIDTYPE_VELOCITY, VOCAB_PIDTYPE_TORQUE,
                               VOCAB_PIDTYPE_CURRENT}) {
    EXPECT_TRUE(f.view<IPidControl>().setPidErrorLimit(type, kAllJoints, limits));
    EXPECT_TRUE(f.view<IPidControl>().setPidErrorLimit(type, 3, 4.0));
    EXPECT_TRUE(f.view<IPidControl>().getPidErrorLimit(type, kAllJoints, read));
    EXPECT_EQ(read, (array{0.5, 0.25, 1.0, 4.0}));
  }
  EXPECT_EQ(f.view<IPidControl>().setPidErrorLimit(VOCAB_CM_IDLE, 3, 4.0).status, Status::BadValue);
  f.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION_DIRECT);
  f.view<IPositionDirect>().setPosition(0, 40.0);
  f.step();
  EXPECT_TRUE(f.view<IPidControl>().getPidError(VOCAB_PIDTYPE_POSITION, kAllJoints, read));
  EXPECT_GT(read[0], 0.5);
  array<double, 4> outputs{};
  EXPECT_TRUE(f.view<IPidControl>().getPidOutput(VOCAB_PIDTYPE_POSITION, kAllJoints, outputs));
  EXPECT_NEAR(outputs[0], 20.0, 1e-9) << "the motor's whole effort";
  EXPECT_EQ(f.modes()[0], VOCAB_CM_POSITION_DIRECT);
}

TEST(Board, HasTheNumbersOfAPidOneByOne) {
  test::Four f;
  Pid pid;
  double offset = 0.0;
  double kff = 0.0;
  EXPECT_TRUE(f.view<IPidControl>().setPidOffset(VOCAB_PIDTYPE_VELOCITY, 1, 0.5));
  EXPECT_TRUE(f.view<IPidControl>().setPidFeedforward(VOCAB_PIDTYPE_VELOCITY, 1, -0.25));
  EXPECT_TRUE(f.view<IPidControl>().getPidOffset(VOCAB_PIDTYPE_VELOCITY, 1, &offset));
  EXPECT_TRUE(f.view<IPidControl>().getPidFeedforward(VOCAB_PIDTYPE_VELOCITY, 1, &kff));
  EXPECT_TRUE(f.view<IPidControl>().getPid(VOCAB_PIDTYPE_VELOCITY, 1, &pid));
  EXPECT_EQ(std::tuple(offset, kff), std::tuple(0.5, -0.25));
  EXPECT_EQ(std::tuple(pid.offset, pid.kff), std::tuple(0.5, -0.25));
  EXPECT_GT(pid.kp, 0.0) << "the rest is as it was";
  EXPECT_EQ(f.view<IPidControl>().setPidFeedforward(VOCAB_PIDTYPE_VELOCITY, 1, kNan).status,
            Status::BadValue);
  EXPECT_EQ(f.view<IPidControl>().setPidFeedforward(VOCAB_CM_IDLE, 1, 0.5).status,
            Status::BadValue);
  EXPECT_EQ(f.view<IPidControl>().setPidFeedforward(VOCAB_PIDTYPE_VELOCITY, 4, 0.5).status,
            Status::OutOfRange);
  EXPECT_EQ(f.view<IPidControl>().getPidOffset(VOCAB_PIDTYPE_VELOCITY, 4, &offset).status,
            Status::OutOfRange);

  std::vector<vocab32_t> types;
  EXPECT_TRUE(f.view<IPidControl>().getAvailablePids(1, &types));
  EXPECT_EQ(types, (std::vector{VOCAB_PIDTYPE_POSITION, VOCAB_PIDTYPE_VELOCITY,
                                VOCAB_PIDTYPE_TORQUE, VOCAB_PIDTYPE_CURRENT}));
  EXPECT_EQ(f.view<IPidControl>().getAvailablePids(4, &types).status, Status::OutOfRange);
}

TEST(Board, ForgetsTheIntegralOfTheActivePidOnly) {
  JointConfig joint = BoardBench::joint_config();
  joint.pids.velocity = Pid{0.0, 0.0, 5.0, 10.0, 0.0, 20.0};
  BoardBench b({}, joint);
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY_DIRECT);
  bool enabled = false;
  EXPECT_TRUE(b.view<IPidControl>().isPidEnabled(VOCAB_PIDTYPE_VELOCITY, 0, &enabled));
  EXPECT_TRUE(enabled);
  EXPECT_TRUE(b.view<IPidControl>().isPidEnabled(VOCAB_PIDTYPE_POSITION, 0, &enabled));
  EXPECT_FALSE(enabled);
  b.view<IVelocityDirect>().setDesiredVelocity(0, 8.0);
  b.step(20);
  const double before = b.output();
  EXPECT_GT(before, 0.1);
  EXPECT_TRUE(b.view<IPidControl>().resetPid(VOCAB_PIDTYPE_POSITION, 0));
  b.step();
  EXPECT_GT(b.output(), 0.9 * before);
  EXPECT_TRUE(b.view<IPidControl>().resetPid(VOCAB_PIDTYPE_VELOCITY, 0));
  b.step();
  EXPECT_LT(b.output(), 0.2 * before);
}

TEST(Board, IsItsOwnRemoteCalibrator) {
  Four f;
  bool present = false;
  EXPECT_TRUE(f.view<IRemoteCalibrator>().isCalibratorDevicePresent(&present));
  EXPECT_TRUE(present);
  EXPECT_EQ(f.view<IRemoteCalibrator>().calibrateSingleJoint(1).status, Status::NotAvailable)
      << "it does not know how";
  EXPECT_EQ(f.view<IRemoteCalibrator>().calibrateSingleJoint(4).status, Status::OutOfRange);
  EXPECT_TRUE(f.view<IControlCalibration>().setCalibrationParameters(
      1, CalibrationParameters{3, 5.0, 1.0, 0.0, 9.0}));
  EXPECT_TRUE(f.view<IControlCalibration>().setCalibrationParameters(
      2, CalibrationParameters{3, 5.0, 1.0, 0.0, 9.0}));
  EXPECT_TRUE(f.view<IRemoteCalibrator>().calibrateSingleJoint(1));
  EXPECT_EQ(f.modes()[1], VOCAB_CM_CALIBRATING);
  EXPECT_TRUE(f.view<IRemoteCalibrator>().quitCalibrate());
  EXPECT_EQ(f.modes()[1], VOCAB_CM_HW_FAULT);
  EXPECT_TRUE(f.view<IControlMode>().setControlMode(1, VOCAB_CM_FORCE_IDLE));
  EXPECT_TRUE(f.view<IRemoteCalibrator>().calibrateWholePart());
  EXPECT_EQ(f.modes(), (array{VOCAB_CM_POSITION, VOCAB_CM_CALIBRATING, VOCAB_CM_CALIBRATING,
                              VOCAB_CM_POSITION}));
}

TEST(Board, GoesHomeAndParks) {
  Four f;
  f.view<IRemoteVariables>().setRemoteVariable("parkPosition", array{4.0, 5.0, 6.0, 7.0});
  f.view<IRemoteVariables>().setRemoteVariable("homePosition", array{-4.0, -5.0, -6.0, -7.0});
  array<double, 4> targets{};
  EXPECT_TRUE(f.view<IRemoteCalibrator>().parkSingleJoint(1));
  EXPECT_TRUE(f.view<IRemoteCalibrator>().homingSingleJoint(2));
  EXPECT_TRUE(f.view<IPositionControl>().getTargetPosition(kAllJoints, targets));
  EXPECT_EQ(targets, (array{0.0, 5.0, -6.0, 0.0}));
  EXPECT_TRUE(f.view<IRemoteCalibrator>().homingWholePart());
  EXPECT_TRUE(f.view<IPositionControl>().getTargetPosition(kAllJoints, targets));
  EXPECT_EQ(targets, (array{-4.0, -5.0, -6.0, -7.0}));
  EXPECT_TRUE(f.view<IRemoteCalibrator>().parkWholePart());
  EXPECT_TRUE(f.view<IPositionControl>().getTargetPosition(kAllJoints, targets));
  EXPECT_EQ(targets, (array{4.0, 5.0, 6.0, 7.0}));
  bool done = true;
  f.view<IPositionControl>().checkMotionDone(kAllJoints, &done);
  EXPECT_FALSE(done);
  EXPECT_TRUE(f.view<IRemoteCalibrator>().quitPark());
  f.view<IPositionControl>().checkMotionDone(kAllJoints, &done);
  EXPECT_TRUE(done);
  EXPECT_EQ(f.said, "");
  f.view<IControlMode>().setControlMode(0, VOCAB_CM_TORQUE);
  EXPECT_EQ(f.view<IRemoteCalibrator>().parkSingleJoint(0).status, Status::WrongMode);
  EXPECT_EQ(f.view<IRemoteCalibrator>().homingSingleJoint(7).status, Status::OutOfRange);
  EXPECT_EQ(f.said,
            "board \"board\", joint 0 \"m0\": parking ignored in control mode \"torq\"\n"
            "board \"board\": there is no joint 7; it has 4\n");
}

TEST(Board, KnowsTheNamesOfYarp4) {
  Four f;
  array<double, 4> read{};
  const array<double, 4> values{1.0, 2.0, 3.0, 4.0};
  EXPECT_TRUE(f.view<IPositionControl>().setTrajSpeed(kAllJoints, values));
  EXPECT_TRUE(f.view<IPositionControl>().setTrajSpeed(0, 5.0));
  EXPECT_TRUE(f.view<IPositionControl>().getRefSpeed(kAllJoints, read));
  EXPECT_EQ(read, (array{5.0, 2.0, 3.0, 4.0}));
  EXPECT_TRUE(f.view<IPositionControl>().setTrajAcceleration(array{3, 2}, array{8.0, 9.0}));
  EXPECT_TRUE(f.view<IPositionControl>().getTrajAcceleration(kAllJoints, read));
  EXPECT_EQ(read, (array{10.0, 10.0, 9.0, 8.0}));
  f.view<IControlMode>().setControlMode(kAllJoints, array{VOCAB_CM_VELOCITY, VOCAB_CM_VELOCITY,
                                                          VOCAB_CM_VELOCITY, VOCAB_CM_VELOCITY});
  EXPECT_TRUE(f.view<IVelocityControl>().velocityMove(kAllJoints, values));
  EXPECT_TRUE(f.view<IVelocityControl>().getTargetVelocity(kAllJoints, read));
  EXPECT_EQ(read, values);
}

TEST(Board, WarnsOfMovesInAHurry) {
  const std::string warning =
      "board \"board\", joint 0 \"m\": performance warning: positionMove comes more often than "
      "every 80 ms; control mode \"posd\" with setPosition is made for that";
  BoardBench b;
  EXPECT_TRUE(b.view<IPositionControl>().positionMove(0, 5.0));
  b.step(80);
  EXPECT_TRUE(b.view<IPositionControl>().positionMove(0, 6.0));
  EXPECT_EQ(b.said, "") << "80 ms are slow enough";
  b.step(79);
  EXPECT_TRUE(b.view<IPositionControl>().positionMove(0, 7.0)) << "it is done all the same";
  EXPECT_EQ(b.get(&IPositionControl::getTargetPosition), 7.0);
  EXPECT_EQ(b.said, warning + "\n");
  for (int n = 0; n < 24; ++n) {
    b.step(45);
    b.view<IPositionControl>().positionMove(0, 8.0);
  }
  EXPECT_EQ(b.said, warning + "\n" + warning + " (and 22 more since the last message)\n");
  b.said.clear();
  b.simulation.reset();
  b.board.reset();
  EXPECT_TRUE(b.view<IPositionControl>().positionMove(0, 5.0));
  EXPECT_EQ(b.said, "") << "the first of a new run";
}

// Products of such numbers would overflow.
TEST(Board, RefusesNumbersBeyondReason) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const double huge : {1e13, -1e308, kInf, -kInf}) {
    Four f;
    EXPECT_EQ(f.view<IPositionControl>().positionMove(0, huge).status, Status::BadValue);
    EXPECT_EQ(f.view<IEncodersTimed>().setEncoder(0, huge).status, Status::BadValue);
    EXPECT_EQ(f.view<IImpedanceControl>().setImpedanceOffset(0, huge).status, Status::BadValue);
    EXPECT_EQ(f.view<IControlCalibration>().calibrateAxisWithParams(0, 0, huge, 1.0, 0.0).status,
              Status::BadValue);
    EXPECT_EQ(f.view<IControlCalibration>().calibrateAxisWithParams(0, 0, 0.0, 0.0, huge).status,
              Status::BadValue);
    for (const char* key : {"kPWM", "kCurrent", "parkPosition", "homePosition"}) {
      EXPECT_EQ(
          f.view<IRemoteVariables>().setRemoteVariable(key, array{huge, 1.0, 1.0, 1.0}).status,
          Status::BadValue)
          << key;
    }
  }
}

TEST(Board, CalibratesNothingWithoutParameters) {
  Four f;
  EXPECT_EQ(f.view<IControlCalibration>().calibrateRobot().status, Status::NotAvailable);
}

}  // namespace board_interfaces_test
}  // namespace servosim::test
