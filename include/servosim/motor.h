// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "servosim/joint_drive.h"
#include "servosim/joint_type.h"
#include "servosim/sampler.h"
#include "servosim/velocity_controller.h"

namespace servosim {

class Fnv1a;
class Notices;
struct JointState;
struct MotorSpec;
struct PropellerState;

/// A RotationalMotor, LinearMotor, or the motor of a Servo. Units are rad or m, N·m or N, s.
/// Positive moves the endpoint in the direction in which the joint position grows.
///
/// Every command acts at once, before the next step. A value beyond a limit is clamped and reported
/// once through the simulation's notices, as in Webots. `multiplier` scales position, velocity and
/// force. NaN is refused everywhere.
///
/// Position, velocity and force reach the motors coupled to this one too, unscaled: each applies
/// its own multiplier. The clamps of force and available force are then silent.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Motor {
 public:
  /// `owner` is the robot, for notices; `joint` what it drives, and `propeller` whose shaft that
  /// is, null without one. All but the name must outlive the binding.
  Motor(const MotorSpec& spec, std::string owner, JointState* joint, Notices& notices,
        const PropellerState* propeller = nullptr);

  const std::string& name() const;
  JointType type() const;

  /// Target position [rad|m]; ±infinity selects velocity control. Ends force control.
  /// @throws std::invalid_argument for NaN.
  void set_position(double target);
  /// Speed limit of position control or, after set_position(±infinity), the speed to hold
  /// [rad/s|m/s]; clamped to ±max_velocity(). @throws std::invalid_argument for NaN.
  void set_velocity(double velocity);
  /// [rad/s²|m/s²]; >= 0, or -1 for unlimited. @throws std::invalid_argument otherwise.
  void set_acceleration(double acceleration);
  /// Bound on the motor's effort [N·m|N], >= 0; at most max_force().
  /// @throws std::invalid_argument for NaN or a negative number.
  void set_available_force(double force);
  /// Force control: this effort on the endpoint [N·m|N] until another command; clamped to
  /// ±available_force(). @throws std::invalid_argument for NaN.
  void set_force(double force);
  /// Replaces the motor's own laws: the joint gets this drive in each step, until set_position() or
  /// set_force(). For control laws of one's own, which give a new drive before each step; see also
  /// spring_drive(). Both efforts are bounded by available_force(), and a row without any is the
  /// joint's static friction. Coupled motors do not get it. A joint without Physics moves at
  /// drive.velocity where max_force > 0.
  /// @throws std::invalid_argument for NaN, infinite velocity or softness, a negative max_force or
  /// softness, or softness where the joint has backlash.
  void drive(const JointDrive& drive);
  /// Also zeroes the error integral. @throws std::invalid_argument if p <= 0, i < 0, d < 0, NaN.
  void set_control_pid(const PidGains& gains);
  /// Starts measuring the joint's effort every `period_ms`; 0 stops.
  /// @throws std::invalid_argument for a negative period.
  void enable_force_feedback(int period_ms, double now_ms);
  /// Last measured effort along the axis [N·m|N]: what motor, friction and stop put on the
  /// endpoint; NaN before the first sample.
  double force_feedback() const { return state_.feedback.value(); }

  double target_position() const { return state_.target_position; }
  double target_velocity() const { return state_.target_velocity; }
  double acceleration() const { return state_.acceleration; }
  double available_force() const { return state_.available_force; }
  const PidGains& control_pid() const { return state_.gains; }
  bool force_control() const { return state_.force_control; }
  /// Whether drive() has the joint.
  bool driven() const { return state_.driven; }
  double commanded_force() const { return state_.force; }
  /// The velocity commanded to the joint in the last step [rad/s|m/s] (not the measured one);
  /// positive where its position is to grow. Without Physics the joint moves with it: it ends at
  /// the target, whatever speed the law has.
  double commanded_velocity() const;
  /// Kinds of commands that it has had since it was made; a velocity of 0 is none.
  struct Commands {
    bool position = false;
    bool velocity = false;
    bool force = false;
    bool drive = false;
    bool any() const { return position || velocity || force || drive; }
  };
  const Commands& commands() const { return commands_; }
  double max_velocity() const;
  double max_force() const;
  double min_position() const;
  double max_position() const;
  double multiplier() const;
  /// The motors of its robot that are coupled to it and take its commands too; without itself.
  std::vector<Motor*> siblings() const;

  /// Of its joint, or of the shaft of its propeller [rad|m]; nothing without either.
  std::optional<double> position() const;

  // Used by Simulation.
  /// Binds it to the same node's new description and joint; coupled motors are set again. What
  /// stood at its maximum stays there, changed gains and accelerations count, and all else is kept
  /// within the new limits.
  void rebind(const MotorSpec& spec, std::string owner, JointState* joint,
              const PropellerState* propeller);
  /// Its node is gone: it drives nothing. `spec` describes it as before.
  void detach(const MotorSpec& spec);
  void before_step(double h);                          ///< runs the law; `h` [s]
  void after_step(double now_ms);                      ///< samples the feedback
  const std::string& owner() const { return owner_; }  ///< its robot's name, for notices
  const Sampler& feedback() const { return state_.feedback; }
  const JointState* joint() const { return joint_; }
  /// All coupled motors, this one among them: one list for all of them, or null for none.
  using CoupledMotors = std::shared_ptr<const std::vector<Motor*>>;
  void set_coupled(CoupledMotors motors) { coupled_ = std::move(motors); }
  /// It starts from rest, with the same target.
  void stop();
  /// See Robot::set_power().
  void set_power(bool on);
  /// Whether power_consumption() depends on a measured effort.
  bool consumes_by_effort() const;
  /// What it takes from a battery [W], by the effort measured last, or by what its propeller does.
  double power_consumption() const;
  /// How hard it pulls, from -1 to 1, by the effort measured last: what muscles show.
  double muscle_status() const;

  /// Everything that changes while the motor runs.
  struct State {
    double target_position = 0.0;
    double target_velocity = 0.0;
    double acceleration = -1.0;
    double available_force = 0.0;
    PidGains gains;
    bool force_control = false;
    double force = 0.0;
    VelocityController law;
    Sampler feedback;
    bool powered = true;
    unsigned noticed = 0;  ///< bit per kind of notice already given
    bool driven = false;   ///< by `drive`, not by the laws
    JointDrive drive;
  };
  const State& state() const { return state_; }
  /// Adds its commands and the state of its law to a hash.
  void add_state(Fnv1a& hash) const;
  /// A notice that was given is not given again.
  void set_state(const State& state);

 private:
  void bind(const MotorSpec& spec, JointState* joint, const PropellerState* propeller);
  void take_position(double target);
  void take_velocity(double velocity);
  void take_force(double force);
  void relay(void (Motor::*take)(double), double value);
  double feedback_effort() const;
  double clamp_to_limits(double target);
  void notice(unsigned kind, const char* what, double asked, double used);
  void wake();
  void driven_step(double h);
  void dynamic_step(double h);
  void kinematic_step(double h);

  const MotorSpec* spec_;  // not null
  std::string owner_;
  JointState* joint_;                // nullptr for a motor without a joint
  const double* position_;           // of its shaft: the joint's position, or before its backlash
  const PropellerState* propeller_;  // that it turns; nullptr for none
  Notices& notices_;
  CoupledMotors coupled_;

  State state_;
  Commands commands_;
};

}  // namespace servosim
