// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "servosim/connector.h"
#include "servosim/differential_wheels.h"
#include "servosim/joint_drive.h"
#include "servosim/joint_type.h"
#include "servosim/math.h"
#include "servosim/radio.h"
#include "servosim/sampler.h"
#include "servosim/solid_sensor.h"
#include "servosim/velocity_controller.h"

namespace servosim {

struct DeviceSpec;
struct LedSpec;
struct MotorSpec;
struct RobotSpec;
struct SensorSpec;
struct JointState;
struct PropellerState;
class Random;
class Notices;

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
  Motor(const MotorSpec& spec, std::string owner, JointState* joint, Notices& notices);

  const std::string& name() const { return name_; }
  JointType type() const { return type_; }

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
  /// Takes the joint from the motor's own laws: in each step it is asked just this, until
  /// set_position() or set_force(). For control laws of one's own, which give a new drive before
  /// each step; see also spring_drive(). Both efforts are bounded by available_force(), and a row
  /// without any is the joint's static friction. Coupled motors are not told. A joint without
  /// Physics moves at drive.velocity where max_force > 0.
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
  /// The velocity asked of the joint in the last step [rad/s|m/s] (not the measured one); positive
  /// where its position is to grow.
  double commanded_velocity() const;
  double max_velocity() const { return max_velocity_; }
  double max_force() const { return max_force_; }
  double min_position() const { return min_position_; }
  double max_position() const { return max_position_; }
  double multiplier() const { return multiplier_; }
  /// The motors of its robot that are coupled to it and take its commands too; without itself.
  std::vector<Motor*> siblings() const;

  /// Of its joint, or of the shaft of its propeller [rad|m]; nothing without either.
  std::optional<double> position() const;

  // Used by Simulation.
  void before_step(double h);      ///< runs the law; `h` [s]
  void after_step(double now_ms);  ///< samples the feedback
  const Sampler& feedback() const { return state_.feedback; }
  const JointState* joint() const { return joint_; }
  /// All coupled motors, this one among them: one list for all of them, or null for none.
  using CoupledMotors = std::shared_ptr<const std::vector<Motor*>>;
  void set_coupled(CoupledMotors motors) { coupled_ = std::move(motors); }
  /// Its joint is the shaft of this propeller, which must outlive it.
  void set_propeller(const PropellerState& propeller) { propeller_ = &propeller; }
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
  /// What was said stays said.
  void set_state(const State& state);

 private:
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

  std::string name_;
  std::string owner_;       // robot, for notices
  JointState* joint_;       // nullptr for a motor without a joint
  const double* position_;  // of its shaft: the joint's position, or before its backlash
  Notices& notices_;
  JointType type_;
  double max_velocity_;
  double max_force_;
  double min_position_;
  double max_position_;
  double multiplier_;
  double consumption_factor_;
  CoupledMotors coupled_;
  const PropellerState* propeller_ = nullptr;  // that it turns

  State state_;
};

/// A PositionSensor, or the position measurement of a Servo.
/// Threads: one at a time, with the whole Simulation it is part of.
class PositionSensor {
 public:
  PositionSensor(const SensorSpec& spec, const JointState* joint, Random& random);

  /// Starts sampling every `period_ms` [ms]; 0 stops.
  /// @throws std::invalid_argument for a negative period.
  void enable(int period_ms, double now_ms);
  /// Last sample [rad|m], NaN before the first.
  double value() const { return state_.sampler.value(); }
  JointType type() const { return type_; }

  // Used by Simulation.
  void after_step(double now_ms) {
    if (state_.sampler.due(now_ms) && state_.powered) {
      sample(now_ms);
    }
  }
  const Sampler& sampler() const { return state_.sampler; }
  /// Off: no samples.
  void set_power(bool on) { state_.powered = on; }

  /// Everything that changes while the sensor runs.
  struct State {
    Sampler sampler;
    bool powered = true;
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  void sample(double now_ms);

  JointType type_;
  double noise_;       // standard deviation [rad|m]
  double resolution_;  // [rad|m], -1 = exact
  double fixed_position_;
  const double* position_;  // of the joint or of its motor's shaft; nullptr: fixed_position_ counts
  Random& random_;
  State state_;
};

/// A Brake: adds damping to its joint.
/// Threads: one at a time, with the whole Simulation it is part of.
class Brake {
 public:
  Brake(JointType type, JointState* joint) : type_(type), joint_(joint) {}
  JointType type() const { return type_; }
  /// [N·m·s/rad | N·s/m]; replaces the last value. @throws std::invalid_argument for NaN.
  void set_damping_constant(double damping);
  double damping_constant() const { return state_.damping; }

  /// Everything that changes while the brake runs. The joint remembers its damping by itself.
  struct State {
    double damping = 0.0;
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  JointType type_;
  JointState* joint_;
  State state_;
};

/// An LED: gives its lights the colour it shines in.
/// Threads: one at a time, with the whole Simulation it is part of.
class Led {
 public:
  /// `light_colors`, by light of the scene, must outlive it.
  Led(const LedSpec& spec, std::vector<Vec3>& light_colors);
  /// 0 or less: off. Else the color of that number in the list, from 1; a number beyond it: off.
  /// A gradual one: 1 to 255 times the first color; without a color: 0xRRGGBB.
  void set(int value);
  int value() const { return state_.value; }
  /// Red, green, blue, in which it shines; black: off.
  Vec3 color() const;

