// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/simulation.h"
#include "servosim/yarp/board_config.h"
#include "servosim/yarp/joint_loops.h"
#include "servosim/yarp/return_value.h"
#include "servosim/yarp/vocabs.h"

namespace servosim::yarp {

/// What every joint of a board measures, in units of docs/reference/yarp.md, one item per joint.
/// Motors turn as their joints do. ControlBoard::read() fills it with one measurement of each
/// joint; it allocates memory the first time only.
///
/// Threads: a plain value.
struct BoardReadings {
  std::vector<double> encoders;
  std::vector<double> encoder_speeds;
  std::vector<double> encoder_accelerations;
  std::vector<double> torques;
  std::vector<double> duty_cycles;
  std::vector<double> currents;
  std::vector<vocab32_t> control_modes;
  std::vector<vocab32_t> interaction_modes;
};

/// Joints of a robot as a control board of YARP, with the modes and rules of the iCub's.
///
///     ControlBoard board(simulation, "icub");
///     board.positionMove(3, 45.0);
///     for (bool done = false; !done; board.checkMotionDone(&done)) {
///       board.before_step();
///       simulation.step();
///     }
///
/// Functions have YARP's names, units and meaning: see docs/reference/yarp.md. Most have three
/// overloads: for joint j, counted from 0; for all joints; for a group of joints. The last two call
/// the first for each joint (JointLoops) and need as many values as joints. Pointers must not be
/// null.
///
/// A board commands its motors before each step and so overrides other commands to them.
/// References, trajectories, modes and parameters are its own, as those of a controller program:
/// none of it is part of a SimulationState, so after Simulation::restore() call reset().
///
/// Threads: one at a time, that of its simulation.
class ControlBoard : public JointLoops<ControlBoard> {
 public:
  using Joints = std::span<const int>;
  using Values = std::span<const double>;
  using Results = std::span<double>;
  using Modes = std::span<const vocab32_t>;
  using ModeResults = std::span<vocab32_t>;

  /// The simulation must outlive the board and stay in place.
  /// @throws std::out_of_range for a robot or motor that the world does not have,
  ///   std::invalid_argument for a motor without joint and for an invalid configuration
  ControlBoard(Simulation& simulation, std::string_view robot, BoardConfig config = {});
  ControlBoard(ControlBoard&&) noexcept;
  ControlBoard& operator=(ControlBoard&&) noexcept;
  ~ControlBoard();

  /// To be called before every Simulation::step(). Readings are valid at any time.
  void before_step();
  /// All joints have their initial modes and references at the present positions; parameters stay.
  void reset();
  const std::string& name() const;
  void read(BoardReadings& all) const;
  std::size_t axes() const;

  // IControlMode
  ReturnValue setControlMode(int j, vocab32_t mode);
  ReturnValue setControlModes(Modes modes) { return each(&ControlBoard::setControlMode, modes); }
  ReturnValue setControlModes(Joints joints, Modes modes) {
    return each(&ControlBoard::setControlMode, joints, modes);
  }
  ReturnValue getControlMode(int j, vocab32_t* mode) const;
  ReturnValue getControlModes(ModeResults modes) const {
    return each(&ControlBoard::getControlMode, modes);
  }
  ReturnValue getControlModes(Joints joints, ModeResults modes) const {
    return each(&ControlBoard::getControlMode, joints, modes);
  }
  ReturnValue getAvailableControlModes(int j, std::vector<vocab32_t>* modes) const;
  /// All joints, as ITorqueControl has it.
  ReturnValue setTorqueMode() {
    return for_all([this](int j) { return setControlMode(j, VOCAB_CM_TORQUE); });
  }

  // IInteractionMode
  ReturnValue setInteractionMode(int j, vocab32_t mode);
  ReturnValue setInteractionModes(Modes modes) {
    return each(&ControlBoard::setInteractionMode, modes);
  }
  ReturnValue setInteractionModes(Joints joints, Modes modes) {
    return each(&ControlBoard::setInteractionMode, joints, modes);
  }
  ReturnValue getInteractionMode(int j, vocab32_t* mode) const;
  ReturnValue getInteractionModes(ModeResults modes) const {
    return each(&ControlBoard::getInteractionMode, modes);
  }
  ReturnValue getInteractionModes(Joints joints, ModeResults modes) const {
    return each(&ControlBoard::getInteractionMode, joints, modes);
  }

