// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/joint_drive.h"

namespace servosim {

/// Free play between a motor and the endpoint it drives, without a second body.
///
/// The motor turns a massless shaft at q; the endpoint at p may lag or lead by half the play b:
/// |p − q| <= b/2. In a step of length h with commanded velocity V the shaft gets to q⁺ = q + V·h
/// and touches the endpoint where that moves at
///
///     v_low  = (q⁺ − b/2 − p)/h     and may only be pushed up from there (low flank),
///     v_high = (q⁺ + b/2 − p)/h     and may only be pushed down (high flank).
///
/// Two motor rows on the one axis do that, towards v_low and v_high with ±F/2 each. An endpoint
/// slower than both gets F, one faster than both −F, and one in between nothing, since the rows
/// cancel; at v_low or v_high the solver finds what is needed. A row's softness c (velocity lost
/// per force) would make it reach out by c·F/2, so the velocities are set apart by as much.
///
/// Static friction is a row of its own, the joint's: it holds the endpoint, and the motor has to
/// overcome it. After the step q ← clamp(q⁺, p − b/2, p + b/2): a blocked endpoint stops the shaft,
/// and a load that overcomes F drags it. A force of force control acts on the endpoint as without
/// play, and takes the shaft to the flank that pushes.
struct Backlash {
  double width = 0.0;  ///< b [rad|m]; 0: no play, and the rest has no meaning
  double shaft = 0.0;  ///< q; within a step q⁺
};

/// The two rows of a step: each pursues its velocity with at most ±max_force.
struct FlankRows {
  double low = 0.0;        ///< [rad/s|m/s]
  double high = 0.0;       ///< [rad/s|m/s]
  double max_force = 0.0;  ///< [N·m|N]
};

/// Moves the shaft by what the motor wants and says what its flanks do to an endpoint at
/// `position`. `friction` is the joint's [N·m|N], `softness` c [rad/s per N·m|m/s per N], `h` > 0
/// [s].
FlankRows take_up(Backlash& backlash, const JointDrive& wanted, double position, double friction,
                  double softness, double h);
/// After the step: keeps the shaft within the play around the endpoint's new `position`.
void settle(Backlash& backlash, double position);
/// Between the two: how fast the shaft would move an endpoint that rests at `position`.
double flank_speed(const Backlash& backlash, double position, double h);

}  // namespace servosim
