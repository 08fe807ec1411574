// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "base/child_process.h"
#include "base/files.h"
#include "base/shortage.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/figure.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "run/process.h"
#include "run/signals.h"
#include "sim/trace/trace_reader.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlotHelp = R"(
Draws each joint as a row of three panels: position with target and limits, velocity with the
commanded one and its limit, effort with its limit. Limits far from a curve are written
above it instead. Propellers and muscles have three panels of their own. The figure is drawn by
gnuplot, in Debian the package gnuplot-nox.

Exit codes: 0 done; 1 gnuplot is missing or failed, or the figure cannot be written; 2 the trace or
an argument is wrong.

Examples:
  servosim run worlds/arm.wbt --trace arm.csv
  servosim plot arm.csv
  servosim plot arm.csv -o elbow.png --joint elbow
  servosim plot arm.csv -o arm.pdf --joint 'arm/s*' --joint 'arm/reach'
)";

struct PlotArguments {
  std::string trace;
  std::string output;
  std::vector<std::string> joints;  // globs
};

std::string output_of(const PlotArguments& arguments) {
  return !arguments.output.empty() ? arguments.output
                                   : fs::path(arguments.trace).replace_extension(".svg").string();
}

std::string terminal_for(const std::string& output) {
  const std::string extension = fs::path(output).extension().string();
  if (extension == ".svg") {
    return "svg";
  }
  if (extension == ".png" || extension == ".pdf") {
    return extension.substr(1) + "cairo";
  }
  throw InputError(
      fmt::format("a figure is a .svg, .png or .pdf file, not '{}'; did you mean '{}'?", output,
                  fs::path(output).replace_extension(".svg").string()));
}

/// The figure of a trace's chosen items.
class TracePlot {
 public:
  TracePlot(const std::string& path, const std::vector<std::string>& globs)
      : path_(path), file_(open(path)), reader_(file_), items_(choose(globs)), figure_(items_) {
    read();
  }

  std::string script(const std::string& terminal) const { return figure_.script(terminal); }
  bool cut_off() const { return reader_.cut_off(); }
  std::string summary() const {
    return fmt::format("{} of {} joints, muscles and propellers, {} steps", items_.size(),
                       reader_.items().size(), steps_);
  }

 private:
  static std::ifstream open(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      throw_if_short(errno, fmt::format("'{}' cannot be read", path));
      const std::string reason = std::strerror(errno);
      const std::string close = did_you_mean_file(path);
      throw InputError(fmt::format(
          "{}: cannot be read: {}{}", path, reason,
          close.empty() ? "; 'servosim run WORLD --trace FILE.csv' writes a trace" : close));
    }
    if (fs::is_directory(path)) {
      throw InputError(fmt::format("{}: is a directory", path));
    }
    return file;
  }

  std::vector<TraceItem> choose(const std::vector<std::string>& globs) {
    std::vector<std::string> names;
    for (const TraceItem& item : reader_.items()) {
      names.push_back(item.name);
    }
    const std::vector<bool> chosen =
        matching_names(names, globs, "the first line of " + path_ + " names them");
    std::vector<TraceItem> items;
    std::size_t column = 1;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const TraceItem& item = reader_.items()[i];
      if (chosen[i]) {
        items.push_back(item);
        for (std::size_t c = 0; c < item.columns.size(); ++c) {
          columns_.push_back(column + c);
        }
      }
      column += item.columns.size();
    }
    if (items.empty()) {
      throw InputError(fmt::format(
          "{}: has no joints, muscles or propellers, so there is nothing to draw", path_));
    }
    if (items.size() > Figure::kMaxItems) {
      throw InputError(
          fmt::format("{}: has {} joints, muscles and propellers; a figure has at most {}: choose "
                      "some with --joint GLOB",
                      path_, items.size(), Figure::kMaxItems));
    }
    return items;
  }

  void read() {
    std::vector<double> row;
    std::vector<double> chosen(columns_.size());
    double begin = 0.0;  // of the episode; episodes are drawn one after the other
    double end = 0.0;
    for (int episode = 1; reader_.next(row); ++steps_) {
      if (std::exchange(episode, reader_.episode()) != reader_.episode()) {
        begin = end;
      }
      end = begin + row.front();
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        chosen[c] = row[columns_[c]];
      }
      figure_.add(end, chosen.data());
    }
    if (steps_ == 0) {
      throw InputError(fmt::format("{}: has no steps", path_));
    }
  }

  std::string path_;
  std::ifstream file_;
  TraceReader reader_;
  std::vector<std::size_t> columns_;  // of the chosen items
  std::vector<TraceItem> items_;
  Figure figure_;
  std::int64_t steps_ = 0;
};

