// SPDX-License-Identifier: Apache-2.0
// IControlCalibration, IRemoteCalibrator and IRemoteVariables.
#include <algorithm>
#include <limits>

#include "yarp/control_board/control_board.h"

namespace servosim::yarp {

namespace {

struct RemoteVariable {
  const char* key;
  double JointConfig::*value;
  double least;
  double most;
};

constexpr double kInfinite = std::numeric_limits<double>::infinity();

constexpr RemoteVariable kRemoteVariables[] = {
    {"kPWM", &JointConfig::effort_per_percent, 1.0 / kLargest, kLargest},
    {"kCurrent", &JointConfig::effort_per_ampere, 1.0 / kLargest, kLargest},
    {"hardLimitMargin", &JointConfig::hard_limit_margin, 0.0, kInfinite},
    {"velocityTimeout", &JointConfig::velocity_timeout, 0.0, kInfinite},
    {"parkPosition", &JointConfig::park_position, -kLargest, kLargest},
    {"homePosition", &JointConfig::home_position, -kLargest, kLargest},
};

const RemoteVariable* find(std::string_view key) {
  const auto* found =
      std::find_if(std::begin(kRemoteVariables), std::end(kRemoteVariables),
                   [key](const RemoteVariable& variable) { return variable.key == key; });
  return found == std::end(kRemoteVariables) ? nullptr : found;
}

}  // namespace

// Leaves the status of a board just turned on when everything is known.
void ControlBoard::Impl::configured(Axis& axis) {
  const BoardJoint& joint = axis.joint;
  if (joint.status.mode() == VOCAB_CM_NOT_CONFIGURED && joint.has_pid && joint.has_limits &&
      joint.has_current && !joint.config.needs_calibration) {
    enter(axis, config.configured_mode);
  }
}

ReturnValue ControlBoard::Impl::calibrate(int j, const CalibrationParameters& parameters) {
  ReturnValue result;
  const ReturnValue known =
      write(j, {parameters.param1, parameters.param2, parameters.param3}, [&](BoardJoint& joint) {
        const vocab32_t mode = joint.status.mode();
        if (mode == VOCAB_CM_HW_FAULT || mode == VOCAB_CM_CALIBRATING) {
          result = {Status::Refused};
        } else {
          joint.calibrate(parameters, measured(axes[j]));
        }
      });
  return known ? result : known;
}

ReturnValue ControlBoard::calibrateAxisWithParams(int j, unsigned type, double p1, double p2,
                                                  double p3) {
  return impl_->calibrate(j, {type, p1, p2, p3});
}

ReturnValue ControlBoard::setCalibrationParameters(int j, const CalibrationParameters& p) {
  return impl_->write(j, {p.param1, p.param2, p.param3},
                      [&](BoardJoint& joint) { joint.set_calibration(p); });
}

ReturnValue ControlBoard::calibrationDone(int j) const {
  bool done = false;
  const ReturnValue result = impl_->read(j, &done, [](const BoardJoint& joint) {
    return !joint.status.off() && joint.status.mode() != VOCAB_CM_CALIBRATING;
  });
  return result && !done ? ReturnValue{Status::Refused} : result;
}

ReturnValue ControlBoard::calibrateRobot() {
  const auto knows_how = [](const Impl::Axis& axis) { return axis.joint.has_calibration; };
  if (std::none_of(impl_->axes.begin(), impl_->axes.end(), knows_how)) {
    return {Status::NotAvailable};
  }
  return loop(axes(), true, [this](int j) {
    return impl_->axes[j].joint.has_calibration ? calibrateSingleJoint(j) : ReturnValue{};
  });
}

ReturnValue ControlBoard::abortCalibration() {
  return loop(axes(), true, [this](int j) {
    if (impl_->axes[j].joint.status.mode() == VOCAB_CM_CALIBRATING) {
      impl_->fault(j, kCalibrationFault, "its calibration was given up");
    }
    return ReturnValue{};
  });
}

// IRemoteCalibrator

ReturnValue ControlBoard::isCalibratorDevicePresent(bool* present) const {
  *present = true;
  return {};
}

ReturnValue ControlBoard::calibrateSingleJoint(int j) {
  if (!impl_->known(j)) {
    return {Status::OutOfRange};
  }
  const BoardJoint& joint = impl_->axes[j].joint;
  return joint.has_calibration ? impl_->calibrate(j, joint.calibration_parameters)
                               : ReturnValue{Status::NotAvailable};
}

ReturnValue ControlBoard::Impl::move_to_place(int j, const char* what, double JointConfig::*place) {
  if (!known(j)) {
    return {Status::OutOfRange};
  }
  const double position = axes[j].joint.config.*place;
  return command(j, what, position, {VOCAB_CM_POSITION, VOCAB_CM_MIXED},
                 [&](BoardJoint& joint) { joint.move_to(position, measured(axes[j])); });
}

ReturnValue ControlBoard::homingSingleJoint(int j) {
  return impl_->move_to_place(j, "homing", &JointConfig::home_position);
}

ReturnValue ControlBoard::homingWholePart() {
  return loop(axes(), true, [this](int j) { return homingSingleJoint(j); });
}

ReturnValue ControlBoard::parkSingleJoint(int j, bool) {
  return impl_->move_to_place(j, "parking", &JointConfig::park_position);
}

ReturnValue ControlBoard::park(bool) {
  return loop(axes(), true, [this](int j) { return parkSingleJoint(j); });
}

// IRemoteVariables

ReturnValue ControlBoard::getRemoteVariablesList(std::vector<std::string>* keys) const {
  keys->clear();
  for (const RemoteVariable& variable : kRemoteVariables) {
    keys->push_back(variable.key);
  }
  return {};
}

ReturnValue ControlBoard::getRemoteVariable(std::string_view key,
                                            std::vector<double>* values) const {
  const RemoteVariable* variable = find(key);
  if (variable == nullptr) {
    return {Status::BadValue};
  }
  values->clear();
  for (const Impl::Axis& axis : impl_->axes) {
    values->push_back(axis.joint.config.*variable->value);
  }
  return {};
}

ReturnValue ControlBoard::setRemoteVariable(std::string_view key, Values values) {
  const RemoteVariable* variable = find(key);
  const auto bad = [variable](double value) {
    return !(value >= variable->least && value <= variable->most);
  };
  if (variable == nullptr || values.size() != axes() ||
      std::any_of(values.begin(), values.end(), bad)) {
    return {Status::BadValue};
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    impl_->axes[j].joint.config.*variable->value = values[j];
  }
  return {};
}

}  // namespace servosim::yarp
