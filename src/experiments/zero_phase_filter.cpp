// SPDX-License-Identifier: Apache-2.0
#include "experiments/zero_phase_filter.h"

#include <cmath>
#include <numbers>

namespace servosim {
namespace {

// Applies the analog low pass 1 / (s² + √2·s + 1), discretized by the bilinear transformation.
// Values before the first one are assumed to be equal to it.
void pass(Eigen::VectorXd& values, double cutoff) {
  const double c = std::tan(std::numbers::pi * cutoff);
  const double scale = 1.0 / (1.0 + std::numbers::sqrt2 * c + c * c);
  const double b = c * c * scale;
  const double a1 = 2.0 * (c * c - 1.0) * scale;
  const double a2 = (1.0 - std::numbers::sqrt2 * c + c * c) * scale;
  double x1 = values.size() > 0 ? values[0] : 0.0;
  double x2 = x1, y1 = x1, y2 = x1;
  for (double& value : values) {
    const double y = b * (value + 2.0 * x1 + x2) - a1 * y1 - a2 * y2;
    x2 = x1;
    x1 = value;
    y2 = y1;
    y1 = y;
    value = y;
  }
}

}  // namespace

Eigen::VectorXd zero_phase_filtered(Eigen::VectorXd values, double cutoff) {
  pass(values, cutoff);
  values.reverseInPlace();
  pass(values, cutoff);
  values.reverseInPlace();
  return values;
}

}  // namespace servosim
