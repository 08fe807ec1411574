// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/joint_drive.h"

namespace servosim {

/// Describes free play between a motor and the endpoint that it drives, without a second body.
///
/// The motor turns a massless shaft at q; the endpoint at p may lag or lead by half the play b, so
/// |p − q| <= b/2. In a step of length h with commanded velocity V the shaft moves to q⁺ = q + V·h.
/// It touches one side of the gap, and so the endpoint, if the endpoint moves at
///
///     v_low  = (q⁺ − b/2 − p)/h     (low side: it can push the endpoint up only),
///     v_high = (q⁺ + b/2 − p)/h     (high side: it can push the endpoint down only).
///
/// These follow from |p⁺ − q⁺| <= b/2 with p⁺ = p + h·v. Two motor rows on the same axis enforce
/// this, one towards v_low and one towards v_high, with ±F/2 each, where F is the largest force of
/// the motor. An endpoint that is slower than both gets F, one that is faster than both gets −F,
/// and one in between gets no force, since the rows cancel. At v_low or v_high the solver finds the
/// force. The softness c of a row (velocity lost per force) would shift its velocity by c·F/2, so
/// the two velocities are moved apart by that amount.
///
/// Static friction is a row of the joint: it holds the endpoint, and the motor has to overcome it.
/// After the step q ← clamp(q⁺, p − b/2, p + b/2), so a blocked endpoint stops the shaft, and a
/// load greater than F moves it. In force control the force acts on the endpoint as if there were
/// no play, and the shaft moves to the side that pushes.
///
/// Signs: p, q, velocities and forces are positive in the direction in which the joint's position
/// grows.
///
/// Invariants: width >= 0; |p − shaft| <= width/2 after clamp_shaft().
///
/// Threads: a plain value.
struct Backlash {
  double width = 0.0;  ///< b [rad|m]; 0 means no play, and `shaft` then has no meaning
  double shaft = 0.0;  ///< q, within a step q⁺ [rad|m]
};

/// Holds the two rows of a step. Each one drives towards its velocity with at most ±max_force.
struct BacklashRows {
  double low = 0.0;        ///< v_low [rad/s|m/s]
  double high = 0.0;       ///< v_high [rad/s|m/s]
  double max_force = 0.0;  ///< F/2 [N·m|N]
};

/// Moves the shaft by the commanded motion and returns the rows for an endpoint at `position`. In
/// force control the rows have no effect. `friction` is the friction of the joint [N·m|N],
/// `softness` is c [rad/s per N·m|m/s per N], and `h` > 0 [s].
BacklashRows move_shaft(Backlash& backlash, const JointDrive& command, double position,
                        double friction, double softness, double h);
/// Limits the shaft to the play around the endpoint's new `position` [rad|m]. This must be called
/// after the step.
void clamp_shaft(Backlash& backlash, double position);
/// Returns, between move_shaft() and clamp_shaft(), the speed >= 0 at which the shaft would move an
/// endpoint at rest at `position` [rad/s|m/s]. The step has the length `h` > 0 [s].
double contact_speed(const Backlash& backlash, double position, double h);

}  // namespace servosim
