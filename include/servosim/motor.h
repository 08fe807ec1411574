// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "servosim/device.h"
#include "servosim/joint_drive.h"
#include "servosim/joint_type.h"
#include "servosim/motor_servo.h"
#include "servosim/velocity_controller.h"

namespace servosim {

class MotorInLane;
class MotorReports;
class Notices;
class PhysicsWorld;
struct JointState;
struct MotorSpec;
struct PropellerState;

/// The fields of a motor that limit what it can be told.
///
/// Threads: a plain value.
struct MotorLimits {
  double max_velocity = 0.0;  ///< the field maxVelocity [rad/s|m/s]
  double max_force = 0.0;     ///< the field maxTorque or maxForce [N·m|N]
  /// The soft limits of the position [rad|m]. Equal values mean that there are none.
  double min_position = 0.0;
  double max_position = 0.0;
  double multiplier = 1.0;  ///< the field `multiplier`
  /// Whether it has soft limits.
  bool has_range() const { return min_position != max_position; }
};

/// The kinds of commands that a motor has had since it was made. A velocity of 0 does not count.
///
/// Threads: a plain value.
struct MotorCommands {
  bool position = false;
  bool velocity = false;
  bool force = false;
  bool drive = false;
  bool any() const { return position || velocity || force || drive; }
};

/// What a motor was told, after scaling and clamping.
///
/// Threads: a plain value.
struct MotorTargets {
  /// [rad|m]; ±infinity in velocity control. At first the position of the joint.
  double position = 0.0;
  double velocity = 0.0;         ///< [rad/s|m/s]; max_velocity at first
  double acceleration = -1.0;    ///< [rad/s²|m/s²]; -1: no limit
  double available_force = 0.0;  ///< [N·m|N]; 0 without power
  PidGains gains;                ///< the gains that act
  /// Whether set_force() drives the joint: neither set_position() nor drive() has ended it.
  bool force_control = false;
  double force = 0.0;  ///< the effort of force control [N·m|N]. set_position() makes it 0.
  /// Whether drive() drives the joint: neither set_position() nor set_force() has ended it.
  bool driven = false;
  JointDrive drive;  ///< the last one
  MotorCommands given;
};

/// A RotationalMotor, a LinearMotor, or the motor of a Servo. Units are rad or m, N·m or N, and s.
/// Positive values move the endpoint in the direction in which the joint position grows.
///
/// Every command acts with the next step. A value beyond a limit is clamped, and the first one of
/// each kind is reported through the simulation's notices, where Webots reports every one.
/// `multiplier` scales position, velocity and force. NaN is refused everywhere.
///
/// Position, velocity and force also reach the motors that are coupled to this one. They get the
/// unscaled value, and each applies its own multiplier. Coupled motors report no clamps of force
/// and available force.
///
/// enable() starts to measure the effort of the joint: sampler().value() is the effort that motor,
/// friction and stop put on the endpoint along the positive axis [N·m|N]. Where nothing can be
/// measured, since it turns a Propeller or one of the two sides has no Physics, a notice says so
/// once and there are no samples.
///
/// A motor with a ServoModel is a real servo. The same commands then mean what they mean for it:
/// position is the goal, velocity and acceleration limit its profile, the available force is its
/// PWM limit as a share of max_force, 0 for no torque; force is a current; the gains are those of
/// the firmware, as its registers have them. docs/explanation/servos.md has the equations.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Motor : public Device {
 public:
  /// What `binding` refers to, but for the name, must outlive the motor or its next rebind().
  explicit Motor(const DeviceBinding& binding);
  /// Makes a motor that is bound to no physics, and takes the effort that `joint` has as measured.
  /// All arguments but the name must outlive the motor or its next rebind().
  /// @param spec  its node
  /// @param owner  the name of the robot, for notices
  /// @param joint  what it drives; null if its joint is not simulated
  /// @param notices  where clamped commands are reported
  /// @param propeller  the propeller whose shaft `joint` is; null without one
  Motor(const MotorSpec& spec, std::string owner, JointState* joint, Notices& notices,
        const PropellerState* propeller = nullptr);

  ~Motor() override;

  /// The field `name`; valid until the tree changes.
  const std::string& name() const;
  /// Tells the units of everything else.
  JointType type() const;

