// SPDX-License-Identifier: Apache-2.0
#include "cli/figure/thinned_curve.h"

#include <cmath>

namespace servosim {

void ThinnedCurves::add(double time, const double* values) {
  const bool begins = rows_in_last_ == 0;
  if (begins && !curves_.empty() && curves_.front().size() == most_stretches_) {
    halve();
  }
  for (std::vector<Stretch>& curve : curves_) {
    const Point point{time, *values++};
    if (begins) {
      curve.push_back({point, point});
    } else {
      join(curve.back(), {point, point});
    }
  }
  rows_in_last_ = (rows_in_last_ + 1) % rows_per_stretch_;
}

void ThinnedCurves::join(Stretch& a, const Stretch& b) {
  if (!(a.least.value <= b.least.value)) {
    a.least = std::isnan(b.least.value) ? a.least : b.least;
  }
  if (!(a.greatest.value >= b.greatest.value)) {
    a.greatest = std::isnan(b.greatest.value) ? a.greatest : b.greatest;
  }
}

void ThinnedCurves::halve() {
  for (std::vector<Stretch>& curve : curves_) {
    for (std::size_t i = 0; i < curve.size() / 2; ++i) {
      curve[i] = curve[2 * i];
      join(curve[i], curve[2 * i + 1]);
    }
    curve.resize(curve.size() / 2);
  }
  rows_per_stretch_ *= 2;
}

std::vector<ThinnedCurves::Point> ThinnedCurves::points(std::size_t curve) const {
  std::vector<Point> points;
  const auto add_point = [&points](const Point& point) {
    const std::size_t n = points.size();
    const auto like = [](const Point& a, const Point& b) {
      return a.value == b.value || (std::isnan(a.value) && std::isnan(b.value));
    };
    if (n > 1 && like(points[n - 1], point) && like(points[n - 2], point)) {
      points.pop_back();
    }
    points.push_back(point);
  };
  for (const Stretch& stretch : curves_[curve]) {
    const bool rises = stretch.least.time <= stretch.greatest.time;
    add_point(rises ? stretch.least : stretch.greatest);
    if (stretch.least.time != stretch.greatest.time) {
      add_point(rises ? stretch.greatest : stretch.least);
    }
  }
  return points;
}

}  // namespace servosim
