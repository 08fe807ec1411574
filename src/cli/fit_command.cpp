// SPDX-License-Identifier: Apache-2.0
#include "cli/fit_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/files.h"
#include "cli/experiment.h"
#include "cli/fit_apply.h"
#include "cli/fit_bench.h"
#include "cli/fit_result.h"
#include "cli/fit_servo_file.h"
#include "cli/fit_start.h"
#include "cli/output.h"
#include "fit/extent.h"
#include "fit/position_errors.h"
#include "run/controller_set.h"
#include "run/launch_plan.h"
#include "servo_models/servo_fields.h"

namespace servosim {
namespace {

// Returns errno if a file cannot be written, else 0.
int fault_of_output(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    return EISDIR;
  }
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return (::access(path.c_str(), F_OK) == 0
              ? ::access(path.c_str(), W_OK)
              : ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK)) == 0
             ? 0
             : errno;
}

class FitCommand {
 public:
  FitCommand(const FitArguments& arguments, Console& console)
      : arguments_(arguments), console_(console), bench_(arguments, console) {}

  // Returns the exit code.
  int run() {
    check_outputs();
    check_logs();
    fit_options_ = fit_options();
    logs_ = bench_.read(arguments_.logs);
    kept_ = bench_.read(arguments_.kept);
    if (!arguments_.check.empty()) {
      check();
    } else {
      fit();
    }
    return bench_.completeness().exit_code(kExitOk);
  }

 private:
  // What a search of minutes finds can be written, and nothing that was read is lost.
  void check_outputs() const {
    std::vector<std::string> inputs = arguments_.logs;
    inputs.insert(inputs.end(), arguments_.kept.begin(), arguments_.kept.end());
    if (arguments_.servo.ends_with(".toml")) {
      inputs.push_back(arguments_.servo);
    }
    if (!bench_.is_pendulum()) {
      inputs.push_back(arguments_.rig);
    }
    if (!arguments_.apply.empty()) {
      inputs.push_back(ServoTarget::world_of(arguments_.apply));
    }
    for (const std::string& output : {arguments_.output, arguments_.report}) {
      if (output.empty()) {
        continue;
      }
      for (const std::string& input : inputs) {
        if (is_same_file(input, output)) {
          throw InputError(
              fmt::format("'{}' is read and would be overwritten; name another file", output));
        }
      }
      inputs.push_back(output);
      if (const int error = fault_of_output(output); error != 0) {
        throw std::runtime_error(
            fmt::format("'{}' cannot be written: {}", output, std::strerror(error)));
      }
    }
    check_ending("-o", arguments_.output, ".toml");
    check_ending("--report", arguments_.report, ".html");
  }

  // Others look for the file by its ending.
  static void check_ending(const char* option, const std::string& path, const char* ending) {
    if (!path.empty() && !path.ends_with(ending)) {
      throw InputError(
          fmt::format("{}: '{}' is written as {}; give it this ending", option, path, ending));
    }
  }

