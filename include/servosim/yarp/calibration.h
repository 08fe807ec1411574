// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/yarp/board_interface.h"

namespace servosim::yarp {

/// Calibration, and parking.
///
/// Threads: those of BoardInterface.
struct IControlCalibration : BoardInterface {
  /// Begins a calibration; see CalibrationParameters. Refused in a fault and during a calibration.
  ReturnValue calibrateAxisWithParams(int j, unsigned type, double p1, double p2, double p3);
  /// Stores the parameters for IRemoteCalibrator::calibrateSingleJoint() and calibrateRobot().
  ReturnValue setCalibrationParameters(JointSet joints,
                                       PerJoint<const CalibrationParameters> parameters);
  /// True if the joint has power and is not being calibrated; else Refused.
  ReturnValue calibrationDone(JointSet joints) const;
  /// Calibrates every joint that has calibration parameters; NotAvailable if none has.
  ReturnValue calibrateRobot();
  /// Ends all calibrations, which have failed then: a fault.
  ReturnValue abortCalibration();
  /// Moves joints in position or mixed mode to their park positions. It does not wait, whatever
  /// `wait` is, since time passes only in the caller's steps.
  ReturnValue park(bool wait = false);
  ReturnValue abortPark();
};

/// Calibration, homing and parking of single joints and of all. Homing moves a joint to its home
/// position as parking moves it to its park position.
///
/// Threads: those of BoardInterface.
struct IRemoteCalibrator : private IControlCalibration {
  explicit IRemoteCalibrator(const BoardInterface& board) : IControlCalibration{board} {}

  /// Every board has one.
  ReturnValue isCalibratorDevicePresent(bool* present) const;
  ReturnValue calibrateSingleJoint(JointSet joints);
  ReturnValue calibrateWholePart() { return calibrateRobot(); }
  ReturnValue homingSingleJoint(JointSet joints);
  ReturnValue homingWholePart() { return homingSingleJoint(kAllJoints); }
  ReturnValue parkSingleJoint(JointSet joints, bool wait = true);
  ReturnValue parkWholePart() { return park(); }
  ReturnValue quitCalibrate() { return abortCalibration(); }
  ReturnValue quitPark() { return abortPark(); }
};

/// The variables kPWM, kCurrent, hardLimitMargin, velocityTimeout, parkPosition and homePosition.
///
/// Threads: those of BoardInterface.
struct IRemoteVariables : BoardInterface {
  ReturnValue getRemoteVariablesList(std::vector<std::string>* keys) const;
  /// One value per joint; BadValue for a key that is not there.
  ReturnValue getRemoteVariable(std::string_view key, std::vector<double>* values) const;
  /// One value per joint; BadValue for another key, another number of values, or a value out of
  /// range: then no joint changes.
  ReturnValue setRemoteVariable(std::string_view key, std::span<const double> values);
};

}  // namespace servosim::yarp
