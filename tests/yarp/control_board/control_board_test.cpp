// SPDX-License-Identifier: Apache-2.0
// A control board's functions other than its laws: groups, bad values, parameters, readings.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <utility>

#include "support/board_bench.h"
#include "support/four_joints.h"

namespace servosim::test {
namespace {

using namespace yarp;
using std::array;
using std::vector;

const double kNan = std::nan("");
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Board, TakesEveryMotorOfTheRobotUnlessToldOtherwise) {
  Simulation simulation = load(four_joints());
  const ControlBoard board(simulation, "r");
  int axes = 0;
  EXPECT_TRUE(board.view<IPositionControl>().getAxes(&axes));
  EXPECT_EQ(axes, 4);
  std::string name;
  EXPECT_TRUE(board.view<IAxisInfo>().getAxisName(2, &name));
  EXPECT_EQ(name, "m2");
  vocab32_t type = 0;
  EXPECT_TRUE(board.view<IAxisInfo>().getJointType(2, &type));
  EXPECT_EQ(type, VOCAB_JOINTTYPE_REVOLUTE);
}

TEST(Board, HasTheBeltOfATrackAsAPrismaticJoint) {
  Simulation simulation = load(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nRobot { name \"r\" children [\n"
      "Track { device [ LinearMotor { name \"belt\" maxVelocity 2 } ] } ] }\n");
  ControlBoard board(simulation, "r");
  int axes = 0;
  EXPECT_TRUE(board.view<IPositionControl>().getAxes(&axes));
  EXPECT_EQ(axes, 1);
  std::string name;
  EXPECT_TRUE(board.view<IAxisInfo>().getAxisName(0, &name));
  EXPECT_EQ(name, "belt");
  vocab32_t type = 0;
  EXPECT_TRUE(board.view<IAxisInfo>().getJointType(0, &type));
  EXPECT_EQ(type, VOCAB_JOINTTYPE_PRISMATIC);
  EXPECT_TRUE(board.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY));
  EXPECT_TRUE(board.view<IVelocityControl>().velocityMove(0, 0.5));
  for (int step = 0; step < 250; ++step) {
    board.before_step();
    simulation.step();
  }
  double way = 0.0;
  EXPECT_TRUE(board.view<IEncodersTimed>().getEncoder(0, &way));
  EXPECT_GT(way, 0.01) << "at the acceleration of a new board";
}

TEST(Board, OfAGroupGoesOnAfterARefusal) {
  Four f;
  EXPECT_EQ(f.view<IControlMode>()
                .setControlMode(array{0, 3, 1},
                                array{VOCAB_CM_TORQUE, VOCAB_CM_TORQUE, VOCAB_CM_VELOCITY})
                .status,
            Status::NotAvailable);
  EXPECT_EQ(f.modes(),
            (array{VOCAB_CM_TORQUE, VOCAB_CM_VELOCITY, VOCAB_CM_POSITION, VOCAB_CM_POSITION}));
  EXPECT_FALSE(f.view<IPositionControl>().positionMove(array{0, 2, 3}, array{5.0, 6.0, 7.0}))
      << "joint 0";
  array<double, 4> targets{};
  EXPECT_TRUE(f.view<IPositionControl>().getTargetPosition(kAllJoints, targets));
  EXPECT_EQ(targets, (array{0.0, 0.0, 6.0, 7.0}));
  bool done = true;
  EXPECT_TRUE(f.view<IPositionControl>().checkMotionDone(array{1, 0}, &done));
  EXPECT_TRUE(done);
  EXPECT_TRUE(f.view<IPositionControl>().checkMotionDone(array{1, 3}, &done));
  EXPECT_FALSE(done);
  EXPECT_TRUE(f.view<IPositionControl>().checkMotionDone(kAllJoints, &done));
  EXPECT_FALSE(done);
  EXPECT_TRUE(f.view<IPositionControl>().stop(array{2, 3}));
  EXPECT_TRUE(f.view<IPositionControl>().checkMotionDone(kAllJoints, &done));
  EXPECT_TRUE(done);
}

TEST(Board, WantsAsManyValuesAsJoints) {
  Four f;
  EXPECT_EQ(f.view<IPositionControl>().positionMove(kAllJoints, array{5.0, 6.0}).status,
            Status::OutOfRange);
  EXPECT_EQ(f.view<IPositionControl>().positionMove(array{1, 2, 3}, array{5.0, 6.0}).status,
            Status::OutOfRange);
  array<double, 5> five{};
  EXPECT_EQ(f.view<IEncodersTimed>().getEncoder(kAllJoints, five).status, Status::OutOfRange);
  array<double, 4> targets{};
  f.view<IPositionControl>().getTargetPosition(kAllJoints, targets);
  EXPECT_EQ(targets, (array{0.0, 0.0, 0.0, 0.0})) << "nothing was done";
  EXPECT_TRUE(f.view<IPositionControl>().positionMove(vector<int>{}, vector<double>{}));
}

// Every function with values takes a joint, a group and all joints, also where YARP has only one
// form.
TEST(Board, TakesAJointAGroupOrAllJoints) {
  Four f;
  auto amplifiers = f.view<IAmplifierControl>();
  array<double, 4> read{};
  EXPECT_TRUE(amplifiers.setMaxCurrent(kAllJoints, array{1.0, 2.0, 3.0, 4.0}));
  EXPECT_TRUE(amplifiers.setMaxCurrent(2, 5.0));
  EXPECT_TRUE(amplifiers.setMaxCurrent(vector{3, 0}, vector{6.0, 7.0}));
  EXPECT_TRUE(amplifiers.getMaxCurrent(kAllJoints, read));
  EXPECT_EQ(read, (array{7.0, 2.0, 5.0, 6.0}));
  array<double, 2> mins{};
  array<double, 2> maxs{};
  EXPECT_TRUE(f.view<ICurrentControl>().getCurrentRange(array{1, 3}, mins, maxs));
  EXPECT_EQ(maxs, (array{2.0, 6.0}));
  EXPECT_EQ(mins, (array{-2.0, -6.0}));
  array<double, 1> one{};
  array<double, 5> five{};
  EXPECT_EQ(f.view<ICurrentControl>().getCurrentRange(array{1, 3}, mins, one).status,
            Status::OutOfRange);
  EXPECT_EQ(amplifiers.getMaxCurrent(1, mins).status, Status::OutOfRange)
      << "one joint, two values";
  EXPECT_EQ(amplifiers.getMaxCurrent(array{0, 1, 2, 3, 0}, five).status, Status::OutOfRange)
      << "more joints than the board has";
  EXPECT_TRUE(amplifiers.getMaxCurrent(array{1, 1}, mins)) << "a joint may be there twice";
  EXPECT_EQ(mins, (array{2.0, 2.0}));
}

TEST(Board, TellsNothingOfTheMotionOfJointsThatAreNotThere) {
  Four f;
  auto position = f.view<IPositionControl>();
  position.positionMove(2, 30.0);
  bool done = true;
  EXPECT_EQ(position.checkMotionDone(array{2, 7}, &done).status, Status::OutOfRange);
  EXPECT_FALSE(done) << "joint 2 is there";
  EXPECT_EQ(position.checkMotionDone(7, &done).status, Status::OutOfRange);
  EXPECT_FALSE(done) << "unchanged";
  EXPECT_TRUE(position.checkMotionDone(vector<int>{}, &done));
  EXPECT_TRUE(done);
}

TEST(Board, KeepsItsViewsWhenItIsMoved) {
  Simulation simulation = load(four_joints());
  ControlBoard first(simulation, "r");
  auto position = first.view<IPositionControl>();
  ControlBoard second = std::move(first);
  EXPECT_TRUE(position.positionMove(1, 12.0));
  double target = 0.0;
  EXPECT_TRUE(std::as_const(second).view<IPositionControl>().getTargetPosition(1, &target));
  EXPECT_EQ(target, 12.0);
}

TEST(Board, RefusesJointsThatAreNotThere) {
  Four f;
  double value = 0.5;
  for (const int j : {-1, 4, std::numeric_limits<int>::max()}) {
    EXPECT_EQ(f.view<IPositionControl>().positionMove(j, 1.0).status, Status::OutOfRange);
    EXPECT_EQ(f.view<IControlMode>().setControlMode(j, VOCAB_CM_IDLE).status, Status::OutOfRange);
    EXPECT_EQ(f.view<IEncodersTimed>().getEncoder(j, &value).status, Status::OutOfRange);
    EXPECT_EQ(f.view<IControlCalibration>().calibrateAxisWithParams(j, 0, 1.0, 2.0, 3.0).status,
              Status::OutOfRange);
    EXPECT_EQ(f.view<IPidControl>().setPid(VOCAB_PIDTYPE_POSITION, j, Pid{}).status,
              Status::OutOfRange);
    EXPECT_EQ(f.view<IControlLimits>().setLimits(j, -1.0, 1.0).status, Status::OutOfRange);
  }
  EXPECT_EQ(value, 0.5);
  EXPECT_EQ(f.said, "board \"board\": there is no joint -1; it has 4\n") << "said once a second";
}

TEST(Board, RefusesWhatIsNoNumber) {
  BoardBench b;
  for (const double bad : {kNan, kInf, -kInf}) {
    EXPECT_EQ(b.view<IPositionControl>().positionMove(0, bad).status, Status::BadValue);
    EXPECT_EQ(b.view<IPositionControl>().relativeMove(0, bad).status, Status::BadValue);
    EXPECT_EQ(b.view<IPositionControl>().setRefSpeed(0, bad).status, Status::BadValue);
    EXPECT_EQ(b.view<IPositionControl>().setRefAcceleration(0, bad).status, Status::BadValue);
    EXPECT_EQ(b.view<IImpedanceControl>().setImpedance(0, bad, 1.0).status, Status::BadValue);
    EXPECT_EQ(b.view<IImpedanceControl>().setImpedance(0, 1.0, bad).status, Status::BadValue);
    EXPECT_EQ(b.view<IImpedanceControl>().setImpedanceOffset(0, bad).status, Status::BadValue);
    EXPECT_EQ(b.view<IEncodersTimed>().setEncoder(0, bad).status, Status::BadValue);
    EXPECT_EQ(b.view<IPidControl>().setPidOffset(VOCAB_PIDTYPE_POSITION, 0, bad).status,
              Status::BadValue);
    EXPECT_EQ(b.view<IPidControl>().setPidReference(VOCAB_PIDTYPE_POSITION, 0, bad).status,
              Status::BadValue);
    EXPECT_EQ(b.view<IPidControl>().setPid(VOCAB_PIDTYPE_POSITION, 0, Pid{bad}).status,
              Status::BadValue);
    EXPECT_EQ(b.view<IControlCalibration>().calibrateAxisWithParams(0, 1, bad, 1.0, 1.0).status,
              Status::BadValue);
    for (const vocab32_t mode : {VOCAB_CM_TORQUE, VOCAB_CM_PWM, VOCAB_CM_CURRENT, VOCAB_CM_VELOCITY,
                                 VOCAB_CM_VELOCITY_DIRECT, VOCAB_CM_POSITION_DIRECT}) {
      b.view<IControlMode>().setControlMode(0, mode);
      EXPECT_EQ(b.view<ITorqueControl>().setRefTorque(0, bad).status, Status::BadValue);
      EXPECT_EQ(b.view<IPWMControl>().setRefDutyCycle(0, bad).status, Status::BadValue);
      EXPECT_EQ(b.view<ICurrentControl>().setRefCurrent(0, bad).status, Status::BadValue);
      EXPECT_EQ(b.view<IVelocityControl>().velocityMove(0, bad).status, Status::BadValue);
      EXPECT_EQ(b.view<IVelocityDirect>().setDesiredVelocity(0, bad).status, Status::BadValue);
      EXPECT_EQ(b.view<IPositionDirect>().setPosition(0, bad).status, Status::BadValue);
    }
    b.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION);
  }
  EXPECT_EQ(b.view<IControlLimits>().setLimits(0, kNan, 1.0).status, Status::BadValue);
  EXPECT_EQ(b.view<IControlLimits>().setLimits(0, 2.0, 1.0).status, Status::BadValue);
  EXPECT_EQ(b.view<IControlLimits>().setVelLimits(0, 0.0, kInf).status, Status::BadValue);
  EXPECT_EQ(b.view<IAmplifierControl>().setMaxCurrent(0, kNan).status, Status::BadValue);
  EXPECT_EQ(b.view<IAmplifierControl>().setPWMLimit(0, 101.0).status, Status::BadValue);
  b.step(100);
  EXPECT_EQ(b.position(), 0.0);
}

