// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace servosim {

/// Curves over a common time, of any length, in bounded memory: when there are more points than a
/// picture can show, each curve keeps the least and the greatest value of each stretch of rows, so
/// that no peak is lost.
class ThinnedCurves {
 public:
  struct Point {
    double time;
    double value;  ///< NaN: the curve is interrupted here
  };

  ThinnedCurves(std::size_t count, std::size_t most_stretches)
      : most_stretches_(most_stretches + most_stretches % 2), curves_(count) {}

  /// `values` has one for each curve; NaN for none.
  void add(double time, const double* values);
  /// In the order of time; of a stretch of equal values only the ends.
  std::vector<Point> points(std::size_t curve) const;

 private:
  struct Stretch {
    Point least;
    Point greatest;
  };

  static void join(Stretch& a, const Stretch& b);
  void halve();

  std::size_t most_stretches_;
  std::int64_t rows_per_stretch_ = 1;
  std::int64_t rows_in_last_ = 0;
  std::vector<std::vector<Stretch>> curves_;
};

}  // namespace servosim