  // IPositionControl
  ReturnValue getAxes(int* axes) const;
  ReturnValue positionMove(int j, double ref);
  ReturnValue positionMove(Values refs) { return each(&ControlBoard::positionMove, refs); }
  ReturnValue positionMove(Joints joints, Values refs) {
    return each(&ControlBoard::positionMove, joints, refs);
  }
  ReturnValue relativeMove(int j, double delta);
  ReturnValue relativeMove(Values deltas) { return each(&ControlBoard::relativeMove, deltas); }
  ReturnValue relativeMove(Joints joints, Values deltas) {
    return each(&ControlBoard::relativeMove, joints, deltas);
  }
  /// Whether the trajectory is over; not whether the joint has arrived.
  ReturnValue checkMotionDone(int j, bool* done) const;
  ReturnValue checkMotionDone(bool* done) const;
  ReturnValue checkMotionDone(Joints joints, bool* done) const;
  ReturnValue setRefSpeed(int j, double speed);
  ReturnValue setRefSpeeds(Values speeds) { return each(&ControlBoard::setRefSpeed, speeds); }
  ReturnValue setRefSpeeds(Joints joints, Values speeds) {
    return each(&ControlBoard::setRefSpeed, joints, speeds);
  }
  ReturnValue getRefSpeed(int j, double* speed) const;
  ReturnValue getRefSpeeds(Results speeds) const {
    return each(&ControlBoard::getRefSpeed, speeds);
  }
  ReturnValue getRefSpeeds(Joints joints, Results speeds) const {
    return each(&ControlBoard::getRefSpeed, joints, speeds);
  }
  ReturnValue setRefAcceleration(int j, double acceleration);
  ReturnValue setRefAccelerations(Values accelerations) {
    return each(&ControlBoard::setRefAcceleration, accelerations);
  }
  ReturnValue setRefAccelerations(Joints joints, Values accelerations) {
    return each(&ControlBoard::setRefAcceleration, joints, accelerations);
  }
  ReturnValue getRefAcceleration(int j, double* acceleration) const;
  ReturnValue getRefAccelerations(Results accelerations) const {
    return each(&ControlBoard::getRefAcceleration, accelerations);
  }
  ReturnValue getRefAccelerations(Joints joints, Results accelerations) const {
    return each(&ControlBoard::getRefAcceleration, joints, accelerations);
  }
  ReturnValue stop(int j);
  ReturnValue stop() {
    return for_all([this](int j) { return stop(j); });
  }
  ReturnValue stop(Joints joints) {
    return for_joints(joints, [this](std::size_t, int j) { return stop(j); });
  }
  ReturnValue getTargetPosition(int j, double* ref) const;
  ReturnValue getTargetPositions(Results refs) const {
    return each(&ControlBoard::getTargetPosition, refs);
  }
  ReturnValue getTargetPositions(Joints joints, Results refs) const {
    return each(&ControlBoard::getTargetPosition, joints, refs);
  }

  // IPositionDirect
  ReturnValue setPosition(int j, double ref);
  ReturnValue setPositions(Values refs) { return each(&ControlBoard::setPosition, refs); }
  ReturnValue setPositions(Joints joints, Values refs) {
    return each(&ControlBoard::setPosition, joints, refs);
  }
  ReturnValue getRefPosition(int j, double* ref) const;
  ReturnValue getRefPositions(Results refs) const {
    return each(&ControlBoard::getRefPosition, refs);
  }
  ReturnValue getRefPositions(Joints joints, Results refs) const {
    return each(&ControlBoard::getRefPosition, joints, refs);
  }

