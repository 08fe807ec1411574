// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "yarp/control_board/control_board.h"

// Implements parameters, which may be set in every mode, readings, and the check of a
// configuration.

namespace servosim::yarp {

namespace {

constexpr double kMaxAcceleration = 1e6;  // [deg/s²|m/s²] of a reference; that of the iCub's boards

}  // namespace

ReturnValue ControlBoard::setRefSpeed(int j, double speed) {
  ReturnValue allowed;
  const ReturnValue result = impl_->write(j, "setRefSpeed", {speed}, [&](BoardJoint& joint) {
    if (speed > 0.0) {
      joint.ref_speed = speed;
    } else {  // the joint would not move
      allowed = impl_->refuse(j, "setRefSpeed", Status::BadValue,
                              fmt::format("a reference speed is above 0, not {}", speed));
    }
  });
  return result ? allowed : result;
}

ReturnValue ControlBoard::getRefSpeed(int j, double* speed) const {
  return impl_->read(j, speed, [](const BoardJoint& joint) { return joint.ref_speed; });
}

ReturnValue ControlBoard::setRefAcceleration(int j, double acceleration) {
  return impl_->write(j, "setRefAcceleration", {acceleration}, [&](BoardJoint& joint) {
    joint.ref_acceleration = std::min(std::abs(acceleration), kMaxAcceleration);
    if (acceleration == 0.0) {
      impl_->warn(j, {"setRefAcceleration", Status::Ok},
                  "with a reference acceleration of 0 velocityMove changes no speed");
    }
  });
}

ReturnValue ControlBoard::getRefAcceleration(int j, double* acceleration) const {
  return impl_->read(j, acceleration,
                     [](const BoardJoint& joint) { return joint.ref_acceleration; });
}

ReturnValue ControlBoard::getMotorTorqueParams(int j, MotorTorqueParameters* parameters) const {
  return impl_->read(j, parameters, [](const BoardJoint& joint) { return joint.motor_torque; });
}

ReturnValue ControlBoard::setMotorTorqueParams(int j, const MotorTorqueParameters& p) {
  return impl_->write(j, "setMotorTorqueParams",
                      {p.bemf, p.bemf_scale, p.ktau, p.ktau_scale, p.viscousPos, p.viscousNeg,
                       p.coulombPos, p.coulombNeg, p.velocityThres},
                      [&](BoardJoint& joint) { joint.motor_torque = p; });
}

// IImpedanceControl

ReturnValue ControlBoard::getImpedance(int j, double* stiffness, double* damping) const {
  return impl_->read(j, stiffness, [&](const BoardJoint& joint) {
    *damping = joint.damping;
    return joint.stiffness;
  });
}

ReturnValue ControlBoard::setImpedance(int j, double stiffness, double damping) {
  ReturnValue allowed;
  const ReturnValue result =
      impl_->write(j, "setImpedance", {stiffness, damping}, [&](BoardJoint& joint) {
        if (stiffness < 0.0 || stiffness > joint.config.max_stiffness || damping < 0.0 ||
            damping > joint.config.max_damping) {
          allowed = impl_->refuse(
              j, "setImpedance", Status::BadValue,
              fmt::format("a stiffness is from 0 to {}, a damping from 0 to {}, not {} and {}",
                          joint.config.max_stiffness, joint.config.max_damping, stiffness,
                          damping));
          return;
        }
        joint.stiffness = stiffness;
        joint.damping = damping;
      });
  return result ? allowed : result;
}

ReturnValue ControlBoard::getImpedanceOffset(int j, double* offset) const {
  return impl_->read(j, offset, [](const BoardJoint& joint) { return joint.impedance_offset; });
}

ReturnValue ControlBoard::setImpedanceOffset(int j, double offset) {
  return impl_->write(j, "setImpedanceOffset", {offset},
                      [&](BoardJoint& joint) { joint.impedance_offset = offset; });
}

ReturnValue ControlBoard::getCurrentImpedanceLimit(int j, double* min_stiffness,
                                                   double* max_stiffness, double* min_damping,
                                                   double* max_damping) const {
  return impl_->read(j, max_stiffness, [&](const BoardJoint& joint) {
    *min_stiffness = *min_damping = 0.0;
    *max_damping = joint.config.max_damping;
    return joint.config.max_stiffness;
  });
}

// IControlLimits

ReturnValue ControlBoard::setLimits(int j, double min, double max) {
  if (!(min <= max)) {  // also true for NaN
    return impl_->refuse_values(
        j, "setLimits",
        fmt::format("the lower limit is at most the upper one, not {} to {}", min, max));
  }
  return impl_->write(j, "setLimits", {}, [&](BoardJoint& joint) {
    joint.min_position = min;
    joint.max_position = max;
    joint.has_limits = true;
    impl_->finish_configuration(impl_->axes[j]);
  });
}

ReturnValue ControlBoard::getLimits(int j, double* min, double* max) const {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  return impl_->read(j, max, [&](const BoardJoint& joint) {
    *min = joint.limited() ? joint.min_position : -kInf;
    return joint.limited() ? joint.max_position : kInf;
  });
}

ReturnValue ControlBoard::setVelLimits(int j, double min, double max) {
  if (!(min >= 0.0 && min <= max)) {
    return impl_->refuse_values(
        j, "setVelLimits",
        fmt::format("limits are from 0 on, the lower one first, not {} to {}", min, max));
  }
  return impl_->write(j, "setVelLimits", {max},
                      [&](BoardJoint& joint) { joint.max_velocity = max; });
}

ReturnValue ControlBoard::getVelLimits(int j, double* min, double* max) const {
  return impl_->read(j, max, [&](const BoardJoint& joint) {
    *min = 0.0;
    return joint.max_velocity;
  });
}

// IEncodersTimed

ReturnValue ControlBoard::getEncoder(int j, double* value) const {
  return impl_->sense(j, value,
                      [](const BoardJoint&, const JointMeasurement& now) { return now.position; });
}

ReturnValue ControlBoard::getEncoderSpeed(int j, double* value) const {
  return impl_->sense(j, value,
                      [](const BoardJoint&, const JointMeasurement& now) { return now.velocity; });
}

ReturnValue ControlBoard::getEncoderAcceleration(int j, double* value) const {
  return impl_->sense(j, value, [](const BoardJoint& joint, const JointMeasurement& now) {
    return joint.acceleration_at(now);
  });
}

ReturnValue ControlBoard::getEncoderTimed(int j, double* value, double* time) const {
  return impl_->sense(j, value, [&](const BoardJoint&, const JointMeasurement& now) {
    *time = now.time;
    return now.position;
  });
}

ReturnValue ControlBoard::getEncodersTimed(Results values, Results times) const {
  if (values.size() != axes() || times.size() != axes()) {
    return {Status::OutOfRange};
  }
  return for_all([&](int j) { return getEncoderTimed(j, &values[j], &times[j]); });
}

ReturnValue ControlBoard::setEncoder(int j, double value) {
  return impl_->write(j, "setEncoder", {value}, [&](BoardJoint& joint) {
    joint.set_encoder(value, impl_->measured(impl_->axes[j]));
  });
}

// IAmplifierControl

ReturnValue ControlBoard::enableAmp(int j) {
  return impl_->write(j, "enableAmp", {}, [&](BoardJoint&) {
    impl_->warn(j, {"enableAmp", Status::Ok},
                "enableAmp is deprecated and does nothing; set a mode");
  });
}

ReturnValue ControlBoard::disableAmp(int j) {
  return impl_->write(j, "disableAmp", {}, [&](BoardJoint&) {
    impl_->warn(j, {"disableAmp", Status::Ok},
                "disableAmp is deprecated and does nothing; set mode \"idl\"");
  });
}

ReturnValue ControlBoard::getAmpStatus(int j, int* status) const {
  return impl_->read(j, status,
                     [](const BoardJoint& joint) { return joint.status.unpowered() ? 0 : 1; });
}

ReturnValue ControlBoard::setMaxCurrent(int j, double ampere) {
  if (!(ampere >= 0.0)) {
    return impl_->refuse_values(j, "setMaxCurrent",
                                fmt::format("a largest current is 0 A or more, not {}", ampere));
  }
  return impl_->write(j, "setMaxCurrent", {}, [&](BoardJoint& joint) {
    joint.max_current = ampere;
    joint.has_current = true;
    impl_->finish_configuration(impl_->axes[j]);
  });
}

ReturnValue ControlBoard::getMaxCurrent(int j, double* ampere) const {
  return impl_->read(j, ampere, [](const BoardJoint& joint) { return joint.max_current; });
}

ReturnValue ControlBoard::setNominalCurrent(int j, double ampere) {
  return impl_->write(j, "setNominalCurrent", {ampere},
                      [&](BoardJoint& joint) { joint.nominal_current = ampere; });
}

ReturnValue ControlBoard::getNominalCurrent(int j, double* ampere) const {
  return impl_->read(j, ampere, [](const BoardJoint& joint) { return joint.nominal_current; });
}

ReturnValue ControlBoard::setPeakCurrent(int j, double ampere) {
  return impl_->write(j, "setPeakCurrent", {ampere},
                      [&](BoardJoint& joint) { joint.peak_current = ampere; });
}

ReturnValue ControlBoard::getPeakCurrent(int j, double* ampere) const {
  return impl_->read(j, ampere, [](const BoardJoint& joint) { return joint.peak_current; });
}

ReturnValue ControlBoard::setPWMLimit(int j, double percent) {
  if (!(percent >= 0.0 && percent <= 100.0)) {
    return impl_->refuse_values(j, "setPWMLimit",
                                fmt::format("a limit is from 0 to 100 %, not {}", percent));
  }
  return impl_->write(j, "setPWMLimit", {}, [&](BoardJoint& joint) {
    joint.pwm_limit = percent;
    joint.ref_pwm = std::clamp(joint.ref_pwm, -percent, percent);
  });
}

ReturnValue ControlBoard::getPWMLimit(int j, double* percent) const {
  return impl_->read(j, percent, [](const BoardJoint& joint) { return joint.pwm_limit; });
}

ReturnValue ControlBoard::getPowerSupplyVoltage(int j, double*) const {
  return {impl_->has(j) ? Status::NotAvailable : Status::OutOfRange};
}

// IMotor, and the counts of IMotorEncoders

ReturnValue ControlBoard::getTemperature(int m, double*) const {
  return {impl_->has(m) ? Status::NotAvailable : Status::OutOfRange};
}

ReturnValue ControlBoard::getTemperatureLimit(int m, double* celsius) const {
  return impl_->read(m, celsius, [](const BoardJoint& joint) { return joint.temperature_limit; });
}

ReturnValue ControlBoard::setTemperatureLimit(int m, double celsius) {
  return impl_->write(m, "setTemperatureLimit", {celsius},
                      [&](BoardJoint& joint) { joint.temperature_limit = celsius; });
}

ReturnValue ControlBoard::getGearboxRatio(int m, double* ratio) const {
  return impl_->read(m, ratio, [](const BoardJoint& joint) { return joint.gearbox_ratio; });
}

ReturnValue ControlBoard::setGearboxRatio(int m, double ratio) {
  return impl_->write(m, "setGearboxRatio", {ratio},
                      [&](BoardJoint& joint) { joint.gearbox_ratio = ratio; });
}

ReturnValue ControlBoard::getMotorEncoderCountsPerRevolution(int m, double* counts) const {
  return impl_->read(m, counts,
                     [](const BoardJoint& joint) { return joint.counts_per_revolution; });
}

ReturnValue ControlBoard::setMotorEncoderCountsPerRevolution(int m, double counts) {
  return impl_->write(m, "setMotorEncoderCountsPerRevolution", {counts},
                      [&](BoardJoint& joint) { joint.counts_per_revolution = counts; });
}

// IAxisInfo

ReturnValue ControlBoard::getAxisName(int j, std::string* name) const {
  return impl_->read(j, name, [](const BoardJoint& joint) {
    return joint.config.axis_name.empty() ? joint.info.motor : joint.config.axis_name;
  });
}

ReturnValue ControlBoard::getJointType(int j, vocab32_t* type) const {
  return impl_->read(j, type, [](const BoardJoint& joint) {
    return joint.info.revolute ? VOCAB_JOINTTYPE_REVOLUTE : VOCAB_JOINTTYPE_PRISMATIC;
  });
}

namespace {

bool in(double value, double min, double max) { return value >= min && value <= max; }

struct Check {
  const char* what;
  double value;
  double min;
  double max;
};

void check_joint(const BoardConfig& board, const JointConfig& joint) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument(
        fmt::format("board \"{}\", joint \"{}\": {}", board.name, joint.motor, what));
  };
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const Check& c :
       {Check{"ref_speed", joint.ref_speed.value_or(0.0), 0.0, kMaxParameter},
        {"ref_acceleration", joint.ref_acceleration.value_or(0.0), 0.0, kMaxParameter},
        {"min_position", joint.min_position.value_or(0.0), -kInf, kInf},
        {"max_position", joint.max_position.value_or(0.0), joint.min_position.value_or(-kInf),
         kInf},
        {"max_velocity", joint.max_velocity.value_or(0.0), 0.0, kMaxParameter},
        {"stiffness", joint.stiffness.value_or(0.0), 0.0, joint.max_stiffness},
        {"damping", joint.damping.value_or(0.0), 0.0, joint.max_damping},
        {"max_stiffness", joint.max_stiffness, 0.0, kMaxParameter},
        {"max_damping", joint.max_damping, 0.0, kMaxParameter},
        {"effort_per_percent", joint.effort_per_percent, 1.0 / kMaxParameter, kMaxParameter},
        {"effort_per_ampere", joint.effort_per_ampere, 1.0 / kMaxParameter, kMaxParameter},
        {"max_torque", joint.max_torque.value_or(0.0), 0.0, kInf},
        {"max_current", joint.max_current, 0.0, kInf},
        {"hard_limit_margin", joint.hard_limit_margin, 0.0, kInf},
        {"velocity_timeout", joint.velocity_timeout, 0.0, kInf},
        {"park_position", joint.park_position, -kMaxParameter, kMaxParameter},
        {"home_position", joint.home_position, -kMaxParameter, kMaxParameter}}) {
    if (!in(c.value, c.min, c.max)) {
      refuse(fmt::format("{} is {}, but must be from {} to {}", c.what, c.value, c.min, c.max));
    }
  }
  if (joint.ref_speed == 0.0) {
    refuse("ref_speed must be above 0: with 0 nothing would move");
  }
  for (const Pid& pid : {joint.position_pid.value_or(Pid{}), joint.velocity_pid.value_or(Pid{}),
                         joint.torque_pid.value_or(Pid{}), joint.current_pid.value_or(Pid{})}) {
    if (!is_possible(pid)) {
      refuse(
          "a Pid must have finite numbers; kp, ki, kd, max_int, max_output >= 0; and a scale "
          "from -30 to 30");
    }
  }
}

}  // namespace

bool is_possible(const Pid& pid) {
  for (const double bound : {pid.kp, pid.ki, pid.kd, pid.max_int, pid.max_output}) {
    if (!in(bound, 0.0, kMaxParameter)) {
      return false;
    }
  }
  for (const double term : {pid.offset, pid.stiction_up_val, pid.stiction_down_val, pid.kff}) {
    if (!in(term, -kMaxParameter, kMaxParameter)) {
      return false;
    }
  }
  return in(pid.scale, -30.0, 30.0);
}

void check(const BoardConfig& config) {
  if (!(config.warning_period >= 0.0) || !(config.calibration_timeout >= 0.0)) {
    throw std::invalid_argument(fmt::format(
        "board \"{}\": warning_period and calibration_timeout must be >= 0", config.name));
  }
  std::set<std::string> motors;
  for (const JointConfig& joint : config.joints) {
    if (!motors.insert(joint.motor).second) {
      throw std::invalid_argument(
          fmt::format("board \"{}\": motor \"{}\" stands there twice", config.name, joint.motor));
    }
    check_joint(config, joint);
  }
}

}  // namespace servosim::yarp
