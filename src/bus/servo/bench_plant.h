// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/random.h"
#include "bus/servo/servo_plant.h"
#include "physics/servo_state.h"
#include "servosim/servo_model.h"

namespace servosim::bus {

/// What hangs on the horn of a servo on the bench: a pendulum whose position is 0 where it hangs
/// down.
///
/// Threads: a plain value.
struct BenchLoad {
  double mass = 0.0;    ///< at the end of a rod without mass [kg]; > 0
  double length = 0.1;  ///< of the rod [m]; > 0

  /// Returns its inertia, without that of the rotor [kg·m²].
  double inertia() const { return mass * length * length; }
  /// Returns the torque that holds it level [N·m].
  double weight() const { return mass * 9.80665 * length; }
};

/// Returns a load that a servo moves with ease: a tenth of its torque at rest, at 10 cm. The mass
/// has whole tenths of a gram, so that it can be printed.
BenchLoad bench_load_for(const ServoModel& model);

/// A servo on a bench of its own, by the same law as a joint of a world.
///
/// Threads: one at a time.
class BenchPlant final : public ServoPlant {
 public:
  /// At rest, hanging down.
  BenchPlant(std::shared_ptr<const ServoModel> model, const BenchLoad& load);

  void obey(const ServoOrder& order) override { order_ = order; }
  void suffer(const ServoTrouble& trouble) override { electronics_.suffer(trouble); }
  ServoSense sense() const override;
  PidGains own_gains() const override;
  double max_duty() const override { return model_->firmware.max_duty; }
  const BenchLoad& load() const { return load_; }

  /// Moves on by `h` [s].
  void step(double h);
  /// Puts it at rest at a position [rad].
  void put(double position);
  /// Holds it where it is, as a hand does, or lets it go.
  void block(bool is_blocked) { is_blocked_ = is_blocked; }
  /// Sets the temperature of its case [°C] and its supply [V].
  void set_temperature(double degrees) { state_.memory.law.housing = degrees; }
  void set_voltage(double volts) { volts_ = volts; }

 private:
  std::shared_ptr<const ServoModel> model_;
  BenchLoad load_;
  ServoState state_;
  Random random_;
  ServoElectronics electronics_;
  ServoOrder order_;
  double position_ = 0.0;  // [rad]
  double rate_ = 0.0;      // [rad/s]
  double volts_;
  bool is_blocked_ = false;
};

}  // namespace servosim::bus
