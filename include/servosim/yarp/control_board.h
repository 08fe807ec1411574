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

/// What every joint of a board measures: one item per joint, in the units of
/// docs/reference/yarp.md. Motors turn as their joints do. ControlBoard::read() fills it with one
/// measurement of each joint, and allocates memory only the first time.
///
/// Threads: a plain value.
struct BoardReadings {
  /// [deg|m]
  std::vector<double> encoders;
  /// [deg/s|m/s]
  std::vector<double> encoder_speeds;
  /// [deg/s²|m/s²]
  std::vector<double> encoder_accelerations;
  /// All that the joint puts on its endpoint [N·m|N].
  std::vector<double> torques;
  /// [%]
  std::vector<double> duty_cycles;
  /// [A]
  std::vector<double> currents;
  /// VOCAB_CM_…
  std::vector<vocab32_t> control_modes;
  /// VOCAB_IM_…
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
/// Only the constructor throws. A number that is not finite or beyond 1e12 is refused with
/// BadValue, a joint that is not there with OutOfRange. A command that the mode of the joint does
/// not accept is dropped with WrongMode. Parameters may be set in every mode. A refusal changes
/// nothing, and is reported through BoardConfig::notice.
///
/// A board commands its motors before each step, and so overrides other commands to them. Its
/// references, trajectories, modes and parameters are not part of a SimulationState: after
/// Simulation::restore() call reset().
///
/// Threads: one at a time, that of its simulation.
class ControlBoard : public JointLoops<ControlBoard> {
 public:
  using Joints = std::span<const int>;
  using Values = std::span<const double>;
  using Results = std::span<double>;
  using Modes = std::span<const vocab32_t>;
  using ModeResults = std::span<vocab32_t>;

  /// The simulation must outlive the board and stay at its address.
  /// @param simulation  the world with the robot
  /// @param robot  its name in the world
  /// @param config  the joints and the rules of the board
  /// @throws std::out_of_range for a robot or motor that the world does not have
  /// @throws std::invalid_argument for a motor without a joint and for an invalid configuration
  ControlBoard(Simulation& simulation, std::string_view robot, BoardConfig config = {});
  ControlBoard(ControlBoard&&) noexcept;
  ControlBoard& operator=(ControlBoard&&) noexcept;
  ~ControlBoard();

  /// Commands the motors for the next step. A program calls it before every Simulation::step().
  /// Readings are valid at any time.
  void before_step();
  /// Puts all joints into their initial modes, with references at the present positions. Parameters
  /// stay.
  void reset();
  /// The name in BoardConfig.
  const std::string& name() const;
  /// Measures every joint once.
  void read(BoardReadings& all) const;
  /// The number of joints.
  std::size_t axes() const;

  // IControlMode
  /// Requests a VOCAB_CM_…. VOCAB_CM_FORCE_IDLE ends a fault; in a fault any other mode is refused.
  /// While the joint is being calibrated or is not configured all modes are refused.
  ReturnValue setControlMode(int j, vocab32_t mode);
  ReturnValue setControlModes(Modes modes) { return each(&ControlBoard::setControlMode, modes); }
  ReturnValue setControlModes(Joints joints, Modes modes) {
    return each(&ControlBoard::setControlMode, joints, modes);
  }
  /// The control mode, or a status such as VOCAB_CM_HW_FAULT.
  ReturnValue getControlMode(int j, vocab32_t* mode) const;
  ReturnValue getControlModes(ModeResults modes) const {
    return each(&ControlBoard::getControlMode, modes);
  }
  ReturnValue getControlModes(Joints joints, ModeResults modes) const {
    return each(&ControlBoard::getControlMode, joints, modes);
  }
  /// The modes that the joint accepts.
  ReturnValue getAvailableControlModes(int j, std::vector<vocab32_t>* modes) const;
  /// Requests torque mode for all joints, as ITorqueControl of YARP does.
  ReturnValue setTorqueMode() {
    return for_all([this](int j) { return setControlMode(j, VOCAB_CM_TORQUE); });
  }