  // IVelocityControl; reference accelerations and stop() are those above.
  ReturnValue velocityMove(int j, double speed);
  ReturnValue velocityMove(Values speeds) { return each(&ControlBoard::velocityMove, speeds); }
  ReturnValue velocityMove(Joints joints, Values speeds) {
    return each(&ControlBoard::velocityMove, joints, speeds);
  }
  ReturnValue getRefVelocity(int j, double* speed) const;
  ReturnValue getRefVelocities(Results speeds) const {
    return each(&ControlBoard::getRefVelocity, speeds);
  }
  ReturnValue getRefVelocities(Joints joints, Results speeds) const {
    return each(&ControlBoard::getRefVelocity, joints, speeds);
  }

  // IVelocityDirect of YARP 4: references of VOCAB_CM_VELOCITY_DIRECT, taken as they are.
  ReturnValue setDesiredVelocity(int j, double speed);
  ReturnValue setDesiredVelocity(Values speeds) {
    return each(&ControlBoard::setDesiredVelocity, speeds);
  }
  ReturnValue setDesiredVelocity(Joints joints, Values speeds) {
    return each(&ControlBoard::setDesiredVelocity, joints, speeds);
  }
  ReturnValue getDesiredVelocity(int j, double* speed) const;
  ReturnValue getDesiredVelocity(Results speeds) const {
    return each(&ControlBoard::getDesiredVelocity, speeds);
  }
  ReturnValue getDesiredVelocity(Joints joints, Results speeds) const {
    return each(&ControlBoard::getDesiredVelocity, joints, speeds);
  }

  // ITorqueControl
  ReturnValue setRefTorque(int j, double torque);
  ReturnValue setRefTorques(Values torques) { return each(&ControlBoard::setRefTorque, torques); }
  ReturnValue setRefTorques(Joints joints, Values torques) {
    return each(&ControlBoard::setRefTorque, joints, torques);
  }
  ReturnValue getRefTorque(int j, double* torque) const;
  ReturnValue getRefTorques(Results torques) const {
    return each(&ControlBoard::getRefTorque, torques);
  }
  ReturnValue getRefTorques(Joints joints, Results torques) const {
    return each(&ControlBoard::getRefTorque, joints, torques);
  }
  ReturnValue getTorque(int j, double* torque) const;
  ReturnValue getTorques(Results torques) const { return each(&ControlBoard::getTorque, torques); }
  ReturnValue getTorqueRange(int j, double* min, double* max) const;
  ReturnValue getTorqueRanges(Results mins, Results maxs) const;
  ReturnValue getMotorTorqueParams(int j, MotorTorqueParameters* parameters) const;
  ReturnValue setMotorTorqueParams(int j, const MotorTorqueParameters& parameters);

  // IPWMControl [% of duty cycle]
  ReturnValue getNumberOfMotors(int* motors) const { return getAxes(motors); }
  ReturnValue setRefDutyCycle(int j, double percent);
  ReturnValue setRefDutyCycles(Values percents) {
    return each(&ControlBoard::setRefDutyCycle, percents);
  }
  ReturnValue setRefDutyCycles(Joints joints, Values percents) {
    return each(&ControlBoard::setRefDutyCycle, joints, percents);
  }
  ReturnValue getRefDutyCycle(int j, double* percent) const;
  ReturnValue getRefDutyCycles(Results percents) const {
    return each(&ControlBoard::getRefDutyCycle, percents);
  }
  ReturnValue getDutyCycle(int j, double* percent) const;
  ReturnValue getDutyCycles(Results percents) const {
    return each(&ControlBoard::getDutyCycle, percents);
  }

  // ICurrentControl
  ReturnValue setRefCurrent(int j, double ampere);
  ReturnValue setRefCurrents(Values amperes) { return each(&ControlBoard::setRefCurrent, amperes); }
  ReturnValue setRefCurrents(Joints joints, Values amperes) {
    return each(&ControlBoard::setRefCurrent, joints, amperes);
  }
  ReturnValue getRefCurrent(int j, double* ampere) const;
  ReturnValue getRefCurrents(Results amperes) const {
    return each(&ControlBoard::getRefCurrent, amperes);
  }
  ReturnValue getCurrent(int j, double* ampere) const;
  ReturnValue getCurrents(Results amperes) const {
    return each(&ControlBoard::getCurrent, amperes);
  }
  ReturnValue getCurrentRange(int j, double* min, double* max) const;
  ReturnValue getCurrentRanges(Results mins, Results maxs) const;

