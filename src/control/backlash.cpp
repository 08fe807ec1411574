// SPDX-License-Identifier: Apache-2.0
#include "control/backlash.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace servosim {

namespace {

using Flank = Backlash::Flank;

// The constant force cancels the row's but for rounding; beyond this that would be felt [N·m|N].
constexpr double kStrongestPush = 1e9;

// A flank nearer to the endpoint than this share of the play touches it.
constexpr double kTouch = 0.01;

// The flank that took part in the last step if it did push. The measured effort may be off a little
// in fast turns, so it counts only where the two touch.
Flank pushing_flank(const Backlash& backlash, const PlayedJoint& joint) {
  const double gap = joint.position - backlash.shaft;
  const double half = (0.5 - kTouch) * backlash.width;
  if (backlash.flank == Flank::Low && gap < -half && joint.effort > 0.0) {
    return Flank::Low;
  }
  return backlash.flank == Flank::High && gap > half && joint.effort < 0.0 ? Flank::High
                                                                           : Flank::None;
}

}  // namespace

JointDrive take_up(Backlash& backlash, const JointDrive& wanted, const PlayedJoint& joint,
                   double h) {
  const Flank pushing = pushing_flank(backlash, joint);
  release(backlash);
  if (wanted.force != 0.0) {
    backlash.shaft = std::copysign(std::numeric_limits<double>::infinity(), wanted.force);
    return wanted;
  }
  backlash.shaft += wanted.velocity * h;
  const double half = backlash.width / 2.0;
  const double gap = joint.position - backlash.shaft;
  const double v_low = (-half - gap) / h;
  const double v_high = (half - gap) / h;
  const bool free = pushing == Flank::None && v_low <= std::min(joint.velocity, 0.0) &&
                    v_high >= std::max(joint.velocity, 0.0);
  if (free && joint.friction > 0.0) {
    return {0.0, joint.friction, 0.0};
  }
  const bool nearer_low = gap + joint.velocity * h < 0.0;
  backlash.flank = pushing != Flank::None ? pushing : nearer_low ? Flank::Low : Flank::High;
  const double side = backlash.flank == Flank::Low ? 1.0 : -1.0;
  const double force = std::min(wanted.max_force, kStrongestPush) / 2.0;
  backlash.push = side * force;
  const double v = side > 0.0 ? v_low : v_high;
  return {v - joint.softness * backlash.push, force, backlash.push};
}

void settle(Backlash& backlash, double position) {
  const double half = backlash.width / 2.0;
  backlash.shaft = std::clamp(backlash.shaft, position - half, position + half);
}

double flank_speed(const Backlash& backlash, double position, double h) {
  return std::max(0.0, std::abs(position - backlash.shaft) - backlash.width / 2.0) / h;
}

void release(Backlash& backlash) {
  backlash.flank = Flank::None;
  backlash.push = 0.0;
}

}  // namespace servosim
