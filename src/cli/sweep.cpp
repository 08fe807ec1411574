// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/completeness.h"
#include "cli/hosted_sweep.h"
#include "cli/output.h"
#include "cli/project_file.h"
#include "cli/run_arguments.h"
#include "run/controller_set.h"
#include "run/signals.h"
#include "sweep/results_file.h"

namespace servosim {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr const char* kSweepHelp = R"(
Each --param gives a field, named as for `run --set`, several values:
  PATH=a:b:n            n numbers from a to b in equal steps; a:b:n:log in equal ratios
  PATH=x,y,z            these values, as they would stand in the file
  PATH=uniform(a,b)     --samples numbers, drawn from a to b
  PATH=normal(m,s)      of mean m and standard deviation s
  PATH=loguniform(a,b)  whose logarithms are drawn from that of a to that of b
Several make all combinations, and so do --variants and --seeds; what is drawn is drawn together.

The results are a row for each run, with its number, parameters and seed, and what `run --json` says
of its joints and robots; the file's ending says which kind it is. Rows are written as they come, in
any order. A sweep that was interrupted or killed goes on with the same arguments and --resume.
Several processes share a sweep by --shard 1/3, 2/3 and 3/3, each with a file of its own, which
--merge puts into one.

Runs without controllers share this process. Where a robot has a controller program, each run is a
process; --controller 'ROBOT=<none>' does without it. docs/reference/sweep.md tells more.

Exit codes: 0 all runs of the file are done; 1 one failed, or the file cannot be written; 2 one had
bad input, or an argument is wrong; 3 one is incomplete, as for `run`; 129, 130 or 143 after SIGHUP,
SIGINT or SIGTERM.

Examples:
  servosim sweep worlds/arm.wbt -o torque.csv --param arm/shoulder.maxTorque=10:40:4 --duration 5
  servosim sweep worlds/pendulum.wbt -o rod.jsonl --param pendulum/rod.physics.mass=1,2 --seeds 1..9
  servosim sweep worlds/pendulum.wbt -o g.csv --param 'WorldInfo.gravity=normal(9,1)' --samples 50
  servosim sweep worlds/pendulum.wbt -o part-1.csv --seeds 1..100 --shard 1/2
  servosim sweep worlds/pendulum.wbt -o part-2.csv --seeds 1..100 --shard 2/2
  servosim sweep -o all.csv --merge part-1.csv part-2.csv
)";

constexpr std::size_t kMostToldFailures = 10;
constexpr std::size_t kBarWidth = 30;  // columns
constexpr std::uint64_t kTold = 10;    // lines of progress if the output is no terminal

struct SweepArguments {
  std::string world;
  std::string output;
  std::vector<std::string> parameters;
  std::string variants;
  std::string seeds;
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> samples;
  std::int64_t draw_seed = 0;
  bool latin_hypercube = false;
  std::optional<double> duration;
  std::optional<std::int64_t> steps;
  std::vector<std::string> controllers;
  std::optional<double> controller_timeout;
  std::optional<std::int64_t> jobs;
  std::string shard;
  bool resume = false;
  std::vector<std::string> merge;
  bool quiet = false;
  std::vector<std::string> watch;
  std::vector<std::string> proto_paths;
  std::vector<std::string> servo_paths;
  std::vector<std::string> assets;
  std::vector<std::string> allow_missing;
  SettingArguments settings;
  SolvingArguments solving;
};