  /// Everything that changes while it runs.
  struct State {
    int value = 0;
  };
  const State& state() const { return state_; }
  void set_state(const State& state);

 private:
  const LedSpec* spec_;
  std::vector<Vec3>* light_colors_;
  State state_;
};

/// One device of a robot, as the controller sees it. A device that this program does not simulate
/// has none of the parts.
///
/// Threads: one at a time, with the whole Simulation it is part of.
struct Device {
  std::string name;
  std::string model;
  std::string node_type;             ///< Webots node name, e.g. "RotationalMotor"
  int joint = -1;                    ///< index of its joint, -1 for none
  const DeviceSpec* spec = nullptr;  ///< of the present scene; changes when the tree does
  bool gone = false;                 ///< no longer in the tree: it does nothing
  std::unique_ptr<Motor> motor;
  std::unique_ptr<PositionSensor> sensor;
  std::unique_ptr<Brake> brake;
  std::unique_ptr<SolidSensor> solid_sensor;
  std::unique_ptr<Emitter> emitter;
  std::unique_ptr<Receiver> receiver;
  std::unique_ptr<Connector> connector;
  std::unique_ptr<Led> led;

  /// Of its emitter and its receiver, as far as it has them. @throws std::invalid_argument for less
  /// than -1.
  void set_channel(int channel) const;
};

/// The battery of a Robot node. Its computer and motors drain it; nothing charges it.
/// Threads: one at a time, with the whole Simulation it is part of.
class Battery {
 public:
  /// Everything that changes while the robot runs.
  struct State {
    double energy = 0.0;  ///< [J]
    bool exhausted = false;
    bool noticed = false;  ///< its end was said
  };

  /// `energy` [J] at start, >= 0; `cpu_consumption` [W].
  Battery(double energy, double cpu_consumption)
      : cpu_consumption_(cpu_consumption), state_{energy, false, false} {}

  double energy() const { return state_.energy; }  ///< [J]
  /// True once nothing was left; the devices are then off.
  bool exhausted() const { return state_.exhausted; }

  /// Takes what the computer and `device_power` [W] need in `h` [s]; true if that was the last.
  bool drain(double device_power, double h);
  /// True the first time, also if an older state is restored in between.
  bool end_is_news() { return !std::exchange(state_.noticed, true); }
  const State& state() const { return state_; }
  void set_state(const State& state);

 private:
  double cpu_consumption_;
  State state_;
};

/// A Robot node with its devices in the order of their tags: device i has tag i + 1.
/// Threads: one at a time, with the whole Simulation it is part of.
class Robot {
 public:
  const std::string& name() const { return name_; }
  /// In Scene::robots; changes when the tree does. -1: it is no longer in the tree.
  int index() const { return index_; }
  /// Of the present scene; changes when the tree does.
  const RobotSpec& spec() const { return *spec_; }
  const std::vector<Device>& devices() const { return devices_; }
  /// First device of that name, exact and case-sensitive; nullptr if there is none.
  const Device* find(std::string_view device_name) const;
  /// @throws std::out_of_range naming the robot's motors if there is none of that name.
  Motor& motor(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  PositionSensor& position_sensor(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  Brake& brake(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  SolidSensor& solid_sensor(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  Emitter& emitter(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  Receiver& receiver(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  Connector& connector(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  Led& led(std::string_view device_name) const;
  /// The drive of a DifferentialWheels; nullptr for every other robot.
  DifferentialWheels* wheels() const { return wheels_.get(); }
  /// nullptr where the world does not simulate one: everything then has power for ever.
  const Battery* battery() const { return battery_ ? &*battery_ : nullptr; }
  /// Switches all motors and sensors off, as an empty battery does, or on, whatever the battery
  /// holds. Off: sensors keep their last value and motors have no available force, whatever is
  /// asked; force control goes on pushing and a propeller stops. On: motors have all the force
  /// there is. An empty battery gives no energy then, and does not switch off again.
  void set_power(bool on);

  // Used by Simulation.
  explicit Robot(const RobotSpec& spec, int index);
  /// Its place in another scene; -1: it is gone.
  void move_to(const RobotSpec& spec, int index);
  void add(Device device) { devices_.push_back(std::move(device)); }
  void set_wheels(std::unique_ptr<DifferentialWheels> wheels) { wheels_ = std::move(wheels); }
  std::vector<Device>& own_devices() { return devices_; }
  void set_battery(const std::optional<Battery>& battery) { battery_ = battery; }
  void set_battery_state(const Battery::State& state) { battery_->set_state(state); }
  /// Takes one step's energy from the battery, by the efforts measured last; at 0 J all motors and
  /// sensors go off. `h` [s]. @returns whether that happened for the first time.
  bool drain_battery(double h);

 private:
  std::string name_;
  int index_;
  const RobotSpec* spec_;
  std::vector<Device> devices_;
  std::unique_ptr<DifferentialWheels> wheels_;
  std::optional<Battery> battery_;
};

}  // namespace servosim
