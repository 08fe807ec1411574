// SPDX-License-Identifier: Apache-2.0
#include "plot/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/printable.h"
#include "plot/gnuplot.h"

namespace servosim {
namespace {

constexpr int kChartWidth = 800;
constexpr int kPanelHeight = 260;
constexpr int kTitleMargin = 60;      // for the title and the common axis
constexpr double kAxisMargin = 0.06;  // share of the axis above and below the curves

// Colours that people with any colour vision can distinguish (Okabe and Ito), each with its own
// dash.
struct LineStyle {
  const char* color;
  const char* dash;
  int point;
};
constexpr std::array<LineStyle, 6> kLines{{{"#0072B2", "solid", 6},
                                           {"#D55E00", "(8,5)", 8},
                                           {"#009E73", "(2,3)", 4},
                                           {"#CC79A7", "(10,3,2,3)", 10},
                                           {"#E69F00", "(5,2)", 12},
                                           {"#000000", "(12,6)", 14}}};

std::string gnuplot_string(std::string_view text) {
  std::string quoted = "'";
  for (const char c : printable(text)) {
    quoted += c == '\'' ? "''" : std::string(1, c);
  }
  return quoted + "'";
}

std::string style_of(ChartCurve::Style style, std::size_t number) {
  const LineStyle& line = kLines[number % kLines.size()];
  switch (style) {
    case ChartCurve::Style::Line:
      return fmt::format("with lines lw 1.8 lc rgb '{}' dt {}", line.color, line.dash);
    case ChartCurve::Style::Dashed:
      return fmt::format("with lines lw 1.2 lc rgb '{}' dt (8,5)", line.color);
    case ChartCurve::Style::Level:
      return "with lines lw 1 lc rgb '#555555' dt (2,4)";
    case ChartCurve::Style::Dots:
      return fmt::format("with points pt 7 ps 0.25 lc rgb '{}'", line.color);
    case ChartCurve::Style::Mark:
      break;
  }
  return fmt::format("with linespoints lw 1 ps 0.9 lc rgb '{}' pt {}", line.color, line.point);
}

struct ChartRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
};

// A curve that hardly moves appears as a level line.
ChartRange axis_of(const ChartPanel& panel) {
  ChartRange shown;
  for (const ChartCurve& curve : panel.curves) {
    for (const auto& [x, y] : curve.points) {
      shown.include(y);
    }
  }
  if (!(shown.low <= shown.high)) {
    return {-1.0, 1.0};
  }
  const double about = std::max(std::abs(shown.low), std::abs(shown.high));
  const double size = shown.high - shown.low;
  const double least = std::max(panel.least_range, 1e-6 * std::max(1.0, about));
  const double margin = std::max(kAxisMargin * size, (least - size) / 2.0);
  return {shown.low - margin, shown.high + margin};
}

// The horizontal axis. It has a width even where all points have one place, or there are none.
ChartRange times_of(const Chart& chart) {
  ChartRange shown;
  for (const ChartCurve& curve : chart.panels.front().curves) {
    if (curve.style == ChartCurve::Style::Line || curve.style == ChartCurve::Style::Dots) {
      for (const auto& [x, y] : curve.points) {
        shown.include(x);
      }
    }
  }
  if (!(shown.low <= shown.high)) {
    return {1.0, 2.0};
  }
  if (shown.low == shown.high) {
    const double width = std::max(0.5 * std::abs(shown.low), chart.logarithmic ? 0.0 : 1e-3);
    return {shown.low - width, shown.high + width};
  }
  return shown;
}

void add_panel(const ChartPanel& panel, std::size_t number, std::string& script) {
  const std::string block = fmt::format("$p{}c", number);
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    script += fmt::format("{}{} << E\n", block, i);
    for (const auto& [x, y] : panel.curves[i].points) {
      script += std::isfinite(y) ? fmt::format("{:.9g} {:.9g}\n", x, y) : "\n";
    }
    script += "E\n";
  }
  const ChartRange axis = axis_of(panel);
  script += fmt::format("set yrange [{:.9g}:{:.9g}]\nset ylabel {} noenhanced\nplot ", axis.low,
                        axis.high, gnuplot_string(panel.label));
  std::string separator;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const ChartCurve& curve = panel.curves[i];
    const std::string data = curve.points.empty() ? "NaN" : fmt::format("{}{} using 1:2", block, i);
    script +=
        fmt::format("{}{} {} {}", std::exchange(separator, ", "), data, style_of(curve.style, i),
                    curve.title.empty() ? "notitle" : "title " + gnuplot_string(curve.title));
  }
  script += '\n';
}

std::string script_of(const Chart& chart, const std::string& terminal) {
  const int height = kTitleMargin + kPanelHeight * static_cast<int>(chart.panels.size());
  const bool is_pdf = terminal == "pdfcairo";  // its sizes are in inches
  const ChartRange times = times_of(chart);
  std::string script = fmt::format(
      "set encoding utf8\nset terminal {} size {},{} font 'sans-serif,{}' background rgb 'white'\n"
      "set output 'figure'\nset datafile separator whitespace\n"
      "set border lc rgb '#888888'\nset tics textcolor rgb 'black'\n"
      "set grid lc rgb '#dddddd' lt 1 lw 0.5\nset lmargin 12\nset rmargin 3\n"
      "set key tmargin right horizontal noenhanced\n"
      "set multiplot layout {},1 title {} noenhanced\n{}set xrange [{:.9g}:{:.9g}]\n",
      terminal, is_pdf ? kChartWidth / 100.0 : kChartWidth, is_pdf ? height / 100.0 : height,
      is_pdf ? 10 : 12, chart.panels.size(), gnuplot_string(chart.title),
      chart.logarithmic ? "set logscale x\n" : "", times.low, times.high);
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    if (i + 1 == chart.panels.size()) {
      script += fmt::format("set xlabel {} noenhanced\n", gnuplot_string(chart.label));
    }
    add_panel(chart.panels[i], i, script);
  }
  return script + "unset multiplot\nunset output\n";
}

}  // namespace

void draw_chart(const Chart& chart, const std::string& output) {
  draw_by_gnuplot(script_of(chart, gnuplot_terminal(output)), output, chart.title);
}

std::string chart_as_svg(const Chart& chart) {
  const std::string figure = figure_by_gnuplot(script_of(chart, "svg"), chart.title);
  return figure.substr(std::min(figure.find("<svg"), figure.size()));  // without the XML header
}

}  // namespace servosim
