// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
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
#include "specification/reports.h"
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
trace of a run and its recording, for `servosim view`, are kept there if anything failed.

--junit, --json and --github give the same verdicts: to CI services, to programs
(docs/reference/run-json.md), and to GitHub, which shows each failure at the line of its [[expect]].

Exit codes: 0 all expectations hold, and all of each world was simulated; 1 one fails, or the output
cannot be written; 2 a specification, a world or an argument is wrong; 129, 130 or 143 after SIGHUP,
SIGINT or SIGTERM: what did not run by then is an error in the results.

Examples:
  servosim test worlds/arm.toml
  servosim test worlds/*.toml --junit results.xml
  servosim test worlds/arm.toml --json
  servosim test worlds/arm.toml --github
)";

constexpr int kMaxOutputLines = 1000;  // the most lines of a run's messages
constexpr int kMaxFigureLines = 40;    // the most lines of messages of `servosim plot`

struct TestArguments {
  std::vector<std::string> specifications;
  std::string junit;
  std::string figures = "servosim-test";
  bool json = false;
  bool github = false;
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
  command.insert(command.end(), {"--record", files.recording});
  if (needs_contacts(specification)) {  // each step must have a frame
    command.emplace_back("--record-rate=1e9");
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

// Returns the last error of a run, otherwise the last line that it has printed.
std::string reason_of(const nlohmann::ordered_json& run, const std::string& output) {
  const auto& notices = run.at("notices");
  for (std::size_t i = notices.size(); i-- > 0;) {
    if (notices[i].value("level", "") == "error") {
      return notices[i].value("message", "");
    }
  }
  return last_line(output);
}

// Returns where something is that the world lacks; the place of the world in the specification if
// that is not known.
std::string place_of_lack(const Specification& specification, const nlohmann::ordered_json& run) {
  for (const auto& part : run.at("missing")) {
    if (!part.value("accepted", false) && part.at("file").is_string() &&
        part.at("line").is_number()) {
      return fmt::format("{}:{}", part.value("file", ""), part.value("line", 0));
    }
  }
  return specification.place;
}

Verdict run_verdict(const Specification& specification, const nlohmann::ordered_json& run,
                    const std::string& output) {
  const int code = run.value("exit_code", -1);
  Verdict verdict{"run",
                  fmt::format("exit code {}, and a world that is complete", specification.exit),
                  fmt::format("exit code {}", code),
                  "",
                  false,
                  true};
  verdict.place = specification.place;
  const bool complete = run.value("complete", false);
  const bool excused = code == kExitFailed && is_expected_failure(specification, run);
  if (!complete) {
    verdict.held = false;
    verdict.place = place_of_lack(specification, run);
    verdict.came += "; the world lacks";
    for (const auto& part : run.at("missing")) {
      if (!part.value("accepted", false)) {
        verdict.came += ' ' + part.value("subject", "") + ';';
      }
    }
    verdict.came += " allow_missing accepts it";
  } else if (run.value("failed", true) || (code != specification.exit && !excused)) {
    verdict.held = false;
    verdict.came += ": " + reason_of(run, output);
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

Verdict warnings_verdict(const Specification& specification, const nlohmann::ordered_json& run) {
  const std::int64_t allowed = *specification.warnings;
  std::int64_t count = 0;
  std::string first;
  for (const auto& notice : run.at("notices")) {
    if (notice.value("level", "") == "warning") {
      count += notice.value("count", std::int64_t{1});
      first = first.empty() ? notice.value("message", "") : first;
    }
  }
  Verdict verdict{"warnings",
                  fmt::format("at most {}", allowed),
                  first.empty() ? "none" : fmt::format("{}, the first: {}", count, first),
                  "",
                  false,
                  count <= allowed};
  verdict.measured = {static_cast<double>(count), 0.0, static_cast<double>(allowed), ""};
  verdict.place = specification.place;
  return verdict;
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
  explicit TestCommand(const TestArguments& arguments)
      : arguments_(arguments),
        console_(LogLevel::Info, arguments.json ? STDERR_FILENO : STDOUT_FILENO) {}

  int execute() {
    const SignalWatch signals;  // an interruption still reports what was tried until then
    for (const std::string& path : arguments_.specifications) {
      const std::string token = arguments_.github ? begin_group(path) : "";
      tried_.push_back(attempt(path));
      if (arguments_.github) {
        end_group(tried_.back(), token);
      }
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
      code = 128 + number;
    }
    if (arguments_.json) {
      console_.write(STDOUT_FILENO, json_text({{"schema", "servosim-test-1"},
                                               {"servosim", SERVOSIM_VERSION},
                                               {"held", code == kExitOk},
                                               {"specifications", specifications_json(tried_)}}));
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
      tried.place = specification.place;
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
    tried.seconds = seconds_since(start);
    return tried;
  }

  void attempt(const Specification& specification, TriedSpecification& tried) {
    const TemporaryFolder folder("servosim_test");
    const RunFiles files{folder.path() + "/trace.csv", folder.path() + "/run.svt"};
    const auto start = std::chrono::steady_clock::now();
    const ChildRun result =
        run_child(command_of(specification, files, folder.path()), kMaxOutputLines);
    const double seconds = seconds_since(start);
    tried.output = result.errors;
    throw_if_interrupted();
    if (result.run.is_null() || result.run.contains("error")) {
      const std::string reason = result.run.is_null()
                                     ? "the run " + describe_wait_status(result.wait_status)
                                     : result.run.value("error", "");
      if (result.run.is_null() && !arguments_.github) {  // the group of GitHub has them
        console_.write(STDERR_FILENO, result.errors);
      }
      throw InputError(fmt::format("{}: {}", specification.path, reason));
    }
    tried.verdicts = judge(specification, files, result.run);
    if (specification.warnings) {
      tried.verdicts.push_back(warnings_verdict(specification, result.run));
    }
    tried.verdicts.insert(tried.verdicts.begin(),
                          run_verdict(specification, result.run, result.errors));
    tried.verdicts.front().seconds = seconds;
    print(tried, files);
  }

  static double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  // Prints the verdicts, and keeps figures, trace and recording of a failure.
  void print(TriedSpecification& tried, const RunFiles& files) {
    std::string text = fmt::format("{}: {}\n", tried.path, tried.world);
    const std::string base = base_of(tried.path);
    const std::string trace = base + ".csv";
    const std::string replay = base + ".svt";
    std::string lost = tried.held() ? "" : copy(files.trace, trace);
    lost = tried.held() || !lost.empty() ? lost : copy(files.recording, replay);
    int number = 0;
    for (Verdict& verdict : tried.verdicts) {
      text += fmt::format("  {}  {}: expected {}; came {}\n", verdict.held ? "held  " : "FAILED",
                          verdict.title, verdict.expected, verdict.came);
      if (!verdict.held && !verdict.item.empty() && lost.empty()) {
        const auto start = std::chrono::steady_clock::now();
        text += draw(verdict, trace, fmt::format("{}-{}.svg", base, ++number));
        verdict.seconds += seconds_since(start);
      }
    }
    if (!tried.held()) {
      text += lost.empty() ? fmt::format("  trace: {}\n  replay: {}\n", trace, replay)
                           : fmt::format("  no figures, no trace and no replay: {}\n", lost);
      tried.trace = lost.empty() ? trace : "";
      tried.replay = lost.empty() ? replay : "";
    }
    console_.print(text);
  }

  // Begins the group of a specification. Within it the runner obeys no command until the token that
  // is returned, for a verdict may have a text of a controller.
  std::string begin_group(const std::string& path) {
    std::random_device random;
    std::string token = fmt::format("servosim-{:08x}{:08x}", random(), random());
    console_.print(github_group(path) + fmt::format("::stop-commands::{}\n", token));
    return token;
  }

  // Ends the group, which has the output of a run that failed, and prints annotations.
  void end_group(const TriedSpecification& tried, const std::string& token) {
    if (!tried.held() && !tried.output.empty()) {
      console_.print(tried.output + (tried.output.ends_with('\n') ? "" : "\n"));
    }
    const char* const workspace = std::getenv("GITHUB_WORKSPACE");
    console_.print(fmt::format("::{}::\n::endgroup::\n", token) +
                   github_annotations(tried, workspace != nullptr ? workspace : ""));
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

  // @returns why a file cannot be copied; empty after success.
  std::string copy(const std::string& from, const std::string& to) const {
    std::error_code error;
    fs::create_directories(arguments_.figures, error);
    if (!error) {
      fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    }
    return error ? fmt::format("'{}' {}", to, error.message()) : "";
  }

  // Draws the trace as `servosim plot` does, with what was expected. Returns a line that says where
  // the figure is.
  static std::string draw(Verdict& verdict, const std::string& trace, const std::string& figure) {
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
    CommandResult result = run_command(command, fs::current_path(), kMaxFigureLines);
    while (result.output.ends_with('\n')) {
      result.output.pop_back();
    }
    if (!result.succeeded()) {
      return fmt::format("          no figure: {}\n", result.output);
    }
    verdict.figure = figure;
    return fmt::format("          figure: {}\n", figure);
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
                   "Folder for figures, traces and recordings of what fails (servosim-test)")
      ->type_name("DIR");
  command->add_flag("--json", arguments->json,
                    "One JSON document on standard output, and the lines on standard error");
  command->add_flag("--github", arguments->github,
                    "Print annotations and groups for a workflow of GitHub");
}

}  // namespace servosim
