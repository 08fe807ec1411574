// SPDX-License-Identifier: Apache-2.0
#include "cli/figure/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/figure/figure_panel.h"

namespace servosim {
namespace {

// Lengths in pixels, or points of a hundredth of an inch.
constexpr double kWidth = 1500.0;
constexpr double kPanelWidth = kWidth / 3.0;
constexpr double kLeft = 92.0;       // of each panel: numbers and label of its axis
constexpr double kRight = 26.0;      // likewise
constexpr double kAbove = 50.0;      // name and legend
constexpr double kBelow = 24.0;      // numbers of the time axis
constexpr double kLabel = 14.0;      // middle of the label of a vertical axis
constexpr double kTimeLabel = 22.0;  // below the last row
// A panel is some 400 pixels wide: twice as many stretches, so that halving leaves enough.
constexpr std::size_t kMostStretches = 800;
constexpr std::size_t kLongestName = 120;  // [bytes]

// Colours that people with any colour vision tell apart (Okabe and Ito).
constexpr const char* kStyles[]{"lw 1.8 lc rgb '#0072B2'", "lw 1.8 dt (8,5) lc rgb '#D55E00'",
                                "lw 1 lc rgb '#555555'"};

double row_height(std::size_t rows) {
  return rows == 1 ? 420.0 : rows <= 3 ? 300.0 : rows <= 12 ? 240.0 : 200.0;
}

double panel_left(std::size_t column) { return kPanelWidth * static_cast<double>(column); }

// Text of a name as gnuplot takes it: in single quotes nothing is special but they themselves.
std::string gnuplot_text(const std::string& name) {
  using nlohmann::json;
  std::string text = json::parse(json(name).dump(-1, ' ', false, json::error_handler_t::replace));
  if (text.size() > kLongestName) {
    std::size_t end = kLongestName;
    while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
      --end;  // not within a character
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
  ScriptWriter(std::size_t rows, bool one_step)
      : one_step_(one_step),
        row_height_(row_height(rows)),
        height_(row_height_ * static_cast<double>(rows) + kTimeLabel) {}

  void begin(const std::string& terminal, double begin_time, double end_time) {
    const bool inches = terminal == "pdfcairo";
    const double pixels = inches ? 100.0 : 1.0;
    add("set encoding utf8\nset terminal {} size {}{},{}{} font 'sans-serif,{}' background rgb "
        "'white'\nset output 'figure'\nset datafile separator whitespace\n",
        terminal, kWidth / pixels, inches ? "in" : "", height_ / pixels, inches ? "in" : "",
        terminal == "svg" ? 13 : 10);
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
    // Labels at fixed places: gnuplot's own move with the width of the numbers.
    const double middle = top_ + 0.5 * (kAbove + row_height_ - kBelow);
    add("set label 4 {} at screen {}, screen {} center rotate noenhanced\n",
        gnuplot_text(panel.label), (panel_left(column) + kLabel) / kWidth, 1.0 - middle / height_);
    add("set key at graph 1, screen {}\n", 1.0 - (top_ + kAbove - 3.0) / height_);
    if (last_row_) {  // as a label: gnuplot leaves out an xlabel that it finds too low
      add("set label 3 'time [s]' at graph 0.5, screen {} center\n", 12.0 / height_);
    }
    if (column == 0) {
      add("set label 1 {} at screen {}, screen {} left noenhanced font ',15' front\n",
          gnuplot_text(name_), 12.0 / kWidth, 1.0 - (top_ + 17.0) / height_);
    }
    add("set label 2 '{}' at graph 1, screen {} right textcolor rgb '#555555' noenhanced\n",
        panel.note, 1.0 - (top_ + 17.0) / height_);
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

  void place(std::size_t column) {
    const double left = panel_left(column);
    add("set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\nset bmargin "
        "at screen {}\n",
        (left + kLeft) / kWidth, (left + kPanelWidth - kRight) / kWidth,
        1.0 - (top_ + kAbove) / height_, 1.0 - (top_ + row_height_ - kBelow) / height_);
  }

  void add_curve(const std::string& separator, std::size_t data, const PanelCurve& curve) {
    const char* style = kStyles[static_cast<std::size_t>(curve.style)];
    const std::string title = curve.title.empty() ? "notitle" : "title '" + curve.title + '\'';
    if (!draws_something(curve)) {
      add("{}NaN with lines {} {}", separator, style, title);
    } else {
      add("{}$d{} using 1:2 with {} {} {}", separator, data,
          one_step_ ? "points pt 7 ps 0.8" : "lines", style, title);
    }
  }

  bool one_step_;
  double row_height_;
  double height_;
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

Figure::Figure(const std::vector<TraceItem>& items)
    : items_(items), curves_(column_count(items), kMostStretches) {}

void Figure::add(double time, const double* columns) {
  first_time_ = rows_ == 0 ? time : std::min(first_time_, time);
  last_time_ = rows_ == 0 ? time : std::max(last_time_, time);
  ++rows_;
  curves_.add(time, columns);
}

// The step before the first row belongs to the figure. Of a single row it began at 0.
double Figure::begin_time() const {
  if (last_time_ > first_time_) {
    const double step = (last_time_ - first_time_) / static_cast<double>(rows_ - 1);
    return std::abs(first_time_ - step) < 1e-6 * step ? 0.0 : first_time_ - step;
  }
  return last_time_ > 0.0 ? 0.0 : last_time_ - 1.0;
}

std::string Figure::script(const std::string& terminal) const {
  ScriptWriter writer(items_.size(), rows_ == 1);
  writer.begin(terminal, begin_time(), last_time_);
  std::size_t first_column = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    writer.row(i, items_[i].name);
    const auto& plans = panels_of(items_[i].kind);
    for (std::size_t p = 0; p < plans.size(); ++p) {
      writer.panel(p, make_panel(plans[p], items_[i], curves_, first_column));
    }
    first_column += items_[i].columns.size();
  }
  return writer.end();
}

}  // namespace servosim
