// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/motors.h"

#include <fmt/format.h>

#include <algorithm>

#include "servosim/yarp/efforts.h"
#include "servosim/yarp/motion.h"
#include "yarp/control_board/interface_calls.h"

namespace servosim::yarp {

ReturnValue IAmplifierControl::enableAmp(JointSet joints) {
  return change(board(), joints, [this](const BoardAxis& axis) {
    warn_deprecated(board(), axis.number, "enableAmp", "set a mode");
  });
}

ReturnValue IAmplifierControl::disableAmp(JointSet joints) {
  return change(board(), joints, [this](const BoardAxis& axis) {
    warn_deprecated(board(), axis.number, "disableAmp", "set mode \"idl\"");
  });
}

ReturnValue IAmplifierControl::getAmpStatus(JointSet joints, PerJoint<int> status) const {
  return read(board(), joints, status,
              [](const BoardJoint& joint) { return joint.status.unpowered() ? 0 : 1; });
}

ReturnValue IAmplifierControl::setMaxCurrent(JointSet joints, Values amperes) {
  return change(
      board(), joints,
      [this](BoardAxis& axis, double ampere) {
        if (!(ampere >= 0.0)) {
          return board().refuse(axis.number, "setMaxCurrent", Status::BadValue,
                                fmt::format("a largest current is 0 A or more, not {}", ampere));
        }
        axis.joint.parameters.max_current = ampere;
        axis.joint.parameters.received.current = true;
        board().finish_configuration(axis);
        return ReturnValue{};
      },
      amperes);
}

ReturnValue IAmplifierControl::getMaxCurrent(JointSet joints, Results amperes) const {
  return read(board(), joints, amperes, &JointParameters::max_current);
}

ReturnValue IAmplifierControl::setNominalCurrent(JointSet joints, Values amperes) {
  return write(board(), joints, "setNominalCurrent", amperes, &JointParameters::nominal_current);
}

ReturnValue IAmplifierControl::getNominalCurrent(JointSet joints, Results amperes) const {
  return read(board(), joints, amperes, &JointParameters::nominal_current);
}

ReturnValue IAmplifierControl::setPeakCurrent(JointSet joints, Values amperes) {
  return write(board(), joints, "setPeakCurrent", amperes, &JointParameters::peak_current);
}

ReturnValue IAmplifierControl::getPeakCurrent(JointSet joints, Results amperes) const {
  return read(board(), joints, amperes, &JointParameters::peak_current);
}

ReturnValue IAmplifierControl::getPWM(JointSet joints, Results percents) const {
  return IPWMControl(board()).getDutyCycle(joints, percents);
}

ReturnValue IAmplifierControl::setPWMLimit(JointSet joints, Values percents) {
  return change(
      board(), joints,
      [this](BoardAxis& axis, double percent) {
        if (!(percent >= 0.0 && percent <= 100.0)) {
          return board().refuse(axis.number, "setPWMLimit", Status::BadValue,
                                fmt::format("a limit is from 0 to 100 %, not {}", percent));
        }
        double& reference = axis.joint.references.commands.pwm;
        reference = std::clamp(reference, -percent, percent);
        axis.joint.parameters.pwm_limit = percent;
        return ReturnValue{};
      },
      percents);
}

ReturnValue IAmplifierControl::getPWMLimit(JointSet joints, Results percents) const {
  return read(board(), joints, percents, &JointParameters::pwm_limit);
}

ReturnValue IAmplifierControl::getPowerSupplyVoltage(JointSet joints, Results volts) const {
  return absent(board(), joints, volts);
}

ReturnValue IMotor::getNumberOfMotors(int* motors) const {
  return IPositionControl(board()).getAxes(motors);
}

ReturnValue IMotor::getTemperature(JointSet m, Results celsius) const {
  return absent(board(), m, celsius);
}

ReturnValue IMotor::getTemperatureLimit(JointSet m, Results celsius) const {
  return read(board(), m, celsius, &JointParameters::temperature_limit);
}

ReturnValue IMotor::setTemperatureLimit(JointSet m, Values celsius) {
  return write(board(), m, "setTemperatureLimit", celsius, &JointParameters::temperature_limit);
}

ReturnValue IMotor::getGearboxRatio(JointSet m, Results ratios) const {
  return read(board(), m, ratios, &JointParameters::gearbox_ratio);
}

ReturnValue IMotor::setGearboxRatio(JointSet m, Values ratios) {
  return write(board(), m, "setGearboxRatio", ratios, &JointParameters::gearbox_ratio);
}

ReturnValue IAxisInfo::getAxisName(JointSet joints, PerJoint<std::string> names) const {
  return read(board(), joints, names, [](const BoardJoint& joint) {
    const std::string& own = joint.parameters.config.axis_name;
    return own.empty() ? joint.info.motor : own;
  });
}

ReturnValue IAxisInfo::getJointType(JointSet joints, PerJoint<vocab32_t> types) const {
  return read(board(), joints, types, [](const BoardJoint& joint) {
    return joint.info.revolute ? VOCAB_JOINTTYPE_REVOLUTE : VOCAB_JOINTTYPE_PRISMATIC;
  });
}

}  // namespace servosim::yarp
