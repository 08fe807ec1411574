// SPDX-License-Identifier: Apache-2.0
#include "cli/figure_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace servosim {
namespace {

using Points = std::vector<ThinnedCurves::Point>;
using Style = PanelCurve::Style;

constexpr std::array<PanelPlan, 3> kJointPanels{
    {{"position", "target", "lower limit", "upper limit"},
     {"velocity", "commanded velocity", "-", "velocity limit"},
     {"effort", "", "-", "effort limit"}}};
constexpr std::array<PanelPlan, 3> kMusclePanels{
    {{"status", "", "", ""}, {"length", "", "", ""}, {"radius", "", "", ""}}};
constexpr std::array<PanelPlan, 3> kPropellerPanels{
    {{"speed", "", "", ""}, {"thrust", "", "", ""}, {"torque", "", "", ""}}};

// A limit is drawn when it is no farther from the curves than this share of their range.
constexpr double kReach = 0.6;
constexpr double kMargin = 0.06;  // of the axis, above and below what is drawn

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(const Points& points) {
    for (const ThinnedCurves::Point& point : points) {
      if (!std::isnan(point.value)) {
        low = std::min(low, point.value);
        high = std::max(high, point.value);
      }
    }
  }
  bool empty() const { return !(low <= high); }
  double size() const { return high - low; }
  /// But for rounding noise.
  bool flat() const { return size() <= 1e-9 * std::max({1.0, std::abs(low), std::abs(high)}); }
};

// gnuplot computes with the span of an axis, which must be finite.
double drawable(double value) {
  return std::isnan(value) ? value : std::clamp(value, -1e150, 1e150);
}

Points points_of(const TraceItem& item, std::string_view quantity, const ThinnedCurves& curves,
                 std::size_t first_column) {
  for (std::size_t c = 0; c < item.columns.size(); ++c) {
    if (item.columns[c].quantity == quantity) {
      Points points = curves.points(first_column + c);
      for (ThinnedCurves::Point& point : points) {
        point.value = drawable(point.value);
      }
      return points;
    }
  }
  return {};
}

Points opposite(Points points) {
  for (ThinnedCurves::Point& point : points) {
    point.value = -point.value;
  }
  return points;
}

std::string label_of(const TraceItem& item, std::string_view quantity) {
  for (const TraceColumn& column : item.columns) {
    if (column.quantity == quantity && !column.unit.empty()) {
      return fmt::format("{} [{}]", quantity, column.unit);
    }
  }
  return std::string(quantity);
}

std::string in_numbers(const Range& limit) {
  return limit.flat() ? fmt::format("{:.4g}", limit.high)
                      : fmt::format("{:.4g} to {:.4g}", limit.low, limit.high);
}

// Draws the limits that are near, and names the others in the note.
class LimitPlacer {
 public:
  LimitPlacer(Panel& panel, Range& shown) : panel_(panel), shown_(shown), data_(shown) {}

  // `name` is for the note when the limit is out of view; nothing is said without one.
  void add(const std::string& name, Points points) {
    Range limit;
    limit.include(points);
    if (limit.empty()) {
      return;
    }
    // What a limit may reach: everything when there is no curve that it could squash.
    const Range near =
        data_.empty() || data_.flat()
            ? Range{-std::numeric_limits<double>::infinity(),
                    std::numeric_limits<double>::infinity()}
            : Range{data_.low - kReach * data_.size(), data_.high + kReach * data_.size()};
    if (limit.low <= near.high && limit.high >= near.low) {
      shown_.low = std::min(shown_.low, std::max(limit.low, near.low));
      shown_.high = std::max(shown_.high, std::min(limit.high, near.high));
      panel_.curves.push_back({drawn_ ? "" : "limit", Style::Limit, std::move(points)});
      drawn_ = true;
    } else if (!name.empty()) {
      panel_.note += (panel_.note.empty() ? "out of view: " : ", ") + name + in_numbers(limit);
    }
  }

  bool drawn() const { return drawn_; }

 private:
  Panel& panel_;
  Range& shown_;
  const Range data_;
  bool drawn_ = false;
};

void set_axis(Panel& panel, const Range& shown) {
  if (shown.empty()) {
    panel.low = -1.0;
    panel.high = 1.0;
    return;
  }
  const double about = std::max(std::abs(shown.low), std::abs(shown.high));
  const double margin = !shown.flat() ? kMargin * shown.size() : about > 1e-9 ? 0.5 * about : 1.0;
  panel.low = shown.low - margin;
  panel.high = shown.high + margin;
}

}  // namespace

const std::array<PanelPlan, 3>& panels_of(TraceKind kind) {
  return kind == TraceKind::Joint    ? kJointPanels
         : kind == TraceKind::Muscle ? kMusclePanels
                                     : kPropellerPanels;
}

Panel make_panel(const PanelPlan& plan, const TraceItem& item, const ThinnedCurves& curves,
                 std::size_t first_column) {
  const auto get = [&](std::string_view quantity) {
    return points_of(item, quantity, curves, first_column);
  };
  Panel panel{label_of(item, plan.measured), "", {}, 0.0, 0.0};
  Points measured = get(plan.measured);
  Points wanted = get(plan.wanted);
  Range shown;
  shown.include(measured);
  shown.include(wanted);
  panel.curves.push_back({plan.measured, Style::Measured, std::move(measured)});
  if (std::any_of(wanted.begin(), wanted.end(),
                  [](const auto& p) { return !std::isnan(p.value); })) {
    panel.curves.push_back({std::string_view(plan.wanted) == "target" ? "target" : "commanded",
                            Style::Wanted, std::move(wanted)});
  }
  LimitPlacer limits(panel, shown);
  Points upper = get(plan.upper_limit);
  if (std::string_view(plan.lower_limit) != "-") {
    limits.add("lower limit ", get(plan.lower_limit));
    limits.add("upper limit ", std::move(upper));
  } else {
    limits.add("", opposite(upper));
    limits.add(limits.drawn() ? "" : "limit \u00b1", std::move(upper));
  }
  set_axis(panel, shown);
  return panel;
}

}  // namespace servosim