// The largest possible numbers move a joint as far as its motor can.
TEST(Board, SurvivesHugeNumbers) {
  for (const double huge : {1e300, -1e300, 1e-300}) {
    for (const Profile profile :
         {Profile::MinimumJerk, Profile::Trapezoid, Profile::ConstantSpeed}) {
      JointConfig joint = BoardBench::joint_config();
      joint.profile = profile;
      BoardBench b({}, joint);
      b.view<IPositionControl>().setRefSpeed(0, huge);
      b.view<IPositionControl>().setRefAcceleration(0, huge);
      b.view<IImpedanceControl>().setImpedanceOffset(0, huge);
      for (const vocab32_t mode :
           {VOCAB_CM_POSITION, VOCAB_CM_MIXED, VOCAB_CM_VELOCITY, VOCAB_CM_POSITION_DIRECT,
            VOCAB_CM_VELOCITY_DIRECT, VOCAB_CM_TORQUE, VOCAB_CM_PWM, VOCAB_CM_CURRENT}) {
        for (const vocab32_t interaction : {VOCAB_IM_STIFF, VOCAB_IM_COMPLIANT}) {
          b.simulation.reset();
          b.board.reset();
          b.view<IInteractionMode>().setInteractionMode(0, interaction);
          b.view<IControlMode>().setControlMode(0, mode);
          b.view<IPositionControl>().positionMove(0, huge);
          b.view<IVelocityControl>().velocityMove(0, huge);
          b.view<IVelocityDirect>().setDesiredVelocity(0, huge);
          b.view<IPositionDirect>().setPosition(0, huge);
          b.view<ITorqueControl>().setRefTorque(0, huge);
          b.view<IPWMControl>().setRefDutyCycle(0, huge);
          b.view<ICurrentControl>().setRefCurrent(0, huge);
          b.view<IPositionControl>().positionMove(0, -huge);
          b.step(20);
          ASSERT_TRUE(std::isfinite(b.position()));
          ASSERT_LE(std::abs(b.output()), 50.0 + 1e-9);
        }
      }
    }
  }
}

