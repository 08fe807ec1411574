// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fit/bench.h"

namespace servosim {

/// What a user says of the bench; a log's own header has the rest.
struct BenchOptions {
  std::optional<double> mass;    ///< [kg]
  std::optional<double> length;  ///< [m]
  std::optional<double> rod;     ///< [kg]
  std::optional<double> p;       ///< gains, as in the firmware's registers
  std::optional<double> i;
  std::optional<double> d;
  std::optional<double> supply;  ///< [V]
};

/// Returns whether a rig is the built-in bench: `pendulum`, alone or followed by a colon.
bool is_pendulum(std::string_view rig);
/// Reads `pendulum:mass=0.49,length=0.1,rod=0.01`, in kg and m.
/// @throws std::invalid_argument
void read_pendulum(std::string_view rig, BenchOptions& options);
/// Reads `kp=400,ki=0,kd=0`.
/// @throws std::invalid_argument
void read_gains(std::string_view gains, BenchOptions& options);

/// Returns the gains and the supply of a log: those of the options, else of its header, which may
/// have `kp`, `ki`, `kd` and `vin` or `supply`; else NaN. A supply that neither says is the mean of
/// the measured voltages.
/// @throws std::invalid_argument for a value of the header that is not possible
BenchSettings settings_of(const ServoLog& log, const BenchOptions& options);
/// Returns a log on the bench; its header may have `mass`, `length` and `rod` or `arm_mass`.
/// @throws std::invalid_argument if neither says the mass and the length
BenchLog bench_log(const ServoLog& log, const BenchOptions& options);

}  // namespace servosim
