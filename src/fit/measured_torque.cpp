// SPDX-License-Identifier: Apache-2.0
#include "fit/measured_torque.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "experiments/zero_phase_filter.h"

namespace servosim {
namespace {

constexpr double kCutoff = 10.0;          // [Hz]
constexpr double kGreatestCutoff = 0.25;  // a fraction of the rate of samples

}  // namespace

std::vector<std::pair<double, double>> torque_speed_points(const FitRig& rig, std::size_t log) {
  const std::vector<LogSample>& samples = rig.logs()[log].log->samples;
  std::vector<std::pair<double, double>> points;
  if (!(rig.inertia(log) > 0.0)) {
    return points;
  }
  Eigen::VectorXd positions(static_cast<Eigen::Index>(samples.size()));
  for (std::size_t s = 0; s < samples.size(); ++s) {
    positions[static_cast<Eigen::Index>(s)] = samples[s].position;
  }
  const double h = rig.logs()[log].log->duration() / static_cast<double>(samples.size() - 1);
  const Eigen::VectorXd smooth =
      zero_phase_filtered(positions, std::min(kGreatestCutoff, kCutoff * h));
  for (std::size_t s = 1; s + 1 < samples.size(); ++s) {
    if (!samples[s].on) {
      continue;
    }
    const auto i = static_cast<Eigen::Index>(s);
    const double before = samples[s].time - samples[s - 1].time;
    const double after = samples[s + 1].time - samples[s].time;
    const double first = (smooth[i] - smooth[i - 1]) / before;
    const double second = (smooth[i + 1] - smooth[i]) / after;
    const double acceleration = (second - first) / (0.5 * (before + after));
    points.emplace_back(0.5 * (first + second),
                        rig.inertia(log) * acceleration + rig.weight(log) * std::sin(smooth[i]));
  }
  return points;
}

}  // namespace servosim