  // IInteractionMode
  /// Requests VOCAB_IM_STIFF or VOCAB_IM_COMPLIANT. A change stops the motion of the joint. A mode
  /// that the joint does not have is a fault, unless BoardConfig::fault_on_invalid_interaction is
  /// false.
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
  /// The number of joints; never refused.
  ReturnValue getAxes(int* axes) const;
  /// Begins a trajectory to `ref` [deg|m], in position or mixed mode. More than one in 80 ms of
  /// simulated time is done, with a warning.
  ReturnValue positionMove(int j, double ref);
  ReturnValue positionMove(Values refs) { return each(&ControlBoard::positionMove, refs); }
  ReturnValue positionMove(Joints joints, Values refs) {
    return each(&ControlBoard::positionMove, joints, refs);
  }
  /// The same to the measured position plus `delta` [deg|m].
  ReturnValue relativeMove(int j, double delta);
  ReturnValue relativeMove(Values deltas) { return each(&ControlBoard::relativeMove, deltas); }
  ReturnValue relativeMove(Joints joints, Values deltas) {
    return each(&ControlBoard::relativeMove, joints, deltas);
  }
  /// Whether the trajectory is over, which does not mean that the joint has arrived. For several
  /// joints, whether all are over.
  ReturnValue checkMotionDone(int j, bool* done) const;
  ReturnValue checkMotionDone(bool* done) const;
  ReturnValue checkMotionDone(Joints joints, bool* done) const;
  /// The speed of later moves [deg/s|m/s]; > 0, else BadValue.
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
  /// The acceleration of trapezoidal moves and of velocity mode [deg/s²|m/s²]. Its absolute value
  /// is used, at most 1e6; 0 gives a warning.
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
  /// Ends the motion in modes of position and velocity: the reference becomes the present position,
  /// or the speed 0. It does nothing in other modes.
  ReturnValue stop(int j);
  ReturnValue stop() {
    return for_all([this](int j) { return stop(j); });
  }
  ReturnValue stop(Joints joints) {
    return for_joints(joints, [this](std::size_t, int j) { return stop(j); });
  }
  /// The target of the last trajectory [deg|m].
  ReturnValue getTargetPosition(int j, double* ref) const;
  ReturnValue getTargetPositions(Results refs) const {
    return each(&ControlBoard::getTargetPosition, refs);
  }
  ReturnValue getTargetPositions(Joints joints, Results refs) const {
    return each(&ControlBoard::getTargetPosition, joints, refs);
  }

  // IPositionDirect
  /// The reference itself, without a trajectory, in mode VOCAB_CM_POSITION_DIRECT [deg|m].
  ReturnValue setPosition(int j, double ref);
  ReturnValue setPositions(Values refs) { return each(&ControlBoard::setPosition, refs); }
  ReturnValue setPositions(Joints joints, Values refs) {
    return each(&ControlBoard::setPosition, joints, refs);
  }
  /// The last reference of setPosition() [deg|m].
  ReturnValue getRefPosition(int j, double* ref) const;
  ReturnValue getRefPositions(Results refs) const {
    return each(&ControlBoard::getRefPosition, refs);
  }
  ReturnValue getRefPositions(Joints joints, Results refs) const {
    return each(&ControlBoard::getRefPosition, joints, refs);
  }

  // IVelocityControl. Reference accelerations and stop() are those above.
  /// The speed to which the joint ramps by the reference acceleration, in velocity or mixed mode
  /// [deg/s|m/s].
  ReturnValue velocityMove(int j, double speed);
  ReturnValue velocityMove(Values speeds) { return each(&ControlBoard::velocityMove, speeds); }
  ReturnValue velocityMove(Joints joints, Values speeds) {
    return each(&ControlBoard::velocityMove, joints, speeds);
  }
  /// The last speed of velocityMove() [deg/s|m/s].
  ReturnValue getRefVelocity(int j, double* speed) const;
  ReturnValue getRefVelocities(Results speeds) const {
    return each(&ControlBoard::getRefVelocity, speeds);
  }
  ReturnValue getRefVelocities(Joints joints, Results speeds) const {
    return each(&ControlBoard::getRefVelocity, joints, speeds);
  }

  // IVelocityDirect of YARP 4.
  /// The speed that the joint has from the next step on, without a ramp, in mode
  /// VOCAB_CM_VELOCITY_DIRECT [deg/s|m/s].
  ReturnValue setDesiredVelocity(int j, double speed);
  ReturnValue setDesiredVelocity(Values speeds) {
    return each(&ControlBoard::setDesiredVelocity, speeds);
  }
  ReturnValue setDesiredVelocity(Joints joints, Values speeds) {
    return each(&ControlBoard::setDesiredVelocity, joints, speeds);
  }
  /// The last speed of setDesiredVelocity() [deg/s|m/s].
  ReturnValue getDesiredVelocity(int j, double* speed) const;
  ReturnValue getDesiredVelocity(Results speeds) const {
    return each(&ControlBoard::getDesiredVelocity, speeds);
  }
  ReturnValue getDesiredVelocity(Joints joints, Results speeds) const {
    return each(&ControlBoard::getDesiredVelocity, joints, speeds);
  }

