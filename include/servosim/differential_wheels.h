// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>

#include "servosim/sampler.h"

namespace servosim {

class Fnv1a;
class Notices;
class PhysicsWorld;
class Random;
struct DifferentialWheelsSpec;

/// The drive of a DifferentialWheels node: two wheels, the left one first.
///
/// With Physics each wheel is driven at its speed by at most maxForce. Without, the wheels gain
/// speed by at most maxAcceleration, and the robot rolls as they turn; they stop where it would get
/// deeper into something that has no Physics either.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class DifferentialWheels {
 public:
  DifferentialWheels(const DifferentialWheelsSpec& spec, std::string robot, PhysicsWorld& physics,
                     Random& random, Notices& notices);

  /// In units of speedUnit; positive is forwards. What is beyond maxSpeed is clamped and reported
  /// once. @throws std::invalid_argument for NaN.
  void set_speed(double left, double right);
  /// Starts counting what the wheels turn every `period_ms` [ms]; 0 stops. A robot without encoders
  /// never has a sample. @throws std::invalid_argument for a negative period.
  void enable_encoders(int period_ms, double now_ms);
  /// Counts on from here [pulses]. @throws std::invalid_argument unless both are finite.
  void set_encoders(double left, double right);
  /// Last sample: whole pulses, left and right; NaN before the first.
  std::span<const double> encoders() const { return state_.encoders; }
  double max_speed() const;   ///< [rad/s]
  double speed_unit() const;  ///< [rad/s]

  // Used by Simulation.
  /// Binds it to its robot's new description and name in another physics.
  void rebind(const DifferentialWheelsSpec& spec, std::string robot, PhysicsWorld& physics);
  /// Its robot is gone: it drives nothing. `spec` describes it without Solid and joints.
  void detach(const DifferentialWheelsSpec& spec);
  void before_step(double h);  ///< `h` [s]
  void after_step(double now_ms);
  const Sampler& sampler() const { return state_.sampler; }
  /// What they take from a battery [W]: motorConsumption, while a wheel has a commanded speed or
  /// rolls.
  double power_consumption() const;
  /// Off: the wheels have no drive, and the encoders no samples.
  void set_power(bool on);

  /// Everything that changes while the robot runs. Its place is part of the physics.
  struct State {
    std::array<double, 2> command{};   ///< [rad/s]
    std::array<double, 2> speed{};     ///< without Physics [rad/s]
    std::array<double, 2> turned{};    ///< positions of the wheels in the step before [rad]
    std::array<double, 2> pulses{};    ///< counted so far
    std::array<double, 2> encoders{};  ///< the last sample
    Sampler sampler;
    bool powered = true;
    bool noticed = false;  ///< a speed beyond maxSpeed was reported
  };
  const State& state() const { return state_; }
  /// Adds its commanded and present speeds to a hash.
  void add_state(Fnv1a& hash) const;
  void set_state(const State& state);

 private:
  double clamped(double speed);
  double slipping(double speed);
  void drive_joint(int side);
  void roll(double h);
  bool move(const std::array<double, 2>& turn);
  void count(int side, double turn);

  const DifferentialWheelsSpec* spec_;  // not null
  std::string robot_;                   // for notices
  PhysicsWorld* physics_;               // nullptr: its robot is gone
  Random* random_;
  Notices* notices_;
  State state_;
};

}  // namespace servosim
