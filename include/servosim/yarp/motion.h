// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/yarp/board_interface.h"

namespace servosim::yarp {

/// Trajectories, and the parameters of motions.
///
/// Threads: those of BoardInterface.
struct IPositionControl : BoardInterface {
  /// The number of joints; never refused.
  ReturnValue getAxes(int* axes) const;
  /// Begins a trajectory to a position [deg|m], in position or mixed mode. More than one in 80 ms
  /// of simulated time is done, with a warning.
  ReturnValue positionMove(JointSet joints, Values refs);
  /// The same to the measured position plus `deltas` [deg|m].
  ReturnValue relativeMove(JointSet joints, Values deltas);
  /// Whether all trajectories are over, which does not mean that the joints have arrived.
  /// @param joints  joints that are not there do not count
  /// @param done  unchanged if none of the joints is there
  ReturnValue checkMotionDone(JointSet joints, bool* done) const;
  /// The speed of later moves [deg/s|m/s]; > 0, else BadValue.
  ReturnValue setRefSpeed(JointSet joints, Values speeds);
  ReturnValue getRefSpeed(JointSet joints, Results speeds) const;
  /// The acceleration of trapezoidal moves and of velocity mode [deg/s²|m/s²]. Its absolute value
  /// is used, at most 1e6; 0 gives a warning.
  ReturnValue setRefAcceleration(JointSet joints, Values accelerations);
  ReturnValue getRefAcceleration(JointSet joints, Results accelerations) const;
  /// Ends the motion in modes of position and velocity: the reference becomes the present position,
  /// or the speed 0. It does nothing in other modes.
  ReturnValue stop(JointSet joints);
  /// The target of the last trajectory [deg|m].
  ReturnValue getTargetPosition(JointSet joints, Results refs) const;

  // The names of YARP 4.
  ReturnValue setTrajSpeed(JointSet joints, Values speeds) { return setRefSpeed(joints, speeds); }
  ReturnValue getTrajSpeed(JointSet joints, Results speeds) const {
    return getRefSpeed(joints, speeds);
  }
  ReturnValue setTrajAcceleration(JointSet joints, Values accelerations) {
    return setRefAcceleration(joints, accelerations);
  }
  ReturnValue getTrajAcceleration(JointSet joints, Results accelerations) const {
    return getRefAcceleration(joints, accelerations);
  }
};

/// References of position without a trajectory.
///
/// Threads: those of BoardInterface.
struct IPositionDirect : BoardInterface {
  /// The reference itself, in mode VOCAB_CM_POSITION_DIRECT [deg|m].
  ReturnValue setPosition(JointSet joints, Values refs);
  /// The last reference of setPosition() [deg|m].
  ReturnValue getRefPosition(JointSet joints, Results refs) const;
};

/// Speeds with a ramp. Its reference accelerations and stop() are those of IPositionControl.
///
/// Threads: those of BoardInterface.
struct IVelocityControl : BoardInterface {
  /// The speed to which the joint ramps by the reference acceleration, in velocity or mixed mode
  /// [deg/s|m/s].
  ReturnValue velocityMove(JointSet joints, Values speeds);
  /// The last speed of velocityMove() [deg/s|m/s].
  ReturnValue getRefVelocity(JointSet joints, Results speeds) const;
  /// The name of YARP 4 for getRefVelocity().
  ReturnValue getTargetVelocity(JointSet joints, Results speeds) const {
    return getRefVelocity(joints, speeds);
  }
};

/// Speeds without a ramp, of YARP 4.
///
/// Threads: those of BoardInterface.
struct IVelocityDirect : BoardInterface {
  /// The speed that the joint has from the next step on, in mode VOCAB_CM_VELOCITY_DIRECT
  /// [deg/s|m/s].
  ReturnValue setDesiredVelocity(JointSet joints, Values speeds);
  /// The last speed of setDesiredVelocity() [deg/s|m/s].
  ReturnValue getDesiredVelocity(JointSet joints, Results speeds) const;
};

/// Limits of positions and speeds.
///
/// Threads: those of BoardInterface.
struct IControlLimits : BoardInterface {
  /// The limits of references and of torque and compliance [deg|m]. Equal limits mean that there
  /// are none, which getLimits() returns as ±infinity. BadValue if min > max.
  ReturnValue setLimits(JointSet joints, Values mins, Values maxs);
  ReturnValue getLimits(JointSet joints, Results mins, Results maxs) const;
  /// The limit of the speed [deg/s|m/s]: 0 <= min <= max, else BadValue. `mins` have no effect.
  ReturnValue setVelLimits(JointSet joints, Values mins, Values maxs);
  ReturnValue getVelLimits(JointSet joints, Results mins, Results maxs) const;
};

}  // namespace servosim::yarp
