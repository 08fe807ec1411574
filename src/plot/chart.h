// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Draws curves in panels below each other as a picture, by gnuplot.

namespace servosim {

struct ChartCurve {
  enum class Style {
    Line,    ///< measured; the lines of a panel differ by colour and dash
    Dashed,  ///< commanded
    Level,   ///< a level or a moment for comparison
    Mark,    ///< points of interest, joined by a thin line
    Dots,    ///< many points, each on its own
  };
  std::string title;  ///< in the legend; empty if it is not listed
  std::vector<std::pair<double, double>> points;
  Style style = Style::Line;
};

/// A panel. All panels share the horizontal axis. The vertical axis fits the curves and covers at
/// least `least_range`.
struct ChartPanel {
  std::string label;  ///< label of the vertical axis
  std::vector<ChartCurve> curves;
  double least_range = 0.0;
};

/// A picture of panels. The horizontal axis fits the lines and dots of the first panel.
struct Chart {
  std::string title;
  std::string label;         ///< label of the horizontal axis
  bool logarithmic = false;  ///< the horizontal axis
  std::vector<ChartPanel> panels;
};

/// Draws a chart to `output`. @throws InputError if that is no .svg, .png or .pdf file;
/// std::runtime_error if gnuplot is missing or fails, or the file cannot be written
void draw_chart(const Chart& chart, const std::string& output);

/// Returns a chart as an element `<svg>` for a page of HTML.
/// @throws std::runtime_error if gnuplot is missing or fails
std::string chart_as_svg(const Chart& chart);

}  // namespace servosim
