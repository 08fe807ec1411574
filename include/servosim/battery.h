// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace servosim {

class DeviceArchive;

/// The battery of a Robot node. Its computer and motors drain it; nothing charges it.
/// Threads: one at a time, with the whole Simulation it is part of.
class Battery {
 public:
  /// `energy` [J] at start, >= 0; `cpu_consumption` [W].
  Battery(double energy, double cpu_consumption)
      : cpu_consumption_(cpu_consumption), energy_(energy) {}

  double energy() const { return energy_; }  ///< [J]
  /// True once nothing was left; the devices are then off.
  bool exhausted() const { return exhausted_; }

  /// Takes (cpu_consumption + device_power)·h from the charge, which stops at 0.
  /// @param device_power  the power that motors and wheels took in the step [W]; >= 0
  /// @param h  the length of the step [s]; > 0
  /// @returns whether the charge is 0 J now
  bool drain(double device_power, double h);
  /// True the first time, also if an older state is restored in between.
  bool end_is_news() { return !std::exchange(noticed_, true); }
  /// [J]; it is not exhausted then.
  void set_energy(double energy);
  /// It has the charge of the battery that its robot had before an edit of the tree.
  void continue_from(const Battery& before);
  /// Saves, restores or hashes all that changes while the robot runs.
  void archive(DeviceArchive& archive);

 private:
  double cpu_consumption_;
  double energy_;  // [J]
  bool exhausted_ = false;
  bool noticed_ = false;  // that it is empty was reported
};

}  // namespace servosim