  // A log that is fitted says nothing about what was not, and twice the same log says no more.
  void check_logs() const {
    std::vector<std::pair<const std::string*, bool>> logs;  // with whether it is kept
    for (const std::string& path : arguments_.logs) {
      logs.emplace_back(&path, false);
    }
    for (const std::string& path : arguments_.kept) {
      logs.emplace_back(&path, true);
    }
    for (std::size_t i = 0; i < logs.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (is_same_file(*logs[j].first, *logs[i].first)) {
          throw InputError(
              logs[i].second && !logs[j].second
                  ? fmt::format("--keep: '{}' is fitted, so that it cannot be kept "
                                "back; name another log",
                                *logs[i].first)
                  : fmt::format("'{}' is named twice; name each log once", *logs[i].first));
        }
      }
    }
  }

  static std::vector<LogScore> scores(const FitRig& rig, bool kept, const ServoModel* before,
                                      const ServoModel& after) {
    const std::vector<LogPart> parts = whole_logs(rig);
    const std::vector<double> errors = mean_errors(rig, parts, {&after, 1});
    std::vector<double> old(errors.size(), std::numeric_limits<double>::quiet_NaN());
    if (before != nullptr) {
      old = mean_errors(rig, parts, {before, 1});
    }
    std::vector<LogScore> list;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      list.push_back({&rig.logs()[i], kept, old[i], errors[i], greatest_error(rig, i, after)});
    }
    return list;
  }

  // A search always ends with a best model, which may describe nothing.
  void warn_of_failures(const std::vector<LogScore>& scores) {
    constexpr double kFailed = 0.2;  // of the way that the log goes
    for (const LogScore& score : scores) {
      Extent position;
      for (const LogSample& sample : score.log->log->samples) {
        position.include(sample.position);
      }
      if (score.after > kFailed * position.size()) {
        constexpr double kDegrees = 180.0 / std::numbers::pi;
        console_.warn(fmt::format(
            "{}: the best model is off by {:.3g}° on average, and the log covers {:.3g}°: it does "
            "not describe this servo; check the units and signs of the columns, the gains, the "
            "supply and the rig",
            score.log->log->path, score.after * kDegrees, position.size() * kDegrees));
      }
    }
  }

  void check() {
    const ServoModel model = servo_called(arguments_.check, arguments_, true);
    const std::unique_ptr<FitRig> rig = bench_.rig(logs_);
    for (const std::string& doubt :
         doubts_of_logs(arguments_, bench_, *rig, arguments_.check, model)) {
      console_.warn(doubt);
    }
    const std::vector<LogScore> list = scores(*rig, false, nullptr, model);
    if (arguments_.json) {
      print_json({{"schema", "servosim-fit-check-1"},
                  {"servo", arguments_.check},
                  {"logs", scores_json(list)},
                  {"mean_error_deg", mean_error_degrees(list)}});
    } else {
      print_text(scores_text(list));
    }
  }

  // A result, and what the world lacks that is the rig.
  void print_json(nlohmann::ordered_json result) {
    result["complete"] = bench_.completeness().holds();
    result["missing"] = with_places(bench_.completeness().json(), bench_.diagnostics());
    console_.print(json_text(result) + "\n");
  }
  void print_text(const std::string& text) {
    console_.print(text + bench_.completeness().summary());
  }

  static nlohmann::ordered_json mean_error_degrees(const std::vector<LogScore>& list) {
    return number_json(mean_after(list, false) * 180.0 / std::numbers::pi);
  }

  FitOptions fit_options() {
    FitOptions options;
    if (!arguments_.models.empty()) {
      options.models = words_of_lists(arguments_.models);
      if (options.models.empty()) {
        throw InputError("--models names no friction model; such as M1,M6");
      }
      for (std::string& model : options.models) {
        std::transform(model.begin(), model.end(), model.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      }
    }
    options.free = words_of_lists(arguments_.free);
    for (const std::string& fixed : words_of_lists(arguments_.fixed)) {
      options.fixed.push_back(fixed.substr(0, fixed.find('=')));
      static_cast<void>(servo_field(options.fixed.back()));
    }
    options.load = arguments_.load == "static" ? ServoLoad::Static : ServoLoad::Transmitted;
    options.starts = static_cast<int>(arguments_.search.starts);
    options.generations = static_cast<int>(arguments_.search.generations);
    options.seed = static_cast<std::uint64_t>(arguments_.search.seed);
    options.threads = arguments_.jobs ? static_cast<std::size_t>(*arguments_.jobs) : usable_cores();
    if (::isatty(STDERR_FILENO) != 0) {
      options.progress = [this](double share) {
        const std::lock_guard lock(mutex_);
        console_.progress(fmt::format("{:3.0f} %", 100.0 * share));
      };
    }
    return options;
  }

  void fit() {
    const std::unique_ptr<FitRig> fitted = bench_.rig(logs_);
    const std::unique_ptr<FitRig> kept = bench_.rig(kept_);
    const FitRig& rig = *fitted;
    const FitStart start = start_of_fit(arguments_, bench_, rig);
    fit_options_.begin = [&] {
      for (const std::string& warning : start.warnings) {
        console_.warn(warning);
      }
    };
    const std::optional<ServoTarget> target = target_for(start);
    FitSummary summary;
    summary.servo = start.name;
    summary.output = arguments_.output;
    summary.fit = fit_servo(rig, start.model, fit_options_);
    console_.clear_progress();
    summary.fit.start = start.model;
    summary.logs = scores(rig, false, &start.model, summary.fit.model);
    warn_of_failures(summary.logs);
    for (const LogScore& score : scores(*kept, true, &start.model, summary.fit.model)) {
      summary.logs.push_back(score);
    }
    if (!arguments_.output.empty()) {
      write(arguments_.output, fitted_servo_text(summary, logs_.size()));
    }
    std::exception_ptr fault;  // of the world or the page; the result is shown all the same
    try {
      if (target) {
        summary.applied = target->apply(arguments_.output.empty()
                                            ? target->numbers_for(fitted_servo(summary), start.name)
                                            : target->name_for(arguments_.output));
        if (target->needs_servo_path(summary.applied->servo)) {
          console_.warn(fmt::format(
              "{}: finds this servo only by --servo-path, with which it has to be loaded; or copy "
              "the file beside it, or name the folder by servo_path in servosim.toml",
              summary.applied->world));
        }
      }
    } catch (const std::runtime_error&) {
      fault = std::current_exception();
    }
    try {
      if (!arguments_.report.empty()) {
        write(arguments_.report, fit_report(summary, rig, kept_.empty() ? nullptr : kept.get()));
        summary.report = arguments_.report;
      }
    } catch (const std::runtime_error&) {
      fault = std::current_exception();
    }
    if (arguments_.json) {
      print_json(fit_json(summary));
    } else {
      print_text(fit_text(summary));
    }
    if (fault) {
      std::rethrow_exception(fault);
    }
  }

  // The motor that gets the result: what would be in the way shows before the search.
  std::optional<ServoTarget> target_for(const FitStart& start) const {
    if (arguments_.apply.empty()) {
      return std::nullopt;
    }
    const std::string world = ServoTarget::world_of(arguments_.apply);
    ServoTarget target(arguments_.apply, world_options(arguments_, world));
    try {
      target.check(start.model);
      static_cast<void>(arguments_.output.empty() ? target.numbers_for(start.model, start.name)
                                                  : target.name_for(arguments_.output));
    } catch (const InputError&) {  // a part that the world lacks may be the reason
      print_diagnostics(target.missing_parts(), false, console_);
      throw;
    }
    return target;
  }

  static void write(const std::string& path, const std::string& text) {
    if (const auto error = write_file(path, text, true)) {
      throw std::runtime_error(fmt::format("'{}' {}", path, error->reason));
    }
  }

  const FitArguments& arguments_;
  Console& console_;
  FitBench bench_;
  FitOptions fit_options_;
  std::vector<ServoLog> logs_;
  std::vector<ServoLog> kept_;
  std::mutex mutex_;
};

}  // namespace

int run_fit(const FitArguments& arguments, Console& console) {
  return FitCommand(arguments, console).run();
}

}  // namespace servosim