  // IImpedanceControl
  ReturnValue getImpedance(int j, double* stiffness, double* damping) const;
  ReturnValue setImpedance(int j, double stiffness, double damping);
  ReturnValue getImpedanceOffset(int j, double* offset) const;
  ReturnValue setImpedanceOffset(int j, double offset);
  ReturnValue getCurrentImpedanceLimit(int j, double* min_stiffness, double* max_stiffness,
                                       double* min_damping, double* max_damping) const;

  // IControlLimits; min = max: none, which getLimits() reports as ±infinity.
  ReturnValue setLimits(int j, double min, double max);
  ReturnValue getLimits(int j, double* min, double* max) const;
  ReturnValue setVelLimits(int j, double min, double max);
  ReturnValue getVelLimits(int j, double* min, double* max) const;

  // IEncodersTimed
  ReturnValue getEncoder(int j, double* value) const;
  ReturnValue getEncoders(Results values) const { return each(&ControlBoard::getEncoder, values); }
  ReturnValue getEncoderSpeed(int j, double* value) const;
  ReturnValue getEncoderSpeeds(Results values) const {
    return each(&ControlBoard::getEncoderSpeed, values);
  }
  ReturnValue getEncoderAcceleration(int j, double* value) const;
  ReturnValue getEncoderAccelerations(Results values) const {
    return each(&ControlBoard::getEncoderAcceleration, values);
  }
  ReturnValue getEncoderTimed(int j, double* value, double* time) const;
  ReturnValue getEncodersTimed(Results values, Results times) const;
  ReturnValue setEncoder(int j, double value);
  ReturnValue setEncoders(Values values) { return each(&ControlBoard::setEncoder, values); }
  ReturnValue resetEncoder(int j) { return setEncoder(j, 0.0); }
  ReturnValue resetEncoders() {
    return for_all([this](int j) { return resetEncoder(j); });
  }

  // IMotorEncoders: motors turn as their joints do, one to one.
  ReturnValue getNumberOfMotorEncoders(int* motors) const { return getAxes(motors); }
  ReturnValue getMotorEncoder(int m, double* value) const { return getEncoder(m, value); }
  ReturnValue getMotorEncoders(Results values) const { return getEncoders(values); }
  ReturnValue getMotorEncoderSpeed(int m, double* value) const { return getEncoderSpeed(m, value); }
  ReturnValue getMotorEncoderSpeeds(Results values) const { return getEncoderSpeeds(values); }
  ReturnValue getMotorEncoderAcceleration(int m, double* value) const {
    return getEncoderAcceleration(m, value);
  }
  ReturnValue getMotorEncoderAccelerations(Results values) const {
    return getEncoderAccelerations(values);
  }
  ReturnValue getMotorEncoderTimed(int m, double* value, double* time) const {
    return getEncoderTimed(m, value, time);
  }
  ReturnValue getMotorEncodersTimed(Results values, Results times) const {
    return getEncodersTimed(values, times);
  }
  ReturnValue setMotorEncoder(int m, double value) { return setEncoder(m, value); }
  ReturnValue setMotorEncoders(Values values) { return setEncoders(values); }
  ReturnValue resetMotorEncoder(int m) { return resetEncoder(m); }
  ReturnValue resetMotorEncoders() { return resetEncoders(); }
  /// Counts per revolution are stored; readings have no steps.
  ReturnValue getMotorEncoderCountsPerRevolution(int m, double* counts) const;
  ReturnValue setMotorEncoderCountsPerRevolution(int m, double counts);

