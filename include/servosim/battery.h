// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace servosim {

class DeviceArchive;

/// The battery of a Robot node. The robot's computer, its motors and its DifferentialWheels drain
/// it; no Charger is simulated, so nothing charges it but servos that brake, up to its capacity.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Battery {
 public:
  /// Neither value is checked here: loading a world has replaced bad ones.
  /// @param energy  the charge at the start [J]; >= 0
  /// @param capacity  the charge above which servos do not charge it [J]
  /// @param cpu_consumption  the power that the robot's computer takes all the time [W]; >= 0
  Battery(double energy, double capacity, double cpu_consumption)
      : capacity_(capacity), cpu_consumption_(cpu_consumption), energy_(energy) {}

  /// The charge that is left [J]; never negative.
  double energy() const { return energy_; }
  /// True once the charge has reached 0 J. Robot::set_power() has then switched the devices off;
  /// the controller goes on.
  bool exhausted() const { return exhausted_; }

  /// Takes (cpu_consumption + device_power)·h from the charge, which stops at 0. A negative power
  /// raises the charge, at most to the capacity.
  /// @param device_power  the power that motors and wheels took in the step [W]
  /// @param h  the length of the step [s]; > 0
  /// @returns whether the charge is 0 J now
  bool drain(double device_power, double h);
  /// True at the first call and false at every later one, also when an older state is restored in
  /// between, so that the notice that the battery is empty is printed once.
  bool end_is_news() { return !std::exchange(noticed_, true); }
  /// Sets the charge, and makes exhausted() false. It does not switch the devices on again.
  /// @param energy  [J]; >= 0, which is not checked
  void set_energy(double energy);
  /// Takes over the charge of the battery that its robot had before an edit of the tree, and
  /// whether it was empty. `cpu_consumption` stays that of the new tree.
  void continue_from(const Battery& before);
  /// Saves, restores or hashes everything that changes while the robot runs. Restoring an older
  /// state does not clear that the notice has been printed.
  void archive(DeviceArchive& archive);

 private:
  double capacity_;  // [J]
  double cpu_consumption_;
  double energy_;  // [J]; >= 0
  bool exhausted_ = false;
  bool noticed_ = false;  // whether the notice that it is empty has been printed
};

}  // namespace servosim
