// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/shortage.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "comparison/tilt.h"
#include "plot/figure.h"
#include "plot/gnuplot.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "sim/trace/trace_reader.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlotHelp = R"(
Draws each joint as a row of three panels: position with target and limits, velocity with the
commanded one and its limit, effort with its limit. Limits far from a curve are written
above it instead. Propellers, muscles and poses have three panels of their own. The figure is
drawn by gnuplot, in Debian the package gnuplot-nox.

Of several traces, joints of the same name are drawn on the same axes, each trace with its colour
and dash; what is commanded is dotted, and limits are those of the first.

--step-response marks, of each joint, how its position followed the first step of its target (with
--from T the first one after T): where a tenth and nine tenths of the way were done, where it was
farthest beyond the target, and from where on it stayed within 2 % of the way.

Exit codes: 0 done; 1 gnuplot is missing or failed, or the figure cannot be written; 2 the trace or
an argument is wrong.

Examples:
  servosim run worlds/arm.wbt --trace arm.csv
  servosim plot arm.csv
  servosim plot arm.csv -o elbow.png --joint elbow
  servosim plot arm.csv -o arm.pdf --joint 'arm/s*' --joint 'arm/reach'
  servosim plot arm.csv -o shoulder.svg --joint shoulder --from 0.5 --to 2 --step-response
)";

struct PlotArguments {
  std::vector<std::string> traces;
  std::string output;
  std::vector<std::string> joints;  // globs
  std::optional<double> from;       // [s]; finite
  std::optional<double> to;         // [s]; finite
  bool step_response = false;
  std::string bounds;  // file in which `servosim test` describes what it expects
};

// Reads a list of {"quantity": "position", "points": [[0, 1.2], [3, 1.2]]}; null interrupts a
// curve.
std::vector<FigureBound> read_bounds(const std::string& path) {
  std::vector<FigureBound> bounds;
  if (path.empty()) {
    return bounds;
  }
  try {
    std::ifstream file(path);
    for (const auto& each : nlohmann::json::parse(file)) {
      FigureBound bound{each.at("quantity").get<std::string>(), {}};
      for (const auto& point : each.at("points")) {
        bound.points.push_back({point.at(0).get<double>(),
                                point.at(1).is_null() ? std::nan("") : point.at(1).get<double>()});
      }
      bounds.push_back(std::move(bound));
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: has no bounds: {}", path, error.what()));
  }
  return bounds;
}

// Returns the time from which a tilt is bounded [s]; nothing if there is no such bound.
std::optional<double> begin_of_tilt(const std::vector<FigureBound>& bounds) {
  for (const FigureBound& bound : bounds) {
    if (bound.quantity == "tilt" && !bound.points.empty()) {
      return bound.points.front().time;
    }
  }
  return std::nullopt;
}

std::string output_of(const PlotArguments& arguments) {
  return !arguments.output.empty()
             ? arguments.output
             : fs::path(arguments.traces.front()).replace_extension(".svg").string();
}

/// The chosen items and rows of a trace.
class TracePlot {
 public:
  TracePlot(const std::string& path, const PlotArguments& arguments,
            std::optional<double> begin_of_tilt)
      : path_(path),
        arguments_(arguments),
        begin_of_tilt_(begin_of_tilt),
        file_(open(path)),
        reader_(file_),
        trace_(fs::path(path).filename().string(), choose(arguments.joints),
               !arguments.step_response ? FigureTrace::Steps::None
               : arguments.from         ? FigureTrace::Steps::FromMiddle
                                        : FigureTrace::Steps::FromStart) {
    read();
  }

  const FigureTrace& trace() const { return trace_; }
  bool cut_off() const { return reader_.cut_off(); }
  std::string summary() const {
    return fmt::format("{} of {} joints, muscles and propellers, {} steps", trace_.items().size(),
                       reader_.items().size(), trace_.rows());
  }
  // Returns a line for each joint with a target, if step responses are marked.
  std::string responses() const {
    std::string text;
    for (std::size_t i = 0; i < trace_.items().size(); ++i) {
      const StepMarks* const marks = trace_.marks(i);
      if (marks != nullptr) {
        text += fmt::format("{}: {}: step to {:.4g} at {:.4g} s: {}\n", path_,
                            trace_.items()[i].name, marks->to, marks->begin, marks->text());
      } else if (arguments_.step_response && has_target(trace_.items()[i])) {
        text += fmt::format("{}: {}: its target makes no step\n", path_, trace_.items()[i].name);
      }
    }
    return text;
  }

 private:
  // A column of the trace. If it has a tilt, it is the first column of the quaternion that gives
  // the tilt.
  struct Column {
    std::size_t column;
    std::optional<Tilt> tilt;
  };

  static bool has_target(const TraceItem& item) {
    return std::any_of(item.columns.begin(), item.columns.end(),
                       [](const TraceColumn& column) { return column.quantity == "target"; });
  }

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
          columns_.push_back({column + c, {}});
        }
        if (begin_of_tilt_) {
          add_tilt(items.back());
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

  // Adds the tilt after the columns of a pose. A tilt column of the trace, which measures from the
  // world's vertical, is renamed.
  void add_tilt(TraceItem& item) {
    const std::size_t first = columns_.size() - item.columns.size();
    for (std::size_t c = 0; c < item.columns.size(); ++c) {
      if (item.columns[c].quantity == "qx") {
        const std::size_t quaternion = columns_[first + c].column;
        const auto own = std::find_if(item.columns.begin(), item.columns.end(),
                                      [](const auto& each) { return each.quantity == "tilt"; });
        if (own != item.columns.end()) {
          own->quantity = "tilt from the vertical";
        }
        item.columns.push_back({"tilt", "rad"});
        columns_.push_back({quaternion, Tilt()});
        return;
      }
    }
  }

  double value_of(Column& each, double time, const std::vector<double>& row) const {
    if (!each.tilt) {
      return row[each.column];
    }
    const double* const q = &row[each.column];
    return time < *begin_of_tilt_ ? std::nan("") : each.tilt->next(q[0], q[1], q[2], q[3]);
  }

  void read() {
    std::vector<double> row;
    std::vector<double> chosen(columns_.size());
    double begin = 0.0;  // begin of the episode; episodes are drawn one after the other
    double end = 0.0;
    bool any = false;
    for (int episode = 1; reader_.next(row);) {
      any = true;
      if (std::exchange(episode, reader_.episode()) != reader_.episode()) {
        begin = end;
      }
      end = begin + row.front();
      if (end < arguments_.from.value_or(end) || end > arguments_.to.value_or(end)) {
        continue;
      }
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        chosen[c] = value_of(columns_[c], end, row);
      }
      trace_.add(end, chosen.data());
    }
    if (!any) {
      throw InputError(fmt::format("{}: has no steps", path_));
    }
    if (trace_.rows() == 0) {
      throw InputError(
          fmt::format("{}: ends at {:.6g} s and has no steps from {:.6g} s to {:.6g} s; "
                      "choose other times with --from and --to",
                      path_, end, arguments_.from.value_or(0.0), arguments_.to.value_or(end)));
    }
  }

  std::string path_;
  const PlotArguments& arguments_;
  std::optional<double> begin_of_tilt_;
  std::ifstream file_;
  TraceReader reader_;
  std::vector<Column> columns_;  // columns of the chosen items
  FigureTrace trace_;
};

