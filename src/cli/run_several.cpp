// SPDX-License-Identifier: Apache-2.0
#include "cli/run_several.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/child_process.h"
#include "base/event_loop.h"
#include "base/files.h"
#include "base/shortage.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/project_file.h"
#include "robots/robot_file.h"
#include "run/output_pump.h"
#include "run/process.h"
#include "run/run.h"
#include "run/signals.h"
#include "scene/scene_builder.h"
#include "sim/trace/trace_writer.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kTaskVariable = "SERVOSIM_WORLD_TASK";  // NUMBER/CORES/JOBS
constexpr std::size_t kReadAtOnce = 65536;

// Returns the arguments of this process from argv[1] on.
std::vector<std::string> own_arguments() {
  const std::string all =
      read_beginning("/proc/self/cmdline", std::numeric_limits<std::size_t>::max());
  std::vector<std::string> arguments;
  for (std::size_t begin = all.find('\0') + 1; begin != 0 && begin < all.size();) {
    const std::size_t end = std::min(all.find('\0', begin), all.size());
    arguments.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return arguments;
}

LaunchSpec launch_of(const PlannedRun& run, std::size_t number, std::size_t cores,
                     std::size_t jobs) {
  return {fs::read_symlink("/proc/self/exe"),
          own_arguments(),
          fs::current_path(),
          {{kTaskVariable, fmt::format("{}/{}/{}", number, cores, jobs)},
           {"SERVOSIM_INDEX", fmt::format("{}", run.copy)}}};
}

void check_output(const OutputTarget& output, const std::vector<PlannedRun>& runs) {
  std::map<std::string, std::string> labels;  // label of the run for each output file
  for (const PlannedRun& run : runs) {
    const std::string file = output.file_of(run);
    if (file == output.path) {
      throw InputError(
          fmt::format("several worlds cannot share the {0} '{1}'; name a folder: {2} '{1}/'",
                      output.kind.name, file, output.option));
    }
    const auto [other, is_new] = labels.emplace(file, run.label());
    if (!is_new) {
      throw InputError(
          fmt::format("'{}' and '{}' would both write '{}'", other->second, run.label(), file));
    }
  }
}

// The result is empty for a world that cannot be read; its own run reports that.
std::set<std::string> robots_of(const std::string& world, const SeveralWorlds& several) {
  std::set<std::string> names;
  try {
    Diagnostics ignored;
    wbt::ReadOptions options;
    const ProjectFile project = ProjectFile::of_world(world);
    options.proto_paths = project.values_unless(several.proto_paths, "proto_path");
    options.assets = project.values_unless(several.assets, "assets");
    const wbt::WorldFile file = robots::read_world(world, options, {}, ignored);
    for (const RobotSpec& robot : build_scene(file, ignored).robots) {
      names.insert(robot.name);
    }
  } catch (const std::exception& error) {
    rethrow_if_short(error);
  }
  return names;
}

// A robot that no world has is a typing error. It must be found before the runs.
void check_robots(const SeveralWorlds& several) {
  std::set<std::string> missing(several.robots.begin(), several.robots.end());
  std::set<std::string> known;
  for (auto run = several.runs.begin(); !missing.empty() && run != several.runs.end(); ++run) {
    if (run->copy > 0) {
      continue;
    }
    for (const std::string& robot : robots_of(run->world, several)) {
      missing.erase(robot);
      known.insert(robot);
    }
  }
  if (!missing.empty()) {
    throw InputError(
        no_such_robot(*missing.begin(), "the worlds have", {known.begin(), known.end()}));
  }
}

/// The process that simulates one world.
class WorldRun {
 public:
  WorldRun(const SeveralWorlds& several, std::size_t number, std::size_t cores, std::size_t jobs,
           Console& console, net::EventLoop& loop)
      : process_(launch_of(several.runs[number], number, cores, jobs)),
        link_(process_.take_link()),
        pump_(console) {
    const std::string prefix = fmt::format("[{}] ", several.runs[number].label());
    pump_.add(process_.take_output(), STDOUT_FILENO, prefix);
    pump_.add(process_.take_errors(), STDERR_FILENO, prefix);  // the runs apply --quiet themselves
    pump_.start();
    watch_.emplace(loop, link_.get(), EPOLLIN, [this](std::uint32_t) { receive(); });
  }

  /// Returns whether the process may still report. Afterwards it ends at once.
  bool is_linked() const { return watch_.has_value(); }
  void signal(int number) { process_.signal(number); }
  const std::string& report() const { return report_; }

  /// Returns its wait status, once it has ended and all its output is forwarded.
  std::optional<int> ended() {
    const std::optional<int> status = is_linked() ? std::nullopt : process_.wait_status();
    if (status) {
      pump_.finish();
    }
    return status;
  }

 private:
  void receive() {
    std::array<char, kReadAtOnce> buffer;
    const ssize_t n = ::recv(link_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n > 0) {
      report_.append(buffer.data(), static_cast<std::size_t>(n));
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
      watch_.reset();
      link_.reset();
    }
  }

  ControllerProcess process_;
  Descriptor link_;
  std::optional<net::DescriptorWatch> watch_;  // destroyed before link_
  OutputPump pump_;
  std::string report_;
};

class SeveralRuns {
 public:
  SeveralRuns(const SeveralWorlds& several, Console& console)
      : several_(several),
        console_(console),
        jobs_(std::min(several.jobs != 0 ? several.jobs : usable_cores(), several.runs.size())),
        cores_(std::max<std::size_t>(1, usable_cores() / jobs_)),
        show_progress_(!several.quiet && ::isatty(STDERR_FILENO) != 0),
        runs_(several.runs.size()),
        lines_(several.runs.size()) {}

  int execute() {
    while (printed_ < lines_.size()) {
      start_some();
      if (running_ > 0) {
        wait();
      }
      forward_signal();
      for (std::size_t i = 0; i < started_; ++i) {
        check_end(i);
      }
      print_lines();
    }
    console_.clear_progress();
    if (several_.json) {
      print_documents();
    }
    return exit_code();
  }

 private:
  void start_some() {
    for (; started_ < runs_.size() && running_ < jobs_; ++started_) {
      if (interrupting_signal() != 0) {
        lines_[started_] = "not run";
        continue;
      }
      try {
        runs_[started_] =
            std::make_unique<WorldRun>(several_, started_, cores_, jobs_, console_, loop_);
        ++running_;
      } catch (const std::system_error& error) {  // no process, pipe or thread is available
        fail(started_, fmt::format("failed to start: {}; try fewer --jobs", error.what()));
      }
    }
  }

  // Waits for an event: a report, the end of a run, or a signal that is not forwarded yet.
  void wait() {
    const bool any_ends = std::any_of(runs_.begin(), runs_.end(), [](const auto& run) {
      return run != nullptr && !run->is_linked();
    });
    loop_.run_once(any_ends ? net::Clock::now() + 1ms : net::Clock::time_point::max());
  }

  void forward_signal() {
    if (const int number = interrupting_signal(); number != forwarded_) {
      forwarded_ = number;
      signals_.reset();  // the descriptor stays readable, so it must not be watched
      for (const auto& run : runs_) {
        if (run) {
          run->signal(number);
        }
      }
    }
  }

  void check_end(std::size_t i) {
    if (!runs_[i]) {
      return;
    }
    if (const auto status = runs_[i]->ended()) {
      conclude(i, *status, runs_[i]->report());
      runs_[i].reset();
      --running_;
    }
  }

  void conclude(std::size_t i, int wait_status, const std::string& report) {
    const bool reported = !report.empty();
    const std::string text = reported ? report.substr(1) : "";
    if (several_.json && reported && Outcome(report[0]) != Outcome::BadInput) {
      documents_[i] = nlohmann::ordered_json::parse(text, nullptr, false);
    }
    if (wait_status == 0 && reported && Outcome(report[0]) == Outcome::Ok) {
      lines_[i] = text;
      return;
    }
    if (reported && Outcome(report[0]) == Outcome::Incomplete && WIFEXITED(wait_status)) {
      lines_[i] = text;
      incomplete_ = true;
      return;
    }
    if (forwarded_ != 0) {
      lines_[i] = "interrupted";
      return;
    }
    const std::string how = WIFSIGNALED(wait_status)
                                ? describe_wait_status(wait_status)
                                : fmt::format("exit {}", WEXITSTATUS(wait_status));
    fail(i, fmt::format("failed ({}){}{}", how, text.empty() ? "" : ": ", text));
    bad_input_ = bad_input_ || (reported && Outcome(report[0]) == Outcome::BadInput);
  }

  void fail(std::size_t i, std::string line) {
    lines_[i] = std::move(line);
    failed_ = true;
  }

  // Prints the lines of the runs that are done, up to the first run that is not.
  void print_lines() {
    for (; printed_ < lines_.size() && !lines_[printed_].empty(); ++printed_) {
      if (several_.json) {
        continue;
      }
      console_.print(fmt::format("{}: {}\n", several_.runs[printed_].label(), lines_[printed_]));
    }
    if (show_progress_) {
      console_.progress(
          fmt::format("{} of {} runs done", started_ - running_, several_.runs.size()));
    }
  }

  // A run that ended without a document gets one with its world and what is known of its end.
  void print_documents() {
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      if (documents_[i].is_null() || documents_[i].is_discarded()) {
        documents_[i] = {{"world", several_.runs[i].world}, {"error", lines_[i]}};
        if (several_.runs[i].is_repeated) {
          documents_[i]["copy"] = several_.runs[i].copy;
        }
      }
    }
    console_.write(STDOUT_FILENO, json_text(runs_json(documents_)));
  }

  int exit_code() {
    if (const int number = interrupting_signal(); number != 0) {
      return 128 + number;
    }
    if (bad_input_) {
      return kExitBadInput;
    }
    return failed_ || console_.output_lost() ? kExitFailed
           : incomplete_                     ? kExitIncomplete
                                             : kExitOk;
  }

  SignalWatch interruption_;
  net::EventLoop loop_;
  std::optional<net::DescriptorWatch> signals_{std::in_place, loop_, interruption_.descriptor(),
                                               EPOLLIN, [](std::uint32_t) {}};
  const SeveralWorlds& several_;
  Console& console_;
  std::size_t jobs_;
  std::size_t cores_;
  bool show_progress_;
  std::vector<std::unique_ptr<WorldRun>> runs_;  // null before it starts and after it ended
  std::vector<std::string> lines_;               // empty until known
  std::vector<nlohmann::ordered_json> documents_ =
      std::vector<nlohmann::ordered_json>(lines_.size());  // null until known
  std::size_t started_ = 0;
  std::size_t running_ = 0;
  std::size_t printed_ = 0;
  int forwarded_ = 0;  // number of the signal
  bool failed_ = false;
  bool bad_input_ = false;
  bool incomplete_ = false;
};

}  // namespace

