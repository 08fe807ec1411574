// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace servosim {

/// The battery of a Robot node. The robot's computer, its motors and its DifferentialWheels drain
/// it; no Charger is simulated, so nothing charges it.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Battery {
 public:
  /// Everything that changes while the robot runs.
  struct State {
    /// The charge that is left [J]; never negative.
    double energy = 0.0;
    /// True from the step in which the charge reached 0 J.
    bool exhausted = false;
    /// Whether the notice that the battery is empty has been printed. Restoring an older state does
    /// not clear it, so that the notice is printed once.
    bool noticed = false;
  };

  /// Neither value is checked here: loading a world has replaced bad ones.
  /// @param energy  the charge at the start [J]; >= 0
  /// @param cpu_consumption  the power that the robot's computer takes all the time [W]; >= 0
  Battery(double energy, double cpu_consumption)
      : cpu_consumption_(cpu_consumption), state_{energy, false, false} {}

  /// The charge that is left [J].
  double energy() const { return state_.energy; }
  /// True once the charge has reached 0 J. Robot::set_power() has then switched the devices off;
  /// the controller goes on.
  bool exhausted() const { return state_.exhausted; }

  /// Takes (cpu_consumption + device_power)·h from the charge, which stops at 0.
  /// @param device_power  the power that motors and wheels took in the step [W]; >= 0
  /// @param h  the length of the step [s]; > 0
  /// @returns whether the charge is 0 J now
  bool drain(double device_power, double h);
  /// True at the first call and false at every later one, also when an older state is restored in
  /// between.
  bool end_is_news() { return !std::exchange(state_.noticed, true); }
  const State& state() const { return state_; }
  /// Restores a state; `noticed` stays set once it has been set.
  void set_state(const State& state);

 private:
  double cpu_consumption_;
  State state_;
};

}  // namespace servosim
