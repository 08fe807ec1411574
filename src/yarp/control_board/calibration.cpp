// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "servosim/yarp/motion.h"
#include "yarp/control_board/joint_call.h"

namespace servosim::yarp {

namespace {

constexpr const char* kNoCalibration = "there are no parameters of a calibration";

ReturnValue calibrate(BoardCore& board, BoardAxis& axis, const CalibrationParameters& p) {
  const ReturnValue possible =
      board.check_numbers(axis.number, "calibration", {p.param1, p.param2, p.param3});
  if (!possible) {
    return possible;
  }
  const vocab32_t mode = axis.joint.status.mode();
  if (mode == VOCAB_CM_HW_FAULT || mode == VOCAB_CM_CALIBRATING) {
    return board.refuse(axis.number, "calibration", Status::Refused,
                        mode == VOCAB_CM_HW_FAULT ? "it has a hardware fault, which \"fidl\" resets"
                                                  : "it is being calibrated");
  }
  axis.joint.calibrate(p, board.measured(axis));
  return {};
}

// Moves joints to positions from their configurations.
ReturnValue move_to_stored(BoardCore& board, const JointSet& joints, const char* what,
                           double JointConfig::*place) {
  return JointCall(board, joints).change([&](BoardAxis& axis) {
    const double position = axis.joint.parameters.config.*place;
    return obey(board, axis, what, position, {VOCAB_CM_POSITION, VOCAB_CM_MIXED}, [&] {
      axis.joint.references.move_to(position, axis.joint.parameters, board.measured(axis));
    });
  });
}

struct RemoteVariable {
  std::string_view key;
  double JointConfig::*value;
  double least;
  double most;
};

constexpr double kInfinite = std::numeric_limits<double>::infinity();

constexpr RemoteVariable kRemoteVariables[] = {
    {"kPWM", &JointConfig::effort_per_percent, 1.0 / kMaxParameter, kMaxParameter},
    {"kCurrent", &JointConfig::effort_per_ampere, 1.0 / kMaxParameter, kMaxParameter},
    {"hardLimitMargin", &JointConfig::hard_limit_margin, 0.0, kInfinite},
    {"velocityTimeout", &JointConfig::velocity_timeout, 0.0, kInfinite},
    {"parkPosition", &JointConfig::park_position, -kMaxParameter, kMaxParameter},
    {"homePosition", &JointConfig::home_position, -kMaxParameter, kMaxParameter},
};

const RemoteVariable* find(std::string_view key) {
  const auto* found = std::ranges::find(kRemoteVariables, key, &RemoteVariable::key);
  return found == std::end(kRemoteVariables) ? nullptr : found;
}

}  // namespace

ReturnValue IControlCalibration::calibrateAxisWithParams(int j, unsigned type, double p1, double p2,
                                                         double p3) {
  return on(j).change([&](BoardAxis& axis) {
    return calibrate(board(), axis, {type, p1, p2, p3});
  });
}

ReturnValue IControlCalibration::setCalibrationParameters(
    JointSet joints, PerJoint<const CalibrationParameters> parameters) {
  return on(joints, parameters).change([this](BoardAxis& axis, const CalibrationParameters& p) {
    const ReturnValue possible = board().check_numbers(axis.number, "setCalibrationParameters",
                                                       {p.param1, p.param2, p.param3});
    if (possible) {
      axis.joint.set_calibration(p);
    }
    return possible;
  });
}

ReturnValue IControlCalibration::calibrationDone(JointSet joints) const {
  return on(joints).look([](const BoardAxis& axis) {
    const JointStatus& status = axis.joint.status;
    const bool done = !status.unpowered() && status.mode() != VOCAB_CM_CALIBRATING;
    return ReturnValue{done ? Status::Ok : Status::Refused};
  });
}

ReturnValue IControlCalibration::calibrateRobot() {
  bool any = false;
  const ReturnValue result = on(kAllJoints).change([&](BoardAxis& axis) {
    const JointParameters& parameters = axis.joint.parameters;
    any = any || parameters.has_calibration;
    return parameters.has_calibration ? calibrate(board(), axis, parameters.calibration)
                                      : ReturnValue{};
  });
  return any ? result : board().refuse(-1, "calibrateRobot", Status::NotAvailable, kNoCalibration);
}

ReturnValue IControlCalibration::abortCalibration() {
  return on(kAllJoints).change([this](const BoardAxis& axis) {
    if (axis.joint.status.mode() == VOCAB_CM_CALIBRATING) {
      board().set_fault(axis.number, kCalibrationFault, "its calibration was aborted");
    }
  });
}

ReturnValue IControlCalibration::park(bool) {
  return move_to_stored(board(), kAllJoints, "parking", &JointConfig::park_position);
}

ReturnValue IControlCalibration::abortPark() { return IPositionControl{*this}.stop(kAllJoints); }

ReturnValue IRemoteCalibrator::isCalibratorDevicePresent(bool* present) const {
  *present = true;
  return {};
}

ReturnValue IRemoteCalibrator::calibrateSingleJoint(JointSet joints) {
  return on(joints).change([this](BoardAxis& axis) {
    const JointParameters& parameters = axis.joint.parameters;
    return parameters.has_calibration
               ? calibrate(board(), axis, parameters.calibration)
               : board().refuse(axis.number, "calibration", Status::NotAvailable, kNoCalibration);
  });
}

ReturnValue IRemoteCalibrator::homingSingleJoint(JointSet joints) {
  return move_to_stored(board(), joints, "homing", &JointConfig::home_position);
}

ReturnValue IRemoteCalibrator::parkSingleJoint(JointSet joints, bool) {
  return move_to_stored(board(), joints, "parking", &JointConfig::park_position);
}

ReturnValue IRemoteVariables::getRemoteVariablesList(std::vector<std::string>* keys) const {
  keys->clear();
  for (const RemoteVariable& variable : kRemoteVariables) {
    keys->emplace_back(variable.key);
  }
  return {};
}

ReturnValue IRemoteVariables::getRemoteVariable(std::string_view key,
                                                std::vector<double>* values) const {
  const RemoteVariable* variable = find(key);
  if (variable == nullptr) {
    return {Status::BadValue};
  }
  values->resize(board().axes().size());
  return on(kAllJoints, Results(*values)).read([variable](const BoardJoint& joint) {
    return joint.parameters.config.*variable->value;
  });
}

ReturnValue IRemoteVariables::setRemoteVariable(std::string_view key,
                                                std::span<const double> values) {
  const RemoteVariable* variable = find(key);
  const auto bad = [variable](double value) {
    return !(value >= variable->least && value <= variable->most);
  };
  const std::size_t axes = board().axes().size();
  if (variable == nullptr || values.size() != axes ||
      std::any_of(values.begin(), values.end(), bad)) {
    return board().refuse(-1, "setRemoteVariable", Status::BadValue,
                          variable == nullptr ? fmt::format("there is no variable \"{}\"", key)
                                              : fmt::format("{} has {} numbers from {} to {}", key,
                                                            axes, variable->least, variable->most));
  }
  for (std::size_t j = 0; j < axes; ++j) {
    board().axes()[j].joint.parameters.config.*variable->value = values[j];
  }
  return {};
}

}  // namespace servosim::yarp
