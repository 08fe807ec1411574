// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>

#include "cli/commands.h"

namespace servosim {
namespace {

constexpr const char* kExamples = R"(
Examples:
  servosim check worlds/arm.wbt
  servosim run worlds/arm.wbt --duration 5 --trace arm.csv
  servosim run worlds/arm.wbt --controller arm=my_controller.c
)";

constexpr const char* kCheckHelp = R"(
Prints `file:line:column: severity: message` for everything that is wrong, then a count. The exit
code is 2 when a world cannot be simulated, 1 when the output cannot be written, otherwise 0.

Examples:
  servosim check worlds/*.wbt
  servosim check --strict --proto-path ~/protos arm.wbt
)";

constexpr const char* kRunHelp = R"(
Each robot's controller runs as a process of its own; one that consists of C sources is compiled
first. Without --duration and --steps the run lasts until all controllers have ended or, when there
are none, for 10 simulated seconds.

Exit codes: 0 done; 1 a controller failed, the simulation diverged or the output cannot be written;
2 the input or an argument is wrong, or a controller does not compile (nothing is simulated then);
the status a supervisor quits with; 130 or 143 after SIGINT or SIGTERM.

Examples:
  servosim run worlds/arm.wbt
  servosim run worlds/arm.wbt --duration 5 --trace arm.csv
  servosim run worlds/two.wbt --steps 1000 --controller left=wave.c --controller right='<none>'
)";

CLI::Validator finite_number(bool zero_allowed) {
  const auto test = [zero_allowed](const std::string& text) -> std::string {
    double value = 0.0;
    const bool fine = CLI::detail::lexical_cast(text, value) && std::isfinite(value) &&
                      (zero_allowed ? value >= 0.0 : value > 0.0);
    return fine ? std::string()
                : "'" + text + "' is not a finite number " + (zero_allowed ? ">= 0" : "> 0");
  };
  return CLI::Validator(test, zero_allowed ? "NUMBER >= 0" : "NUMBER > 0");
}

CLI::Validator whole_number() {
  const auto test = [](const std::string& text) -> std::string {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    const bool fits = text.size() < 19;  // below 2^63
    return digits && fits ? std::string() : "'" + text + "' is not a whole number 0 ... 10^18";
  };
  return CLI::Validator(test, "WHOLE NUMBER");
}

void add_check(CLI::App& app, CheckArguments& arguments) {
  CLI::App* command = app.add_subcommand("check", "Say what is wrong with world files");
  command->footer(kCheckHelp);
  command->add_option("worlds", arguments.worlds, "World files (.wbt)")
      ->required()
      ->type_name("WORLD");
  command->add_flag("--strict", arguments.strict, "Warnings count as errors");
  command->add_option("--proto-path", arguments.proto_paths, "Folder with PROTO files; repeatable")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_run(CLI::App& app, RunArguments& arguments, CLI::Option*& log_level) {
  CLI::App* command = app.add_subcommand("run", "Simulate a world with its controllers");
  command->footer(kRunHelp);
  command->add_option("world", arguments.world, "World file (.wbt)")
      ->required()
      ->type_name("WORLD");
  CLI::Option* duration = command->add_option("--duration", arguments.duration, "Simulated seconds")
                              ->type_name("S")
                              ->check(finite_number(true).description(""));
  command->add_option("--steps", arguments.steps, "Basic steps, instead of a duration")
      ->type_name("N")
      ->check(whole_number().description(""))
      ->excludes(duration);
  command
      ->add_option("--controller", arguments.controllers,
                   "Run PROGRAM (an executable, a .c file or a controller folder) for ROBOT; "
                   "repeatable")
      ->type_name("ROBOT=PROGRAM")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--trace", arguments.trace,
                   "Write what every joint and propeller does at each step")
      ->type_name("FILE.csv");
  command->add_option("--proto-path", arguments.proto_paths, "Folder with PROTO files; repeatable")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--seed", arguments.seed, "Instead of WorldInfo.randomSeed")
      ->type_name("N")
      ->check(whole_number().description(""));
  command
      ->add_option("--controller-timeout", arguments.controller_timeout,
                   "Remove a controller that lets the simulation wait this many seconds")
      ->type_name("S")
      ->check(finite_number(false).description(""));
  command
      ->add_option("--compat", arguments.compat,
                   "Do as Webots' engine also where it gains energy (gyroscopic torque)")
      ->type_name("webots")
      ->check(CLI::IsMember({"webots"}).description(""));
  command->add_flag("--quiet", arguments.quiet,
                    "Print the state hash only; warn, but tell no more");
  static const std::map<std::string, LogLevel> kLevels{{"error", LogLevel::Error},
                                                       {"warning", LogLevel::Warning},
                                                       {"info", LogLevel::Info},
                                                       {"debug", LogLevel::Debug}};
  log_level = command->add_option("--log-level", arguments.log_level, "What to tell on stderr")
                  ->type_name("error|warning|info|debug")
                  ->transform(CLI::CheckedTransformer(kLevels).description(""));
}

// What a program may have inherited, and would fail on in odd ways.
void repair_process() {
  // A closed standard stream would be given to the next file opened.
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::dup(fd)) {
    if (fd > STDERR_FILENO) {
      ::close(fd);
      break;
    }
  }
  ::signal(SIGPIPE, SIG_IGN);  // a reader that leaves must not end the run
  ::signal(SIGCHLD, SIG_DFL);  // ignored, it would hide how controllers end
}

int program(int argc, char** argv) {
  CLI::App app("Runs Webots worlds and their controllers headless, at the joint level.",
               "servosim");
  app.footer(kExamples);
  app.set_version_flag("--version", "servosim " SERVOSIM_VERSION " (ODE " SERVOSIM_ODE_VERSION ")");
  app.require_subcommand(1);
  CheckArguments check_arguments;
  RunArguments run_arguments;
  CLI::Option* log_level = nullptr;
  add_check(app, check_arguments);
  add_run(app, run_arguments, log_level);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitBadInput;
  }
  if (app.got_subcommand("check")) {
    return check(check_arguments);
  }
  if (run_arguments.quiet && log_level->count() == 0) {
    run_arguments.log_level = LogLevel::Warning;
  }
  return run(run_arguments);
}

}  // namespace
}  // namespace servosim

int main(int argc, char** argv) {
  try {
    servosim::repair_process();
    return servosim::program(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "servosim: error: %s\n", error.what());
  }
  return servosim::kExitFailed;
}
