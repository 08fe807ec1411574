// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>

#include "servosim/device.h"

namespace servosim {

class Notices;
class PhysicsWorld;
class Random;
struct DifferentialWheelsSpec;

/// The drive of a DifferentialWheels node: two wheels, the left one first.
///
/// With Physics each wheel turns on a hinge that is driven at the commanded speed by at most
/// maxForce. Without Physics the speeds of the wheels change by at most maxAcceleration, and the
/// robot rolls along the arc that they give. It stops, and its wheels with it, where it would get
/// deeper into something that has no Physics either.
///
/// No present Webots has this node: its reference page is the source of what it does
/// (docs/explanation/deviations.md#differentialwheels).
///
/// Threads: one at a time, with the whole Simulation it is part of.
class DifferentialWheels : public Device {
 public:
  /// What `binding` refers to must outlive this object or its next rebind().
  explicit DifferentialWheels(const DeviceBinding& binding);

  /// Commands the speeds of the wheels from the next step on, in units of speedUnit; positive rolls
  /// forwards. A speed beyond ±maxSpeed is clamped, and a notice says so once.
  /// @throws std::invalid_argument for NaN
  void set_speed(double left, double right);
  /// Starts to count how far the wheels turn. A robot without encoders (encoderNoise or
  /// encoderResolution below 0) prints a notice and never has a sample.
  /// @param period_ms  [ms]; 0 stops
  /// @param now_ms  the simulated time [ms]
  /// @throws std::invalid_argument if `period_ms` is negative
  void enable_encoders(int period_ms, double now_ms);
  /// Sets the counters [pulses], which go on from there. The last sample stays as it is.
  /// @throws std::invalid_argument unless both are finite
  void set_encoders(double left, double right);
  /// The last sample, left and right, in whole pulses (rounded towards zero); NaN before the first
  /// one. The span is valid as long as this object.
  std::span<const double> encoders() const { return state_.encoders; }
  /// The field maxSpeed: the limit of each wheel [rad/s].
  double max_speed() const;
  /// The field speedUnit: the speed that a commanded 1 means [rad/s].
  double speed_unit() const;

  // Only Simulation uses what follows.
  /// Drives the wheels, or rolls the robot, for a step of `h` [s]. Without power the wheels have no
  /// drive.
  void before_step(double h) override;
  void enable(int period_ms, double now_ms) override { enable_encoders(period_ms, now_ms); }
  std::span<const double> values() const override { return encoders(); }
  /// The power that both wheels together take from a battery [W]: motorConsumption while a wheel
  /// has a commanded speed or rolls, else 0.
  double power_consumption() override;

 private:
  // Everything that changes while the robot runs, with the left wheel first. The pose of the robot
  // is part of the state of the physics.
  struct State {
    std::array<double, 2> command{};   ///< the commanded speeds, clamped [rad/s]
    std::array<double, 2> speed{};     ///< the present speeds of a robot without Physics [rad/s]
    std::array<double, 2> turned{};    ///< the positions of the wheels before the step [rad]
    std::array<double, 2> pulses{};    ///< what has been counted so far [pulses], with fractions
    std::array<double, 2> encoders{};  ///< the last sample [pulses]
    bool noticed = false;  ///< whether a notice has said that a speed is beyond maxSpeed
  };

  /// Counts what the wheels of a robot with Physics have turned in the step.
  void follow() override;
  void measure(double now_ms) override;
  /// Binds it to its robot's new description and name in another physics, or to none if the robot
  /// is gone: then it drives nothing. Commands and counters stay.
  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void restart() override { set_speed(0.0, 0.0); }
  void archive_state(DeviceArchive& archive) override;
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