std::string PlannedRun::label() const {
  return is_repeated ? fmt::format("{}#{}", world, copy) : world;
}

std::vector<PlannedRun> expand(const std::vector<std::string>& worlds, std::size_t copies) {
  std::vector<PlannedRun> runs;
  std::vector<std::string> files;
  std::map<std::string, std::size_t> count;  // number of runs by file
  for (const std::string& world : worlds) {
    std::error_code error;
    const std::string file = fs::weakly_canonical(world, error).string();
    for (std::size_t i = 0; i < copies; ++i) {
      files.push_back(error ? world : file);
      runs.push_back({world, count[files.back()]++, false});
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].is_repeated = count[files[i]] > 1;
  }
  return runs;
}

std::optional<WorldTask> take_world_task() {
  const char* task = std::getenv(kTaskVariable);
  const char* link = std::getenv("SERVOSIM_CONTROLLER_FD");
  WorldTask taken;
  if (task == nullptr || link == nullptr ||
      std::sscanf(task, "%zu/%zu/%zu", &taken.number, &taken.cores, &taken.jobs) != 3) {
    return std::nullopt;
  }
  taken.link = Descriptor(std::atoi(link));
  // If it fails, report() fails too.
  static_cast<void>(::fcntl(taken.link.get(), F_SETFD, FD_CLOEXEC));
  ::unsetenv(kTaskVariable);
  return taken;
}

