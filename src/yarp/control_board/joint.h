// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "servosim/joint_drive.h"
#include "yarp/control_board/joint_references.h"
#include "yarp/control_board/joint_status.h"

namespace servosim::yarp {

/// The encoder of a joint, and its last measurement, from which accelerations follow.
struct JointEncoder {
  /// Stores the measurement of a step.
  void store(const JointMeasurement& now) {
    acceleration = acceleration_at(now);
    time = now.time;
    velocity = now.velocity;
  }
  /// Returns the mean acceleration since the stored measurement. Without a later measurement it is
  /// that of the last step.
  double acceleration_at(const JointMeasurement& now) const {
    return now.time > time ? (now.velocity - velocity) / (now.time - time) : acceleration;
  }

  double unit;        ///< the board's unit in SI: π/180 for degrees, 1 for metres
  double zero = 0.0;  ///< the position at which it reads 0, in the board's unit
  double time = 0.0;  ///< [s]
  double velocity = 0.0;
  double acceleration = 0.0;
};

/// Codes of the faults that a board detects itself; 0 means none.
enum FaultCode : int {
  kTorqueFault = 1,
  kCurrentFault,
  kHardLimitFault,
  kCalibrationFault,
  kModeFault,
  kInteractionFault,
  kLawFault
};

/// A fault that a measurement shows; code 0 means none.
struct JointFault {
  int code = 0;
  const char* text = nullptr;
};

/// The last fault of a joint, also after it was cleared; code -1 means none.
struct LastFault {
  int code = -1;
  std::string message = "none";
  /// The cause is outside of the board and lasts until clear_fault_cause().
  bool persists = false;
};

/// The controller of one joint. It makes its parts change together; control_law() computes the
/// motor's drive from them.
///
/// Invariants: a drive has at most the effort of the motor; a trajectory is active only in a mode
/// that controls positions, or in a calibration.
class BoardJoint {
 public:
  BoardJoint(const JointConfig& config, const JointInfo& info, const BoardConfig& board,
             double position);

  /// Converts from the world's units to the board's.
  JointMeasurement measured(double position, double velocity, double torque, double time) const;
  double duty_cycle_at(const JointMeasurement& now) const {
    return now.output / parameters.config.effort_per_percent;  // [%]
  }
  double current_at(const JointMeasurement& now) const {
    return now.output / parameters.config.effort_per_ampere;  // [A]
  }

  // One step calls check_faults(), then advance().
  /// Stores the measurement of the step and returns the fault that it shows. Returns none if the
  /// joint is in a fault already or is not configured.
  JointFault check_faults(const JointMeasurement& now);
  /// Returns the fault that a measurement shows, in every mode.
  JointFault find_fault(const JointMeasurement& now) const;
  /// Advances the references by `h` [s] and returns the motor's drive of the step.
  JointDrive advance(const JointMeasurement& now, double h);
  /// The state of a calibration. At Done the encoder has its new zero.
  enum class Calibration : std::uint8_t { Running, Done, TimedOut };
  Calibration calibration(const JointMeasurement& now);

  /// Changes the mode. The motion ends at the present position, and the first reference of the new
  /// mode continues the motor's present output.
  void enter_mode(vocab32_t mode, const JointMeasurement& now);
  void set_interaction(vocab32_t interaction, const JointMeasurement& now);
  void calibrate(const CalibrationParameters& calibration, const JointMeasurement& now);
  /// Also changes a running calibration, from its present reference on.
  void set_calibration(const CalibrationParameters& calibration);
  /// Moves the encoder's zero so that it reads `value`. References are shifted by the same amount,
  /// so the joint does not move. Limits are readings of the encoder and keep their numbers.
  void set_encoder(double value, const JointMeasurement& now);
  void stop(const JointMeasurement& now);

  // Controllers, by pid_index().
  /// Sets the reference of the active controller directly, bypassing its generator.
  void set_pid_reference(double value, double now);
  double pid_reference(int index) const;
  double pid_feedback(int index, const JointMeasurement& now) const;
  void reset_pid() { integral_ = 0.0; }

  const JointInfo info;
  JointStatus status;
  JointEncoder encoder;
  JointParameters parameters;
  JointReferences references;
  LastFault last_fault;

 private:
  /// Ends the motion, and sets the references that the mode's interfaces report.
  void hold_position(const JointMeasurement& now);

  double calibration_timeout_;
  double calibrating_since_ = 0.0;
  double integral_ = 0.0;  // ki·∫e of the active controller
  JointDrive last_;
};

/// The control law of a step of `h` [s]. It implements figure 2 of "Control modes and interaction
/// modes of YARPdev", version 1.1.
/// @param integral  ki·∫e of the active controller, which the law advances
/// @returns the drive of the motor, whose efforts are not bounded by the motor's yet
JointDrive control_law(const BoardJoint& joint, const JointMeasurement& now, double h,
                       double& integral);

}  // namespace servosim::yarp
