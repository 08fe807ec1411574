// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "servosim/device.h"
#include "servosim/joint_drive.h"
#include "servosim/joint_type.h"
#include "servosim/velocity_controller.h"

namespace servosim {

class Notices;
class PhysicsWorld;
struct JointState;
struct MotorSpec;
struct PropellerState;
class ServoElectronics;
struct ServoModel;

/// What a real servo measures of itself, in the last step.
///
/// Threads: a plain value.
struct ServoReading {
  double current = 0.0;           ///< of the motor; positive where it drives along +axis [A]
  double voltage = 0.0;           ///< of the supply [V]
  double duty = 0.0;              ///< of the bridge, from -1 to 1
  double temperature = 0.0;       ///< of the winding [°C]
  double case_temperature = 0.0;  ///< [°C]
  double motor_torque = 0.0;      ///< of the motor, behind the gear but for its friction [N·m|N]
  /// The torque of all else that is on the shaft, as the friction of the gear reads it: see
  /// ServoLoad [N·m|N].
  double load_torque = 0.0;
  double target = 0.0;        ///< behind the profile [rad|m]
  bool is_shut_down = false;  ///< its protection has ended the torque, or limits it
  /// The PWM limit: the duty is from -max_duty to max_duty. 0 without torque.
  double max_duty = 0.0;
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
/// A motor with a ServoModel is a real servo. The same commands then mean what they mean for it:
/// position is the goal, velocity and acceleration limit its profile, available_force() is its PWM
/// limit as a share of max_force(), 0 for no torque; force is a current; the gains are those of the
/// firmware, as its registers have them. docs/explanation/servos.md has the equations.
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

  /// Sets the target position and ends force control. A target beyond min_position() or
  /// max_position() is clamped, unless these are equal. ±infinity selects velocity control.
  /// @param target  [rad|m]
  /// @throws std::invalid_argument for NaN
  void set_position(double target);
  /// Sets the speed limit of position control or, after set_position(±infinity), the velocity to
  /// hold. It is clamped to ±max_velocity(). In position control of a joint with Physics the sign
  /// does not matter.
  /// @param velocity  [rad/s|m/s]
  /// @throws std::invalid_argument for NaN
  void set_velocity(double velocity);
  /// Sets the largest change of the commanded velocity per time. Coupled motors do not get it.
  /// @param acceleration  [rad/s²|m/s²]; >= 0, or -1 for no limit
  /// @throws std::invalid_argument for any other value
  void set_acceleration(double acceleration);
  /// Sets the largest effort of the motor. More than max_force() becomes max_force(). Without power
  /// it remains 0. Coupled motors do not get it.
  /// @param force  [N·m|N]; >= 0
  /// @throws std::invalid_argument for NaN or a negative number
  void set_available_force(double force);
  /// Begins force control: puts this effort on the endpoint in each step until set_position() or
  /// drive(). It is clamped to ±available_force(). Only static friction then resists.
  /// @param force  [N·m|N]
  /// @throws std::invalid_argument for NaN
  void set_force(double force);
  /// Replaces the motor's own laws: the joint gets this drive in each step, until set_position() or
  /// set_force(). This is for control laws of one's own, which give a new drive before each step;
  /// see also spring_drive(). Both efforts are limited by available_force(). A drive without any
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
  /// Starts to measure the effort of the joint, first one period after `now_ms`. Where nothing can
  /// be measured, since it turns a Propeller or one of the two sides has no Physics, a notice says
  /// so once and there are no samples.
  /// @param period_ms  [ms]; 0 stops, and keeps the last sample
  /// @param now_ms  the simulated time [ms]
  /// @throws std::invalid_argument if `period_ms` is negative
  void enable_force_feedback(int period_ms, double now_ms);
  /// The last sample [N·m|N]: the effort that motor, friction and stop put on the endpoint along
  /// the positive axis. NaN before the first sample.
  double force_feedback() const { return sampler_.value(); }