// @throws InputError
std::vector<std::unique_ptr<TracePlot>> read_traces(const PlotArguments& arguments,
                                                    std::optional<double> begin_of_tilt,
                                                    Console& console) {
  if (arguments.traces.size() > Figure::kMaxTraces) {
    throw InputError(fmt::format("{} traces are more than the {} that a figure can show",
                                 arguments.traces.size(), Figure::kMaxTraces));
  }
  if (arguments.from && arguments.to && *arguments.from >= *arguments.to) {
    throw InputError(
        fmt::format("--from {} is not before --to {}", *arguments.from, *arguments.to));
  }
  std::vector<std::unique_ptr<TracePlot>> traces;
  for (const std::string& path : arguments.traces) {
    try {
      traces.push_back(std::make_unique<TracePlot>(path, arguments, begin_of_tilt));
    } catch (const TraceError& error) {
      throw InputError(fmt::format("{}: {}", path, error.what()));
    }
    if (traces.back()->cut_off()) {
      console.log(LogLevel::Warning,
                  fmt::format("{}: its last line is cut off and was left out", path));
    }
  }
  return traces;
}

void plot(const PlotArguments& arguments, Console& console) {
  const std::string output = output_of(arguments);
  const std::string terminal = gnuplot_terminal(output);
  for (const std::string& path : arguments.traces) {
    if (std::error_code ignored; fs::equivalent(output, path, ignored)) {
      throw InputError(fmt::format("'{}' is the trace itself; name the figure with -o", output));
    }
  }
  const std::vector<FigureBound> bounds = read_bounds(arguments.bounds);
  const std::vector<std::unique_ptr<TracePlot>> traces =
      read_traces(arguments, begin_of_tilt(bounds), console);
  std::vector<const FigureTrace*> shown;
  std::string title;
  std::string responses;
  for (const auto& trace : traces) {
    shown.push_back(&trace->trace());
    title += (title.empty() ? "" : ", ") + trace->trace().title();
    responses += trace->responses();
  }
  const Figure figure(shown, bounds);
  if (figure.rows() > Figure::kMaxItems) {
    throw InputError(
        fmt::format("the traces have {} joints, muscles and propellers together; a "
                    "figure has at most {}: choose some with --joint GLOB",
                    figure.rows(), Figure::kMaxItems));
  }
  draw_by_gnuplot(figure.script(terminal), output, title);
  std::string summary = traces.front()->summary();
  for (std::size_t i = 1; i < traces.size(); ++i) {
    summary += fmt::format("; {}: {}", traces[i]->trace().title(), traces[i]->summary());
  }
  console.print(fmt::format("{}: {}\n{}", output, summary, responses));
}

}  // namespace

void add_plot(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("plot", "Draw a trace");
  const auto arguments = std::make_shared<PlotArguments>();
  command->callback([&action, arguments] {
    action = [arguments] {
      return run_writer([&arguments](Console& console) { plot(*arguments, console); });
    };
  });
  command->footer(kPlotHelp);
  command
      ->add_option("TRACE", arguments->traces,
                   "The output of `servosim run --trace` (.csv, .jsonl); up to 6")
      ->type_name("")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "Instead of the first TRACE with the extension .svg")
      ->type_name("FILE.svg|.png|.pdf");
  add_repeatable(*command, "--joint", arguments->joints,
                 "Only these: a joint or robot/joint, with * and ?")
      ->type_name("GLOB");
  command->add_option("--from", arguments->from, "Leave out what was before")
      ->type_name("S")
      ->check(finite_number(true).description(""));
  command->add_option("--to", arguments->to, "Leave out what was after")
      ->type_name("S")
      ->check(finite_number(true).description(""));
  command->add_option("--bounds", arguments->bounds)->group("");  // not in the help text
  command->add_flag("--step-response", arguments->step_response,
                    "Mark rise, overshoot and settling after the first step of each target");
}

}  // namespace servosim