  // IPidControl; `type` is a VOCAB_PIDTYPE_….
  ReturnValue setPid(vocab32_t type, int j, const Pid& pid);
  ReturnValue setPids(vocab32_t type, std::span<const Pid> pids) {
    return each(&ControlBoard::setPid, type, pids);
  }
  ReturnValue getPid(vocab32_t type, int j, Pid* pid) const;
  ReturnValue getPids(vocab32_t type, std::span<Pid> pids) const {
    return each(&ControlBoard::getPid, type, pids);
  }
  ReturnValue setPidReference(vocab32_t type, int j, double reference);
  ReturnValue setPidReferences(vocab32_t type, Values values) {
    return each(&ControlBoard::setPidReference, type, values);
  }
  ReturnValue getPidReference(vocab32_t type, int j, double* reference) const;
  ReturnValue getPidReferences(vocab32_t type, Results values) const {
    return each(&ControlBoard::getPidReference, type, values);
  }
  ReturnValue getPidError(vocab32_t type, int j, double* error) const;
  ReturnValue getPidErrors(vocab32_t type, Results values) const {
    return each(&ControlBoard::getPidError, type, values);
  }
  ReturnValue getPidOutput(vocab32_t type, int j, double* output) const;
  ReturnValue getPidOutputs(vocab32_t type, Results values) const {
    return each(&ControlBoard::getPidOutput, type, values);
  }
  ReturnValue setPidErrorLimit(vocab32_t type, int j, double limit);
  ReturnValue setPidErrorLimits(vocab32_t type, Values values) {
    return each(&ControlBoard::setPidErrorLimit, type, values);
  }
  ReturnValue getPidErrorLimit(vocab32_t type, int j, double* limit) const;
  ReturnValue getPidErrorLimits(vocab32_t type, Results values) const {
    return each(&ControlBoard::getPidErrorLimit, type, values);
  }
  ReturnValue setPidOffset(vocab32_t type, int j, double offset);
  ReturnValue getPidOffset(vocab32_t type, int j, double* offset) const;
  /// Pid::kff.
  ReturnValue setPidFeedforward(vocab32_t type, int j, double kff);
  ReturnValue getPidFeedforward(vocab32_t type, int j, double* kff) const;
  ReturnValue getAvailablePids(int j, std::vector<vocab32_t>* types) const;
  ReturnValue resetPid(vocab32_t type, int j);
  ReturnValue isPidEnabled(vocab32_t type, int j, bool* enabled) const;
  /// Deprecated: true, a notice, and nothing happens, as on the iCub.
  ReturnValue enablePid(vocab32_t type, int j);
  ReturnValue disablePid(vocab32_t type, int j);

  // IAmplifierControl
  /// Deprecated, likewise.
  ReturnValue enableAmp(int j);
  ReturnValue disableAmp(int j);
  /// 1: powered.
  ReturnValue getAmpStatus(int j, int* status) const;
  ReturnValue getAmpStatus(std::span<int> status) const {
    return each(&ControlBoard::getAmpStatus, status);
  }
  /// Beyond it is a fault.
  ReturnValue setMaxCurrent(int j, double ampere);
  ReturnValue getMaxCurrent(int j, double* ampere) const;
  ReturnValue setNominalCurrent(int j, double ampere);
  ReturnValue getNominalCurrent(int j, double* ampere) const;
  ReturnValue setPeakCurrent(int j, double ampere);
  ReturnValue getPeakCurrent(int j, double* ampere) const;
  ReturnValue getPWM(int j, double* percent) const { return getDutyCycle(j, percent); }
  ReturnValue setPWMLimit(int j, double percent);
  ReturnValue getPWMLimit(int j, double* percent) const;
  ReturnValue getPowerSupplyVoltage(int j, double* volt) const;

  // IMotor. There are no temperatures; the limit and the gearbox ratio are stored only.
  ReturnValue getTemperature(int m, double* celsius) const;
  ReturnValue getTemperatures(Results celsius) const {
    return each(&ControlBoard::getTemperature, celsius);
  }
  ReturnValue getTemperatureLimit(int m, double* celsius) const;
  ReturnValue setTemperatureLimit(int m, double celsius);
  ReturnValue getGearboxRatio(int m, double* ratio) const;
  ReturnValue setGearboxRatio(int m, double ratio);