/// A contiguous part of all runs that begins with run `first`.
struct Shard {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// Reads `2/8`. @throws InputError
Shard shard_of(const std::string& text, std::uint64_t runs) {
  if (text.empty()) {
    return {0, runs};
  }
  const auto number = [](std::string_view digits) {
    return parse_number<std::uint64_t>(digits).value_or(0);
  };
  const std::size_t slash = text.find('/');
  const std::uint64_t part = number(std::string_view(text).substr(0, slash));
  const std::uint64_t parts =
      slash == std::string::npos ? 0 : number(std::string_view(text).substr(slash + 1));
  if (part < 1 || part > parts) {
    throw InputError(
        fmt::format("--shard: '{}' is no part of a sweep; write 1/3, 2/3 and 3/3 for its thirds",
                    printable(text)));
  }
  const auto begin_of = [&](std::uint64_t p) {
    return runs / parts * p + std::min(p, runs % parts);
  };
  return {begin_of(part - 1), begin_of(part) - begin_of(part - 1)};
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::min(seconds, 1e9) + 0.5);
  return whole < 100    ? fmt::format("{} s", whole)
         : whole < 6000 ? fmt::format("{} min", (whole + 30) / 60)
                        : fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

/// Shows the progress of a sweep: a bar on a terminal, otherwise a line after each tenth.
class SweepProgress {
 public:
  SweepProgress(Console& console, bool quiet, std::uint64_t all, std::uint64_t done)
      : console_(console),
        mode_(quiet                          ? Mode::None
              : ::isatty(STDERR_FILENO) != 0 ? Mode::Bar
                                             : Mode::Lines),
        all_(all),
        done_(done),
        before_(done) {}

  void add(bool failed) {
    ++done_;
    failed_ += failed ? 1 : 0;
    if (mode_ == Mode::Bar && Clock::now() >= next_) {
      next_ = Clock::now() + 100ms;
      console_.progress(bar() + text());
    } else if (mode_ == Mode::Lines && done_ < all_ && tenth(done_) > tenth(done_ - 1)) {
      console_.log(LogLevel::Info, text());
    }
  }
  void end() {
    if (mode_ == Mode::Bar) {
      console_.clear_progress();
    }
  }

 private:
  enum class Mode { None, Bar, Lines };

  std::uint64_t tenth(std::uint64_t done) const {
    return static_cast<std::uint64_t>(static_cast<double>(done) * kTold /
                                      static_cast<double>(all_));
  }
  std::string bar() const {
    const auto filled = static_cast<std::size_t>(static_cast<double>(done_) * kBarWidth /
                                                 static_cast<double>(all_));
    return '[' + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] ";
  }
  std::string text() const {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const double each = elapsed / static_cast<double>(done_ - before_);
    return fmt::format("{} of {} runs{}, {:.4g} per second, {} left", done_, all_,
                       failed_ > 0 ? fmt::format(", {} failed", failed_) : "", 1.0 / each,
                       duration_text(each * static_cast<double>(all_ - done_)));
  }

  Console& console_;
  Mode mode_;
  std::uint64_t all_;
  std::uint64_t done_;
  std::uint64_t before_;  // done by an earlier process
  std::uint64_t failed_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
};

int exit_code_of(const SweepTally& tally) {
  for (const int code : {kExitBadInput, kExitFailed, kExitIncomplete}) {
    if (tally.by_exit[static_cast<std::size_t>(code)] > 0) {
      return code;
    }
  }
  return kExitOk;
}

// Returns a text such as `9990 done, 8 failed, 2 of bad input`.
std::string text_of(const SweepTally& tally) {
  std::string text;
  constexpr std::array<const char*, 4> kWords{"done", "failed", "of bad input", "incomplete"};
  for (std::size_t code = 0; code < kWords.size(); ++code) {
    if (tally.by_exit[code] > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", tally.by_exit[code], kWords[code]);
    }
  }
  return text.empty() ? "none" : text;
}

class SweepCommand {
 public:
  SweepCommand(const SweepArguments& arguments, Console& console)
      : arguments_(arguments),
        console_(console),
        jobs_(arguments.jobs ? static_cast<std::size_t>(*arguments.jobs) : usable_cores()),
        completeness_(arguments.allow_missing),
        sweep_(load()) {}