  /// The target after scaling and clamping [rad|m]; ±infinity in velocity control. At first the
  /// position of the joint.
  double target_position() const { return state_.target_position; }
  /// The width of the pulse of a real servo that asks for its target position [µs]; NaN for a motor
  /// without pulses, and in velocity and force control.
  double servo_pulse() const;
  /// The velocity after scaling and clamping [rad/s|m/s]; max_velocity() at first.
  double target_velocity() const { return state_.target_velocity; }
  /// [rad/s²|m/s²]; -1: no limit
  double acceleration() const { return state_.acceleration; }
  /// [N·m|N]; 0 without power
  double available_force() const { return state_.available_force; }
  /// The gains that act. The reference is valid as long as the motor.
  const PidGains& control_pid() const { return state_.gains; }
  /// Whether set_force() drives the joint: neither set_position() nor drive() has ended it.
  bool force_control() const { return state_.force_control; }
  /// Whether drive() drives the joint: neither set_position() nor set_force() has ended it.
  bool driven() const { return state_.driven; }
  /// The effort of force control after scaling and clamping [N·m|N]. set_position() makes it 0.
  double commanded_force() const { return state_.force; }
  /// The velocity that the joint was told in the last step [rad/s|m/s], not the measured one;
  /// positive where its position is to grow. A joint without Physics moves with it, and ends at the
  /// target, whatever speed the law has.
  /// For a real servo it is the rate of the target behind its profile, which is 0 where the target
  /// is at the goal, and in velocity control the velocity.
  double commanded_velocity() const;
  /// The largest effort that the joint can get, in both directions [N·m|N]: the available force; of
  /// a real servo its torque at rest, by its PWM limit, its voltage and its window of current.
  double effort_limit() const;
  /// The kinds of commands that the motor has had since it was made. A velocity of 0 does not
  /// count.
  struct Commands {
    bool position = false;
    bool velocity = false;
    bool force = false;
    bool drive = false;
    bool any() const { return position || velocity || force || drive; }
  };
  const Commands& commands() const { return commands_; }
  /// The field maxVelocity [rad/s|m/s].
  double max_velocity() const;
  /// The field maxTorque or maxForce [N·m|N].
  double max_force() const;
  /// The soft limits [rad|m]. Equal values mean that there are none.
  double min_position() const;
  double max_position() const;
  /// The field `multiplier`.
  double multiplier() const;
  /// The real servo that it is; nullptr for a motor as in Webots. Valid until the tree changes.
  const ServoModel* servo_model() const;
  /// What that measures of itself; nothing without one, or if its joint has no Physics.
  std::optional<ServoReading> servo_reading() const;
  /// The motors of its robot that are coupled to it, without itself. They live as long as the
  /// simulation.
  std::vector<Motor*> siblings() const;

  /// The position of its joint, or of the shaft of its propeller [rad|m]; nothing without either.
  std::optional<double> position() const;

  // Only Simulation uses what follows.
  /// Runs the law, and commands the joint for a step of `h` [s].
  void before_step(double h) override;
  void enable(int period_ms, double now_ms) override { enable_force_feedback(period_ms, now_ms); }
  /// The name of its robot, for notices.
  const std::string& owner() const { return owner_; }
  /// When the feedback is measured.
  const Sampler& feedback() const { return sampler_; }
  /// The joint that it drives; null for none.
  const JointState* joint() const { return joint_; }
  /// All coupled motors, this one among them. They share one list; null means that none is coupled.
  using CoupledMotors = std::shared_ptr<const std::vector<Motor*>>;
  void set_coupled(CoupledMotors motors) { coupled_ = std::move(motors); }
  /// The electronics of the real servo that it is; nullptr for a motor as in Webots. Valid until
  /// the tree changes.
  ServoElectronics* servo_electronics() { return servo_.get(); }
  /// Starts the law again from rest, with the same target.
  void stop();
  /// Replaces the target of position control, without clamping it; in velocity control it does
  /// nothing.
  /// @param position  [rad|m]
  void hold(double position);
  /// Without power its available force is 0; with it, max_force(). See Robot::set_power().
  void set_power(bool on) override;
  /// The power that it takes from a battery [W]: consumptionFactor times the magnitude of the
  /// present effort of its joint, or times |thrust| + |torque| of its propeller.
  double power_consumption() override;
  /// How hard it pulls, from -1 to 1, by the effort that was measured last: see
  /// MuscleReading::status.
  double muscle_status() const;

 private:
  // Everything that changes while the motor runs, but for its samples and its power.
  struct State {
    double target_position = 0.0;
    double target_velocity = 0.0;
    double acceleration = -1.0;
    double available_force = 0.0;
    PidGains gains;
    bool force_control = false;
    double force = 0.0;
    VelocityController law;
    unsigned noticed = 0;  ///< one bit for each kind of notice that has been printed
    bool driven = false;   ///< whether `drive` acts instead of the laws
    JointDrive drive;
  };

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
  void measure_joint();
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
  void servo_step(double h);
  double torque_share() const;
  void bind_servo(const DeviceBinding& binding);
  PidGains initial_gains() const;
  void kinematic_step(double h);

  const MotorSpec* spec_;  // not null
  std::string owner_;
  JointState* joint_;                // nullptr for a motor without a joint
  const double* position_;           // of its shaft, before a backlash of the joint
  const PropellerState* propeller_;  // the one that it turns; nullptr for none
  Notices& notices_;
  PhysicsWorld* physics_ = nullptr;  // of its scene; nullptr: its node is gone
  int joint_number_ = -1;            // in `physics_`; -1: no joint whose effort is measured
  CoupledMotors coupled_;

  State state_;
  Commands commands_;
  std::unique_ptr<ServoElectronics> servo_;  // nullptr: a motor as in Webots
};

}  // namespace servosim
