// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/motor_command.h"
#include "servosim/joint_drive.h"

namespace servosim {

class MotorReports;
class VelocityController;
struct JointState;
struct MotorLimits;
struct MotorSpec;
struct MotorTargets;
struct ServoModel;

// The law of a motor: how commands become targets, and how targets move its joint.

MotorLimits limits_of_motor(const MotorSpec& spec);

/// Takes the position of a command [rad|m]: scales it, and clamps it to the soft limits.
/// @param servo  the real servo that the motor is; nullptr for none
void take_position(MotorTargets& targets, double position, const MotorSpec& spec,
                   const ServoModel* servo, MotorReports& reports);
/// Takes the velocity of a command [rad/s|m/s]: scales it, and clamps it.
void take_velocity(MotorTargets& targets, double velocity, const MotorSpec& spec,
                   MotorReports& reports);
/// Takes the effort of a command [N·m|N]: scales it, and clamps it to the available force.
/// @param is_coupled  coupled motors report no clamps of it
void take_force(MotorTargets& targets, double force, const MotorSpec& spec, bool is_coupled,
                MotorReports& reports);

/// Returns whether the law finds the velocity of a motor with these targets.
bool follows_law(const MotorTargets& targets);
/// Returns what these targets tell the law.
MotorCommandOf<double> command_of(const MotorTargets& targets);
/// Returns the drive of a joint with Physics by the targets.
/// @param velocity  that the law has found, if they follow it [rad/s|m/s]
/// @param friction  of the joint [N·m|N]
JointDrive drive_of(const MotorTargets& targets, double velocity, double friction);
/// Commands a joint for a step of `h` [s] by the drive of the targets.
void drive_joint(JointState& joint, const MotorTargets& targets, double h);
/// Commands a joint with Physics for a step of `h` [s].
/// @param position  of the motor's shaft, before a backlash of the joint [rad|m]
void command_joint(JointState& joint, double position, const MotorTargets& targets,
                   VelocityController& law, double h);
/// Moves a joint without Physics for a step of `h` [s].
/// @param may_move  false for a Propeller without power
void move_joint(JointState& joint, const MotorTargets& targets, const MotorSpec& spec,
                VelocityController& law, bool may_move, double h);

/// Returns the effort that a muscle shows [N·m|N], which is the last that was measured. As in
/// Webots, it is 0 where the Solid above the joint has no Physics.
double feedback_effort(const JointState* joint);
/// Returns how hard the muscles of a joint pull, from -1 to 1: see MuscleReading::status.
double muscle_status(const JointState& joint, const MotorTargets& targets, const MotorSpec& spec,
                     const VelocityController& law);

}  // namespace servosim