  int execute() {
    print_about_world();
    completeness_.add(sweep_.world().diagnostics(), console_.wants(LogLevel::Warning));
    const HostedSweep hosted(sweep_, hosted_options());
    std::string contents = hosted.contents();
    if (const auto& memory = arguments_.solving.step_memory) {
      contents += fmt::format("step memory {}\n", *memory);
    }
    if (!contents.empty()) {
      sweep_.add_to_id(contents);
    }
    const Shard shard = shard_of(arguments_.shard, sweep_.plan().size());
    ResultsFile file(arguments_.output, ResultsFile::header_of(sweep_), arguments_.resume);
    if (file.removed() > 0) {
      console_.log(LogLevel::Info, fmt::format("'{}' ended in a torn row, which is run again",
                                               printable(arguments_.output)));
    }
    const RunSet before = file.tally().runs;
    SweepProgress progress(console_, arguments_.quiet, shard.count,
                           before.count(shard.first, shard.count));
    const std::size_t exit_column = sweep_.column("exit_code");
    const auto take = [&](const SweepRow& row) {
      file.add(row);
      const auto* code = std::get_if<std::int64_t>(&row[exit_column]);
      const bool failed = code == nullptr || *code != Sweep::Ok;
      if (failed) {
        tell_failure(row);
      }
      progress.add(failed);
    };
    const SweepSelection selection{
        shard.count, [&](std::uint64_t i) -> std::optional<std::uint64_t> {
          return before.has(shard.first + i) ? std::nullopt : std::optional(shard.first + i);
        }};
    const auto is_interrupted = [] { return interrupting_signal() != 0; };
    const bool complete =
        sweep_.run(selection, jobs_, take, is_interrupted,
                   hosted.is_needed() ? [&](const SweepRun& run) { return hosted.run(run); }
                                      : Sweep::Runner());
    progress.end();
    file.close();
    print_end(file, complete && !is_interrupted());
    return exit_code_of(file.tally());
  }

 private:
  void print_about_world() {
    std::vector<Diagnostic> list = sweep_.world().diagnostics();
    if (arguments_.quiet) {
      std::erase_if(list, [](const Diagnostic& d) { return d.severity == Severity::Info; });
    }
    print_diagnostics(list, false, console_);
  }

  Sweep load() {
    SweepOptions options;
    options.world = arguments_.world;
    options.load.proto_paths = arguments_.proto_paths;
    options.load.servo_paths = arguments_.servo_paths;
    options.load.assets = arguments_.assets;
    options.load.settings = arguments_.settings.read();
    options.load.notice = [console = &console_](std::string_view text) {
      console->log(LogLevel::Warning, text);
    };
    options.load.remark = [console = &console_](std::string_view text) { console->remark(text); };
    arguments_.solving.apply_to(options.load, jobs_);
    SweepVariation& variation = options.variation;
    variation.parameters = arguments_.parameters;
    if (!arguments_.variants.empty()) {
      auto text = read_file(arguments_.variants);
      if (const auto* error = std::get_if<FileError>(&text)) {
        throw InputError(fmt::format("--variants: {} {}{}", printable(arguments_.variants),
                                     error->reason, did_you_mean_file(arguments_.variants)));
      }
      variation.variants = std::move(std::get<std::string>(text));
      variation.variants_name = arguments_.variants;
      if (variation.variants.empty()) {
        throw InputError(fmt::format("--variants: {} is empty", printable(arguments_.variants)));
      }
    }
    variation.seeds = arguments_.seeds;
    options.load.random_seed = arguments_.seed;
    if (arguments_.samples) {
      variation.samples = static_cast<std::uint64_t>(*arguments_.samples);
    }
    variation.draw_seed = static_cast<std::uint64_t>(arguments_.draw_seed);
    variation.latin_hypercube = arguments_.latin_hypercube;
    options.duration = arguments_.duration;
    options.steps = arguments_.steps;
    options.watch = arguments_.watch;
    options.allow_missing = completeness_.allowed();
    options.controllers = arguments_.controllers;
    try {
      return Sweep(std::move(options));
    } catch (const LoadError& error) {
      print_diagnostics(error.list(), false, console_);
      throw InputError(
          fmt::format("{}: the world cannot be simulated", printable(arguments_.world)));
    }
  }

