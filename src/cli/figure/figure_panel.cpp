// SPDX-License-Identifier: Apache-2.0
#include "cli/figure/figure_panel.h"

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

// A limit is drawn when it is no farther from the curves than this many times their range, so that
// they keep a fifth of the panel.
constexpr double kReach = 2.0;
// Numbers of an axis whose range is less than this share of them have too many digits.
constexpr double kCommon = 1e-3;
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

std::string unit_of(const TraceItem& item, std::string_view quantity) {
  for (const TraceColumn& column : item.columns) {
    if (column.quantity == quantity) {
      return column.unit;
    }
  }
  return {};
}

std::string in_numbers(const Range& limit) {
  return limit.flat() ? fmt::format("{:.4g}", limit.high)
                      : fmt::format("{:.4g} to {:.4g}", limit.low, limit.high);
}

struct Limit {
  std::string name;  // in the note
  Points points;
  Range range = {};
};

// Draws the limits if all are near, or names them in the note.
void place_limits(Panel& panel, Range& shown, std::vector<Limit> limits) {
  // What a limit may reach: everything when there is no curve that it could squash.
  const double reach = shown.empty() || shown.flat() ? std::numeric_limits<double>::infinity()
                                                     : kReach * shown.size();
  const Range near =
      shown.empty() ? Range{-reach, reach} : Range{shown.low - reach, shown.high + reach};
  bool all_near = true;
  for (Limit& limit : limits) {
    limit.range.include(limit.points);
    all_near = all_near && (limit.range.empty() ||
                            (limit.range.low <= near.high && limit.range.high >= near.low));
  }
  bool first = true;
  for (Limit& limit : limits) {
    if (limit.range.empty()) {
      continue;
    }
    if (all_near) {
      shown.low = std::min(shown.low, std::max(limit.range.low, near.low));
      shown.high = std::max(shown.high, std::min(limit.range.high, near.high));
      panel.curves.push_back({first ? "limit" : "", Style::Limit, std::move(limit.points)});
    } else if (!limit.name.empty()) {
      panel.note += (first ? "out of view: " : ", ") + limit.name + in_numbers(limit.range);
    }
    first = first && !all_near && limit.name.empty();
  }
}

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

std::string superscript(int number) {
  constexpr const char* kDigits[]{"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                  "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text;
  for (const char c : std::to_string(number)) {
    text += c == '-' ? "\u207b" : kDigits[c - '0'];
  }
  return text;
}

void shorten_numbers(Panel& panel, std::string_view quantity, std::string_view unit) {
  const AxisNumbers numbers(panel.low, panel.high);
  panel.label = numbers.label(quantity, unit);
  panel.low = numbers.shown(panel.low);
  panel.high = numbers.shown(panel.high);
  for (PanelCurve& curve : panel.curves) {
    for (ThinnedCurves::Point& point : curve.points) {
      point.value = numbers.shown(point.value);
    }
  }
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
  Panel panel;
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
  Points upper = get(plan.upper_limit);
  std::vector<Limit> limits;
  if (std::string_view(plan.lower_limit) != "-") {
    limits.push_back({"lower limit ", get(plan.lower_limit)});
    limits.push_back({"upper limit ", std::move(upper)});
  } else {
    limits.push_back({"", opposite(upper)});
    limits.push_back({"limit \u00b1", std::move(upper)});
  }
  place_limits(panel, shown, std::move(limits));
  set_axis(panel, shown);
  shorten_numbers(panel, plan.measured, unit_of(item, plan.measured));
  return panel;
}

AxisNumbers::AxisNumbers(double low, double high) {
  const double span = high - low;
  if (span < kCommon * std::max(std::abs(low), std::abs(high))) {
    const double digit = std::pow(10.0, std::ceil(std::log10(span)));
    offset = std::round(0.5 * (low + high) / digit) * digit;
  }
  const double most = std::max(std::abs(low - offset), std::abs(high - offset));
  if (most >= 1e4 || most < 0.02) {
    power = 3 * static_cast<int>(std::floor(std::log10(most) / 3.0));
  }
}

double AxisNumbers::shown(double value) const { return (value - offset) * std::pow(10.0, -power); }

std::string AxisNumbers::label(std::string_view quantity, std::string_view unit) const {
  std::string text(quantity);
  if (offset != 0.0) {
    text += fmt::format(" {} {:.12g}", offset < 0.0 ? "+" : "\u2212", std::abs(offset));
  }
  std::string scale = power != 0 ? "10" + superscript(power) : std::string();
  if (!scale.empty() && !unit.empty()) {
    scale += ' ';
  }
  scale += unit;
  return scale.empty() ? text : fmt::format("{} [{}]", text, scale);
}

}  // namespace servosim