  /// Sets the target position and ends force control. A target beyond the soft limits is
  /// clamped. ±infinity selects velocity control.
  /// @param target  [rad|m]
  /// @throws std::invalid_argument for NaN
  void set_position(double target);
  /// Sets the speed limit of position control or, after set_position(±infinity), the velocity to
  /// hold. It is clamped to ±max_velocity. In position control of a joint with Physics the sign
  /// does not matter.
  /// @param velocity  [rad/s|m/s]
  /// @throws std::invalid_argument for NaN
  void set_velocity(double velocity);
  /// Sets the largest change of the commanded velocity per time. Coupled motors do not get it.
  /// @param acceleration  [rad/s²|m/s²]; >= 0, or -1 for no limit
  /// @throws std::invalid_argument for any other value
  void set_acceleration(double acceleration);
  /// Sets the largest effort of the motor. More than max_force becomes max_force. Without power
  /// it remains 0. Coupled motors do not get it.
  /// @param force  [N·m|N]; >= 0
  /// @throws std::invalid_argument for NaN or a negative number
  void set_available_force(double force);
  /// Begins force control: puts this effort on the endpoint in each step until set_position() or
  /// drive(). It is clamped to the available force, in both directions. Only static friction then
  /// resists.
  /// @param force  [N·m|N]
  /// @throws std::invalid_argument for NaN
  void set_force(double force);
  /// Replaces the motor's own laws: the joint gets this drive in each step, until set_position() or
  /// set_force(). This is for control laws of one's own, which give a new drive before each step;
  /// see also spring_drive(). Both efforts are limited by the available force. A drive without any
  /// effort leaves the joint its static friction. Coupled motors do not get the drive. A joint
  /// without Physics moves at drive.velocity where max_force > 0, and is at rest otherwise.
  /// @throws std::invalid_argument for NaN, infinite velocity or softness, a negative max_force or
  ///   softness, or a softness above 0 where the joint has backlash
  void drive(const JointDrive& drive);
  /// Sets the goal of a real servo that takes pulses, by the width of its pulse: see ServoPulses.
  /// This is set_position() of the position that the pulse asks for.
  /// @param width  [µs]; > 0
  /// @throws std::invalid_argument for another width, and for a motor without pulses
  void set_servo_pulse(double width);
  /// Sets the gains of position control, and forgets the error integral and the last error.
  /// @throws std::invalid_argument unless p > 0, i >= 0 and d >= 0
  void set_control_pid(const PidGains& gains);

  MotorLimits limits() const;
  /// What it was told. The reference is valid as long as the motor.
  const MotorTargets& targets() const { return targets_; }
  /// The real servo that it is, if it is one.
  const MotorServo& servo() const { return servo_; }
  /// The width of the pulse of a real servo that asks for its target position [µs]; NaN for a motor
  /// without pulses, and in velocity and force control.
  double servo_pulse() const;
  /// The velocity that the joint was told in the last step [rad/s|m/s], not the measured one;
  /// positive where its position is to grow. A joint without Physics moves with it, and ends at the
  /// target, whatever speed the law has.
  /// For a real servo it is the rate of the target behind its profile, which is 0 where the target
  /// is at the goal, and in velocity control the velocity.
  double commanded_velocity() const;
  /// The largest effort that the joint can get, in both directions [N·m|N]: the available force; of
  /// a real servo its torque at rest, by its PWM limit, its voltage and its window of current.
  double effort_limit() const;
  /// The position of its joint, or of the shaft of its propeller [rad|m]; nothing without either.
  std::optional<double> position() const;

  // Only Simulation uses what follows.
  /// Runs the law, and commands the joint for a step of `h` [s].
  void before_step(double h) override;
  void enable(int period_ms, double now_ms) override;
  /// The name of its robot, for notices.
  const std::string& owner() const;
  /// The joint that it drives; null for none.
  const JointState* joint() const { return joint_; }
  /// All coupled motors, this one among them. They share one list; null means that none is coupled.
  using CoupledMotors = std::shared_ptr<const std::vector<Motor*>>;
  void set_coupled(CoupledMotors motors) { coupled_ = std::move(motors); }
  /// Starts the law again from rest, with the same target.
  void stop();
  /// Replaces the target of position control, without clamping it; in velocity control it does
  /// nothing.
  /// @param position  [rad|m]
  void hold(double position);
  /// How hard it pulls, from -1 to 1, by the effort that was measured last: see
  /// MuscleReading::status.
  double muscle_status() const;

 private:
  friend class MotorInLane;
  enum class Shared { Position, Velocity, Force };  // what coupled motors get, too

  /// Without power its available force is 0; with it, max_force. See Robot::set_power().
  void set_power(bool on) override;
  /// The power that it takes from a battery [W]: consumptionFactor times the magnitude of the
  /// present effort of its joint, or times |thrust| + |torque| of its propeller.
  double power_consumption() override;
  void measure(double now_ms) override;
  /// Binds it to the same node's new description and joint, or to none if the node is gone: then
  /// the motor drives nothing. The caller then calls set_coupled() again. A velocity or force that
  /// was at its maximum remains at the maximum. Gains and acceleration that the tree has changed
  /// replace those that were set. All other values are clamped to the new limits.
  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void list_settings(std::vector<DeviceSetting>& settings) const override;
  void set_field(std::string_view field, std::span<const double> numbers) override;
  /// Ends force control. The target becomes the present position of its joint, and velocity,
  /// available force and acceleration become those of its node.
  void restart() override;
  std::function<void()> keep_settings() override;
  /// Notices that have been printed are not printed again after an older state is restored.
  void archive_state(DeviceArchive& archive) override;
  void bind(const MotorSpec& spec, JointState* joint, const PropellerState* propeller);
  void bind_servo(const DeviceBinding& binding);
  void share(Shared kind, double value);
  void take(Shared kind, double value);

  const MotorSpec* spec_;            // not null
  JointState* joint_;                // nullptr for a motor without a joint
  const double* position_;           // of its shaft, before a backlash of the joint
  const PropellerState* propeller_;  // the one that it turns; nullptr for none
  PhysicsWorld* physics_ = nullptr;  // of its scene; nullptr: its node is gone
  int joint_number_ = -1;            // in `physics_`; -1: no joint whose effort is measured
  CoupledMotors coupled_;

  MotorTargets targets_;
  VelocityController law_;
  std::unique_ptr<MotorReports> reports_;  // not null
  MotorServo servo_;
};

}  // namespace servosim