  // ITorqueControl
  /// The torque that the motor applies as it is, in torque mode [N·m|N].
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
  /// All that the joint puts on its endpoint: motor, friction, damper and stop [N·m|N].
  ReturnValue getTorque(int j, double* torque) const;
  ReturnValue getTorques(Results torques) const { return each(&ControlBoard::getTorque, torques); }
  /// ± the largest effort of the motor [N·m|N].
  ReturnValue getTorqueRange(int j, double* min, double* max) const;
  ReturnValue getTorqueRanges(Results mins, Results maxs) const;
  /// These parameters are stored and returned; nothing uses them.
  ReturnValue getMotorTorqueParams(int j, MotorTorqueParameters* parameters) const;
  ReturnValue setMotorTorqueParams(int j, const MotorTorqueParameters& parameters);

  // IPWMControl
  ReturnValue getNumberOfMotors(int* motors) const { return getAxes(motors); }
  /// The duty cycle, in PWM mode [%]; clamped to the limit of setPWMLimit().
  /// JointConfig::effort_per_percent makes an effort of it.
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
  /// The present effort of the motor as a duty cycle [%].
  ReturnValue getDutyCycle(int j, double* percent) const;
  ReturnValue getDutyCycles(Results percents) const {
    return each(&ControlBoard::getDutyCycle, percents);
  }

  // ICurrentControl
  /// The current, in current mode [A]. JointConfig::effort_per_ampere makes an effort of it.
  ReturnValue setRefCurrent(int j, double ampere);
  ReturnValue setRefCurrents(Values amperes) { return each(&ControlBoard::setRefCurrent, amperes); }
  ReturnValue setRefCurrents(Joints joints, Values amperes) {
    return each(&ControlBoard::setRefCurrent, joints, amperes);
  }
  ReturnValue getRefCurrent(int j, double* ampere) const;
  ReturnValue getRefCurrents(Results amperes) const {
    return each(&ControlBoard::getRefCurrent, amperes);
  }
  /// The present effort of the motor as a current [A].
  ReturnValue getCurrent(int j, double* ampere) const;
  ReturnValue getCurrents(Results amperes) const {
    return each(&ControlBoard::getCurrent, amperes);
  }
  /// ± the largest current that is no fault and that the motor can turn into effort [A].
  ReturnValue getCurrentRange(int j, double* min, double* max) const;
  ReturnValue getCurrentRanges(Results mins, Results maxs) const;

  // IImpedanceControl
  /// Stiffness [N·m/deg|N/m] and damping [N·m·s/deg|N·s/m] of compliant interaction.
  ReturnValue getImpedance(int j, double* stiffness, double* damping) const;
  /// Both are from 0 to JointConfig::max_stiffness and max_damping, else BadValue. They may change
  /// during a motion.
  ReturnValue setImpedance(int j, double stiffness, double damping);
  /// The torque τ_off that is added in compliant interaction [N·m|N].
  ReturnValue getImpedanceOffset(int j, double* offset) const;
  ReturnValue setImpedanceOffset(int j, double offset);
  /// What setImpedance() accepts.
  ReturnValue getCurrentImpedanceLimit(int j, double* min_stiffness, double* max_stiffness,
                                       double* min_damping, double* max_damping) const;

  // IControlLimits
  /// The limits of references and of torque and compliance [deg|m]. Equal limits mean that there
  /// are none, which getLimits() returns as ±infinity. BadValue if min > max.
  ReturnValue setLimits(int j, double min, double max);
  ReturnValue getLimits(int j, double* min, double* max) const;
  /// The limit of the speed [deg/s|m/s]: 0 <= min <= max, else BadValue. `min` has no effect.
  ReturnValue setVelLimits(int j, double min, double max);
  ReturnValue getVelLimits(int j, double* min, double* max) const;

  // IEncodersTimed
  /// The position, with the zero that setEncoder() or a calibration has set [deg|m].
  ReturnValue getEncoder(int j, double* value) const;
  ReturnValue getEncoders(Results values) const { return each(&ControlBoard::getEncoder, values); }
  /// [deg/s|m/s]
  ReturnValue getEncoderSpeed(int j, double* value) const;
  ReturnValue getEncoderSpeeds(Results values) const {
    return each(&ControlBoard::getEncoderSpeed, values);
  }
  /// The change of the speed in the last step, per time [deg/s²|m/s²].
  ReturnValue getEncoderAcceleration(int j, double* value) const;
  ReturnValue getEncoderAccelerations(Results values) const {
    return each(&ControlBoard::getEncoderAcceleration, values);
  }
  /// The position and the simulated time of the measurement [s].
  ReturnValue getEncoderTimed(int j, double* value, double* time) const;
  ReturnValue getEncodersTimed(Results values, Results times) const;
  /// Makes the encoder read `value` [deg|m]. No joint moves: references turn with the zero, limits
  /// stay as they are.
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
  /// The number is stored and returned; readings have no steps.
  ReturnValue getMotorEncoderCountsPerRevolution(int m, double* counts) const;
  ReturnValue setMotorEncoderCountsPerRevolution(int m, double counts);

