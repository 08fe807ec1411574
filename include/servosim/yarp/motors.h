// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "servosim/yarp/board_interface.h"

namespace servosim::yarp {

/// Amplifiers of motors. Its getCurrent() is that of ICurrentControl.
///
/// Threads: those of BoardInterface.
struct IAmplifierControl : BoardInterface {
  /// Deprecated in YARP. Both return true, print a notice and do nothing, as on the iCub.
  ReturnValue enableAmp(JointSet joints);
  ReturnValue disableAmp(JointSet joints);
  /// 1 if the joint has power, else 0, as in idle mode and in a fault.
  ReturnValue getAmpStatus(JointSet joints, PerJoint<int> status) const;
  /// A larger current is a fault [A]; >= 0, else BadValue.
  ReturnValue setMaxCurrent(JointSet joints, Values amperes);
  ReturnValue getMaxCurrent(JointSet joints, Results amperes) const;
  /// Nominal and peak currents are stored and returned; nothing uses them [A].
  ReturnValue setNominalCurrent(JointSet joints, Values amperes);
  ReturnValue getNominalCurrent(JointSet joints, Results amperes) const;
  ReturnValue setPeakCurrent(JointSet joints, Values amperes);
  ReturnValue getPeakCurrent(JointSet joints, Results amperes) const;
  /// The same as IPWMControl::getDutyCycle().
  ReturnValue getPWM(JointSet joints, Results percents) const;
  /// The limit of the duty cycle [%].
  ReturnValue setPWMLimit(JointSet joints, Values percents);
  ReturnValue getPWMLimit(JointSet joints, Results percents) const;
  /// NotAvailable: nothing simulates a supply voltage.
  ReturnValue getPowerSupplyVoltage(JointSet joints, Results volts) const;
};

/// Motors.
///
/// Threads: those of BoardInterface.
struct IMotor : BoardInterface {
  ReturnValue getNumberOfMotors(int* motors) const;
  /// NotAvailable: nothing simulates temperatures.
  ReturnValue getTemperature(JointSet m, Results celsius) const;
  /// The limit and the gearbox ratio are stored and returned; nothing uses them.
  ReturnValue getTemperatureLimit(JointSet m, Results celsius) const;
  ReturnValue setTemperatureLimit(JointSet m, Values celsius);
  ReturnValue getGearboxRatio(JointSet m, Results ratios) const;
  ReturnValue setGearboxRatio(JointSet m, Values ratios);
};

/// What joints are.
///
/// Threads: those of BoardInterface.
struct IAxisInfo : BoardInterface {
  /// JointConfig::axis_name, or the name of the motor.
  ReturnValue getAxisName(JointSet joints, PerJoint<std::string> names) const;
  /// VOCAB_JOINTTYPE_REVOLUTE or VOCAB_JOINTTYPE_PRISMATIC.
  ReturnValue getJointType(JointSet joints, PerJoint<vocab32_t> types) const;
};

}  // namespace servosim::yarp
