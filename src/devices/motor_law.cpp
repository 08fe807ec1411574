// SPDX-License-Identifier: Apache-2.0
#include "devices/motor_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "devices/motor_reports.h"
#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/motor.h"

namespace servosim {

namespace {

// Keeps a finite target finite for any multiplier, since an infinite one means velocity control.
double finite(double target) {
  constexpr double kMax = std::numeric_limits<double>::max();
  return std::clamp(target, -kMax, kMax);
}

double clamped_to_limits(double target, const MotorSpec& spec, MotorReports& reports) {
  if (spec.min_position == spec.max_position) {
    return target;
  }
  if (target > spec.max_position) {
    reports.replaced(MotorReports::Above, "target position above maxPosition:", target,
                     spec.max_position);
    return spec.max_position;
  }
  if (target < spec.min_position) {
    reports.replaced(MotorReports::Below, "target position below minPosition:", target,
                     spec.min_position);
    return spec.min_position;
  }
  return target;
}

}  // namespace

MotorLimits limits_of_motor(const MotorSpec& spec) {
  return {spec.max_velocity, spec.max_force, spec.min_position, spec.max_position, spec.multiplier};
}

void take_position(MotorTargets& targets, double position, const MotorSpec& spec,
                   const ServoModel* servo, MotorReports& reports) {
  targets.position = std::isinf(position)
                         ? position
                         : clamped_to_limits(finite(position * spec.multiplier), spec, reports);
  if (servo != nullptr && servo->pulses.exist() && std::isfinite(targets.position)) {
    reports.replaced(MotorReports::Pulse,
                     "target position beyond the pulses of its servo:", targets.position,
                     servo->pulses.position_of(servo->pulses.width_of(targets.position)));
  }
  targets.force_control = targets.driven = false;
  targets.force = 0.0;
  targets.given.position = true;
}

void take_velocity(MotorTargets& targets, double velocity, const MotorSpec& spec,
                   MotorReports& reports) {
  const double wanted = velocity * spec.multiplier;
  targets.velocity = std::clamp(wanted, -spec.max_velocity, spec.max_velocity);
  if (targets.velocity != wanted) {
    reports.replaced(MotorReports::Fast, "velocity beyond maxVelocity:", wanted, targets.velocity);
  }
  targets.given.velocity = targets.given.velocity || wanted != 0.0;
}

void take_force(MotorTargets& targets, double force, const MotorSpec& spec, bool is_coupled,
                MotorReports& reports) {
  targets.force_control = true;
  targets.driven = false;
  targets.given.force = true;
  const double wanted = force * spec.multiplier;
  const double bound = std::max(0.0, targets.available_force);
  targets.force = std::clamp(wanted, -bound, bound);
  if (targets.force != wanted && !is_coupled) {
    reports.replaced(MotorReports::Force, "force beyond the available force:", wanted,
                     targets.force);
  }
}

namespace {

// The drive of a joint that only friction and a force act on.
JointDrive force_on_joint(double friction, double force) { return {0.0, friction, force, 0.0}; }

// The drive of the targets within the available force.
JointDrive limited_drive(const MotorTargets& targets) {
  JointDrive wanted = targets.drive;
  const double most = std::max(0.0, targets.available_force);
  wanted.max_force = std::min(wanted.max_force, most);
  wanted.force = std::clamp(wanted.force, -most, most);
  return wanted;
}

}  // namespace

bool follows_law(const MotorTargets& targets) { return !targets.force_control && !targets.driven; }

MotorCommandOf<double> command_of(const MotorTargets& targets) {
  const PidGains& gains = targets.gains;
  return {targets.position,
          targets.velocity,
          targets.acceleration,
          targets.available_force,
          {gains.p, gains.i, gains.d}};
}

JointDrive drive_of(const MotorTargets& targets, double velocity, double friction) {
  if (targets.driven) {
    const JointDrive wanted = limited_drive(targets);
    return wanted.max_force == 0.0 ? force_on_joint(friction, wanted.force) : wanted;
  }
  return targets.force_control
             ? force_on_joint(friction, targets.force)
             : JointDrive{velocity, std::max(friction, targets.available_force), 0.0, 0.0};
}

void drive_joint(JointState& joint, const MotorTargets& targets, double h) {
  if (joint.dynamic) {
    joint.drive = drive_of(targets, 0.0, joint.static_friction);
    return;
  }
  const JointDrive wanted = limited_drive(targets);
  joint.velocity = wanted.max_force > 0.0 ? wanted.velocity : 0.0;
  joint.position += joint.velocity * h;
}

void command_joint(JointState& joint, double position, const MotorTargets& targets,
                   VelocityController& law, double h) {
  if (follows_law(targets)) {
    detail::VelocityNumbers<double> numbers = law.numbers();
    command_of(targets).follow(position, h, numbers);
    law.set_numbers(numbers);
  }
  joint.drive = drive_of(targets, law.velocity(), joint.static_friction);
}

void move_joint(JointState& joint, const MotorTargets& targets, const MotorSpec& spec,
                VelocityController& law, bool may_move, double h) {
  const double p = joint.position;
  const bool at_rest = std::isinf(targets.position)
                           ? spec.min_position != spec.max_position &&
                                 ((p >= spec.max_position && targets.velocity >= 0.0) ||
                                  (p <= spec.min_position && targets.velocity <= 0.0))
                           : std::abs(targets.position - p) < 1e-6;
  if (at_rest || !may_move) {
    law.stop();
    joint.velocity = 0.0;
    return;
  }
  // Webots takes the number of the available force as the acceleration here.
  const double a = targets.acceleration == -1.0 || targets.acceleration > targets.available_force
                       ? targets.available_force
                       : targets.acceleration;
  joint.position = law.move(targets.position, p, targets.velocity, std::max(0.0, a), h);
  joint.velocity = (joint.position - p) / h;
}

double feedback_effort(const JointState* joint) {
  return joint != nullptr && joint->has_feedback ? joint->constraint_effort : 0.0;
}

double muscle_status(const JointState& joint, const MotorTargets& targets, const MotorSpec& spec,
                     const VelocityController& law) {
  const auto share = [](double value, double most) {
    return most > 0.0 ? std::clamp(value / most, -1.0, 1.0) : 0.0;
  };
  if (!joint.dynamic) {
    // The law's speed is positive towards the target; the joint's velocity has the sign.
    return share(
        targets.driven ? targets.drive.velocity : std::copysign(law.velocity(), joint.velocity),
        spec.max_velocity);
  }
  if (targets.force_control) {
    return share(targets.force, spec.max_force);
  }
  const double effort = feedback_effort(&joint);
  // Webots has the opposite sign for sliders.
  return share(spec.type == JointType::Linear ? -effort : effort, spec.max_force);
}

}  // namespace servosim
