// SPDX-License-Identifier: Apache-2.0
#include "fit/position_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace servosim {

std::vector<LogPart> whole_logs(const FitRig& rig) {
  std::vector<LogPart> parts;
  for (std::size_t i = 0; i < rig.logs().size(); ++i) {
    parts.push_back({i, 0, rig.logs()[i].log->samples.size()});
  }
  return parts;
}

std::vector<double> mean_errors(const FitRig& rig, std::span<const LogPart> parts,
                                std::span<const ServoModel> models) {
  std::vector<double> errors(models.size() * parts.size());
  std::vector<double> positions;
  std::size_t simulated = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const LogPart& part = parts[i];
    if (part.log != simulated) {
      rig.run(part.log, models, positions);
      simulated = part.log;
    }
    const std::vector<LogSample>& samples = rig.logs()[part.log].log->samples;
    for (std::size_t m = 0; m < models.size(); ++m) {
      const auto wrong = [&](std::size_t s) {
        return std::abs(positions[s * kBenchModels + m] - samples[s].position);
      };
      double sum = 0.0;
      double before = wrong(part.first);
      for (std::size_t s = part.first + 1; s < part.end; ++s) {
        const double now = wrong(s);
        sum += 0.5 * (before + now) * (samples[s].time - samples[s - 1].time);
        before = now;
      }
      errors[m * parts.size() + i] = sum / (samples[part.end - 1].time - samples[part.first].time);
    }
  }
  return errors;
}

double greatest_error(const FitRig& rig, std::size_t log, const ServoModel& model) {
  std::vector<double> positions;
  rig.run(log, {&model, 1}, positions);
  const std::vector<LogSample>& samples = rig.logs()[log].log->samples;
  double most = 0.0;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const double error = std::abs(positions[s * kBenchModels] - samples[s].position);
    if (std::isnan(error)) {
      return error;
    }
    most = std::max(most, error);
  }
  return most;
}

}  // namespace servosim