// gnuplot does not detect a full disk.
bool is_whole(std::string_view figure) {
  constexpr std::size_t kMaxEnd = 12;  // the last chunk of a PNG
  const std::string_view end = figure.substr(figure.size() - std::min(figure.size(), kMaxEnd));
  return end.find("</svg>") != end.npos || end.find("IEND") != end.npos ||
         end.find("%%EOF") != end.npos;
}

// The figure that gnuplot draws from a script.
std::string draw(const std::string& script, const TemporaryFolder& folder) {
  if (const auto error = write_file(folder.path() + "/script", script, true)) {
    throw std::runtime_error(fmt::format("'{}/script' {}", folder.path(), error->reason));
  }
  // Without the user's settings (-d), which could change the figure.
  const SignalWatch signals;  // ends gnuplot, too
  const CommandResult result = run_command({"gnuplot", "-d", "script"}, folder.path(), 20);
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

void plot(const PlotArguments& arguments, Console& console) {
  const std::string output = output_of(arguments);
  const std::string terminal = terminal_for(output);
  if (std::error_code ignored; fs::equivalent(output, arguments.trace, ignored)) {
    throw InputError(fmt::format("'{}' is the trace itself; name the figure with -o", output));
  }
  const TracePlot trace(arguments.trace, arguments.joints);
  if (trace.cut_off()) {
    console.log(LogLevel::Warning,
                fmt::format("{}: its last line is cut off and was left out", arguments.trace));
  }
  const std::string figure = draw(trace.script(terminal), TemporaryFolder("servosim_plot"));
  if (const auto error = write_file(output, figure, true)) {
    throw std::runtime_error(fmt::format("'{}' {}", output, error->reason));
  }
  console.print(fmt::format("{}: {}\n", output, trace.summary()));
}

int run_plot(const PlotArguments& arguments) {
  Console console;
  int exit_code = kExitBadInput;
  try {
    plot(arguments, console);
    exit_code = console.output_lost() ? kExitFailed : kExitOk;
  } catch (const InputError& error) {
    console.log(LogLevel::Error, error.what());
  } catch (const std::invalid_argument& error) {  // a glob that matches nothing
    console.log(LogLevel::Error, error.what());
  } catch (const TraceError& error) {
    console.log(LogLevel::Error, fmt::format("{}: {}", arguments.trace, error.what()));
  } catch (const std::runtime_error& error) {
    console.log(LogLevel::Error, error.what());
    exit_code = kExitFailed;
  }
  const int signal_number = interrupting_signal();
  return signal_number != 0 ? 128 + signal_number : exit_code;
}

}  // namespace

void add_plot(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("plot", "Draw a trace");
  const auto arguments = std::make_shared<PlotArguments>();
  command->callback(
      [&action, arguments] { action = [arguments] { return run_plot(*arguments); }; });
  command->footer(kPlotHelp);
  command
      ->add_option("TRACE", arguments->trace, "The output of `servosim run --trace` (.csv, .jsonl)")
      ->required();
  command->add_option("-o,--output", arguments->output, "Instead of TRACE with the extension .svg")
      ->type_name("FILE.svg|.png|.pdf");
  add_repeatable(*command, "--joint", arguments->joints,
                 "Only these: a joint or robot/joint, with * and ?")
      ->type_name("GLOB");
}

}  // namespace servosim
