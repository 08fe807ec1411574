// SPDX-License-Identifier: Apache-2.0
// Accepts the command line of Webots, for scripts that use it: its options become those of `run`.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/performance_log.h"
#include "cli/run_arguments.h"
#include "run/console.h"

namespace servosim {
namespace {

constexpr const char* kWebotsHelp = R"(
What scripts that call Webots find as `webots` in the folder of WEBOTS_HOME, or where
`servosim webots-home --link DIR` puts it: Webots' options, with the simulation of `servosim run`.
There is no window, so what is about it has no effect, and the output of controllers is always
shown. The run lasts until a supervisor quits or a signal ends it; in real time without --mode or
--minimize. Extern controllers connect by TCP too, at any address of this computer. A robot whose
extern controller has disconnected waits for another one. Of a file servosim.toml in the project
the options of `run` count, such as `proto_path`.

Exit codes: the status that a supervisor quits with, as in Webots, also where a controller has
failed or the world is incomplete, which the last line on standard error says then; with
SERVOSIM_STRICT=1 in the environment those of `servosim run`. 1 the simulation failed, or its
supervisor did before its first step; 2 the world or an option is wrong; 129, 130 or 143 after
SIGHUP, SIGINT or SIGTERM.

`webots convert [-t URDF|WBO] [-o FILE] [-p NAME=VALUE]... FILE.proto` writes a robot as URDF, or a
PROTO as the nodes that it consists of.

Examples:
  servosim webots --batch --mode=fast --no-rendering --minimize --stdout --stderr worlds/arm.wbt
  servosim webots --mode=fast --port=2000 --extern-urls worlds/arm.wbt
)";

struct WebotsArguments {
  std::string world;
  std::string mode;  // one of kModes, or empty
  std::optional<std::int64_t> port;
  bool extern_urls = false;
  bool minimize = false;
  bool has_no_effect = false;
  bool version = false;
  bool sysinfo = false;
  std::string stream;
  std::string heartbeat;  // [ms], or empty
  std::string performance_log;
  std::vector<std::string> servo_paths;
};

// Webots had `run` and `stop` before R2018.
const std::vector<std::string> kModes{"pause", "realtime", "fast", "run", "stop"};

/// Prints a dot once per period during its lifetime.
class Heartbeat {
 public:
  explicit Heartbeat(std::chrono::milliseconds period)
      : thread_([this, period] { beat(period); }) {}
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    end_.notify_all();
    thread_.join();
  }

 private:
  void beat(std::chrono::milliseconds period) {
    Console console;
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, period, [this] { return over_; })) {
      console.write(STDOUT_FILENO, ".");
    }
  }

  std::mutex mutex_;
  std::condition_variable end_;
  bool over_ = false;
  std::thread thread_;  // declared last, since it uses the others
};

std::vector<std::string> run_line(const WebotsArguments& arguments) {
  const std::string& mode = arguments.mode;
  std::vector<std::string> line{"run", kAsWebotsOption, kNoBusesOption, "--quiet",
                                "--extern-tcp=0.0.0.0"};
  if (mode == "fast" || mode == "run" || (mode.empty() && arguments.minimize)) {
    line.emplace_back("--mode=fast");
  } else if (mode == "realtime") {
    line.emplace_back("--mode=realtime");
  } else if (mode == "pause" || mode == "stop") {
    line.emplace_back(kPausedOption);
  }
  if (arguments.port) {
    line.push_back(fmt::format("--port={}", *arguments.port));
  }
  if (arguments.extern_urls) {
    line.emplace_back("--extern-urls");
  }
  if (!arguments.performance_log.empty()) {
    line.push_back(fmt::format("{}={}", kPerformanceLogOption, arguments.performance_log));
  }
  for (const std::string& folder : arguments.servo_paths) {
    line.push_back("--servo-path=" + folder);
  }
  line.emplace_back("--");
  line.push_back(arguments.world);
  return line;
}

int run_as_webots(const WebotsArguments& arguments) {
  CLI::App app;
  Action action;
  add_run(app, action);
  std::vector<std::string> line = run_line(arguments);
  app.parse(std::vector<std::string>{line.rbegin(), line.rend()});
  return action();
}

int webots(const WebotsArguments& arguments) {
  Console console;
  if (arguments.version) {
    console.write(STDOUT_FILENO, "Webots version: R2025a (servosim " SERVOSIM_VERSION ")\n");
    return console.output_lost() ? kExitFailed : kExitOk;
  }
  if (arguments.sysinfo && arguments.performance_log.empty()) {
    console.write(STDOUT_FILENO, system_info());
    return console.output_lost() ? kExitFailed : kExitOk;
  }
  if (arguments.world.empty()) {
    console.log(LogLevel::Error, "no world is given: webots [OPTION]... WORLD");
    return kExitBadInput;
  }
  if (!arguments.stream.empty()) {
    console.warn(
        "--stream: there is no streaming server; `servosim run --view WORLD` shows a run in a "
        "browser");
  }
  if (arguments.mode == "pause" || arguments.mode == "stop") {
    console.warn(
        fmt::format("--mode={}: no step is taken, and nothing ends the pause; "
                    "--mode=realtime and --mode=fast simulate",
                    arguments.mode));
  }
  std::optional<Heartbeat> heartbeat;
  if (!arguments.heartbeat.empty()) {
    heartbeat.emplace(std::chrono::milliseconds(*parse_number<int>(arguments.heartbeat)));
  }
  return run_as_webots(arguments);
}

}  // namespace

void add_webots(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("webots", "Take the place of Webots' command line");
  const auto arguments = std::make_shared<WebotsArguments>();
  command->callback([&action, arguments] { action = [arguments] { return webots(*arguments); }; });
  command->footer(kWebotsHelp);
  command->add_option("WORLD", arguments->world, "World file (.wbt)");
  add_choice(*command, "--mode", arguments->mode, kModes, "Of the clock (realtime)");
  command
      ->add_option("--port", arguments->port,
                   "Of TCP, for extern controllers: the first to try of eleven (1234)")
      ->type_name("N")
      ->check(port_number());
  command->add_flag("--extern-urls", arguments->extern_urls,
                    "Print what to set WEBOTS_CONTROLLER_URL to, for each extern controller, and "
                    "when one connects or disconnects");
  command->add_flag("--minimize", arguments->minimize,
                    "As fast as possible, unless --mode is given");
  command
      ->add_flag("--heartbeat{1000}", arguments->heartbeat,
                 "Print a dot each second, or each N ms with --heartbeat=N")
      ->check(number_between(1, 1'000'000'000, "period [ms]"));
  command
      ->add_option("--log-performance", arguments->performance_log,
                   "Write how fast the simulation was, all of it or its first STEPS steps")
      ->type_name("FILE[,STEPS]");
  add_servo_path(*command, arguments->servo_paths);
  command->add_flag("--version", arguments->version, "Print the version and end");
  command->add_flag("--sysinfo", arguments->sysinfo, "Print what machine this is, and end");
  command->option_defaults()->group("Without effect");
  command->add_flag("--stream{w3d}", arguments->stream, "There is no streaming server");
  for (const auto& [name, about] :
       {std::pair{"--batch", "There are no pop-up windows"},
        {"--stdout", "The output of controllers is always shown"},
        {"--stderr", "The same for standard error"},
        {"--no-rendering", "Nothing is rendered"},
        {"--fullscreen", "There is no window"},
        {"--no-sandbox", "The same"},
        {"--clear-cache", "What `servosim fetch` has downloaded stays"}}) {
    command->add_flag(name, arguments->has_no_effect, about);
  }
}

}  // namespace servosim
