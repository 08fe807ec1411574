// SPDX-License-Identifier: Apache-2.0
#include "plot/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/assert.h"

namespace servosim {

void ThinnedCurves::add(double time, const double* values) {
  const bool begins = rows_in_last_ == 0;
  SERVOSIM_ASSERT(curves_.empty() || curves_.front().size() <= max_stretches_, "{} of {} stretches",
                  curves_.front().size(), max_stretches_);
  if (begins && !curves_.empty() && curves_.front().size() == max_stretches_) {
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
constexpr std::array<PanelPlan, 3> kRobotPanels{
    {{"x", "", "", ""}, {"y", "", "", ""}, {"z", "", "", ""}}};
constexpr PanelPlan kTiltPanel{"tilt", "", "", ""};

// A limit is drawn if its distance from the curves is at most this multiple of their range. The
// curves then get at least a fifth of the panel.
constexpr double kReach = 2.0;
// If the range is smaller relative to the numbers of an axis, the numbers have too many digits.
constexpr double kMinRelativeRange = 1e-3;
constexpr double kMargin = 0.06;  // share of the axis above and below what is drawn

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
  double about() const { return std::max(std::abs(low), std::abs(high)); }
  /// Returns whether the range is at most `least` or the rounding noise.
  bool flat(double least = 0.0) const {
    return size() <= std::max(least, 1e-9 * std::max(1.0, about()));
  }
};

// gnuplot computes the span of an axis, which must be finite.
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
  std::string name;  // its name in the note
  Points points;
  Range range = {};
};

// Returns the range below which a curve shows noise and not motion: a share of the range between
// its limits or, if there are none, what a solver may let a joint creep.
double least_range(const std::vector<Limit>& limits, std::string_view unit) {
  constexpr double kPart = 1e-4;
  constexpr double kFinite = 1e100;
  Range range;
  for (const Limit& limit : limits) {
    range.include(limit.points);
  }
  if (!range.empty() && range.size() > 0.0 && range.about() < kFinite) {
    return kPart * range.size();
  }
  static constexpr std::pair<std::string_view, double> kLeast[]{
      {"rad", 1e-5}, {"m", 1e-6}, {"rad/s", 1e-4}, {"m/s", 1e-5}, {"N m", 1e-5}, {"N", 1e-4}};
  const auto* const found = std::find_if(std::begin(kLeast), std::end(kLeast),
                                         [unit](const auto& each) { return each.first == unit; });
  return found != std::end(kLeast) ? found->second : 0.0;
}

// Draws the limits if all are near the curves, otherwise names them in the note.
void place_limits(Panel& panel, Range& shown, double least, std::vector<Limit> limits) {
  // The largest distance of a limit from the curves; any distance is allowed if there is no curve.
  const double reach = shown.empty() || shown.flat(least) ? std::numeric_limits<double>::infinity()
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

void set_axis(Panel& panel, const Range& shown, double least) {
  if (shown.empty()) {
    panel.low = -1.0;
    panel.high = 1.0;
    return;
  }
  const double margin = !shown.flat(least)                      ? kMargin * shown.size()
                        : shown.about() > std::max(least, 1e-9) ? 0.5 * shown.about()
                                                                : 1.0;
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
  return kind == TraceKind::Joint                              ? kJointPanels
         : kind == TraceKind::Muscle                           ? kMusclePanels
         : kind == TraceKind::Robot || kind == TraceKind::Body ? kRobotPanels
                                                               : kPropellerPanels;
}

namespace {

void add_curves(const PanelPlan& plan, const PanelSource& source, Panel& panel, Range& shown) {
  const auto get = [&](std::string_view quantity) {
    return points_of(source.item, quantity, source.curves, source.first_column);
  };
  Points measured = get(plan.measured);
  Points commanded = get(plan.commanded);
  shown.include(measured);
  shown.include(commanded);
  const bool is_one = source.title.empty();
  panel.curves.push_back(
      {is_one ? plan.measured : source.title, Style::Measured, std::move(measured), source.trace});
  if (std::any_of(commanded.begin(), commanded.end(),
                  [](const auto& p) { return !std::isnan(p.value); })) {
    const char* const title = std::string_view(plan.commanded) == "target" ? "target" : "commanded";
    panel.curves.push_back(
        {is_one ? title : "", Style::Commanded, std::move(commanded), source.trace});
  }
  if (source.marks != nullptr && std::string_view(plan.commanded) == "target") {
    Points points;
    for (const auto& mark :
         {source.marks->at_10, source.marks->at_90, source.marks->peak, source.marks->settled}) {
      if (mark) {
        points.push_back({mark->time, drawable(mark->position)});
      }
    }
    panel.curves.push_back({"", Style::Mark, std::move(points), source.trace});
    panel.marks = source.marks->text();
  }
}

}  // namespace

Panel make_panel(const PanelPlan& plan, const std::vector<PanelSource>& sources,
                 const std::vector<FigureBound>& bounds) {
  Panel panel;
  Range shown;
  for (const PanelSource& source : sources) {
    add_curves(plan, source, panel, shown);
  }
  const PanelSource& first = sources.front();
  const auto get = [&](std::string_view quantity) {
    return points_of(first.item, quantity, first.curves, first.first_column);
  };
  if (sources.size() > 1) {
    panel.marks.clear();  // there is no room for the marks of several
  }
  bool first_bound = true;
  for (const FigureBound& bound : bounds) {
    if (bound.quantity == plan.measured) {
      shown.include(bound.points);
      panel.curves.push_back(
          {std::exchange(first_bound, false) ? "expected" : "", Style::Bound, bound.points});
    }
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
  const std::string unit = unit_of(first.item, plan.measured);
  const double least = least_range(limits, unit);
  place_limits(panel, shown, least, std::move(limits));
  set_axis(panel, shown, least);
  shorten_numbers(panel, plan.measured, unit);
  return panel;
}

AxisNumbers::AxisNumbers(double low, double high) {
  const double span = high - low;
  if (span < kMinRelativeRange * std::max(std::abs(low), std::abs(high))) {
    const double digit = std::pow(10.0, std::ceil(std::log10(span)));
    offset = std::round(0.5 * (low + high) / digit) * digit;
  }
  const double largest = std::max(std::abs(low - offset), std::abs(high - offset));
  if (largest >= 1e4 || largest < 0.02) {
    power = 3 * static_cast<int>(std::floor(std::log10(largest) / 3.0));
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

namespace {

// Lengths are in pixels, or in hundredths of an inch.
constexpr double kWidth = 1500.0;
constexpr double kPanelWidth = kWidth / 3.0;
constexpr double kLeft = 92.0;   // for numbers and label of the axis of each panel
constexpr double kRight = 26.0;  // right of each panel
// The space for name, marks and note in one line each, and for the legend in two.
constexpr double kAbove = 100.0;
constexpr double kNameLine = 17.0;
constexpr double kMarksLine = 35.0;
constexpr double kNoteLine = 52.0;
// Characters that fit the width of a panel; longer notes are drawn smaller.
constexpr double kWholeNote = 62.0;
constexpr double kBelow = 24.0;      // for the numbers of the time axis
constexpr double kLabel = 14.0;      // middle of the label of a vertical axis
constexpr double kTimeLabel = 22.0;  // below the last row
// A panel is about 400 pixels wide. There are up to twice that many stretches, so that half of
// them, after a halving, are still enough.
constexpr std::size_t kMaxStretches = 800;
constexpr std::size_t kMaxName = 120;  // [bytes]

// Colours that people with any colour vision can distinguish (Okabe and Ito). Each trace has one;
// if there is only one trace, the commanded curve has its own.
constexpr std::array<const char*, Figure::kMaxTraces> kColors{"#0072B2", "#009E73", "#CC79A7",
                                                              "#E69F00", "#56B4E9", "#000000"};
// Dashes of measured curves; commanded curves have a dash of their own.
constexpr std::array<const char*, Figure::kMaxTraces> kDashes{
    "solid", "(14,4)", "(2,3)", "(10,3,2,3)", "(5,2)", "(18,3,2,3,2,3)"};
constexpr const char* kCommanded = "#D55E00";

std::string style_of(const PanelCurve& curve, bool is_one) {
  const char* const color = kColors[curve.trace % kColors.size()];
  switch (curve.style) {
    case Style::Measured:
      return fmt::format("lw 1.8 lc rgb '{}' dt {}", color, kDashes[curve.trace % kDashes.size()]);
    case Style::Commanded:
      return is_one ? fmt::format("lw 1.8 dt (8,5) lc rgb '{}'", kCommanded)
                    : fmt::format("lw 1 dt (1,4) lc rgb '{}'", color);
    case Style::Limit:
      return "lw 1 lc rgb '#555555'";
    case Style::Mark:
      return "pt 6 ps 1 lw 1.5 lc rgb '#000000'";
    case Style::Bound:
      return "lw 1.6 dt (3,3) lc rgb '#AA0000'";
  }
  return {};
}

double row_height(std::size_t rows) {
  return rows == 1 ? 454.0 : rows <= 3 ? 334.0 : rows <= 12 ? 284.0 : 250.0;
}

double panel_left(std::size_t column) { return kPanelWidth * static_cast<double>(column); }

// Returns a name as gnuplot reads it: within single quotes only the quote itself is special.
std::string gnuplot_text(const std::string& name) {
  using nlohmann::json;
  std::string text = json::parse(json(name).dump(-1, ' ', false, json::error_handler_t::replace));
  if (text.size() > kMaxName) {
    std::size_t end = kMaxName;
    while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
      --end;  // the cut must not be within a character
    }
    text = text.substr(0, end) + "...";
  }
  std::string result = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7f ? " " : c == '\'' ? "''" : std::string(1, c);
  }
  return result + '\'';
}

void add_data(std::string& script, std::size_t number, const PanelCurve& curve) {
  fmt::format_to(std::back_inserter(script), "$d{} << EOD\n", number);
  for (const ThinnedCurves::Point& point : curve.points) {
    if (std::isnan(point.value)) {
      script += '\n';  // interrupts the curve
    } else {
      fmt::format_to(std::back_inserter(script), "{:.9g} {:.7g}\n", point.time, point.value);
    }
  }
  script += "EOD\n";
}

bool draws_something(const PanelCurve& curve) {
  return std::any_of(curve.points.begin(), curve.points.end(),
                     [](const auto& point) { return !std::isnan(point.value); });
}

class ScriptWriter {
 public:
  ScriptWriter(std::size_t rows, bool one_step, bool one_trace)
      : one_step_(one_step),
        one_trace_(one_trace),
        row_height_(row_height(rows)),
        height_(row_height_ * static_cast<double>(rows) + kTimeLabel) {}

  void begin(const std::string& terminal, double begin_time, double end_time) {
    const bool inches = terminal == "pdfcairo";
    const double pixels = inches ? 100.0 : 1.0;
    font_size_ = terminal == "svg" ? 13.0 : 10.0;
    add("set encoding utf8\nset terminal {} size {}{},{}{} font 'sans-serif,{}' background rgb "
        "'white'\nset output 'figure'\nset datafile separator whitespace\n",
        terminal, kWidth / pixels, inches ? "in" : "", height_ / pixels, inches ? "in" : "",
        font_size_);
    add("set multiplot\nset border lc rgb '#888888'\nset tics textcolor rgb 'black'\n"
        "set grid lc rgb '#dddddd' lt 1 lw 0.5\nset xrange [{}:{}]\nset xtics nomirror\n"
        "set ytics nomirror\n"
        "set key right bottom horizontal maxrows 1 samplen 2 width 2 noenhanced\n",
        begin_time, end_time);
  }

  void row(std::size_t number, const std::string& name) {
    top_ = row_height_ * static_cast<double>(number);
    last_row_ = top_ + 1.5 * row_height_ > height_;
    name_ = name;
  }

  void panel(std::size_t column, const Panel& panel) {
    const std::size_t first = data_;
    for (const PanelCurve& curve : panel.curves) {
      add_data(script_, data_++, curve);
    }
    place(column);
    add("set yrange [{}:{}]\n", panel.low, panel.high);
    // Labels have fixed positions, since the positions that gnuplot chooses depend on the width of
    // the numbers.
    const double middle = top_ + 0.5 * (kAbove + row_height_ - kBelow);
    add("set label 4 {} at screen {}, screen {} center rotate noenhanced\n",
        gnuplot_text(panel.label), (panel_left(column) + kLabel) / kWidth, 1.0 - middle / height_);
    add("set key at graph 1, screen {}\n", 1.0 - (top_ + kAbove - 3.0) / height_);
    if (last_row_) {  // drawn as a label, since gnuplot leaves out an xlabel that it finds too low
      add("set label 3 'time [s]' at graph 0.5, screen {} center\n", 12.0 / height_);
    }
    if (column == 0) {
      add("set label 1 {} at screen {}, screen {} left noenhanced font ',15' front\n",
          gnuplot_text(name_), 12.0 / kWidth, 1.0 - (top_ + kNameLine) / height_);
    }
    note(2, panel.note, kNoteLine);
    note(5, panel.marks, kMarksLine);
    std::string separator = "plot ";
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      add_curve(separator, first + i, panel.curves[i]);
      separator = ", ";
    }
    add("\nunset label 1\n");
  }

  std::string end() {
    add("unset multiplot\nunset output\n");
    return std::move(script_);
  }

 private:
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(script_), format, std::forward<Values>(values)...);
  }

  void note(int label, const std::string& text, double line) {
    const double size =
        font_size_ * std::min(1.0, kWholeNote / static_cast<double>(text.size() + 1));
    add("set label {} {} at graph 1, screen {} right textcolor rgb '#555555' noenhanced font "
        "',{}'\n",
        label, gnuplot_text(text), 1.0 - (top_ + line) / height_, size);
  }

  void place(std::size_t column) {
    const double left = panel_left(column);
    add("set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\nset bmargin "
        "at screen {}\n",
        (left + kLeft) / kWidth, (left + kPanelWidth - kRight) / kWidth,
        1.0 - (top_ + kAbove) / height_, 1.0 - (top_ + row_height_ - kBelow) / height_);
  }

  void add_curve(const std::string& separator, std::size_t data, const PanelCurve& curve) {
    const std::string style = style_of(curve, one_trace_);
    const std::string title =
        curve.title.empty() ? "notitle" : "title " + gnuplot_text(curve.title);
    if (!draws_something(curve)) {
      add("{}NaN with lines {} {}", separator, style, title);
    } else {
      add("{}$d{} using 1:2 with {} {} {}", separator, data,
          curve.style == Style::Mark ? "points"
          : one_step_                ? "points pt 7 ps 0.8"
                                     : "lines",
          style, title);
    }
  }

  bool one_step_;
  bool one_trace_;
  double row_height_;
  double height_;
  double font_size_ = 13.0;
  double top_ = 0.0;
  bool last_row_ = false;
  std::string name_;
  std::size_t data_ = 0;
  std::string script_;
};

std::size_t column_count(const std::vector<TraceItem>& items) {
  std::size_t count = 0;
  for (const TraceItem& item : items) {
    count += item.columns.size();
  }
  return count;
}

}  // namespace

