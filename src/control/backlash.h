// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/joint_drive.h"

namespace servosim {

/// Free play between a motor and the endpoint it drives, without a second body.
///
/// The motor turns a massless shaft at q; the endpoint at p may lag or lead by half the play b:
/// |p − q| <= b/2. In a step of length h with commanded velocity V the shaft gets to q⁺ = q + V·h.
/// It touches one side of the gap, and so the endpoint, if that moves at
///
///     v_low  = (q⁺ − b/2 − p)/h     (low side: it can push the endpoint up only),
///     v_high = (q⁺ + b/2 − p)/h     (high side: it can push the endpoint down only).
///
/// Two motor rows on the one axis do that, towards v_low and v_high with ±F/2 each. An endpoint
/// slower than both gets F, one faster than both −F, and one in between nothing, since the rows
/// cancel; at v_low or v_high the solver finds the force. The softness c of a row (velocity lost
/// per force) would shift its velocity by c·F/2; the velocities are moved apart by that amount.
///
/// Static friction is a row of the joint: it holds the endpoint, and the motor has to overcome it.
/// After the step q ← clamp(q⁺, p − b/2, p + b/2): a blocked endpoint stops the shaft, and a load
/// greater than F moves it. A force of force control acts on the endpoint as without play, and
/// moves the shaft to the side that pushes.
///
/// Invariants: width >= 0; |p − shaft| <= width/2 after clamp_shaft().
struct Backlash {
  double width = 0.0;  ///< b [rad|m]; 0: no play, and shaft has no meaning
  double shaft = 0.0;  ///< q; within a step q⁺
};

/// The two rows of a step: each drives towards its velocity with at most ±max_force.
struct BacklashRows {
  double low = 0.0;        ///< [rad/s|m/s]
  double high = 0.0;       ///< [rad/s|m/s]
  double max_force = 0.0;  ///< [N·m|N]
};

/// Moves the shaft by the commanded motion and returns the rows for an endpoint at `position`.
/// `friction` is that of the joint [N·m|N], `softness` c [rad/s per N·m|m/s per N], `h` > 0 [s].
BacklashRows move_shaft(Backlash& backlash, const JointDrive& command, double position,
                        double friction, double softness, double h);
/// After the step: limits the shaft to the play around the endpoint's new `position`.
void clamp_shaft(Backlash& backlash, double position);
/// Between the two: the speed at which the shaft would move an endpoint at rest at `position`.
double contact_speed(const Backlash& backlash, double position, double h);

}  // namespace servosim