void report(const WorldTask& task, Outcome outcome, std::string_view text) {
  const std::string message =
      fmt::format("{}{}", static_cast<char>(outcome), text.substr(0, text.find('\n')));
  for (std::string_view rest = message; !rest.empty();) {
    const ssize_t sent = ::send(task.link.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) {
      return;  // the parent has ended
    }
    rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
}

nlohmann::ordered_json runs_json(const nlohmann::ordered_json& runs) {
  return {{"schema", "servosim-run-1"},
          {"servosim", SERVOSIM_VERSION},
          {"ode", SERVOSIM_ODE_VERSION},
          {"runs", runs}};
}

void print_failure(const std::vector<PlannedRun>& runs, std::string_view error, Console& console) {
  auto list = nlohmann::ordered_json::array();
  for (const PlannedRun& run : runs) {
    list.push_back({{"world", run.world}, {"error", std::string(error)}});
    if (run.is_repeated) {
      list.back()["copy"] = run.copy;
    }
  }
  console.write(STDOUT_FILENO, json_text(runs_json(list)));
}

static std::string checked(const std::string& path, const GrowingFileKind& kind) {
  try {
    check_growing_file(path, kind);
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
  return path;
}

std::string OutputTarget::file_of(const PlannedRun& run) const {
  std::error_code ignored;
  if (!path.empty() && (path.back() == '/' || fs::is_directory(path, ignored))) {
    const std::string ending = format.empty() ? std::string(kind.endings.front()) : '.' + format;
    const std::string stem = fs::path(run.world).stem().string();
    return checked(
        fs::path(path) / (run.is_repeated ? fmt::format("{}-{}{}", stem, run.copy, ending)
                                          : fmt::format("{}{}", stem, ending)),
        kind);
  }
  if (!format.empty() && path.ends_with(".jsonl") != (format == "jsonl")) {
    throw InputError(
        fmt::format("the extension of the trace '{}' contradicts --trace-format {}", path, format));
  }
  return path.empty() ? path : checked(path, kind);
}

void OutputTarget::make_folder() const {
  std::error_code error;
  if (path.ends_with('/') && (fs::create_directories(path, error), error)) {
    throw_if_short(error, fmt::format("cannot create the folder '{}'", path));
    throw InputError(fmt::format("cannot create the folder '{}': {}", path, error.message()));
  }
}

int run_several(const SeveralWorlds& several, Console& console) {
  check_robots(several);
  for (const OutputTarget& output : several.outputs) {
    check_output(output, several.runs);
    output.make_folder();
  }
  return SeveralRuns(several, console).execute();
}

}  // namespace servosim