TEST(Board, ClampsTargetsAndSpeeds) {
  BoardBench b;
  EXPECT_TRUE(b.view<IControlLimits>().setLimits(0, -15.0, 25.0));
  EXPECT_TRUE(b.view<IControlLimits>().setVelLimits(0, 0.0, 40.0));
  EXPECT_TRUE(b.view<IPositionControl>().setRefSpeed(0, 1000.0));
  EXPECT_TRUE(b.view<IPositionControl>().positionMove(0, 80.0));
  EXPECT_EQ(b.get(&IPositionControl::getTargetPosition), 25.0);
  b.run(25.0 / 40.0 / 2.0);
  EXPECT_FALSE(b.done());
  EXPECT_NEAR(b.reference(), 12.5, 0.1) << "half way at the largest speed";
  b.run(1.0);
  EXPECT_NEAR(b.position(), 25.0, 0.01);
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY);
  b.view<IPositionControl>().setRefAcceleration(0, 1e4);
  b.view<IVelocityControl>().velocityMove(0, -90.0);
  EXPECT_EQ(b.get(&IVelocityControl::getRefVelocity), -40.0);
  b.run(2.0);
  EXPECT_NEAR(b.position(), -15.0, 0.05) << "the integral stays within the limits";
  EXPECT_EQ(b.reference(), -15.0);
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION_DIRECT);
  b.view<IPositionDirect>().setPosition(0, -99.0);
  EXPECT_EQ(b.get(&IPositionDirect::getRefPosition), -15.0);
  double min = 0.0;
  double max = 0.0;
  b.view<IControlLimits>().setLimits(0, 3.0, 3.0);
  b.view<IControlLimits>().getLimits(0, &min, &max);
  EXPECT_EQ(min, -kInf) << "equal: none";
  EXPECT_EQ(max, kInf);
}