  // IPidControl. `type` is a VOCAB_PIDTYPE_…; another one is refused with BadValue.
  /// @param type  the controller
  /// @param j  the joint
  /// @param pid  finite numbers; kp, ki, kd, max_int and max_output >= 0, scale from -30 to 30;
  /// else
  ///   BadValue
  ReturnValue setPid(vocab32_t type, int j, const Pid& pid);
  ReturnValue setPids(vocab32_t type, std::span<const Pid> pids) {
    return each(&ControlBoard::setPid, type, pids);
  }
  ReturnValue getPid(vocab32_t type, int j, Pid* pid) const;
  ReturnValue getPids(vocab32_t type, std::span<Pid> pids) const {
    return each(&ControlBoard::getPid, type, pids);
  }
  /// Gives the reference past the trajectory generator, if this controller is the active one; else
  /// WrongMode.
  ReturnValue setPidReference(vocab32_t type, int j, double reference);
  ReturnValue setPidReferences(vocab32_t type, Values values) {
    return each(&ControlBoard::setPidReference, type, values);
  }
  /// The present reference of the controller, in its unit.
  ReturnValue getPidReference(vocab32_t type, int j, double* reference) const;
  ReturnValue getPidReferences(vocab32_t type, Results values) const {
    return each(&ControlBoard::getPidReference, type, values);
  }
  /// The reference less the measured value.
  ReturnValue getPidError(vocab32_t type, int j, double* error) const;
  ReturnValue getPidErrors(vocab32_t type, Results values) const {
    return each(&ControlBoard::getPidError, type, values);
  }
  /// The output φ of the last step; 0 for a controller that is not active.
  ReturnValue getPidOutput(vocab32_t type, int j, double* output) const;
  ReturnValue getPidOutputs(vocab32_t type, Results values) const {
    return each(&ControlBoard::getPidOutput, type, values);
  }
  /// The limit is stored and returned; as on the iCub, nothing uses it.
  ReturnValue setPidErrorLimit(vocab32_t type, int j, double limit);
  ReturnValue setPidErrorLimits(vocab32_t type, Values values) {
    return each(&ControlBoard::setPidErrorLimit, type, values);
  }
  ReturnValue getPidErrorLimit(vocab32_t type, int j, double* limit) const;
  ReturnValue getPidErrorLimits(vocab32_t type, Results values) const {
    return each(&ControlBoard::getPidErrorLimit, type, values);
  }
  /// Sets Pid::offset alone.
  ReturnValue setPidOffset(vocab32_t type, int j, double offset);
  ReturnValue getPidOffset(vocab32_t type, int j, double* offset) const;
  /// Sets Pid::kff alone.
  ReturnValue setPidFeedforward(vocab32_t type, int j, double kff);
  ReturnValue getPidFeedforward(vocab32_t type, int j, double* kff) const;
  /// All four types.
  ReturnValue getAvailablePids(int j, std::vector<vocab32_t>* types) const;
  /// Forgets the integral of the controller, if it is the active one.
  ReturnValue resetPid(vocab32_t type, int j);
  /// Whether it is the active one.
  ReturnValue isPidEnabled(vocab32_t type, int j, bool* enabled) const;
  /// Deprecated in YARP. Both return true, print a notice and do nothing, as on the iCub.
  ReturnValue enablePid(vocab32_t type, int j);
  ReturnValue disablePid(vocab32_t type, int j);