  // IAxisInfo
  ReturnValue getAxisName(int j, std::string* name) const;
  ReturnValue getJointType(int j, vocab32_t* type) const;

  // IJointFault, and faults that a program raises.
  /// The last fault, also after it was cleared; -1 without any.
  ReturnValue getLastJointFault(int j, int* code, std::string* message) const;
  /// Sets a fault as the hardware does; if it `persists`, until clear_fault_cause().
  ReturnValue raise_fault(int j, int code, std::string message, bool persists = false);
  ReturnValue clear_fault_cause(int j);

  // IControlCalibration
  ReturnValue calibrateAxisWithParams(int j, unsigned type, double p1, double p2, double p3);
  ReturnValue setCalibrationParameters(int j, const CalibrationParameters& parameters);
  ReturnValue calibrationDone(int j) const;
  /// Every joint that has calibration parameters.
  ReturnValue calibrateRobot();
  /// An aborted calibration has failed: a fault.
  ReturnValue abortCalibration();
  /// Moves joints in position mode to their park positions. Never waits.
  ReturnValue park(bool wait = false);
  ReturnValue abortPark() { return stop(); }

  // IRemoteCalibrator, which every board has. The whole part is every joint; homing moves as
  // parking does.
  ReturnValue isCalibratorDevicePresent(bool* present) const;
  ReturnValue calibrateSingleJoint(int j);
  ReturnValue calibrateWholePart() { return calibrateRobot(); }
  ReturnValue homingSingleJoint(int j);
  ReturnValue homingWholePart();
  ReturnValue parkSingleJoint(int j, bool wait = true);
  ReturnValue parkWholePart() { return park(); }
  ReturnValue quitCalibrate() { return abortCalibration(); }
  ReturnValue quitPark() { return abortPark(); }

  // IRemoteVariables: a value per joint.
  ReturnValue getRemoteVariablesList(std::vector<std::string>* keys) const;
  ReturnValue getRemoteVariable(std::string_view key, std::vector<double>* values) const;
  ReturnValue setRemoteVariable(std::string_view key, Values values);

  // IPositionControl and IVelocityControl by the names of YARP 4.
  ReturnValue setTrajSpeed(int j, double speed) { return setRefSpeed(j, speed); }
  ReturnValue setTrajSpeeds(Values speeds) { return setRefSpeeds(speeds); }
  ReturnValue setTrajSpeeds(Joints joints, Values speeds) { return setRefSpeeds(joints, speeds); }
  ReturnValue getTrajSpeed(int j, double* speed) const { return getRefSpeed(j, speed); }
  ReturnValue getTrajSpeeds(Results speeds) const { return getRefSpeeds(speeds); }
  ReturnValue getTrajSpeeds(Joints joints, Results speeds) const {
    return getRefSpeeds(joints, speeds);
  }
  ReturnValue setTrajAcceleration(int j, double acceleration) {
    return setRefAcceleration(j, acceleration);
  }
  ReturnValue setTrajAccelerations(Values accelerations) {
    return setRefAccelerations(accelerations);
  }
  ReturnValue setTrajAccelerations(Joints joints, Values accelerations) {
    return setRefAccelerations(joints, accelerations);
  }
  ReturnValue getTrajAcceleration(int j, double* acceleration) const {
    return getRefAcceleration(j, acceleration);
  }
  ReturnValue getTrajAccelerations(Results accelerations) const {
    return getRefAccelerations(accelerations);
  }
  ReturnValue getTrajAccelerations(Joints joints, Results accelerations) const {
    return getRefAccelerations(joints, accelerations);
  }
  ReturnValue getTargetVelocity(int j, double* speed) const { return getRefVelocity(j, speed); }
  ReturnValue getTargetVelocities(Results speeds) const { return getRefVelocities(speeds); }
  ReturnValue getTargetVelocities(Joints joints, Results speeds) const {
    return getRefVelocities(joints, speeds);
  }

 private:
  struct Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace servosim::yarp
