// SPDX-License-Identifier: Apache-2.0
// IPidControl.
#include <vector>

#include "yarp/control_board/control_board.h"
#include "yarp/control_board/parameters.h"

namespace servosim::yarp {

namespace {

// A function of a joint that takes a type of controller: calls it if both are there.
template <class Call>
ReturnValue typed(vocab32_t type, Call call) {
  const int index = BoardJoint::pid_index(type);
  return index < 0 ? ReturnValue{Status::BadValue} : call(index);
}

}  // namespace

ReturnValue ControlBoard::setPid(vocab32_t type, int j, const Pid& pid) {
  return typed(type, [&](int i) {
    if (impl_->has(j) && !is_possible(pid)) {
      return ReturnValue{Status::BadValue};
    }
    return impl_->write(j, {}, [&](BoardJoint& joint) {
      joint.pid(i) = pid;
      joint.has_pid = joint.has_pid || type == VOCAB_PIDTYPE_POSITION;
      impl_->configured(impl_->axes[j]);
    });
  });
}

ReturnValue ControlBoard::getPid(vocab32_t type, int j, Pid* pid) const {
  return typed(type, [&](int i) {
    return impl_->read(j, pid, [i](const BoardJoint& joint) { return joint.pid(i); });
  });
}

ReturnValue ControlBoard::setPidReference(vocab32_t type, int j, double reference) {
  return typed(type, [&](int i) {
    const bool active = impl_->has(j) && impl_->axes[j].joint.active_pid() == i;
    const vocab32_t mode = active ? impl_->axes[j].joint.status.mode() : VOCAB_CM_UNKNOWN;
    const vocab32_t obeys = mode == VOCAB_CM_CALIBRATING ? VOCAB_CM_UNKNOWN : mode;
    return impl_->command(j, "setPidReference", reference, {obeys}, [&](BoardJoint& joint) {
      joint.set_pid_reference(reference, impl_->simulation.time());
    });
  });
}

ReturnValue ControlBoard::getPidReference(vocab32_t type, int j, double* reference) const {
  return typed(type, [&](int i) {
    return impl_->read(j, reference,
                       [i](const BoardJoint& joint) { return joint.pid_reference(i); });
  });
}

ReturnValue ControlBoard::getPidError(vocab32_t type, int j, double* error) const {
  return typed(type, [&](int i) {
    return impl_->sense(j, error, [i](const BoardJoint& joint, const JointMeasurement& now) {
      return joint.pid_reference(i) - joint.pid_feedback(i, now);
    });
  });
}

ReturnValue ControlBoard::getPidOutput(vocab32_t type, int j, double* output) const {
  return typed(type, [&](int i) {
    return impl_->sense(j, output, [i](const BoardJoint& joint, const JointMeasurement& now) {
      return joint.active_pid() == i ? now.output : 0.0;
    });
  });
}

ReturnValue ControlBoard::setPidErrorLimit(vocab32_t type, int j, double limit) {
  return typed(type, [&](int i) {
    return impl_->write(j, {limit}, [&](BoardJoint& joint) { joint.pid_error_limit[i] = limit; });
  });
}

ReturnValue ControlBoard::getPidErrorLimit(vocab32_t type, int j, double* limit) const {
  return typed(type, [&](int i) {
    return impl_->read(j, limit, [i](const BoardJoint& joint) { return joint.pid_error_limit[i]; });
  });
}

ReturnValue ControlBoard::Impl::set_part(vocab32_t type, int j, double Pid::*part, double value) {
  return typed(type, [&](int i) {
    Pid pid = has(j) ? axes[j].joint.pid(i) : Pid{};
    pid.*part = value;
    if (has(j) && !is_possible(pid)) {
      return ReturnValue{Status::BadValue};
    }
    return write(j, {value}, [&](BoardJoint& joint) { joint.pid(i) = pid; });
  });
}

ReturnValue ControlBoard::setPidOffset(vocab32_t type, int j, double offset) {
  return impl_->set_part(type, j, &Pid::offset, offset);
}

ReturnValue ControlBoard::getPidOffset(vocab32_t type, int j, double* offset) const {
  return typed(type, [&](int i) {
    return impl_->read(j, offset, [i](const BoardJoint& joint) { return joint.pid(i).offset; });
  });
}

ReturnValue ControlBoard::setPidFeedforward(vocab32_t type, int j, double kff) {
  return impl_->set_part(type, j, &Pid::kff, kff);
}

ReturnValue ControlBoard::getPidFeedforward(vocab32_t type, int j, double* kff) const {
  return typed(type, [&](int i) {
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
  return typed(type, [&](int i) {
    return impl_->write(j, {}, [i](BoardJoint& joint) {
      if (i == joint.active_pid()) {  // the others have no memory
        joint.reset_pid();
      }
    });
  });
}

ReturnValue ControlBoard::isPidEnabled(vocab32_t type, int j, bool* enabled) const {
  return typed(type, [&](int i) {
    return impl_->read(j, enabled,
                       [i](const BoardJoint& joint) { return joint.active_pid() == i; });
  });
}

ReturnValue ControlBoard::enablePid(vocab32_t type, int j) {
  return typed(type, [&](int) {
    return impl_->write(j, {}, [&](BoardJoint&) {
      impl_->warn(j, Impl::kDeprecated, "enablePid is deprecated and does nothing; set a mode");
    });
  });
}

ReturnValue ControlBoard::disablePid(vocab32_t type, int j) {
  return typed(type, [&](int) {
    return impl_->write(j, {}, [&](BoardJoint&) {
      impl_->warn(j, Impl::kDeprecated,
                  "disablePid is deprecated and does nothing; set mode \"idl\"");
    });
  });
}

}  // namespace servosim::yarp
