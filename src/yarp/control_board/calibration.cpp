// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "servosim/yarp/motion.h"
#include "yarp/control_board/interface_calls.h"

namespace servosim::yarp {

namespace {

constexpr const char* kNoCalibration = "there are no parameters of a calibration";

// Refuses parameters with a number that is not possible.
ReturnValue check_numbers(BoardCore& board, int j, const char* what,
                          const CalibrationParameters& p) {
  for (const double number : {p.param1, p.param2, p.param3}) {
    if (!is_possible(number)) {
      return board.refuse_number(j, what, number);
    }
  }
  return {};
}

ReturnValue calibrate(BoardCore& board, BoardAxis& axis, const CalibrationParameters& parameters) {
  if (const ReturnValue known = check_numbers(board, axis.number, "calibration", parameters);
      !known) {
    return known;
  }
  const vocab32_t mode = axis.joint.status.mode();
  if (mode == VOCAB_CM_HW_FAULT || mode == VOCAB_CM_CALIBRATING) {
    return board.refuse(axis.number, "calibration", Status::Refused,
                        mode == VOCAB_CM_HW_FAULT ? "it has a hardware fault, which \"fidl\" resets"
                                                  : "it is being calibrated");
  }
  axis.joint.calibrate(parameters, board.measured(axis));
  return {};
}

// Moves joints to positions from their configurations.
ReturnValue move_to_stored(BoardCore& board, const JointSet& joints, const char* what,
                           double JointConfig::*place) {
  return change(board, joints, [&](BoardAxis& axis) {
    const double position = axis.joint.parameters.config.*place;
    return obey(
        board, axis.number, what, position, {VOCAB_CM_POSITION, VOCAB_CM_MIXED}, [&](BoardAxis&) {
          axis.joint.references.move_to(position, axis.joint.parameters, board.measured(axis));
        });
  });
}

struct RemoteVariable {
  const char* key;
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
  const auto* found =
      std::find_if(std::begin(kRemoteVariables), std::end(kRemoteVariables),
                   [key](const RemoteVariable& variable) { return variable.key == key; });
  return found == std::end(kRemoteVariables) ? nullptr : found;
}

}  // namespace

ReturnValue IControlCalibration::calibrateAxisWithParams(int j, unsigned type, double p1, double p2,
                                                         double p3) {
  return change(board(), j, [&](BoardAxis& axis) {
    return calibrate(board(), axis, {type, p1, p2, p3});
  });
}

ReturnValue IControlCalibration::setCalibrationParameters(
    JointSet joints, PerJoint<const CalibrationParameters> parameters) {
  return change(
      board(), joints,
      [this](BoardAxis& axis, const CalibrationParameters& p) {
        const ReturnValue result =
            check_numbers(board(), axis.number, "setCalibrationParameters", p);
        if (result) {
          axis.joint.set_calibration(p);
        }
        return result;
      },
      parameters);
}

ReturnValue IControlCalibration::calibrationDone(JointSet joints) const {
  return each(board(), joints, [this](int j) {
    if (!board().has(j)) {
      return ReturnValue{Status::OutOfRange};
    }
    const JointStatus& status = board().axes()[j].joint.status;
    const bool done = !status.unpowered() && status.mode() != VOCAB_CM_CALIBRATING;
    return done ? ReturnValue{} : ReturnValue{Status::Refused};
  });
}

ReturnValue IControlCalibration::calibrateRobot() {
  bool any = false;
  const ReturnValue result = change(board(), kAllJoints, [&](BoardAxis& axis) {
    const JointParameters& parameters = axis.joint.parameters;
    any = any || parameters.has_calibration;
    return parameters.has_calibration ? calibrate(board(), axis, parameters.calibration)
                                      : ReturnValue{};
  });
  return any ? result : board().refuse(-1, "calibrateRobot", Status::NotAvailable, kNoCalibration);
}

ReturnValue IControlCalibration::abortCalibration() {
  return change(board(), kAllJoints, [this](const BoardAxis& axis) {
    if (axis.joint.status.mode() == VOCAB_CM_CALIBRATING) {
      board().set_fault(axis.number, kCalibrationFault, "its calibration was aborted");
    }
  });
}

ReturnValue IControlCalibration::park(bool) {
  return move_to_stored(board(), kAllJoints, "parking", &JointConfig::park_position);
}

ReturnValue IControlCalibration::abortPark() { return IPositionControl(board()).stop(kAllJoints); }

ReturnValue IRemoteCalibrator::isCalibratorDevicePresent(bool* present) const {
  *present = true;
  return {};
}

ReturnValue IRemoteCalibrator::calibrateSingleJoint(JointSet joints) {
  return change(board(), joints, [this](BoardAxis& axis) {
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
    keys->push_back(variable.key);
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
  return read(board(), kAllJoints, Results(*values), [variable](const BoardJoint& joint) {
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