  HostedSweepOptions hosted_options() const {
    HostedSweepOptions options;
    options.controllers = overrides_of(arguments_.controllers);
    const auto add = [&options](const char* option, const std::vector<std::string>& values) {
      for (const std::string& value : values) {
        options.arguments.push_back(fmt::format("{}={}", option, value));
      }
    };
    add("--controller", arguments_.controllers);
    add("--set-file", arguments_.settings.files);
    add("--set", arguments_.settings.settings);
    add("--watch", arguments_.watch);
    add("--proto-path", arguments_.proto_paths);
    add("--servo-path", arguments_.servo_paths);
    add("--assets", arguments_.assets);
    add("--allow-missing", arguments_.allow_missing);
    const auto add_one = [&add](const char* option, const std::string& value) {
      add(option, value.empty() ? std::vector<std::string>() : std::vector{value});
    };
    const auto number = [](const auto& value) {
      return value ? fmt::format("{}", *value) : std::string();
    };
    add_one("--seed", number(arguments_.seed));
    add_one("--duration", number(arguments_.duration));
    add_one("--steps", number(arguments_.steps));
    add_one("--controller-timeout", number(arguments_.controller_timeout));
    add_one("--compat", arguments_.solving.compat);
    add_one("--solver", arguments_.solving.solver);
    add_one("--integrator", arguments_.solving.integrator.name);
    add_one("--evaluations", number(arguments_.solving.integrator.evaluations));
    add_one("--accuracy", number(arguments_.solving.integrator.accuracy));
    add_one("--step-memory", number(arguments_.solving.step_memory));
    return options;
  }

  void tell_failure(const SweepRow& row) {
    if (++failures_ > kMostToldFailures) {
      return;
    }
    const auto* number = std::get_if<std::int64_t>(&row[sweep_.column("run")]);
    const auto* message = std::get_if<std::string>(&row[sweep_.column("message")]);
    console_.warn(fmt::format("run {}: {}", number != nullptr ? *number : 0,
                              message != nullptr ? *message : "it failed"));
    if (failures_ == kMostToldFailures) {
      console_.warn("further failures are in the columns exit_code and message");
    }
  }

  void print_end(const ResultsFile& file, bool complete) {
    const std::uint64_t runs = file.tally().runs.size();
    if (!complete) {
      console_.warn(fmt::format("interrupted; '{}' has {} of {} runs, and --resume goes on",
                                printable(arguments_.output), runs, sweep_.plan().size()));
      return;
    }
    if (!arguments_.quiet) {
      console_.print(fmt::format("{}: {} of {} runs: {}\n", printable(arguments_.output), runs,
                                 sweep_.plan().size(), text_of(file.tally())));
    }
    console_.print(completeness_.summary(exit_code_of(file.tally())));
  }

  const SweepArguments& arguments_;
  Console& console_;
  std::size_t jobs_;
  Completeness completeness_;
  Sweep sweep_;
  std::size_t failures_ = 0;
};

void check(const SweepArguments& arguments) {
  if (arguments.output.empty()) {
    throw InputError("the results need a file: -o FILE.csv or FILE.jsonl");
  }
  if (arguments.world.empty()) {
    throw InputError("a world is needed, such as worlds/arm.wbt");
  }
  if (arguments.world == "-") {
    throw InputError("standard input, '-', can be no world of a sweep; write it to a file");
  }
}

int merge(const CLI::App& command, const SweepArguments& arguments, Console& console) {
  if (arguments.output.empty()) {
    throw InputError("the results need a file: -o FILE.csv or FILE.jsonl");
  }
  constexpr std::string_view kOfMerge[]{"--output", "--merge", "--quiet"};
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0 && !is_one_of(kOfMerge, option->get_name())) {
      throw InputError(
          fmt::format("--merge takes files of results, -o and --quiet, and runs nothing: remove {}",
                      option->get_name()));
    }
  }
  const ResultsFile::Merged merged = ResultsFile::merge(arguments.output, arguments.merge);
  const SweepTally& tally = merged.tally;
  for (const std::string& part : merged.torn) {
    console.warn(fmt::format("'{}' ends in a torn row, which is left out", printable(part)));
  }
  if (tally.runs.size() < merged.runs) {
    console.warn(fmt::format("'{}' lacks {} of {} runs; the sweep with --resume runs them",
                             printable(arguments.output), merged.runs - tally.runs.size(),
                             merged.runs));
  }
  if (!arguments.quiet) {
    console.print(fmt::format("{}: {} of {} runs: {}\n", printable(arguments.output),
                              tally.runs.size(), merged.runs, text_of(tally)));
  }
  return exit_code_of(tally);
}

