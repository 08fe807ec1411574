// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "yarp/control_board/joint_call.h"

namespace servosim::yarp {

namespace {

constexpr double kMaxAcceleration = 1e6;  // [deg/s²|m/s²] of a reference; that of the iCub's boards

// A client that replaces trajectories before they have progressed far should stream positions
// instead.
void warn_of_frequent_moves(BoardCore& board, BoardAxis& axis) {
  constexpr double kMinMoveInterval = 0.080;  // [s]; that of the iCub's driver
  constexpr double kRounding = 1e-9;
  const double now = board.time();
  const double since = now - std::exchange(axis.last_move_time, now);
  // Time goes back if a simulation is restored.
  if (since >= 0.0 && since < kMinMoveInterval - kRounding) {
    board.warn(axis.number, {"moves", Status::Ok},
               "performance warning: positionMove comes more often than every 80 ms; control mode "
               "\"posd\" with setPosition is made for that");
  }
}

}  // namespace

ReturnValue IPositionControl::getAxes(int* axes) const {
  *axes = static_cast<int>(board().axes().size());
  return {};
}

ReturnValue IPositionControl::positionMove(JointSet joints, Values refs) {
  return on(joints, refs)
      .command("positionMove", {VOCAB_CM_POSITION, VOCAB_CM_MIXED},
               [this](BoardAxis& axis, double ref) {
                 warn_of_frequent_moves(board(), axis);
                 axis.joint.references.move_to(ref, axis.joint.parameters, board().measured(axis));
               });
}

ReturnValue IPositionControl::relativeMove(JointSet joints, Values deltas) {
  return on(joints, deltas)
      .command("relativeMove", {VOCAB_CM_POSITION, VOCAB_CM_MIXED},
               [this](BoardAxis& axis, double delta) {
                 const JointMeasurement now = board().measured(axis);
                 axis.joint.references.move_to(now.position + delta, axis.joint.parameters, now);
               });
}

ReturnValue IPositionControl::checkMotionDone(JointSet joints, bool* done) const {
  bool any_there = false;
  bool all = true;
  const ReturnValue result = on(joints).look([&](const BoardAxis& axis) {
    any_there = true;
    all &= axis.joint.references.commands.motion_done;
  });
  if (result || any_there) {
    *done = all;
  }
  return result;
}

ReturnValue IPositionControl::setRefSpeed(JointSet joints, Values speeds) {
  return on(joints, speeds).write("setRefSpeed", [this](BoardAxis& axis, double speed) {
    if (!(speed > 0.0)) {  // the joint would not move
      return board().refuse(axis.number, "setRefSpeed", Status::BadValue,
                            fmt::format("a reference speed is above 0, not {}", speed));
    }
    axis.joint.parameters.ref_speed = speed;
    return ReturnValue{};
  });
}

ReturnValue IPositionControl::getRefSpeed(JointSet joints, Results speeds) const {
  return on(joints, speeds).read(&JointParameters::ref_speed);
}

ReturnValue IPositionControl::setRefAcceleration(JointSet joints, Values accelerations) {
  return on(joints, accelerations)
      .write("setRefAcceleration", [this](BoardAxis& axis, double acceleration) {
        axis.joint.parameters.ref_acceleration = std::min(std::abs(acceleration), kMaxAcceleration);
        if (acceleration == 0.0) {
          board().warn(axis.number, {"setRefAcceleration", Status::Ok},
                       "with a reference acceleration of 0 velocityMove changes no speed");
        }
      });
}

ReturnValue IPositionControl::getRefAcceleration(JointSet joints, Results accelerations) const {
  return on(joints, accelerations).read(&JointParameters::ref_acceleration);
}

ReturnValue IPositionControl::stop(JointSet joints) {
  return on(joints).change([this](BoardAxis& axis) { axis.joint.stop(board().measured(axis)); });
}

ReturnValue IPositionControl::getTargetPosition(JointSet joints, Results refs) const {
  return on(joints, refs).read(&JointCommands::target_position);
}

ReturnValue IPositionDirect::setPosition(JointSet joints, Values refs) {
  return on(joints, refs)
      .command("setPosition", {VOCAB_CM_POSITION_DIRECT}, [](BoardAxis& axis, double ref) {
        axis.joint.references.step_to(ref, axis.joint.parameters);
      });
}

ReturnValue IPositionDirect::getRefPosition(JointSet joints, Results refs) const {
  return on(joints, refs).read(&JointCommands::position);
}

ReturnValue IVelocityControl::velocityMove(JointSet joints, Values speeds) {
  return on(joints, speeds)
      .command("velocityMove", {VOCAB_CM_VELOCITY, VOCAB_CM_MIXED},
               [this](BoardAxis& axis, double speed) {
                 axis.joint.references.set_speed(&JointCommands::velocity, speed,
                                                 axis.joint.parameters, board().time());
               });
}

ReturnValue IVelocityControl::getRefVelocity(JointSet joints, Results speeds) const {
  return on(joints, speeds).read(&JointCommands::velocity);
}

ReturnValue IVelocityDirect::setDesiredVelocity(JointSet joints, Values speeds) {
  return on(joints, speeds)
      .command("setDesiredVelocity", {VOCAB_CM_VELOCITY_DIRECT},
               [this](BoardAxis& axis, double speed) {
                 axis.joint.references.set_speed(&JointCommands::direct_velocity, speed,
                                                 axis.joint.parameters, board().time());
               });
}

ReturnValue IVelocityDirect::getDesiredVelocity(JointSet joints, Results speeds) const {
  return on(joints, speeds).read(&JointCommands::direct_velocity);
}

ReturnValue IControlLimits::setLimits(JointSet joints, Values mins, Values maxs) {
  return on(joints, mins, maxs).change([this](BoardAxis& axis, double min, double max) {
    if (!(min <= max)) {  // also true for NaN
      return board().refuse(
          axis.number, "setLimits", Status::BadValue,
          fmt::format("the lower limit is at most the upper one, not {} to {}", min, max));
    }
    axis.joint.parameters.limits = {min, max};
    board().set_received(axis, &JointParameters::Received::limits);
    return ReturnValue{};
  });
}

ReturnValue IControlLimits::getLimits(JointSet joints, Results mins, Results maxs) const {
  return on(joints, mins, maxs).look([](const BoardAxis& axis, double& min, double& max) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const PositionLimits& limits = axis.joint.parameters.limits;
    min = limits.any() ? limits.min : -kInf;
    max = limits.any() ? limits.max : kInf;
  });
}

ReturnValue IControlLimits::setVelLimits(JointSet joints, Values mins, Values maxs) {
  return on(joints, mins, maxs).change([this](BoardAxis& axis, double min, double max) {
    if (!(min >= 0.0 && min <= max)) {
      return board().refuse(
          axis.number, "setVelLimits", Status::BadValue,
          fmt::format("limits are from 0 on, the lower one first, not {} to {}", min, max));
    }
    const ReturnValue possible = board().check_numbers(axis.number, "setVelLimits", {max});
    if (possible) {
      axis.joint.parameters.max_velocity = max;
    }
    return possible;
  });
}

ReturnValue IControlLimits::getVelLimits(JointSet joints, Results mins, Results maxs) const {
  return on(joints, mins, maxs).look([](const BoardAxis& axis, double& min, double& max) {
    min = 0.0;
    max = axis.joint.parameters.max_velocity;
  });
}

}  // namespace servosim::yarp