TEST(Board, TakesItsLimitsFromTheWorld) {
  OneJoint w;
  w.motor = "maxTorque 50 maxVelocity 2 minPosition -0.5 maxPosition 0.25";
  BoardBench b(w);
  double min = 0.0;
  double max = 0.0;
  b.view<IControlLimits>().getLimits(0, &min, &max);
  EXPECT_NEAR(min, -0.5 / b.unit(), 1e-12);
  EXPECT_NEAR(max, 0.25 / b.unit(), 1e-12);
  b.view<IControlLimits>().getVelLimits(0, &min, &max);
  EXPECT_EQ(min, 0.0);
  EXPECT_NEAR(max, 2.0 / b.unit(), 1e-12);
  b.view<ITorqueControl>().getTorqueRange(0, &min, &max);
  EXPECT_EQ(min, -50.0);
  EXPECT_EQ(max, 50.0);
}

TEST(Board, StopsBelatedVelocitiesIfThatIsWanted) {
  JointConfig joint = BoardBench::joint_config();
  joint.velocity_timeout = 0.2;
  for (const vocab32_t mode : {VOCAB_CM_VELOCITY, VOCAB_CM_VELOCITY_DIRECT}) {
    BoardBench b({}, joint);
    b.view<IControlMode>().setControlMode(0, mode);
    for (int n = 0; n < 10; ++n) {
      b.view<IVelocityControl>().velocityMove(0, 5.0);
      b.view<IVelocityDirect>().setDesiredVelocity(0, 5.0);
      b.run(0.15);
    }
    EXPECT_EQ(b.reference(VOCAB_PIDTYPE_VELOCITY), 5.0);
    b.run(0.1);
    EXPECT_EQ(b.reference(VOCAB_PIDTYPE_VELOCITY), 0.0);
    EXPECT_EQ(b.get(&IVelocityDirect::getDesiredVelocity), 0.0);
    EXPECT_EQ(b.mode(), mode);
  }
}

