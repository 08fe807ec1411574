// SPDX-License-Identifier: Apache-2.0
#include "cli/chart.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/printable.h"
#include "cli/gnuplot.h"

namespace servosim {
namespace {

constexpr int kWidth = 800;
constexpr int kPanelHeight = 260;
constexpr int kMargin = 60;  // for the title and the common axis
constexpr std::array<const char*, 6> kCurveColors{"#1f77b4", "#d62728", "#2ca02c",
                                                  "#9467bd", "#ff7f0e", "#17becf"};

std::string gnuplot_string(std::string_view text) {
  std::string quoted = "'";
  for (const char c : printable(text)) {
    quoted += c == '\'' ? "''" : std::string(1, c);
  }
  return quoted + "'";
}

const char* style_of(ChartCurve::Style style) {
  switch (style) {
    case ChartCurve::Style::Line:
      return "with lines lw 1.8";
    case ChartCurve::Style::Dashed:
      return "with lines lw 1.2 dt (8,5)";
    case ChartCurve::Style::Points:
      break;
  }
  return "with points pt 6 ps 0.7 lw 1.5";
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
  script += fmt::format("set ylabel {} noenhanced\nplot ", gnuplot_string(panel.label));
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const ChartCurve& curve = panel.curves[i];
    script += fmt::format(
        "{}{}{} using 1:2 {} lc rgb '{}' {}", i == 0 ? "" : ", ", block, i, style_of(curve.style),
        kCurveColors[i % kCurveColors.size()],
        curve.title.empty() ? "notitle" : "title " + gnuplot_string(curve.title) + " noenhanced");
  }
  script += '\n';
}

}  // namespace

void draw_chart(const Chart& chart, const std::string& output) {
  const std::string terminal = gnuplot_terminal(output);
  const int height = kMargin + kPanelHeight * static_cast<int>(chart.panels.size());
  const bool is_pdf = terminal == "pdfcairo";  // its sizes are inches
  std::string script = fmt::format(
      "set encoding utf8\nset terminal {} size {},{} font 'sans-serif,{}' background rgb 'white'\n"
      "set output 'figure'\nset datafile separator whitespace\n"
      "set border lc rgb '#888888'\nset tics textcolor rgb 'black'\n"
      "set grid lc rgb '#dddddd' lt 1 lw 0.5\nset lmargin 12\nset rmargin 3\nset key noenhanced\n"
      "set multiplot layout {},1 title {} noenhanced\n{}",
      terminal, is_pdf ? kWidth / 100.0 : kWidth, is_pdf ? height / 100.0 : height,
      is_pdf ? 10 : 12, chart.panels.size(), gnuplot_string(chart.title),
      chart.logarithmic ? "set logscale x\n" : "");
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    if (i + 1 == chart.panels.size()) {
      script += fmt::format("set xlabel {} noenhanced\n", gnuplot_string(chart.label));
    }
    add_panel(chart.panels[i], i, script);
  }
  script += "unset multiplot\nunset output\n";
  draw_by_gnuplot(script, output, chart.title);
}

}  // namespace servosim