FigureTrace::FigureTrace(std::string title, std::vector<TraceItem> items, Steps steps)
    : title_(std::move(title)),
      items_(std::move(items)),
      curves_(column_count(items_), kMaxStretches) {
  std::size_t column = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const std::vector<TraceColumn>& columns = items_[i].columns;
    const auto place_of = [&](std::string_view quantity) {
      const auto found =
          std::find_if(columns.begin(), columns.end(),
                       [quantity](const TraceColumn& c) { return c.quantity == quantity; });
      return static_cast<std::size_t>(found - columns.begin());
    };
    const std::size_t position = place_of("position");
    const std::size_t target = place_of("target");
    if (steps != Steps::None && position < columns.size() && target < columns.size()) {
      responses_.push_back(
          {i, column + position, column + target, StepResponse(steps == Steps::FromStart)});
    }
    column += columns.size();
  }
}

void FigureTrace::add(double time, const double* columns) {
  first_time_ = rows_ == 0 ? time : std::min(first_time_, time);
  last_time_ = rows_ == 0 ? time : std::max(last_time_, time);
  ++rows_;
  curves_.add(time, columns);
  for (Response& each : responses_) {
    each.response.add(time, columns[each.position], columns[each.target]);
  }
}

const StepMarks* FigureTrace::marks(std::size_t item) const {
  for (const Response& each : responses_) {
    if (each.item == item) {
      return each.response.marks() ? &*each.response.marks() : nullptr;
    }
  }
  return nullptr;
}

