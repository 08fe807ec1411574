// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/pid_control.h"

#include <fmt/format.h>

#include "yarp/control_board/joint_call.h"

namespace servosim::yarp {

namespace {

// Returns `get(axis, index)` if there is a controller of that type.
template <class T, class Get>
ReturnValue read_pid(const JointCall<T>& call, vocab32_t type, const Get& get) {
  const int index = pid_index(type);
  return index < 0 ? ReturnValue{Status::BadValue}
                   : call.look([&](const BoardAxis& axis, T& value) { value = get(axis, index); });
}

// Calls `act(axis, index, value...)` if there is a controller of that type, and otherwise reports
// that there is none.
template <class Act, class... T>
ReturnValue change_pid(BoardCore& board, const JointCall<T...>& call, const char* what,
                       vocab32_t type, const Act& act) {
  return call.change([&](BoardAxis& axis, T&... value) {
    const int index = pid_index(type);
    return index >= 0
               ? result_of(act, axis, index, value...)
               : board.refuse(axis.number, what, Status::BadValue,
                              fmt::format("\"{}\" is no type of controller", to_string(type)));
  });
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
  return change_pid(board, JointCall(board, joints, values), what, type,
                    [&](BoardAxis& axis, int index, double value) {
                      Pid pid = axis.joint.parameters.pids[index];
                      pid.*field = value;
                      return set_pid(board, what, axis, index, pid);
                    });
}

ReturnValue accept_deprecated(BoardCore& board, const char* what, const char* instead,
                              vocab32_t type, const JointSet& joints) {
  return change_pid(board, JointCall(board, joints), what, type, [&](const BoardAxis& axis, int) {
    warn_deprecated(board, axis, what, instead);
  });
}

}  // namespace

ReturnValue IPidControl::setPid(vocab32_t type, JointSet joints, PerJoint<const Pid> pids) {
  return change_pid(board(), on(joints, pids), "setPid", type,
                    [&](BoardAxis& axis, int index, const Pid& pid) {
                      const ReturnValue result = set_pid(board(), "setPid", axis, index, pid);
                      if (result) {
                        board().set_received(axis, &JointParameters::Received::pid,
                                             type == VOCAB_PIDTYPE_POSITION);
                      }
                      return result;
                    });
}

ReturnValue IPidControl::getPid(vocab32_t type, JointSet joints, PerJoint<Pid> pids) const {
  return read_pid(on(joints, pids), type,
                  [](const BoardAxis& axis, int i) { return axis.joint.parameters.pids[i]; });
}

ReturnValue IPidControl::setPidReference(vocab32_t type, JointSet joints, Values references) {
  return change_pid(board(), on(joints, references), "setPidReference", type,
                    [&](BoardAxis& axis, int index, double reference) {
                      const JointStatus& status = axis.joint.status;
                      const bool obeys =
                          status.active_pid() == index && status.mode() != VOCAB_CM_CALIBRATING;
                      return obey(board(), axis, "setPidReference", reference,
                                  {obeys ? status.mode() : VOCAB_CM_UNKNOWN},
                                  [&] { axis.joint.set_pid_reference(reference, board().time()); });
                    });
}

ReturnValue IPidControl::getPidReference(vocab32_t type, JointSet joints,
                                         Results references) const {
  return read_pid(on(joints, references), type,
                  [](const BoardAxis& axis, int i) { return axis.joint.pid_reference(i); });
}

ReturnValue IPidControl::getPidError(vocab32_t type, JointSet joints, Results errors) const {
  return read_pid(on(joints, errors), type, [this](const BoardAxis& axis, int i) {
    return axis.joint.pid_reference(i) - axis.joint.pid_feedback(i, board().measured(axis));
  });
}

ReturnValue IPidControl::getPidOutput(vocab32_t type, JointSet joints, Results outputs) const {
  return read_pid(on(joints, outputs), type, [this](const BoardAxis& axis, int i) {
    return axis.joint.status.active_pid() == i ? board().measured(axis).output : 0.0;
  });
}

ReturnValue IPidControl::setPidErrorLimit(vocab32_t type, JointSet joints, Values limits) {
  return change_pid(board(), on(joints, limits), "setPidErrorLimit", type,
                    [&](BoardAxis& axis, int index, double limit) {
                      const ReturnValue possible =
                          board().check_numbers(axis.number, "setPidErrorLimit", {limit});
                      if (possible) {
                        axis.joint.parameters.pid_error_limit[index] = limit;
                      }
                      return possible;
                    });
}

ReturnValue IPidControl::getPidErrorLimit(vocab32_t type, JointSet joints, Results limits) const {
  return read_pid(on(joints, limits), type, [](const BoardAxis& axis, int i) {
    return axis.joint.parameters.pid_error_limit[i];
  });
}

ReturnValue IPidControl::setPidOffset(vocab32_t type, JointSet joints, Values offsets) {
  return set_pid_field(board(), "setPidOffset", type, joints, &Pid::offset, offsets);
}

ReturnValue IPidControl::getPidOffset(vocab32_t type, JointSet joints, Results offsets) const {
  return read_pid(on(joints, offsets), type, [](const BoardAxis& axis, int i) {
    return axis.joint.parameters.pids[i].offset;
  });
}

ReturnValue IPidControl::setPidFeedforward(vocab32_t type, JointSet joints, Values kffs) {
  return set_pid_field(board(), "setPidFeedforward", type, joints, &Pid::kff, kffs);
}

ReturnValue IPidControl::getPidFeedforward(vocab32_t type, JointSet joints, Results kffs) const {
  return read_pid(on(joints, kffs), type,
                  [](const BoardAxis& axis, int i) { return axis.joint.parameters.pids[i].kff; });
}

ReturnValue IPidControl::getAvailablePids(JointSet joints,
                                          PerJoint<std::vector<vocab32_t>> types) const {
  return on(joints, types).read([](const BoardJoint&) {
    return std::vector<vocab32_t>{VOCAB_PIDTYPE_POSITION, VOCAB_PIDTYPE_VELOCITY,
                                  VOCAB_PIDTYPE_TORQUE, VOCAB_PIDTYPE_CURRENT};
  });
}

ReturnValue IPidControl::resetPid(vocab32_t type, JointSet joints) {
  return change_pid(board(), on(joints), "resetPid", type, [](BoardAxis& axis, int index) {
    if (index == axis.joint.status.active_pid()) {  // others have no state
      axis.joint.reset_pid();
    }
  });
}

ReturnValue IPidControl::isPidEnabled(vocab32_t type, JointSet joints,
                                      PerJoint<bool> enabled) const {
  return read_pid(on(joints, enabled), type,
                  [](const BoardAxis& axis, int i) { return axis.joint.status.active_pid() == i; });
}

ReturnValue IPidControl::enablePid(vocab32_t type, JointSet joints) {
  return accept_deprecated(board(), "enablePid", "set a mode", type, joints);
}

ReturnValue IPidControl::disablePid(vocab32_t type, JointSet joints) {
  return accept_deprecated(board(), "disablePid", "set mode \"idl\"", type, joints);
}

}  // namespace servosim::yarp
