// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "base/child_process.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/shortage.h"
#include "cli/arguments.h"
#include "cli/child_run.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/run_arguments.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "run/process.h"
#include "run/signals.h"
#include "specification/expectations.h"
#include "specification/junit.h"
#include "specification/specification.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTestHelp = R"(
A specification is a TOML file beside a world: which controllers, how long, which values of fields,
and [[expect]] tables, such as the settling time and the overshoot of a joint, bounds of its
position, velocity and effort, a body that stays upright, two bodies that do not touch, or a trace
that the run must repeat: docs/reference/specification.md. Each world runs in a process of its own,
as `servosim run` does. A run also fails when its exit code is another than expected, or when the
world lacks something, as `run` says with exit code 3.

For each joint or body that fails, a figure is drawn into the folder of --figures, by gnuplot. The
trace of a run is kept there if anything failed.

Exit codes: 0 all expectations hold, and all of each world was simulated; 1 one fails, or the output
cannot be written; 2 a specification, a world or an argument is wrong; 129, 130 or 143 after SIGHUP,
SIGINT or SIGTERM: what did not run by then is an error in the JUnit file.

Examples:
  servosim test worlds/arm.toml
  servosim test worlds/*.toml --junit results.xml
)";

constexpr int kMaxRunLines = 40;  // the most lines of a run's messages

struct TestArguments {
  std::vector<std::string> specifications;
  std::string junit;
  std::string figures = "servosim-test";
};

// Returns the arguments of `servosim run`.
std::vector<std::string> command_of(const Specification& specification, const RunFiles& files,
                                    const std::string& folder) {
  std::vector<std::string> command{fs::absolute(specification.world).string(), "--trace",
                                   files.trace, fmt::format("{}={}", kBusFolderOption, folder)};
  if (specification.duration) {
    command.push_back(fmt::format("--duration={}", *specification.duration));
  } else {
    command.push_back(fmt::format("--steps={}", *specification.steps));
  }
  if (needs_poses(specification)) {
    command.insert(command.end(), {"--watch=*", "--watch=*.pose"});
  }
  if (!files.recording.empty()) {  // each step must have a frame
    command.insert(command.end(), {"--record", files.recording, "--record-rate=1e9"});
  }
  command.insert(command.end(), specification.options.begin(), specification.options.end());
  return command;
}

// Returns whether a controller has failed and each failure was expected.
bool is_expected_failure(const Specification& specification, const nlohmann::ordered_json& run) {
  bool any = false;
  for (const auto& robot : run.at("robots")) {
    const auto is_expected = [&](const std::string& end) {
      return std::any_of(specification.expectations.begin(), specification.expectations.end(),
                         [&](const Expectation& e) {
                           return e.kind == Expected::Exit && e.high != 0.0 &&
                                  e.name == robot.value("name", "") && end == exit_text(e);
                         });
    };
    for (const auto& controller : robot.at("controllers")) {
      if (controller.value("failed", false)) {
        any = true;
        if (!is_expected(controller.value("end", ""))) {
          return false;
        }
      }
    }
  }
  return any;
}

Verdict run_verdict(const Specification& specification, const nlohmann::ordered_json& run,
                    const std::string& errors) {
  const int code = run.value("exit_code", -1);
  Verdict verdict{"run",
                  fmt::format("exit code {}, and a world that is complete", specification.exit),
                  fmt::format("exit code {}", code),
                  "",
                  false,
                  true};
  const bool complete = run.value("complete", false);
  const bool excused = code == kExitFailed && is_expected_failure(specification, run);
  if (!complete) {
    verdict.held = false;
    verdict.came += "; the world lacks";
    for (const auto& part : run.at("missing")) {
      if (!part.value("accepted", false)) {
        verdict.came += ' ' + part.value("subject", "") + ';';
      }
    }
    verdict.came += " allow_missing accepts it";
  } else if (run.value("failed", true) || (code != specification.exit && !excused)) {
    verdict.held = false;
    verdict.came += ": " + last_line(errors);
  }
  return verdict;
}

// Returns a glob that matches only this name.
std::string glob_of(const std::string& name) {
  std::string glob;
  for (const char c : name) {
    glob += std::string_view("\\*?[").find(c) != std::string_view::npos ? "\\" : "";
    glob += c;
  }
  return glob;
}

Verdict warnings_verdict(std::int64_t allowed, const nlohmann::ordered_json& run) {
  std::int64_t count = 0;
  std::string first;
  for (const auto& notice : run.at("notices")) {
    if (notice.value("level", "") == "warning") {
      count += notice.value("count", std::int64_t{1});
      first = first.empty() ? notice.value("message", "") : first;
    }
  }
  return {"warnings",
          fmt::format("at most {}", allowed),
          first.empty() ? "none" : fmt::format("{}, the first: {}", count, first),
          "",
          false,
          count <= allowed};
}

nlohmann::json bounds_json(const std::vector<FigureBound>& bounds) {
  auto list = nlohmann::json::array();
  for (const FigureBound& bound : bounds) {
    auto points = nlohmann::json::array();
    for (const ThinnedCurves::Point& point : bound.points) {
      points.push_back({point.time, point.value});  // NaN becomes null
    }
    list.push_back({{"quantity", bound.quantity}, {"points", points}});
  }
  return list;
}

class TestCommand {
 public:
  explicit TestCommand(const TestArguments& arguments) : arguments_(arguments) {}

  int execute() {
    const SignalWatch signals;  // an interruption still reports what was tried until then
    for (const std::string& path : arguments_.specifications) {
      tried_.push_back(attempt(path));
    }
    int code = bad_input_ ? kExitBadInput : kExitOk;
    for (const TriedSpecification& each : tried_) {
      code = code == kExitOk && !each.held() ? kExitFailed : code;
    }
    print_end();
    if (!arguments_.junit.empty()) {
      if (const auto error = write_file(arguments_.junit, junit_text(tried_), true)) {
        console_.log(LogLevel::Error, fmt::format("'{}' {}", arguments_.junit, error->reason));
        code = kExitFailed;
      }
    }
    if (const int number = interrupting_signal(); number != 0) {
      return 128 + number;
    }
    return code == kExitOk && console_.output_lost() ? kExitFailed : code;
  }

 private:
  TriedSpecification attempt(const std::string& path) {
    TriedSpecification tried;
    tried.path = path;
    const auto start = std::chrono::steady_clock::now();
    try {
      throw_if_interrupted();
      const Specification specification = read_specification(path);
      tried.world = specification.world;
      attempt(specification, tried);
    } catch (const InputError& error) {
      bad_input_ = true;
      tried.error = error.what();
      console_.log(LogLevel::Error, error.what());
    } catch (const Interrupted& interruption) {
      tried.error = fmt::format("{}, {}", tried.world.empty() ? "was not run" : "did not end",
                                interruption.what());
      console_.print(fmt::format("{}: {}\n", printable(path), tried.error));
    }
    tried.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return tried;
  }

  void attempt(const Specification& specification, TriedSpecification& tried) {
    const TemporaryFolder folder("servosim_test");
    RunFiles files{folder.path() + "/trace.csv",
                   needs_contacts(specification) ? folder.path() + "/run.svt" : ""};
    const ChildRun result = run_child(command_of(specification, files, folder.path()));
    throw_if_interrupted();
    if (result.run.is_null() || result.run.contains("error")) {
      const std::string reason = result.run.is_null()
                                     ? "the run " + describe_wait_status(result.wait_status)
                                     : result.run.value("error", "");
      if (result.run.is_null()) {
        console_.write(STDERR_FILENO, result.errors);
      }
      throw InputError(fmt::format("{}: {}", specification.path, reason));
    }
    tried.verdicts = judge(specification, files, result.run);
    if (specification.warnings) {
      tried.verdicts.push_back(warnings_verdict(*specification.warnings, result.run));
    }
    tried.verdicts.insert(tried.verdicts.begin(),
                          run_verdict(specification, result.run, result.errors));
    print(tried, files);
  }

  void print(const TriedSpecification& tried, const RunFiles& files) {
    std::string text = fmt::format("{}: {}\n", tried.path, tried.world);
    const std::string base = base_of(tried.path);
    const std::string trace = base + ".csv";
    const std::string lost = tried.held() ? "" : copy_trace(files.trace, trace);
    int number = 0;
    for (const Verdict& verdict : tried.verdicts) {
      text += fmt::format("  {}  {}: expected {}; came {}\n", verdict.held ? "held  " : "FAILED",
                          verdict.title, verdict.expected, verdict.came);
      if (!verdict.held && !verdict.item.empty() && lost.empty()) {
        text += figure_of(verdict, trace, fmt::format("{}-{}.svg", base, ++number));
      }
    }
    if (!tried.held()) {
      text += lost.empty() ? fmt::format("  trace: {}\n", trace)
                           : fmt::format("  no figures and no trace: {}\n", lost);
    }
    console_.print(text);
  }

  // Returns the beginning of the paths of a specification's figures and trace, which is unique.
  std::string base_of(const std::string& path) {
    const std::string stem = fs::path(path).stem();
    std::string name = stem;
    for (int number = 2; !names_.insert(name).second; ++number) {
      name = fmt::format("{}-{}", stem, number);
    }
    return fs::path(arguments_.figures) / name;
  }

  // @returns why the trace cannot be copied; empty after success.
  std::string copy_trace(const std::string& from, const std::string& to) const {
    std::error_code error;
    fs::create_directories(arguments_.figures, error);
    if (!error) {
      fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    }
    return error ? fmt::format("'{}' {}", to, error.message()) : "";
  }

  // Draws the trace as `servosim plot` does, with what was expected. Returns a line that says where
  // the figure is.
  static std::string figure_of(const Verdict& verdict, const std::string& trace,
                               const std::string& figure) {
    const TemporaryFolder folder("servosim_test_figure");
    const std::string bounds = folder.path() + "/bounds.json";
    if (const auto error = write_file(bounds, bounds_json(verdict.bounds).dump(), true)) {
      return fmt::format("          no figure: '{}' {}\n", bounds, error->reason);
    }
    std::vector<std::string> command{fs::read_symlink("/proc/self/exe"), "plot", trace};
    if (!verdict.golden.empty()) {
      command.push_back(verdict.golden);
    }
    command.insert(command.end(),
                   {"-o", figure, "--joint", glob_of(verdict.item), "--bounds", bounds});
    if (verdict.steps) {
      command.push_back("--step-response");
    }
    CommandResult result = run_command(command, fs::current_path(), kMaxRunLines);
    while (result.output.ends_with('\n')) {
      result.output.pop_back();
    }
    return result.succeeded() ? fmt::format("          figure: {}\n", figure)
                              : fmt::format("          no figure: {}\n", result.output);
  }

  void print_end() {
    std::size_t failed = 0;
    std::size_t all = 0;
    for (const TriedSpecification& each : tried_) {
      all += each.verdicts.size();
      failed += static_cast<std::size_t>(
          std::count_if(each.verdicts.begin(), each.verdicts.end(),
                        [](const Verdict& verdict) { return !verdict.held; }));
    }
    const auto wrong = std::count_if(tried_.begin(), tried_.end(),
                                     [](const auto& each) { return !each.error.empty(); });
    console_.print(fmt::format("{}: {} of {} held{}\n", counted(tried_.size(), "specification"),
                               all - failed, counted(all, "expectation"),
                               wrong > 0 ? fmt::format(", {} could not be tried", wrong) : ""));
  }

  const TestArguments& arguments_;
  Console console_;
  std::vector<TriedSpecification> tried_;
  std::set<std::string> names_;  // names of the files for figures and traces
  bool bad_input_ = false;
};

int test(const TestArguments& arguments) {
  try {
    return TestCommand(arguments).execute();
  } catch (const std::runtime_error& error) {
    rethrow_if_short(error);
    Console().log(LogLevel::Error, error.what());
    return kExitFailed;
  }
}

}  // namespace

void add_test(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("test", "Test whether worlds meet their specifications");
  const auto arguments = std::make_shared<TestArguments>();
  command->callback([&action, arguments] { action = [arguments] { return test(*arguments); }; });
  command->footer(kTestHelp);
  command->add_option("FILE", arguments->specifications, "Specifications (.toml)")
      ->type_name("")
      ->required();
  command->add_option("--junit", arguments->junit, "Write the results as CI services read them")
      ->type_name("FILE.xml");
  command
      ->add_option("--figures", arguments->figures,
                   "Folder for the figures and traces of what fails (servosim-test)")
      ->type_name("DIR");
}

}  // namespace servosim