TEST(Board, MovesRelativeToWhereItIs) {
  BoardBench b;
  b.view<IInteractionMode>().setInteractionMode(0, VOCAB_IM_COMPLIANT);
  b.simulation.joint(0).set_state(4.0 * b.unit());
  b.view<IPositionControl>().relativeMove(0, 3.0);
  EXPECT_NEAR(b.get(&IPositionControl::getTargetPosition), 7.0, 1e-9);
}

TEST(Board, MeasuresAtTheRightTime) {
  BoardBench b;
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_TORQUE);
  b.view<ITorqueControl>().setRefTorque(0, 0.5);
  b.step(10);
  double value = 0.0;
  double time = 0.0;
  EXPECT_TRUE(b.view<IEncodersTimed>().getEncoderTimed(0, &value, &time));
  EXPECT_NEAR(time, 0.01, 1e-12);
  EXPECT_EQ(value, b.position());
  const double a = 0.5 / inertia(b.one_joint) / b.unit();
  EXPECT_NEAR(b.speed(), 0.01 * a, 1e-6 * a);
  EXPECT_NEAR(b.get(&IEncodersTimed::getEncoderAcceleration), a, 1e-6 * a);
  double motor = 0.0;
  EXPECT_TRUE(b.view<IMotorEncoders>().getMotorEncoder(0, &motor));
  EXPECT_EQ(motor, value);
}

TEST(Board, SetsItsEncodersWithoutMoving) {
  BoardBench b;
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_IDLE);
  EXPECT_TRUE(b.view<IEncodersTimed>().setEncoder(0, 30.0));
  EXPECT_NEAR(b.position(), 30.0, 1e-12);
  b.step(10);
  EXPECT_EQ(b.simulation.joint(0).position(), 0.0);
  EXPECT_TRUE(b.view<IEncodersTimed>().resetEncoder(kAllJoints));
  EXPECT_EQ(b.position(), 0.0);
}