  // IAmplifierControl
  /// Deprecated in YARP. Both return true, print a notice and do nothing, as on the iCub.
  ReturnValue enableAmp(int j);
  ReturnValue disableAmp(int j);
  /// 1 if the joint has power, else 0, as in idle mode and in a fault.
  ReturnValue getAmpStatus(int j, int* status) const;
  ReturnValue getAmpStatus(std::span<int> status) const {
    return each(&ControlBoard::getAmpStatus, status);
  }
  /// A larger current is a fault [A]; >= 0, else BadValue.
  ReturnValue setMaxCurrent(int j, double ampere);
  ReturnValue getMaxCurrent(int j, double* ampere) const;
  /// Nominal and peak currents are stored and returned; nothing uses them [A].
  ReturnValue setNominalCurrent(int j, double ampere);
  ReturnValue getNominalCurrent(int j, double* ampere) const;
  ReturnValue setPeakCurrent(int j, double ampere);
  ReturnValue getPeakCurrent(int j, double* ampere) const;
  /// The same as getDutyCycle().
  ReturnValue getPWM(int j, double* percent) const { return getDutyCycle(j, percent); }
  /// The limit of the duty cycle [%].
  ReturnValue setPWMLimit(int j, double percent);
  ReturnValue getPWMLimit(int j, double* percent) const;
  /// NotAvailable: nothing simulates a supply voltage.
  ReturnValue getPowerSupplyVoltage(int j, double* volt) const;

  // IMotor
  /// NotAvailable: nothing simulates temperatures.
  ReturnValue getTemperature(int m, double* celsius) const;
  ReturnValue getTemperatures(Results celsius) const {
    return each(&ControlBoard::getTemperature, celsius);
  }
  /// The limit and the gearbox ratio are stored and returned; nothing uses them.
  ReturnValue getTemperatureLimit(int m, double* celsius) const;
  ReturnValue setTemperatureLimit(int m, double celsius);
  ReturnValue getGearboxRatio(int m, double* ratio) const;
  ReturnValue setGearboxRatio(int m, double ratio);

  // IAxisInfo
  /// JointConfig::axis_name, or the name of the motor.
  ReturnValue getAxisName(int j, std::string* name) const;
  /// VOCAB_JOINTTYPE_REVOLUTE or VOCAB_JOINTTYPE_PRISMATIC.
  ReturnValue getJointType(int j, vocab32_t* type) const;

  // IJointFault, and faults that a program raises.
  /// The last fault, also after it was cleared; code -1 if there was none.
  ReturnValue getLastJointFault(int j, int* code, std::string* message) const;
  /// Sets a fault, as the hardware of a board does. If it `persists`, VOCAB_CM_FORCE_IDLE does not
  /// end it before clear_fault_cause().
  ReturnValue raise_fault(int j, int code, std::string message, bool persists = false);
  /// Lets the next VOCAB_CM_FORCE_IDLE end the fault.
  ReturnValue clear_fault_cause(int j);

  // IControlCalibration
  /// Begins a calibration; see CalibrationParameters. Refused in a fault and during a calibration.
  ReturnValue calibrateAxisWithParams(int j, unsigned type, double p1, double p2, double p3);
  /// Stores the parameters for calibrateSingleJoint() and calibrateRobot().
  ReturnValue setCalibrationParameters(int j, const CalibrationParameters& parameters);
  /// True if the joint has power and is not being calibrated; else Refused.
  ReturnValue calibrationDone(int j) const;
  /// Calibrates every joint that has calibration parameters; NotAvailable if none has.
  ReturnValue calibrateRobot();
  /// Ends all calibrations, which have failed then: a fault.
  ReturnValue abortCalibration();
  /// Moves joints in position or mixed mode to their park positions. It does not wait, whatever
  /// `wait` is, since time passes only in the caller's steps.
  ReturnValue park(bool wait = false);
  ReturnValue abortPark() { return stop(); }

  // IRemoteCalibrator, which every board has. The whole part means every joint. Homing moves a
  // joint to its home position as parking moves it to its park position.
  ReturnValue isCalibratorDevicePresent(bool* present) const;
  ReturnValue calibrateSingleJoint(int j);
  ReturnValue calibrateWholePart() { return calibrateRobot(); }
  ReturnValue homingSingleJoint(int j);
  ReturnValue homingWholePart();
  ReturnValue parkSingleJoint(int j, bool wait = true);
  ReturnValue parkWholePart() { return park(); }
  ReturnValue quitCalibrate() { return abortCalibration(); }
  ReturnValue quitPark() { return abortPark(); }

  // IRemoteVariables: kPWM, kCurrent, hardLimitMargin, velocityTimeout, parkPosition, homePosition.
  ReturnValue getRemoteVariablesList(std::vector<std::string>* keys) const;
  /// One value per joint; BadValue for a key that is not there.
  ReturnValue getRemoteVariable(std::string_view key, std::vector<double>* values) const;
  /// One value per joint; BadValue for another key, another number of values, or a value out of
  /// range: then no joint changes.
  ReturnValue setRemoteVariable(std::string_view key, Values values);

  // The names that YARP 4 has for functions of IPositionControl and IVelocityControl above.
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
