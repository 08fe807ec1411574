// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/figure/thinned_curve.h"
#include "sim/trace/trace_format.h"

namespace servosim {

/// Columns of a trace as a figure for gnuplot: a row of three panels for each item.
class Figure {
 public:
  static constexpr std::size_t kMostItems = 60;

  explicit Figure(const std::vector<TraceItem>& items);

  /// Takes the time and the items' columns, in their order; NaN where there is no value.
  void add(double time, const double* columns);
  /// The script, which writes the file `figure`. `terminal`: svg, pngcairo or pdfcairo.
  std::string script(const std::string& terminal) const;

 private:
  double begin_time() const;

  const std::vector<TraceItem>& items_;
  ThinnedCurves curves_;
  std::int64_t rows_ = 0;
  double first_time_ = 0.0;
  double last_time_ = 0.0;
};

}  // namespace servosim