// References move with the encoder's zero in every mode, at rest and in motion.
TEST(Board, SetsItsEncodersWithoutMovingAJointThatIsControlled) {
  for (const vocab32_t mode : {VOCAB_CM_POSITION, VOCAB_CM_POSITION_DIRECT, VOCAB_CM_MIXED,
                               VOCAB_CM_VELOCITY, VOCAB_CM_CALIBRATING}) {
    for (const vocab32_t interaction : {VOCAB_IM_STIFF, VOCAB_IM_COMPLIANT}) {
      std::array<double, 2> ends{};
      for (const bool turned : {false, true}) {
        BoardBench b;
        b.view<IPositionControl>().setRefSpeed(0, 20.0);
        b.view<IInteractionMode>().setInteractionMode(0, interaction);
        if (mode == VOCAB_CM_CALIBRATING) {
          b.view<IControlCalibration>().calibrateAxisWithParams(0, 3, 12.0, 24.0, 0.0);
        } else {
          b.view<IControlMode>().setControlMode(0, mode);
        }
        b.view<IPositionControl>().positionMove(0, 10.0);
        b.view<IPositionDirect>().setPosition(0, 3.0);
        b.view<IVelocityControl>().velocityMove(0, 5.0);
        b.run(0.25);
        const double before = b.simulation.joint(0).position();
        const double reference = b.reference();
        if (turned) {
          const double shift = 70.0 - b.position();
          double target = 0.0;
          b.view<IPositionControl>().getTargetPosition(0, &target);
          EXPECT_TRUE(b.view<IMotorEncoders>().setMotorEncoder(0, 70.0));
          EXPECT_NEAR(b.position(), 70.0, 1e-12);
          EXPECT_NEAR(b.reference(), reference + shift, 1e-9);
          double now = 0.0;
          b.view<IPositionControl>().getTargetPosition(0, &now);
          EXPECT_NEAR(now, target + shift, 1e-9);
        }
        EXPECT_EQ(b.simulation.joint(0).position(), before);
        b.run(mode == VOCAB_CM_CALIBRATING ? 0.01 : 1.0);
        ends[turned] = b.simulation.joint(0).position();
        if (mode == VOCAB_CM_CALIBRATING && turned) {
          b.run(5.0);
          EXPECT_EQ(b.mode(), VOCAB_CM_POSITION) << "it comes to the place that reads 12";
          EXPECT_NEAR(b.position(), 12.0, 0.6);
        }
      }
      // A calibration turns round.
      const double slack = mode == VOCAB_CM_CALIBRATING ? 0.1 : 1e-9;
      EXPECT_NEAR(ends[0], ends[1], slack) << to_string(mode) << to_string(interaction);
    }
  }
}

TEST(Board, KeepsItsParameters) {
  Four f;
  const array<double, 4> speeds{3.0, 4.0, 5.0, 6.0};
  array<double, 4> read{};
  EXPECT_TRUE(f.view<IPositionControl>().setRefSpeed(kAllJoints, speeds));
  EXPECT_TRUE(f.view<IPositionControl>().getRefSpeed(kAllJoints, read));
  EXPECT_EQ(read, speeds);
  array<Pid, 4> pids;
  EXPECT_TRUE(f.view<IPidControl>().getPid(VOCAB_PIDTYPE_TORQUE, kAllJoints, pids));
  pids[2] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0};
  EXPECT_TRUE(f.view<IPidControl>().setPid(VOCAB_PIDTYPE_TORQUE, kAllJoints, pids));
  EXPECT_TRUE(f.view<IPidControl>().setPidOffset(VOCAB_PIDTYPE_TORQUE, 2, 0.5));
  Pid pid;
  EXPECT_TRUE(f.view<IPidControl>().getPid(VOCAB_PIDTYPE_TORQUE, 2, &pid));
  pids[2].offset = 0.5;
  EXPECT_EQ(pid, pids[2]);
  EXPECT_EQ(f.view<IPidControl>().getPid(VOCAB_CM_IDLE, 2, &pid).status, Status::BadValue);
  MotorTorqueParameters motor{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0};
  EXPECT_TRUE(f.view<ITorqueControl>().setMotorTorqueParams(1, motor));
  MotorTorqueParameters same;
  EXPECT_TRUE(f.view<ITorqueControl>().getMotorTorqueParams(1, &same));
  EXPECT_EQ(same, motor);
  vector<std::string> keys;
  EXPECT_TRUE(f.view<IRemoteVariables>().getRemoteVariablesList(&keys));
  for (const std::string& key : keys) {
    vector<double> values;
    EXPECT_TRUE(f.view<IRemoteVariables>().setRemoteVariable(key, speeds));
    EXPECT_TRUE(f.view<IRemoteVariables>().getRemoteVariable(key, &values));
    EXPECT_EQ(values, vector<double>(speeds.begin(), speeds.end()));
    EXPECT_FALSE(f.view<IRemoteVariables>().setRemoteVariable(key, array{kNan, 1.0, 1.0, 1.0}));
  }
  EXPECT_FALSE(f.view<IRemoteVariables>().setRemoteVariable("nonsense", speeds));
  EXPECT_EQ(f.view<IImpedanceControl>().setImpedance(1, 1e7, 0.0).status, Status::BadValue);
  EXPECT_EQ(f.view<IImpedanceControl>().setImpedance(1, -1.0, 0.0).status, Status::BadValue);
}