Figure::Figure(std::vector<const FigureTrace*> traces, std::vector<FigureBound> bounds)
    : traces_(std::move(traces)), bounds_(std::move(bounds)) {
  for (const FigureTrace* trace : traces_) {
    for (const TraceItem& item : trace->items_) {
      if (std::find(names_.begin(), names_.end(), item.name) == names_.end()) {
        names_.push_back(item.name);
      }
    }
  }
}

// The step before the first row belongs to the figure. If there is only one row, the step began at
// 0.
double Figure::begin_time() const {
  double begin = std::numeric_limits<double>::infinity();
  for (const FigureTrace* trace : traces_) {
    const double first = trace->first_time_;
    const double last = trace->last_time_;
    double own = last > 0.0 ? 0.0 : last - 1.0;
    if (last > first) {
      const double step = (last - first) / static_cast<double>(trace->rows_ - 1);
      own = std::abs(first - step) < 1e-6 * step ? 0.0 : first - step;
    }
    begin = std::min(begin, own);
  }
  return begin;
}

std::string Figure::script(const std::string& terminal) const {
  const bool one_step = std::all_of(traces_.begin(), traces_.end(),
                                    [](const FigureTrace* trace) { return trace->rows_ == 1; });
  double end = -std::numeric_limits<double>::infinity();
  for (const FigureTrace* trace : traces_) {
    end = std::max(end, trace->last_time_);
  }
  const bool one_trace = traces_.size() == 1;
  const bool is_tilt_expected =
      std::any_of(bounds_.begin(), bounds_.end(),
                  [](const FigureBound& bound) { return bound.quantity == kTiltPanel.measured; });
  ScriptWriter writer(names_.size(), one_step, one_trace);
  writer.begin(terminal, begin_time(), end);
  for (std::size_t row = 0; row < names_.size(); ++row) {
    std::vector<PanelSource> sources;
    for (std::size_t t = 0; t < traces_.size(); ++t) {
      const FigureTrace& trace = *traces_[t];
      std::size_t column = 0;
      for (std::size_t i = 0; i < trace.items_.size(); ++i) {
        if (trace.items_[i].name == names_[row]) {
          sources.push_back({trace.items_[i], trace.curves_, column, t,
                             one_trace ? "" : trace.title_, trace.marks(i)});
          break;
        }
        column += trace.items_[i].columns.size();
      }
    }
    writer.row(row, names_[row]);
    auto plans = panels_of(sources.front().item.kind);
    if (is_tilt_expected) {
      plans.front() = kTiltPanel;
    }
    for (std::size_t p = 0; p < plans.size(); ++p) {
      writer.panel(p, make_panel(plans[p], sources, bounds_));
    }
  }
  return writer.end();
}

}  // namespace servosim
