// SPDX-License-Identifier: Apache-2.0
#include "fit/world_rig.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "experiments/joint_test.h"
#include "fit/fit_parameters.h"
#include "fit/log_follower.h"
#include "servo_models/catalogue.h"
#include "servo_models/servo_fields.h"

namespace servosim {
namespace {

// The servo of the catalogue from which differences are counted; any will do.
constexpr const char* kAnyServo = "STS3215";

}  // namespace

std::string servo_field_of(const ServoModel& model, const std::string& name,
                           const ServoModel& named) {
  std::string text = name;
  for (const ServoField& field : servo_fields()) {
    if (value_of(model, field) != value_of(named, field)) {
      const ServoValue value = value_of(model, field);
      const auto* number = std::get_if<double>(&value);
      text += fmt::format(
          " {}={}", field.key,
          number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value));
    }
  }
  return text;
}

WorldRig::WorldRig(std::string world, LoadOptions options, const std::string& joint,
                   std::vector<BenchLog> logs)
    : world_(std::move(world)), options_(std::move(options)), logs_(std::move(logs)) {
  const Simulation simulation(world_, options_);
  const Joint found = simulation.joint(joint);
  static_cast<void>(motor_that_drives(simulation, found));  // throws if there is none
  joint_ = found.name();
}

Simulation WorldRig::load(const ServoModel& model) const {
  LoadOptions options = options_;
  static const ServoModel any = *ServoCatalogue().model(kAnyServo);
  options.settings.push_back({joint_ + ".servo", servo_field_of(model, kAnyServo, any)});
  return Simulation(world_, options);
}

void WorldRig::run(std::size_t log, std::span<const ServoModel> models,
                   std::vector<double>& positions) const {
  positions.resize(logs_[log].log->samples.size() * kBenchModels);
  for (std::size_t m = 0; m < models.size(); ++m) {
    if (!is_sound(models[m])) {
      continue;
    }
    const std::vector<BenchState> states = run_once(log, models[m]);
    for (std::size_t s = 0; s < states.size(); ++s) {
      positions[s * kBenchModels + m] = states[s].position;
    }
  }
}

std::vector<BenchState> WorldRig::run_once(std::size_t log, const ServoModel& model) const {
  Simulation simulation = load(model_for(logs_[log], model));
  return follow_log(simulation, joint_, *logs_[log].log, model.encoder.offset);
}

}  // namespace servosim
