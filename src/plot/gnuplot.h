// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace servosim {

/// Returns gnuplot's terminal for a file of this name: svg, pngcairo or pdfcairo.
/// @throws InputError for another extension
std::string gnuplot_terminal(const std::string& output);

/// Runs a script that writes the file `figure`, as draw_by_gnuplot(), and returns the figure.
/// @throws std::runtime_error
std::string figure_by_gnuplot(const std::string& script, std::string_view title);

/// Runs a script that writes the file `figure`, ignoring the user's settings of gnuplot, and copies
/// the figure to `output`. An SVG gets the title `title`. SIGINT and SIGTERM also end gnuplot.
/// @throws std::runtime_error if gnuplot is missing or fails, or the file cannot be written
void draw_by_gnuplot(const std::string& script, const std::string& output, std::string_view title);

}  // namespace servosim
