// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "base/shortage.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/run_arguments.h"
#include "controller_api/protocol/extern_entry.h"
#include "run/console.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kControllerHelp = R"(
The simulation is one of `servosim run` whose world has a Robot with the controller "<extern>", or
that has the option --controller 'ROBOT=<extern>'. It may start before or after this command. FILE
is a program, a C, C++ or Python file, or a controller folder; sources are compiled first. The words
after FILE are its own arguments. It replaces this process, so that its exit status is that of this
command.

Examples:
  servosim controller controllers/arm
  servosim controller --robot-name arm controllers/arm/arm.c
  servosim controller --protocol tcp --ip-address 192.168.0.7 --robot-name arm arm.py fast
)";

struct ControllerArguments {
  std::string file;
  std::vector<std::string> controller_arguments;
  std::string robot;
  std::string protocol = "ipc";
  std::string address = "127.0.0.1";
  std::int64_t port = kDefaultExternPort;
  bool has_no_effect = false;
  std::string matlab;
};

std::string url_of(const ControllerArguments& arguments) {
  const std::string place = arguments.protocol == "tcp"
                                ? fmt::format("tcp://{}:{}", arguments.address, arguments.port)
                                : fmt::format("ipc://{}", arguments.port);
  return place + (arguments.robot.empty() ? "" : '/' + percent_encoded(arguments.robot));
}

// Returns the folder that contains controllers/ if the controller is in such a folder, else an
// empty text.
std::string project_of(const ControllerChoice& choice) {
  const fs::path parent = fs::path(choice.folder).parent_path();
  return parent.filename() == "controllers" ? parent.parent_path().string() : std::string();
}

BuiltController built(const ControllerChoice& choice, const ControllerKit& kit, Console& console) {
  if (choice.kind != ControllerChoice::Kind::Sources) {
    return BuiltController{choice.program};
  }
  BuiltController made = build_controller(choice, kit);
  for (const std::string& warning : made.warnings) {
    console.log(LogLevel::Warning, warning);
  }
  if (made.compiled) {
    console.log(LogLevel::Info, fmt::format("compiled '{}'", made.program));
  }
  return made;
}

// Replaces this process by the program.
[[noreturn]] void execute(LaunchSpec spec) {
  std::vector<char*> argv{spec.program.data()};
  for (std::string& argument : spec.arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  for (const auto& [name, value] : spec.environment) {
    if (::setenv(name.c_str(), value.c_str(), 1) != 0) {
      throw std::runtime_error(fmt::format("cannot set {}: {}", name, std::strerror(errno)));
    }
  }
  if (::chdir(spec.folder.c_str()) == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGXFSZ, SIG_DFL);
    static_cast<void>(::execv(spec.program.c_str(), argv.data()));  // returns only if it fails
  }
  throw std::runtime_error(
      fmt::format("cannot start '{}': {}", spec.program, std::strerror(errno)));
}

int controller(const ControllerArguments& arguments) {
  Console console;
  try {
    const ControllerChoice choice = choose_controller(arguments.file);
    if (choice.kind == ControllerChoice::Kind::Nothing ||
        choice.kind == ControllerChoice::Kind::Extern) {
      throw std::invalid_argument(fmt::format("'{}' is not a program", arguments.file));
    }
    const ControllerKit kit = find_controller_kit();
    Launch launch =
        make_launch(choice, built(choice, kit, console),
                    {arguments.robot, project_of(choice), {}, arguments.controller_arguments}, kit);
    for (const std::string& warning : launch.warnings) {
      console.log(LogLevel::Warning, warning);
    }
    for (const std::string& note : launch.notes) {
      console.log(LogLevel::Info, note);
    }
    launch.spec.environment.emplace_back("WEBOTS_CONTROLLER_URL", url_of(arguments));
    for (const char* name : {kLinkVariable, kLinkInodeVariable, kFallbackSocketVariable}) {
      ::unsetenv(name);
    }
    execute(std::move(launch.spec));
  } catch (const std::exception& error) {
    rethrow_if_short(error);
    console.log(LogLevel::Error, error.what());
  }
  return kExitBadInput;
}

}  // namespace

void add_controller(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("controller", "Start a controller for a robot of a running simulation");
  const auto arguments = std::make_shared<ControllerArguments>();
  command->callback([&action, arguments, command] {
    arguments->controller_arguments = command->remaining();
    action = [arguments] { return controller(*arguments); };
  });
  command->footer(kControllerHelp);
  command->prefix_command();  // the words after FILE are for the controller
  command->add_option("FILE", arguments->file, "Program, source file (.c, .cpp, .py) or folder")
      ->required();
  command->add_option("--robot-name", arguments->robot, "Required if several robots wait")
      ->type_name("ROBOT");
  add_choice(*command, "--protocol", arguments->protocol, {"ipc", "tcp"},
             "On this machine (ipc, as it is without), or by TCP");
  command
      ->add_option("--ip-address", arguments->address,
                   "Of the machine that simulates, with tcp; without it this one")
      ->type_name("HOST");
  command->option_defaults()->group("Of webots-controller, without effect");
  command->add_flag("--stdout-redirect", arguments->has_no_effect,
                    "Its output stays in this terminal");
  command->add_flag("--stderr-redirect", arguments->has_no_effect, "The same");
  command->add_option("--matlab-path", arguments->matlab, "There are no MATLAB controllers")
      ->type_name("DIR");
  command->option_defaults()->group("Options");
  command->add_option("--port", arguments->port, "That `servosim run` has printed; without it 1234")
      ->type_name("N")
      ->check(port_number());
}

}  // namespace servosim
