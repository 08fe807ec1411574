// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace servosim {

/// Free play between a motor and the endpoint it drives, without a second body.
///
/// The motor turns a massless shaft at q; the endpoint at p may lag or lead by half the play:
/// |p − q| <= b/2. In a step of length h with commanded velocity V the shaft gets to q⁺ = q + V·h
/// and would touch the endpoint where that moves at
///
///     v_low  = (q⁺ − b/2 − p)/h     and may only be pushed up from there (low flank),
///     v_high = (q⁺ + b/2 − p)/h     and may only be pushed down (high flank).
///
/// One flank takes part in a step: the one that pushed in the last step, else the nearer one by the
/// endpoint's present velocity v. It pushes with 0 to F and no more: a motor row of ±F/2 towards
/// the flank's velocity with a constant force of F/2 beside it. The row's softness c (velocity lost
/// per force) would make that reach out by c·F/2, so its velocity is set lower by as much.
///
/// Static friction f > 0 holds the endpoint between the flanks: where neither can be reached even
/// if friction stops the endpoint, the row is the friction's, ±f towards rest.
///
/// After the step q ← clamp(q⁺, p − b/2, p + b/2): a blocked endpoint stops the shaft, and a load
/// that overcomes F drags it. A force u of force control acts on the endpoint as without play, and
/// takes the shaft to the flank that pushes.
struct Backlash {
  enum class Flank : std::uint8_t { None, Low, High };

  double width = 0.0;         ///< b [rad|m]; 0: no play, and the rest has no meaning
  double shaft = 0.0;         ///< q; within a step q⁺
  double push = 0.0;          ///< the constant force beside the row in this step, +F/2 or −F/2
  Flank flank = Flank::None;  ///< that takes part in this step
};

/// What to ask of the joint in a step: pursue `velocity` with at most `max_force`, and add `force`.
struct JointDrive {
  double velocity = 0.0;   ///< to pursue [rad/s|m/s]
  double max_force = 0.0;  ///< with at most this effort, friction included [N·m|N]; >= 0
  double force = 0.0;      ///< added directly [N·m|N]
};

/// The joint as it stands before a step.
struct PlayedJoint {
  double position = 0.0;  ///< p
  double velocity = 0.0;  ///< v
  double effort = 0.0;    ///< of row and push in the last step
  double friction = 0.0;  ///< f
  double softness = 0.0;  ///< c [rad/s per N·m|m/s per N]
};

/// Moves the shaft and turns what the motor wants of it into what the joint does. `h` > 0 [s].
JointDrive take_up(Backlash& backlash, const JointDrive& wanted, const PlayedJoint& joint,
                   double h);
/// After the step: keeps the shaft within the play around the endpoint's new `position`.
void settle(Backlash& backlash, double position);
/// Between take_up() and settle(): how fast the shaft would move an endpoint at `position`.
double flank_speed(const Backlash& backlash, double position, double h);
/// No flank takes part after all.
void release(Backlash& backlash);

}  // namespace servosim
