// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/pid_control.h"

#include <fmt/format.h>

#include "yarp/control_board/interface_calls.h"

namespace servosim::yarp {

namespace {

// Returns `get(joint, index)` if there is a controller of that type.
template <class T, class Get>
ReturnValue read_pid(const BoardCore& board, vocab32_t type, const JointSet& joints,
                     const PerJoint<T>& values, const Get& get) {
  const int index = pid_index(type);
  return index < 0 ? ReturnValue{Status::BadValue}
                   : read(board, joints, values,
                          [&](const BoardJoint& joint) { return get(joint, index); });
}

// Does the same with `get(joint, index, measurement)`.
template <class Get>
ReturnValue sense_pid(const BoardCore& board, vocab32_t type, const JointSet& joints,
                      const Results& values, const Get& get) {
  const int index = pid_index(type);
  return index < 0 ? ReturnValue{Status::BadValue}
                   : sense(board, joints, values,
                           [&](const BoardJoint& joint, const JointMeasurement& now) {
                             return get(joint, index, now);
                           });
}

// Calls `act(axis, index, value...)` if there is a controller of that type, and otherwise reports
// that there is none.
template <class Act, class... T>
ReturnValue change_pid(BoardCore& board, const char* what, vocab32_t type, const JointSet& joints,
                       const Act& act, const PerJoint<T>&... values) {
  return change(
      board, joints,
      [&](BoardAxis& axis, T&... value) {
        const int index = pid_index(type);
        return index >= 0
                   ? act(axis, index, value...)
                   : board.refuse(axis.number, what, Status::BadValue,
                                  fmt::format("\"{}\" is no type of controller", to_string(type)));
      },
      values...);
}

ReturnValue set_pid(BoardCore& board, const char* what, BoardAxis& axis, int index,
                    const Pid& pid) {
  if (!is_possible(pid)) {
    return board.refuse(axis.number, what, Status::BadValue,
                        "a controller has finite numbers; kp, ki, kd, max_int and max_output of 0 "
                        "or more; and a scale from -30 to 30");
  }
  axis.joint.parameters.pids[index] = pid;
  return {};
}

ReturnValue set_pid_field(BoardCore& board, const char* what, vocab32_t type,
                          const JointSet& joints, double Pid::*field, const Values& values) {
  return change_pid(
      board, what, type, joints,
      [&](BoardAxis& axis, int index, double value) {
        Pid pid = axis.joint.parameters.pids[index];
        pid.*field = value;
        return set_pid(board, what, axis, index, pid);
      },
      values);
}

ReturnValue get_pid_field(const BoardCore& board, vocab32_t type, const JointSet& joints,
                          double Pid::*field, const Results& values) {
  return read_pid(board, type, joints, values, [field](const BoardJoint& joint, int index) {
    return joint.parameters.pids[index].*field;
  });
}

ReturnValue accept_deprecated(BoardCore& board, const char* what, const char* instead,
                              vocab32_t type, const JointSet& joints) {
  return change_pid(board, what, type, joints, [&](const BoardAxis& axis, int) {
    warn_deprecated(board, axis.number, what, instead);
    return ReturnValue{};
  });
}

}  // namespace

ReturnValue IPidControl::setPid(vocab32_t type, JointSet joints, PerJoint<const Pid> pids) {
  return change_pid(
      board(), "setPid", type, joints,
      [&](BoardAxis& axis, int index, const Pid& pid) {
        const ReturnValue result = set_pid(board(), "setPid", axis, index, pid);
        if (result) {
          axis.joint.parameters.received.pid |= type == VOCAB_PIDTYPE_POSITION;
          board().finish_configuration(axis);
        }
        return result;
      },
      pids);
}

ReturnValue IPidControl::getPid(vocab32_t type, JointSet joints, PerJoint<Pid> pids) const {
  return read_pid(board(), type, joints, pids,
                  [](const BoardJoint& joint, int index) { return joint.parameters.pids[index]; });
}

ReturnValue IPidControl::setPidReference(vocab32_t type, JointSet joints, Values references) {
  return change_pid(
      board(), "setPidReference", type, joints,
      [this](BoardAxis& axis, int index, double reference) {
        const JointStatus& status = axis.joint.status;
        const bool obeys = status.active_pid() == index && status.mode() != VOCAB_CM_CALIBRATING;
        return obey(board(), axis.number, "setPidReference", reference,
                    {obeys ? status.mode() : VOCAB_CM_UNKNOWN},
                    [&](BoardAxis&) { axis.joint.set_pid_reference(reference, board().time()); });
      },
      references);
}

ReturnValue IPidControl::getPidReference(vocab32_t type, JointSet joints,
                                         Results references) const {
  return read_pid(board(), type, joints, references,
                  [](const BoardJoint& joint, int index) { return joint.pid_reference(index); });
}

ReturnValue IPidControl::getPidError(vocab32_t type, JointSet joints, Results errors) const {
  return sense_pid(board(), type, joints, errors,
                   [](const BoardJoint& joint, int index, const JointMeasurement& now) {
                     return joint.pid_reference(index) - joint.pid_feedback(index, now);
                   });
}

ReturnValue IPidControl::getPidOutput(vocab32_t type, JointSet joints, Results outputs) const {
  return sense_pid(board(), type, joints, outputs,
                   [](const BoardJoint& joint, int index, const JointMeasurement& now) {
                     return joint.status.active_pid() == index ? now.output : 0.0;
                   });
}

ReturnValue IPidControl::setPidErrorLimit(vocab32_t type, JointSet joints, Values limits) {
  return change_pid(
      board(), "setPidErrorLimit", type, joints,
      [this](BoardAxis& axis, int index, double limit) {
        if (!is_possible(limit)) {
          return board().refuse_number(axis.number, "setPidErrorLimit", limit);
        }
        axis.joint.parameters.pid_error_limit[index] = limit;
        return ReturnValue{};
      },
      limits);
}

ReturnValue IPidControl::getPidErrorLimit(vocab32_t type, JointSet joints, Results limits) const {
  return read_pid(board(), type, joints, limits, [](const BoardJoint& joint, int index) {
    return joint.parameters.pid_error_limit[index];
  });
}

ReturnValue IPidControl::setPidOffset(vocab32_t type, JointSet joints, Values offsets) {
  return set_pid_field(board(), "setPidOffset", type, joints, &Pid::offset, offsets);
}

ReturnValue IPidControl::getPidOffset(vocab32_t type, JointSet joints, Results offsets) const {
  return get_pid_field(board(), type, joints, &Pid::offset, offsets);
}

ReturnValue IPidControl::setPidFeedforward(vocab32_t type, JointSet joints, Values kffs) {
  return set_pid_field(board(), "setPidFeedforward", type, joints, &Pid::kff, kffs);
}

ReturnValue IPidControl::getPidFeedforward(vocab32_t type, JointSet joints, Results kffs) const {
  return get_pid_field(board(), type, joints, &Pid::kff, kffs);
}

ReturnValue IPidControl::getAvailablePids(JointSet joints,
                                          PerJoint<std::vector<vocab32_t>> types) const {
  return read(board(), joints, types, [](const BoardJoint&) {
    return std::vector<vocab32_t>{VOCAB_PIDTYPE_POSITION, VOCAB_PIDTYPE_VELOCITY,
                                  VOCAB_PIDTYPE_TORQUE, VOCAB_PIDTYPE_CURRENT};
  });
}

ReturnValue IPidControl::resetPid(vocab32_t type, JointSet joints) {
  return change_pid(board(), "resetPid", type, joints, [](BoardAxis& axis, int index) {
    if (index == axis.joint.status.active_pid()) {  // the other controllers have no state
      axis.joint.reset_pid();
    }
    return ReturnValue{};
  });
}

ReturnValue IPidControl::isPidEnabled(vocab32_t type, JointSet joints,
                                      PerJoint<bool> enabled) const {
  return read_pid(board(), type, joints, enabled, [](const BoardJoint& joint, int index) {
    return joint.status.active_pid() == index;
  });
}

ReturnValue IPidControl::enablePid(vocab32_t type, JointSet joints) {
  return accept_deprecated(board(), "enablePid", "set a mode", type, joints);
}

ReturnValue IPidControl::disablePid(vocab32_t type, JointSet joints) {
  return accept_deprecated(board(), "disablePid", "set mode \"idl\"", type, joints);
}

}  // namespace servosim::yarp