int sweep(CLI::App& command, SweepArguments& arguments) {
  const SignalWatch signals;
  int exit_code = kExitOk;
  const int written = run_writer([&](Console& console) {
    if (!arguments.merge.empty()) {
      exit_code = merge(command, arguments, console);
      return;
    }
    check(arguments);
    ProjectFile::of_world(arguments.world).apply_to(command);
    exit_code = SweepCommand(arguments, console).execute();
  });
  return written != kExitOk ? written : exit_code;
}

void add_runs(CLI::App& command, SweepArguments& arguments) {
  add_repeatable(command, "--param", arguments.parameters,
                 "Values for a field, as below; several make all combinations")
      ->type_name("PATH=VALUES");
  command
      .add_option("--variants", arguments.variants,
                  "A line with paths of fields, and one with values for each variant")
      ->type_name("FILE.csv");
  CLI::Option* seeds =
      command.add_option("--seeds", arguments.seeds, "Seeds in place of WorldInfo.randomSeed")
          ->type_name("A..B|A,B,C");
  command.add_option("--seed", arguments.seed, "One seed for all runs")
      ->type_name("N")
      ->check(whole_number().description(""))
      ->excludes(seeds);
  command.add_option("--samples", arguments.samples, "How often parameters are drawn")
      ->type_name("N")
      ->check(whole_number(1).description(""));
  command.add_option("--draw-seed", arguments.draw_seed, "Of the draws (0)")
      ->type_name("N")
      ->check(whole_number().description(""));
  command.add_flag("--latin-hypercube", arguments.latin_hypercube,
                   "Each n-th part of a distribution gets one of the n samples");
  command.add_option("--shard", arguments.shard, "Only the I-th of N parts of the runs, from 1 on")
      ->type_name("I/N");
  add_settings(command, arguments.settings);
}

void add_results(CLI::App& command, SweepArguments& arguments) {
  command.add_option("-o,--output", arguments.output, "The results, a row for each run")
      ->type_name("FILE.csv|FILE.jsonl");
  command.add_flag("--resume", arguments.resume, "Run what the file lacks");
  command
      .add_option("--merge", arguments.merge,
                  "Put the results of several shards into the output, and run nothing")
      ->type_name("FILE...")
      ->expected(1, -1);
  add_repeatable(command, "--watch", arguments.watch,
                 "Only these joints in the results: a joint or robot/joint, with * and ?")
      ->type_name("GLOB");
  command.add_flag("--quiet", arguments.quiet, "Print warnings and what failed, but nothing else");
}

void add_simulations(CLI::App& command, SweepArguments& arguments) {
  add_length(command, arguments.duration, arguments.steps);
  command.add_option("--jobs", arguments.jobs, "Runs at a time, instead of one per core")
      ->type_name("N")
      ->check(number_between(1, 1024, "number of jobs"));
  add_controller_option(
      command, arguments.controllers,
      "Run PROGRAM (an executable, a C, C++ or Python file, a folder, a name in controllers/, "
      "or '<none>') for ROBOT");
  command
      .add_option("--controller-timeout", arguments.controller_timeout,
                  "Remove a controller that lets the simulation wait this many seconds")
      ->type_name("S")
      ->check(finite_number(false).description(""));
  add_solving(command, arguments.solving);
  add_proto_path(command, arguments.proto_paths);
  add_servo_path(command, arguments.servo_paths);
  add_assets(command, arguments.assets);
  add_allow_missing(command, arguments.allow_missing);
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("sweep", "Run a world with many values of parameters");
  const auto arguments = std::make_shared<SweepArguments>();
  command->callback([&action, command, arguments] {
    action = [command, arguments] { return sweep(*command, *arguments); };
  });
  command->footer(kSweepHelp);
  command->add_option("WORLD", arguments->world, "A Webots world (.wbt)")->type_name("");
  const auto add_group = [&](const char* group, const auto& add_options) {
    command->option_defaults()->group(group);
    add_options(*command, *arguments);
  };
  add_group("Runs", add_runs);
  add_group("Results", add_results);
  add_group("Simulation", add_simulations);
}

}  // namespace servosim