TEST(Board, TakesReferencesPastTheGenerator) {
  BoardBench b;
  EXPECT_TRUE(b.view<IPidControl>().setPidReference(VOCAB_PIDTYPE_POSITION, 0, 2.0));
  EXPECT_EQ(b.view<IPidControl>().setPidReference(VOCAB_PIDTYPE_TORQUE, 0, 2.0).status,
            Status::WrongMode);
  EXPECT_EQ(b.reference(), 2.0);
  double error = 0.0;
  EXPECT_TRUE(b.view<IPidControl>().getPidError(VOCAB_PIDTYPE_POSITION, 0, &error));
  EXPECT_EQ(error, 2.0);
  bool enabled = false;
  EXPECT_TRUE(b.view<IPidControl>().isPidEnabled(VOCAB_PIDTYPE_POSITION, 0, &enabled));
  EXPECT_TRUE(enabled);
  EXPECT_TRUE(b.view<IPidControl>().disablePid(VOCAB_PIDTYPE_POSITION, 0));
  EXPECT_NE(b.said.find("disablePid is deprecated"), std::string::npos);
  b.run(1.0);
  EXPECT_NEAR(b.position(), 2.0, 1e-3) << "nothing happened";
}

TEST(Board, Parks) {
  Four f;
  f.view<IRemoteVariables>().setRemoteVariable("parkPosition", array{4.0, 4.0, 4.0, 4.0});
  EXPECT_TRUE(f.view<IControlCalibration>().park());
  array<double, 4> targets{};
  f.view<IPositionControl>().getTargetPosition(kAllJoints, targets);
  EXPECT_EQ(targets, (array{4.0, 4.0, 4.0, 4.0}));
  EXPECT_TRUE(f.view<IControlCalibration>().abortPark());
  bool done = false;
  f.view<IPositionControl>().checkMotionDone(kAllJoints, &done);
  EXPECT_TRUE(done);
}

TEST(Board, StartsAgainAfterARestoredState) {
  BoardBench b;
  const SimulationState state = b.simulation.save();
  b.view<IPositionControl>().positionMove(0, 20.0);
  b.run(1.0);
  b.simulation.restore(state);
  b.board.reset();
  b.run(1.0);
  EXPECT_EQ(b.position(), 0.0);
  EXPECT_TRUE(b.done());
}

TEST(Board, RefusesAConfigurationThatCannotBe) {
  Simulation simulation = load(four_joints());
  const auto make = [&](auto change) {
    BoardConfig config;
    config.joints.emplace_back().motor = "m1";
    config.joints.emplace_back().motor = "m2";
    change(config);
    const ControlBoard board(simulation, "r", config);
  };
  EXPECT_NO_THROW(make([](BoardConfig&) {}));
  EXPECT_THROW(make([](BoardConfig& c) { c.joints[1].motor = "m7"; }), std::out_of_range);
  EXPECT_THROW(make([](BoardConfig& c) { c.joints[1].motor = "m1"; }), std::invalid_argument);
  EXPECT_THROW(make([](BoardConfig& c) { c.coupled = {{0, 2}}; }), std::invalid_argument);
  EXPECT_THROW(make([](BoardConfig& c) { c.coupled = {{0, 1}, {1, 0}}; }), std::invalid_argument);
  EXPECT_THROW(make([](BoardConfig& c) { c.joints[0].impedance.stiffness = kNan; }),
               std::invalid_argument);
  EXPECT_THROW(make([](BoardConfig& c) { c.joints[0].effort_per_ampere = 0.0; }),
               std::invalid_argument);
  EXPECT_THROW(make([](BoardConfig& c) {
                 c.joints[0].min_position = 2.0;
                 c.joints[0].max_position = 1.0;
               }),
               std::invalid_argument);
  EXPECT_THROW(make([](BoardConfig& c) { c.joints[0].pids.position = Pid{-1.0}; }),
               std::invalid_argument);
  EXPECT_THROW(make([](BoardConfig& c) { c.warning_period = kNan; }), std::invalid_argument);
}

}  // namespace
}  // namespace servosim::test
