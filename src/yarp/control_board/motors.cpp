// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/motors.h"

#include <fmt/format.h>

#include <algorithm>

#include "servosim/yarp/efforts.h"
#include "servosim/yarp/motion.h"
#include "yarp/control_board/joint_call.h"

namespace servosim::yarp {

namespace {

// Refuses a value that no joint has.
ReturnValue absent(const BoardAxis&, double) { return {Status::NotAvailable}; }

}  // namespace

ReturnValue IAmplifierControl::enableAmp(JointSet joints) {
  return on(joints).deprecated("enableAmp", "set a mode");
}

ReturnValue IAmplifierControl::disableAmp(JointSet joints) {
  return on(joints).deprecated("disableAmp", "set mode \"idl\"");
}

ReturnValue IAmplifierControl::getAmpStatus(JointSet joints, PerJoint<int> status) const {
  return on(joints, status).read([](const BoardJoint& joint) {
    return joint.status.unpowered() ? 0 : 1;
  });
}

ReturnValue IAmplifierControl::setMaxCurrent(JointSet joints, Values amperes) {
  return on(joints, amperes).change([this](BoardAxis& axis, double ampere) {
    if (!(ampere >= 0.0)) {
      return board().refuse(axis.number, "setMaxCurrent", Status::BadValue,
                            fmt::format("a largest current is 0 A or more, not {}", ampere));
    }
    axis.joint.parameters.max_current = ampere;
    board().set_received(axis, &JointParameters::Received::current);
    return ReturnValue{};
  });
}

ReturnValue IAmplifierControl::getMaxCurrent(JointSet joints, Results amperes) const {
  return on(joints, amperes).read(&JointParameters::max_current);
}

ReturnValue IAmplifierControl::setNominalCurrent(JointSet joints, Values amperes) {
  return on(joints, amperes).write("setNominalCurrent", &JointParameters::nominal_current);
}

ReturnValue IAmplifierControl::getNominalCurrent(JointSet joints, Results amperes) const {
  return on(joints, amperes).read(&JointParameters::nominal_current);
}

ReturnValue IAmplifierControl::setPeakCurrent(JointSet joints, Values amperes) {
  return on(joints, amperes).write("setPeakCurrent", &JointParameters::peak_current);
}

ReturnValue IAmplifierControl::getPeakCurrent(JointSet joints, Results amperes) const {
  return on(joints, amperes).read(&JointParameters::peak_current);
}

ReturnValue IAmplifierControl::getPWM(JointSet joints, Results percents) const {
  return IPWMControl{*this}.getDutyCycle(joints, percents);
}

ReturnValue IAmplifierControl::setPWMLimit(JointSet joints, Values percents) {
  return on(joints, percents).change([this](BoardAxis& axis, double percent) {
    if (!(percent >= 0.0 && percent <= 100.0)) {
      return board().refuse(axis.number, "setPWMLimit", Status::BadValue,
                            fmt::format("a limit is from 0 to 100 %, not {}", percent));
    }
    double& reference = axis.joint.references.commands.pwm;
    reference = std::clamp(reference, -percent, percent);
    axis.joint.parameters.pwm_limit = percent;
    return ReturnValue{};
  });
}

ReturnValue IAmplifierControl::getPWMLimit(JointSet joints, Results percents) const {
  return on(joints, percents).read(&JointParameters::pwm_limit);
}

ReturnValue IAmplifierControl::getPowerSupplyVoltage(JointSet joints, Results volts) const {
  return on(joints, volts).look(absent);
}

ReturnValue IMotor::getNumberOfMotors(int* motors) const {
  return IPositionControl{*this}.getAxes(motors);
}

ReturnValue IMotor::getTemperature(JointSet m, Results celsius) const {
  return on(m, celsius).look(absent);
}

ReturnValue IMotor::getTemperatureLimit(JointSet m, Results celsius) const {
  return on(m, celsius).read(&JointParameters::temperature_limit);
}

ReturnValue IMotor::setTemperatureLimit(JointSet m, Values celsius) {
  return on(m, celsius).write("setTemperatureLimit", &JointParameters::temperature_limit);
}

ReturnValue IMotor::getGearboxRatio(JointSet m, Results ratios) const {
  return on(m, ratios).read(&JointParameters::gearbox_ratio);
}

ReturnValue IMotor::setGearboxRatio(JointSet m, Values ratios) {
  return on(m, ratios).write("setGearboxRatio", &JointParameters::gearbox_ratio);
}

ReturnValue IAxisInfo::getAxisName(JointSet joints, PerJoint<std::string> names) const {
  return on(joints, names).read([](const BoardJoint& joint) {
    const std::string& own = joint.parameters.config.axis_name;
    return own.empty() ? joint.info.motor : own;
  });
}

ReturnValue IAxisInfo::getJointType(JointSet joints, PerJoint<vocab32_t> types) const {
  return on(joints, types).read([](const BoardJoint& joint) {
    return joint.info.revolute ? VOCAB_JOINTTYPE_REVOLUTE : VOCAB_JOINTTYPE_PRISMATIC;
  });
}

}  // namespace servosim::yarp
