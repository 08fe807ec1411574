// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fit/fit_rig.h"
#include "servosim/simulation.h"

namespace servosim {

/// A world as the rig of a fit: its motor at a joint becomes the servo, gets the goals of a log,
/// and has no torque where the log has none. No controller runs. Each simulation loads the world,
/// so that a fit takes longer than on the built-in bench.
///
/// Threads: any at a time.
class WorldRig final : public FitRig {
 public:
  /// @param joint  the name, as for Simulation::joint()
  /// @param logs  their rigs do not matter
  /// @throws LoadError; std::invalid_argument if there is no such joint, or if its motor cannot be
  /// a servo
  WorldRig(std::string world, LoadOptions options, const std::string& joint,
           std::vector<BenchLog> logs);

  const std::vector<BenchLog>& logs() const override { return logs_; }
  void run(std::size_t log, std::span<const ServoModel> models,
           std::vector<double>& positions) const override;
  std::vector<BenchState> run_once(std::size_t log, const ServoModel& model) const override;
  double inertia(std::size_t) const override { return 0.0; }
  double weight(std::size_t) const override { return 0.0; }
  std::unique_ptr<FitRig> with_rod(double) const override { return nullptr; }

  /// Returns what loading the world has to say.

 private:
  Simulation load(const ServoModel& model) const;

  std::string world_;
  LoadOptions options_;
  std::string joint_;  // robot/joint
  std::vector<BenchLog> logs_;
};

/// Returns a servo as the field `servo` of a motor has it: a name of a catalogue, and all numbers
/// in which the model differs from the servo of this name.
std::string servo_field_of(const ServoModel& model, const std::string& name,
                           const ServoModel& named);

}  // namespace servosim
