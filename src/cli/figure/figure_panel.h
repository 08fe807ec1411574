// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/figure/thinned_curve.h"
#include "sim/trace/trace_format.h"

namespace servosim {

/// What one panel of a figure shows of a trace's item; quantities may be absent.
struct PanelPlan {
  const char* measured;
  const char* wanted;       ///< what the motor was told
  const char* lower_limit;  ///< "-": the opposite of the upper one
  const char* upper_limit;
};

/// The panels of an item, from left to right.
const std::array<PanelPlan, 3>& panels_of(TraceKind kind);

struct PanelCurve {
  std::string title;  ///< in the legend; empty: not there
  enum class Style { Measured, Wanted, Limit } style = Style::Measured;
  std::vector<ThinnedCurves::Point> points;
};

/// What a panel draws. Limits far from the curves would squash them, and are only told of.
struct Panel {
  std::string label;  ///< of the vertical axis
  std::string note;   ///< on what is not drawn, or empty
  std::vector<PanelCurve> curves;
  double low = 0.0;  ///< what the vertical axis shows
  double high = 0.0;
};

/// Makes numbers of an axis short: subtracts what they have in common, divides by a power of ten,
/// and says so in the label.
struct AxisNumbers {
  double offset = 0.0;
  int power = 0;  ///< of ten

  AxisNumbers(double low, double high);
  double shown(double value) const;
  /// `quantity - offset [10ⁿ unit]`, as far as there are any.
  std::string label(std::string_view quantity, std::string_view unit) const;
};

/// `first_column`: of the item in `curves`.
Panel make_panel(const PanelPlan& plan, const TraceItem& item, const ThinnedCurves& curves,
                 std::size_t first_column);

}  // namespace servosim
