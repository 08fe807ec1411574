// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/controller.h"
#include "cli/help.h"
#include "core/printable.h"
#include "core/shortage.h"
#include "host/console.h"

namespace servosim {
namespace {

constexpr const char* kFooter = R"(
`servosim help COMMAND` shows the options of one, with examples. `man servosim` has it all.

Examples:
  servosim check worlds/arm.wbt
  servosim info worlds/arm.wbt
  servosim fields HingeJoint
  servosim run worlds/arm.wbt --duration 5 --trace arm.csv
  servosim convert worlds/servo.wbt worlds/new.wbt
  servosim plot arm.csv
  servosim run worlds/arm.wbt --controller arm=controllers/arm/arm.c
)";

class OutOfMemory : public std::bad_alloc {
 public:
  const char* what() const noexcept override { return "there is not enough memory"; }
};

int say_no_memory() {
  const std::string_view text = "servosim: error: there is not enough memory\n";
  static_cast<void>(::write(STDERR_FILENO, text.data(), text.size()));  // nothing else can be done
  return kExitFailed;
}

// Ends the program after exceptions that no caller catches, those of threads and destructors: with
// a message if the system is short of something, else, for a bug, with a core.
[[noreturn]] void on_terminate() {
  if (const std::exception_ptr current = std::current_exception()) {
    try {
      std::rethrow_exception(current);
    } catch (const std::bad_alloc&) {
      ::_exit(say_no_memory());
    } catch (const std::system_error& error) {
      if (is_shortage(error.code())) {
        print_to_stderr("servosim: error", error.what());
        ::_exit(kExitFailed);
      }
    } catch (...) {
    }
  }
  std::abort();
}

[[maybe_unused]] void give_memory_a_message() {
  std::set_new_handler([] { throw OutOfMemory(); });
  std::set_terminate(on_terminate);
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
  ::signal(SIGXFSZ, SIG_IGN);  // nor a limit on the size of files: write() says so
  ::signal(SIGCHLD, SIG_DFL);  // ignored, it would hide how controllers end
}

// In the reversed order CLI11 wants: `help run` as `run --help`.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  return {arguments.rbegin(), arguments.rend()};
}

bool has_command(const CLI::App& app, const std::string& name) {
  return !app.get_subcommands([&name](const CLI::App* c) { return c->get_name() == name; }).empty();
}

// Prints what was asked for instead of an action, or what is wrong.
int answer(const CLI::App& app, const CLI::ParseError& error) {
  Console console;
  const auto chosen = app.get_subcommands();
  if (error.get_name() == "CallForHelp") {
    console.write(STDOUT_FILENO, (chosen.empty() ? &app : chosen.front())->help());
  } else if (error.get_name() == "CallForVersion") {
    console.write(STDOUT_FILENO, std::string(error.what()) + '\n');
  } else {
    console.log(LogLevel::Error, complaint(app, error));
    return kExitBadInput;
  }
  return console.output_lost() ? kExitFailed : kExitOk;
}

int program(int argc, char** argv) {
  CLI::App app("Runs Webots worlds and their controllers headless, at the joint level.",
               "servosim");
  app.footer(kFooter);
  app.formatter(help_page());
  app.set_help_flag("-h,--help", "Show this and end");
  app.set_version_flag("--version", "servosim " SERVOSIM_VERSION " (ODE " SERVOSIM_ODE_VERSION ")",
                       "Show the version and end");
  app.require_subcommand(0, 1);
  Action action;
  add_run(app, action);
  add_controller(app, action);
  add_check(app, action);
  add_info(app, action);
  add_fields(app, action);
  add_convert(app, action);
  add_plot(app, action);
  add_yarp(app, action);
  add_srvp(app, action);
  std::vector<std::string> arguments = arguments_of(argc, argv);
  if (arguments.empty()) {
    Console().write(STDERR_FILENO, app.help());
    return kExitBadInput;
  }
  if (const std::string first = arguments.back();
      first.substr(0, 1) != "-" && !has_command(app, first)) {
    Console().log(LogLevel::Error, no_such_subcommand(app, first));
    return kExitBadInput;
  }
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return answer(app, error);
  }
  if (!action) {
    Console().log(LogLevel::Error, "no command is given; see 'servosim --help'");
    return kExitBadInput;
  }
  return action();
}

}  // namespace
}  // namespace servosim

int main(int argc, char** argv) {
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // a fuzzer stores what ends by its own handlers
  servosim::give_memory_a_message();
#endif
  try {
    servosim::repair_process();
    return servosim::program(argc, argv);
  } catch (const std::bad_alloc&) {
    return servosim::say_no_memory();
  } catch (const std::exception& error) {
    servosim::Console().log(servosim::LogLevel::Error, error.what());
  }
  return servosim::kExitFailed;
}
