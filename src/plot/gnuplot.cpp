// SPDX-License-Identifier: Apache-2.0
#include "plot/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "base/child_process.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "run/launch_plan.h"
#include "run/process.h"
#include "run/signals.h"

namespace servosim {
namespace {

// This check is necessary since gnuplot does not detect a full disk.
bool is_whole(std::string_view figure) {
  constexpr std::size_t kMaxEnd = 12;  // size of the last chunk of a PNG
  const std::string_view end = figure.substr(figure.size() - std::min(figure.size(), kMaxEnd));
  return end.find("</svg>") != end.npos || end.find("IEND") != end.npos ||
         end.find("%%EOF") != end.npos;
}

// Returns the figure that gnuplot draws from a script.
std::string drawn_figure(const std::string& script, const TemporaryFolder& folder) {
  if (const auto error = write_file(folder.path() + "/script", script, true)) {
    throw std::runtime_error(fmt::format("'{}/script' {}", folder.path(), error->reason));
  }
  // The option -d ignores the user's settings, which could change the figure.
  const SignalWatch signals;  // lets a signal end gnuplot, too
  const CommandResult result = run_command({"gnuplot", "-d", "script"}, folder.path(), 20);
  throw_if_interrupted();
  if (!result.started) {
    throw std::runtime_error(
        "gnuplot is needed to draw, but is not installed; on Debian: sudo apt install gnuplot-nox");
  }
  if (!result.succeeded()) {
    const std::string_view output = result.output;
    throw std::runtime_error(fmt::format("gnuplot {}\n{}", describe_wait_status(result.wait_status),
                                         output.substr(0, output.find_last_not_of('\n') + 1)));
  }
  auto figure = read_file(folder.path() + "/figure");
  const auto* text = std::get_if<std::string>(&figure);
  if (text == nullptr || !is_whole(*text)) {
    throw std::runtime_error(
        fmt::format("gnuplot has written only a part of the figure in '{}'; is the disk full? "
                    "TMPDIR chooses another "
                    "folder",
                    folder.path()));
  }
  return *text;
}

// gnuplot gives every SVG its own name as the title, so this replaces it.
std::string with_title(std::string figure, std::string_view title) {
  constexpr std::string_view kOwn = "<title>Gnuplot</title>";
  const std::size_t at = figure.find(kOwn);
  if (at == figure.npos || !figure.starts_with("<?xml")) {
    return figure;
  }
  return figure.replace(at, kOwn.size(), "<title>" + xml_escaped(printable(title)) + "</title>");
}

}  // namespace

std::string gnuplot_terminal(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension().string();
  if (extension == ".svg") {
    return "svg";
  }
  if (extension == ".png" || extension == ".pdf") {
    return extension.substr(1) + "cairo";
  }
  throw InputError(
      fmt::format("a figure is a .svg, .png or .pdf file, not '{}'; did you mean '{}'?", output,
                  std::filesystem::path(output).replace_extension(".svg").string()));
}

std::string figure_by_gnuplot(const std::string& script, std::string_view title) {
  return with_title(drawn_figure(script, TemporaryFolder("servosim_plot")), title);
}

void draw_by_gnuplot(const std::string& script, const std::string& output, std::string_view title) {
  if (const auto error = write_file(output, figure_by_gnuplot(script, title), true)) {
    throw std::runtime_error(fmt::format("'{}' {}", output, error->reason));
  }
}

}  // namespace servosim
