// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace servosim {

/// The terminal of gnuplot for a file of this name: svg, pngcairo or pdfcairo.
/// @throws InputError for another extension
std::string gnuplot_terminal(const std::string& output);

/// Runs a script that writes the file `figure`, without the user's settings of gnuplot, and writes
/// that to `output`; an SVG is called `title`. SIGINT and SIGTERM end gnuplot, too.
/// @throws std::runtime_error if gnuplot is missing or fails, or the file cannot be written
void draw_by_gnuplot(const std::string& script, const std::string& output, std::string_view title);

}  // namespace servosim
