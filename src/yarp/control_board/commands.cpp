// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "yarp/control_board/control_board.h"

// Implements commands and the references that they set: positions, velocities, efforts,
// controllers, calibration.

namespace servosim::yarp {

ReturnValue ControlBoard::getAxes(int* axes) const {
  *axes = static_cast<int>(impl_->axes.size());
  return {};
}

// IPositionControl

// A client that replaces trajectories before they have progressed far should stream positions
// instead.
void ControlBoard::Impl::warn_of_frequent_moves(int j) {
  constexpr double kMinMoveInterval = 0.080;  // [s]; that of the iCub's driver
  constexpr double kRounding = 1e-9;
  const double now = simulation.time();
  const double since = now - std::exchange(axes[j].last_move_time, now);
  // Time goes back if a simulation is restored.
  if (since >= 0.0 && since < kMinMoveInterval - kRounding) {
    warn(j, {"moves", Status::Ok},
         "performance warning: positionMove comes more often than every 80 ms; control mode "
         "\"posd\" with setPosition is made for that");
  }
}

ReturnValue ControlBoard::positionMove(int j, double ref) {
  return impl_->command(j, "positionMove", ref, {VOCAB_CM_POSITION, VOCAB_CM_MIXED},
                        [&](BoardJoint& joint) {
                          impl_->warn_of_frequent_moves(j);
                          joint.move_to(ref, impl_->measured(impl_->axes[j]));
                        });
}

ReturnValue ControlBoard::relativeMove(int j, double delta) {
  return impl_->command(j, "relativeMove", delta, {VOCAB_CM_POSITION, VOCAB_CM_MIXED},
                        [&](BoardJoint& joint) {
                          const JointMeasurement now = impl_->measured(impl_->axes[j]);
                          joint.move_to(now.position + delta, now);
                        });
}

ReturnValue ControlBoard::checkMotionDone(int j, bool* done) const {
  return impl_->read(j, done, [](const BoardJoint& joint) { return joint.motion_done; });
}

ReturnValue ControlBoard::checkMotionDone(bool* done) const {
  *done = true;
  return for_all([&](int j) {
    bool one = true;
    const ReturnValue result = checkMotionDone(j, &one);
    *done = *done && one;
    return result;
  });
}

ReturnValue ControlBoard::checkMotionDone(Joints joints, bool* done) const {
  *done = true;
  return for_joints(joints, [&](std::size_t, int j) {
    bool one = true;
    const ReturnValue result = checkMotionDone(j, &one);
    *done = *done && one;
    return result;
  });
}

ReturnValue ControlBoard::stop(int j) {
  return impl_->write(j, "stop", {},
                      [&](BoardJoint& joint) { joint.stop(impl_->measured(impl_->axes[j])); });
}

ReturnValue ControlBoard::getTargetPosition(int j, double* ref) const {
  return impl_->read(j, ref, [](const BoardJoint& joint) { return joint.target_position; });
}

// IPositionDirect

ReturnValue ControlBoard::setPosition(int j, double ref) {
  return impl_->command(j, "setPosition", ref, {VOCAB_CM_POSITION_DIRECT},
                        [&](BoardJoint& joint) { joint.step_to(ref); });
}

ReturnValue ControlBoard::getRefPosition(int j, double* ref) const {
  return impl_->read(j, ref, [](const BoardJoint& joint) { return joint.ref_position; });
}

// IVelocityControl

ReturnValue ControlBoard::velocityMove(int j, double speed) {
  return impl_->command(
      j, "velocityMove", speed, {VOCAB_CM_VELOCITY, VOCAB_CM_MIXED},
      [&](BoardJoint& joint) { joint.set_speed(speed, impl_->simulation.time()); });
}

ReturnValue ControlBoard::getRefVelocity(int j, double* speed) const {
  return impl_->read(j, speed, [](const BoardJoint& joint) { return joint.ref_velocity; });
}

// IVelocityDirect

ReturnValue ControlBoard::setDesiredVelocity(int j, double speed) {
  return impl_->command(
      j, "setDesiredVelocity", speed, {VOCAB_CM_VELOCITY_DIRECT},
      [&](BoardJoint& joint) { joint.set_direct_speed(speed, impl_->simulation.time()); });
}

ReturnValue ControlBoard::getDesiredVelocity(int j, double* speed) const {
  return impl_->read(j, speed, [](const BoardJoint& joint) { return joint.desired_velocity; });
}

// ITorqueControl

ReturnValue ControlBoard::setRefTorque(int j, double torque) {
  return impl_->command(j, "setRefTorque", torque, {VOCAB_CM_TORQUE},
                        [&](BoardJoint& joint) { joint.ref_torque = torque; });
}

ReturnValue ControlBoard::getRefTorque(int j, double* torque) const {
  return impl_->read(j, torque, [](const BoardJoint& joint) { return joint.ref_torque; });
}

ReturnValue ControlBoard::getTorque(int j, double* torque) const {
  return impl_->sense(j, torque,
                      [](const BoardJoint&, const JointMeasurement& now) { return now.torque; });
}

ReturnValue ControlBoard::getTorqueRange(int j, double* min, double* max) const {
  return impl_->read(j, max, [&](const BoardJoint& joint) {
    *min = -joint.info.max_effort;
    return joint.info.max_effort;
  });
}

ReturnValue ControlBoard::getTorqueRanges(Results mins, Results maxs) const {
  if (mins.size() != axes() || maxs.size() != axes()) {
    return {Status::OutOfRange};
  }
  return for_all([&](int j) { return getTorqueRange(j, &mins[j], &maxs[j]); });
}

// IPWMControl

ReturnValue ControlBoard::setRefDutyCycle(int j, double percent) {
  return impl_->command(j, "setRefDutyCycle", percent, {VOCAB_CM_PWM}, [&](BoardJoint& joint) {
    joint.ref_pwm = std::clamp(percent, -joint.pwm_limit, joint.pwm_limit);
  });
}

ReturnValue ControlBoard::getRefDutyCycle(int j, double* percent) const {
  return impl_->read(j, percent, [](const BoardJoint& joint) { return joint.ref_pwm; });
}

ReturnValue ControlBoard::getDutyCycle(int j, double* percent) const {
  return impl_->sense(j, percent, [](const BoardJoint& joint, const JointMeasurement& now) {
    return joint.duty_cycle_at(now);
  });
}

// ICurrentControl

ReturnValue ControlBoard::setRefCurrent(int j, double ampere) {
  return impl_->command(j, "setRefCurrent", ampere, {VOCAB_CM_CURRENT},
                        [&](BoardJoint& joint) { joint.ref_current = ampere; });
}

ReturnValue ControlBoard::getRefCurrent(int j, double* ampere) const {
  return impl_->read(j, ampere, [](const BoardJoint& joint) { return joint.ref_current; });
}

ReturnValue ControlBoard::getCurrent(int j, double* ampere) const {
  return impl_->sense(j, ampere, [](const BoardJoint& joint, const JointMeasurement& now) {
    return joint.current_at(now);
  });
}

ReturnValue ControlBoard::getCurrentRange(int j, double* min, double* max) const {
  return impl_->read(j, max, [&](const BoardJoint& joint) {
    const double most =
        std::min(joint.max_current, joint.info.max_effort / joint.config.effort_per_ampere);
    *min = -most;
    return most;
  });
}

ReturnValue ControlBoard::getCurrentRanges(Results mins, Results maxs) const {
  if (mins.size() != axes() || maxs.size() != axes()) {
    return {Status::OutOfRange};
  }
  return for_all([&](int j) { return getCurrentRange(j, &mins[j], &maxs[j]); });
}

// IPidControl

namespace {

// Calls `call(index)` with the index of a type of controller if the type exists.
template <class Call>
ReturnValue with_pid(vocab32_t type, Call call) {
  const int index = BoardJoint::pid_index(type);
  return index < 0 ? ReturnValue{Status::BadValue} : call(index);
}

// Does the same for a call that sets something, and reports why it is refused.
template <class Board, class Call>
ReturnValue with_pid(Board& board, const char* what, vocab32_t type, int j, Call call) {
  return BoardJoint::pid_index(type) >= 0
             ? with_pid(type, call)
             : board.refuse_values(j, what,
                                   fmt::format("\"{}\" is no type of controller", to_string(type)));
}

constexpr const char* kNoPid =
    "a controller has finite numbers; kp, ki, kd, max_int and max_output of 0 or more; and a scale "
    "from -30 to 30";

}  // namespace

ReturnValue ControlBoard::setPid(vocab32_t type, int j, const Pid& pid) {
  return with_pid(*impl_, "setPid", type, j, [&](int i) {
    if (impl_->has(j) && !is_possible(pid)) {
      return impl_->refuse(j, "setPid", Status::BadValue, kNoPid);
    }
    return impl_->write(j, "setPid", {}, [&](BoardJoint& joint) {
      joint.pid(i) = pid;
      joint.has_pid = joint.has_pid || type == VOCAB_PIDTYPE_POSITION;
      impl_->finish_configuration(impl_->axes[j]);
    });
  });
}

ReturnValue ControlBoard::getPid(vocab32_t type, int j, Pid* pid) const {
  return with_pid(type, [&](int i) {
    return impl_->read(j, pid, [i](const BoardJoint& joint) { return joint.pid(i); });
  });
}

ReturnValue ControlBoard::setPidReference(vocab32_t type, int j, double reference) {
  return with_pid(*impl_, "setPidReference", type, j, [&](int i) {
    const bool active = impl_->has(j) && impl_->axes[j].joint.active_pid() == i;
    const vocab32_t mode = active ? impl_->axes[j].joint.status.mode() : VOCAB_CM_UNKNOWN;
    const vocab32_t obeys = mode == VOCAB_CM_CALIBRATING ? VOCAB_CM_UNKNOWN : mode;
    return impl_->command(j, "setPidReference", reference, {obeys}, [&](BoardJoint& joint) {
      joint.set_pid_reference(reference, impl_->simulation.time());
    });
  });
}

ReturnValue ControlBoard::getPidReference(vocab32_t type, int j, double* reference) const {
  return with_pid(type, [&](int i) {
    return impl_->read(j, reference,
                       [i](const BoardJoint& joint) { return joint.pid_reference(i); });
  });
}

ReturnValue ControlBoard::getPidError(vocab32_t type, int j, double* error) const {
  return with_pid(type, [&](int i) {
    return impl_->sense(j, error, [i](const BoardJoint& joint, const JointMeasurement& now) {
      return joint.pid_reference(i) - joint.pid_feedback(i, now);
    });
  });
}

ReturnValue ControlBoard::getPidOutput(vocab32_t type, int j, double* output) const {
  return with_pid(type, [&](int i) {
    return impl_->sense(j, output, [i](const BoardJoint& joint, const JointMeasurement& now) {
      return joint.active_pid() == i ? now.output : 0.0;
    });
  });
}

ReturnValue ControlBoard::setPidErrorLimit(vocab32_t type, int j, double limit) {
  return with_pid(*impl_, "setPidErrorLimit", type, j, [&](int i) {
    return impl_->write(j, "setPidErrorLimit", {limit},
                        [&](BoardJoint& joint) { joint.pid_error_limit[i] = limit; });
  });
}

ReturnValue ControlBoard::getPidErrorLimit(vocab32_t type, int j, double* limit) const {
  return with_pid(type, [&](int i) {
    return impl_->read(j, limit, [i](const BoardJoint& joint) { return joint.pid_error_limit[i]; });
  });
}

ReturnValue ControlBoard::Impl::set_pid_field(const char* what, vocab32_t type, int j,
                                              double Pid::*part, double value) {
  return with_pid(*this, what, type, j, [&](int i) {
    Pid pid = has(j) ? axes[j].joint.pid(i) : Pid{};
    pid.*part = value;
    if (has(j) && !is_possible(pid)) {
      return refuse(j, what, Status::BadValue, kNoPid);
    }
    return write(j, what, {value}, [&](BoardJoint& joint) { joint.pid(i) = pid; });
  });
}

ReturnValue ControlBoard::setPidOffset(vocab32_t type, int j, double offset) {
  return impl_->set_pid_field("setPidOffset", type, j, &Pid::offset, offset);
}

ReturnValue ControlBoard::getPidOffset(vocab32_t type, int j, double* offset) const {
  return with_pid(type, [&](int i) {
    return impl_->read(j, offset, [i](const BoardJoint& joint) { return joint.pid(i).offset; });
  });
}

ReturnValue ControlBoard::setPidFeedforward(vocab32_t type, int j, double kff) {
  return impl_->set_pid_field("setPidFeedforward", type, j, &Pid::kff, kff);
}

ReturnValue ControlBoard::getPidFeedforward(vocab32_t type, int j, double* kff) const {
  return with_pid(type, [&](int i) {
    return impl_->read(j, kff, [i](const BoardJoint& joint) { return joint.pid(i).kff; });
  });
}

ReturnValue ControlBoard::getAvailablePids(int j, std::vector<vocab32_t>* types) const {
  return impl_->read(j, types, [](const BoardJoint&) {
    return std::vector<vocab32_t>{VOCAB_PIDTYPE_POSITION, VOCAB_PIDTYPE_VELOCITY,
                                  VOCAB_PIDTYPE_TORQUE, VOCAB_PIDTYPE_CURRENT};
  });
}

ReturnValue ControlBoard::resetPid(vocab32_t type, int j) {
  return with_pid(*impl_, "resetPid", type, j, [&](int i) {
    return impl_->write(j, "resetPid", {}, [i](BoardJoint& joint) {
      if (i == joint.active_pid()) {  // the other controllers have no state
        joint.reset_pid();
      }
    });
  });
}

ReturnValue ControlBoard::isPidEnabled(vocab32_t type, int j, bool* enabled) const {
  return with_pid(type, [&](int i) {
    return impl_->read(j, enabled,
                       [i](const BoardJoint& joint) { return joint.active_pid() == i; });
  });
}

ReturnValue ControlBoard::enablePid(vocab32_t type, int j) {
  return with_pid(*impl_, "enablePid", type, j, [&](int) {
    return impl_->write(j, "enablePid", {}, [&](BoardJoint&) {
      impl_->warn(j, {"enablePid", Status::Ok},
                  "enablePid is deprecated and does nothing; set a mode");
    });
  });
}

ReturnValue ControlBoard::disablePid(vocab32_t type, int j) {
  return with_pid(*impl_, "disablePid", type, j, [&](int) {
    return impl_->write(j, "disablePid", {}, [&](BoardJoint&) {
      impl_->warn(j, {"disablePid", Status::Ok},
                  "disablePid is deprecated and does nothing; set mode \"idl\"");
    });
  });
}

// IControlCalibration

namespace {

struct RemoteVariable {
  const char* key;
  double JointConfig::*value;
  double least;
  double most;
};

constexpr const char* kNoCalibration = "there are no parameters of a calibration";

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

// Leaves VOCAB_CM_NOT_CONFIGURED once all parameters are received.
void ControlBoard::Impl::finish_configuration(Axis& axis) {
  const BoardJoint& joint = axis.joint;
  if (joint.status.mode() == VOCAB_CM_NOT_CONFIGURED && joint.has_pid && joint.has_limits &&
      joint.has_current && !joint.config.needs_calibration) {
    enter_mode(axis, config.configured_mode);
  }
}

ReturnValue ControlBoard::Impl::calibrate(int j, const CalibrationParameters& parameters) {
  ReturnValue result;
  const ReturnValue known =
      write(j, "calibration", {parameters.param1, parameters.param2, parameters.param3},
            [&](BoardJoint& joint) {
              const vocab32_t mode = joint.status.mode();
              if (mode == VOCAB_CM_HW_FAULT || mode == VOCAB_CM_CALIBRATING) {
                result = refuse(j, "calibration", Status::Refused,
                                mode == VOCAB_CM_HW_FAULT
                                    ? "it has a hardware fault, which \"fidl\" resets"
                                    : "it is being calibrated");
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
  return impl_->write(j, "setCalibrationParameters", {p.param1, p.param2, p.param3},
                      [&](BoardJoint& joint) { joint.set_calibration(p); });
}

ReturnValue ControlBoard::calibrationDone(int j) const {
  bool done = false;
  const ReturnValue result = impl_->read(j, &done, [](const BoardJoint& joint) {
    return !joint.status.unpowered() && joint.status.mode() != VOCAB_CM_CALIBRATING;
  });
  return result && !done ? ReturnValue{Status::Refused} : result;
}

ReturnValue ControlBoard::calibrateRobot() {
  const auto has_parameters = [](const Impl::Axis& axis) { return axis.joint.has_calibration; };
  if (std::none_of(impl_->axes.begin(), impl_->axes.end(), has_parameters)) {
    return impl_->refuse(-1, "calibrateRobot", Status::NotAvailable, kNoCalibration);
  }
  return for_all([this](int j) {
    return impl_->axes[j].joint.has_calibration ? calibrateSingleJoint(j) : ReturnValue{};
  });
}

ReturnValue ControlBoard::abortCalibration() {
  return for_all([this](int j) {
    if (impl_->axes[j].joint.status.mode() == VOCAB_CM_CALIBRATING) {
      impl_->set_fault(j, kCalibrationFault, "its calibration was aborted");
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
  if (!impl_->check_index(j)) {
    return {Status::OutOfRange};
  }
  const BoardJoint& joint = impl_->axes[j].joint;
  return joint.has_calibration
             ? impl_->calibrate(j, joint.calibration_parameters)
             : impl_->refuse(j, "calibration", Status::NotAvailable, kNoCalibration);
}

ReturnValue ControlBoard::Impl::move_to_stored_position(int j, const char* what,
                                                        double JointConfig::*place) {
  if (!check_index(j)) {
    return {Status::OutOfRange};
  }
  const double position = axes[j].joint.config.*place;
  return command(j, what, position, {VOCAB_CM_POSITION, VOCAB_CM_MIXED},
                 [&](BoardJoint& joint) { joint.move_to(position, measured(axes[j])); });
}

ReturnValue ControlBoard::homingSingleJoint(int j) {
  return impl_->move_to_stored_position(j, "homing", &JointConfig::home_position);
}

ReturnValue ControlBoard::homingWholePart() {
  return for_all([this](int j) { return homingSingleJoint(j); });
}

ReturnValue ControlBoard::parkSingleJoint(int j, bool) {
  return impl_->move_to_stored_position(j, "parking", &JointConfig::park_position);
}

ReturnValue ControlBoard::park(bool) {
  return for_all([this](int j) { return parkSingleJoint(j); });
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
    return impl_->refuse(-1, "setRemoteVariable", Status::BadValue,
                         variable == nullptr
                             ? fmt::format("there is no variable \"{}\"", key)
                             : fmt::format("{} has {} numbers from {} to {}", key, axes(),
                                           variable->least, variable->most));
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    impl_->axes[j].joint.config.*variable->value = values[j];
  }
  return {};
}

}  // namespace servosim::yarp
