// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace servosim {

/// The battery of a Robot node. Its computer and motors drain it; nothing charges it.
/// Threads: one at a time, with the whole Simulation it is part of.
class Battery {
 public:
  /// Everything that changes while the robot runs.
  struct State {
    double energy = 0.0;  ///< [J]
    bool exhausted = false;
    bool noticed = false;  ///< that it is empty was reported
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

}  // namespace servosim
