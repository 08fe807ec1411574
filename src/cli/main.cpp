// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/printable.h"
#include "base/shortage.h"
#include "base/sockets.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/completeness.h"
#include "cli/output.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "run/signals.h"

namespace servosim {
namespace {

constexpr const char* kFooter = R"(
`servosim help COMMAND` shows the options of a command, with examples; `man servosim` is the manual.

Examples:
  servosim check worlds/arm.wbt
  servosim fetch worlds/arm.wbt
  servosim info worlds/arm.wbt
  servosim fields HingeJoint
  servosim servos STS3215
  servosim run worlds/arm.wbt --duration 5 --trace arm.csv
  servosim convert worlds/servo.wbt worlds/new.wbt
  servosim plot arm.csv
  servosim test worlds/arm.toml
  servosim run worlds/arm.wbt --controller arm=controllers/arm/arm.c
)";

// The class counts its objects, since std::terminate() does not know the exception if that has met
// a function that is `noexcept`, such as those of directory iterators.
class OutOfMemory : public std::bad_alloc {
 public:
  OutOfMemory() { ++in_flight; }
  OutOfMemory(const OutOfMemory& other) : std::bad_alloc(other) { ++in_flight; }
  OutOfMemory& operator=(const OutOfMemory&) = delete;
  ~OutOfMemory() override { --in_flight; }
  const char* what() const noexcept override { return "out of memory"; }

  static std::atomic<int> in_flight;
};

std::atomic<int> OutOfMemory::in_flight = 0;

int report_no_memory() {
  const std::string_view text = "servosim: error: out of memory\n";
  // A failure cannot be reported elsewhere.
  static_cast<void>(::write(STDERR_FILENO, text.data(), text.size()));
  return kExitFailed;
}

// Returns whether there is memory for an exception. Without `volatile` a compiler may assume that
// there is.
bool has_memory() {
  void* const volatile memory = std::malloc(1024);
  return memory != nullptr;
}

// Ends the program after an exception that nothing catches, for example in a thread, a destructor
// or a static initialiser: with a message if the system lacks resources, with a core dump if it is
// a bug. It allocates no memory before it knows which of the two is the cause.
[[noreturn]] void on_terminate() {
  const bool is_caught = std::current_exception() != nullptr;
  if (OutOfMemory::in_flight > 0 || (!is_caught && !has_memory())) {
    ::_exit(report_no_memory());
  }
  if (is_caught) {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      ::_exit(report_no_memory());
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

[[noreturn]] void throw_out_of_memory() { throw OutOfMemory(); }

// This function is called before the static initialisers of the program and its libraries, since
// they allocate memory, too. The sanitizers are not ready by then.
[[maybe_unused]] __attribute__((no_sanitize("address", "thread", "undefined"))) void
install_memory_handlers() {
  std::set_new_handler(throw_out_of_memory);
  std::set_terminate(on_terminate);
}

#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // a fuzzer needs its own handlers
__attribute__((section(".preinit_array"),
               used)) void (*const kBeforeInitialisers)() = install_memory_handlers;
#endif

// Resets what the process may have inherited from its parent.
void reset_inherited_state() {
  // Otherwise the next file that is opened would take the place of a closed standard stream.
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::dup(fd)) {
    if (fd > STDERR_FILENO) {
      ::close(fd);
      break;
    }
  }
  ::signal(SIGPIPE, SIG_IGN);  // a reader that ends must not end the run
  ::signal(SIGXFSZ, SIG_IGN);  // nor must a limit of file size; write() reports it
  ::signal(SIGCHLD, SIG_DFL);  // if ignored, the exit status of controllers would be lost
}

// Returns the command that an alternative name of the program stands for: the program replaces
// `webots` and `webots-controller`. Empty means that the first argument is the command.
std::string command_of(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  return name == "webots" ? "webots" : name == "webots-controller" ? "controller" : "";
}

// Returns the arguments in reverse order, as CLI11 needs them; `help run` becomes `run --help`.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (const std::string command = argc > 0 ? command_of(argv[0]) : ""; !command.empty()) {
    arguments.insert(arguments.begin(), command);
  }
  const std::size_t of_webots = !arguments.empty() && arguments[0] == "webots" ? 1 : 0;
  if (const auto help = arguments.begin() + of_webots; help != arguments.end() && *help == "help") {
    arguments.erase(help);
    arguments.push_back("--help");
  }
  if (arguments.size() > 1 && arguments[0] == "webots" && arguments[1] == "convert") {
    arguments.erase(arguments.begin());
    arguments.front() = kWebotsConvert;
  }
  std::transform(arguments.begin(), arguments.end(), arguments.begin(),
                 allow_missing_without_value);
  return {arguments.rbegin(), arguments.rend()};
}

bool has_command(const CLI::App& app, const std::string& name) {
  return !app.get_subcommands([&name](const CLI::App* c) { return c->get_name() == name; }).empty();
}

std::string with_help(const std::string& text, const CLI::App& command) {
  return fmt::format("{}{} '{} --help'", text, text.back() == '?' ? " See" : "; see",
                     full_name(command));
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) {
      names.push_back('-' + name);
    }
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::string unknown_option_error(const CLI::App& app, const CLI::App& command,
                                 const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  for (const CLI::App* other : app.get_subcommands({})) {
    const std::vector<std::string> names = option_names(*other);
    if (&command == &app && std::find(names.begin(), names.end(), name) != names.end()) {
      return with_help(fmt::format("{} is before the command; write it after the command: "
                                   "'servosim {} {}'",
                                   name, other->get_name(), name),
                       *other);
    }
  }
  const std::vector<std::string> names = option_names(command);
  const std::string close = did_you_mean(name, {names.begin(), names.end()});
  return with_help(
      fmt::format("there is no option '{}' for '{}'{}", printable(name), full_name(command), close),
      command);
}

// Returns the error of superfluous arguments; empty if there are none.
std::string superfluous_argument(const CLI::App& app, const CLI::App& command) {
  const std::vector<std::string> before = app.remaining();
  const std::vector<std::string> extras = before.empty() ? command.remaining() : before;
  if (extras.empty()) {
    return {};
  }
  const auto is_option = [](const std::string& text) { return text.size() > 1 && text[0] == '-'; };
  const auto option = std::find_if(extras.begin(), extras.end(), is_option);
  if (option != extras.end()) {
    return unknown_option_error(app, before.empty() ? command : app, *option);
  }
  return with_help(fmt::format("'{}' is one argument too many: {}", printable(extras.front()),
                               usage_line(command)),
                   command);
}

std::string name_of(const CLI::Option& option) {
  return option.get_positional() ? option.get_name(true, false) : option.get_name(false, false);
}

// Returns the error of an argument that is missing, given twice or contradicts another; empty if
// there is none.
std::string option_error(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = name_of(*option);
    if (option->get_required() && option->count() == 0) {
      return fmt::format("{} is missing: {}", name, usage_line(command));
    }
    for (const CLI::Option* other : option->get_excludes()) {
      if (option->count() > 0 && other->count() > 0) {
        return fmt::format("{} and {} exclude each other; remove one", name, name_of(*other));
      }
    }
    const bool takes_one = option->get_items_expected_max() == 1;
    if (takes_one && option->count() > 1 &&
        option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw) {
      return fmt::format("{} is given {} times; keep one", name, option->count());
    }
  }
  return {};
}

// Returns the error of an option at the end of the line that lacks its value.
std::string missing_value(const CLI::App& command, std::string_view message) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = name_of(*option);
    if (message.substr(0, name.size() + 1) == name + ':') {
      return fmt::format("{0} needs a value: {0} {1}", name, option->get_type_name());
    }
  }
  return std::string(message);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands({})) {
    names.push_back(subcommand->get_name());
  }
  return names;
}

// Returns the command that the words of the line choose, such as `yarp rpc`.
const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

// Returns the error of a first argument that is not a subcommand, with a suggestion.
std::string unknown_command_error(const CLI::App& app, const std::string& argument) {
  namespace fs = std::filesystem;
  std::vector<std::string> names = command_names(app);
  if (app.get_parent() != nullptr) {
    return with_help(
        fmt::format("there is no command '{} {}'{}", full_name(app), printable(argument),
                    did_you_mean(argument, {names.begin(), names.end()})),
        app);
  }
  names.emplace_back("help");
  std::string close = did_you_mean(argument, {names.begin(), names.end()});
  const std::string extension = fs::path(argument).extension().string();
  std::error_code ignored;
  if (close.empty() && (extension == ".csv" || extension == ".jsonl")) {
    close = fmt::format("; did you mean 'servosim plot {}'?", printable(argument));
  } else if (close.empty() && extension == ".svt") {
    close = fmt::format("; did you mean 'servosim view {}'?", printable(argument));
  } else if (close.empty() && (extension == ".wbt" || fs::is_regular_file(argument, ignored))) {
    close = fmt::format("; did you mean 'servosim run {}'?", printable(argument));
  } else if (close.empty() && argument.size() > 2) {
    const std::vector<std::string> options = option_names(app);
    const std::string option = "--" + argument;
    close = std::find(options.begin(), options.end(), option) != options.end()
                ? fmt::format("; did you mean '{}'?", option)
                : did_you_mean(option, {options.begin(), options.end()});
  }
  return with_help(fmt::format("there is no command '{}'{}", printable(argument), close), app);
}

// Returns the error of a command such as `yarp` if the word that must follow is missing or wrong;
// empty if there is no error.
std::string subcommand_error(const CLI::App& command) {
  const std::vector<std::string> names = command_names(command);
  if (command.get_parent() == nullptr || names.empty()) {
    return {};
  }
  const std::vector<std::string> extras = command.remaining();
  if (!extras.empty() && extras.front().substr(0, 1) != "-") {
    return unknown_command_error(command, extras.front());
  }
  return extras.empty() ? with_help(fmt::format("'{}' needs a command: {}", full_name(command),
                                                fmt::join(names, ", ")),
                                    command)
                        : std::string();
}

// Returns the error of CLI11 as a sentence that ends with what to do next.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(app);
  const std::string message = error.what();
  if (error.get_name() == "ValidationError" || error.get_name() == "ConversionError") {
    return with_help(message, command);
  }
  if (const std::string wrong = subcommand_error(command); !wrong.empty()) {
    return wrong;
  }
  if (const std::string extra = superfluous_argument(app, command); !extra.empty()) {
    return extra;
  }
  const std::string fault = option_error(command);
  return with_help(!fault.empty() ? fault : missing_value(command, message), command);
}

// Prints the requested help or version, or the error.
int print_help_or_error(const CLI::App& app, const CLI::ParseError& error) {
  Console console;
  if (error.get_name() == "CallForHelp") {
    console.write(STDOUT_FILENO, chosen_command(app).help());
  } else if (error.get_name() == "CallForVersion") {
    console.write(STDOUT_FILENO, std::string(error.what()) + '\n');
  } else {
    console.log(LogLevel::Error, usage_error(app, error));
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
  add_fetch(app, action);
  add_info(app, action);
  add_fields(app, action);
  add_servos(app, action);
  add_convert(app, action);
  add_step(app, action);
  add_bode(app, action);
  add_bus(app, action);
  add_identify(app, action);
  add_fit(app, action);
  add_tune(app, action);
  add_sweep(app, action);
  add_plot(app, action);
  add_diff(app, action);
  add_test(app, action);
  add_view(app, action);
  add_report(app, action);
  add_webots(app, action);
  add_webots_home(app, action);
  add_yarp(app, action);
  add_srvp(app, action);
  std::vector<std::string> arguments = arguments_of(argc, argv);
  if (!arguments.empty() && arguments.back() == kWebotsConvert) {
    add_webots_convert(app, action);
  }
  if (arguments.empty()) {
    Console().write(STDERR_FILENO, app.help());
    return kExitBadInput;
  }
  if (const std::string first = arguments.back();
      first.substr(0, 1) != "-" && !has_command(app, first)) {
    Console().log(LogLevel::Error, unknown_command_error(app, first));
    return kExitBadInput;
  }
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return print_help_or_error(app, error);
  }
  if (!action) {
    Console().log(LogLevel::Error, "no command is given; see 'servosim --help'");
    return kExitBadInput;
  }
  return action();
}

}  // namespace

int run_writer(const std::function<void(Console&)>& write) {
  Console console;
  int exit_code = kExitBadInput;
  try {
    write(console);
    exit_code = console.output_lost() ? kExitFailed : kExitOk;
  } catch (const Interrupted& interruption) {
    return interruption.exit_code();
  } catch (const InputError& error) {
    console.log(LogLevel::Error, error.what());
  } catch (const std::invalid_argument& error) {
    console.log(LogLevel::Error, error.what());
  } catch (const std::runtime_error& error) {
    console.log(LogLevel::Error, error.what());
    exit_code = kExitFailed;
  }
  const int signal_number = interrupting_signal();
  return signal_number != 0 ? 128 + signal_number : exit_code;
}

int run_server(const ServerPlace& place,
               const std::function<OpenServer(net::EventLoop& loop, const net::Address& address,
                                              Console& console)>& open) {
  Console console;
  const auto address = net::find_address(place.host, place.port);
  if (!address) {
    console.log(LogLevel::Error,
                fmt::format("{} '{}' is not an IPv4 address", place.option, printable(place.host)));
    return kExitBadInput;
  }
  SignalWatch signals;
  net::EventLoop loop;
  const net::DescriptorWatch wake(loop, signals.descriptor(), EPOLLIN,
                                  [&loop](std::uint32_t) { loop.stop(); });
  try {
    const OpenServer server = open(loop, *address, console);
    console.print(fmt::format("{} at {}\n", place.name, to_string(server.address)));
    console.warn(net::exposure_warning(place.clients, server.address, place.option));
    loop.run();
  } catch (const std::system_error& error) {
    rethrow_if_short(error);
    console.log(LogLevel::Error,
                fmt::format("{}. If another {} uses the port, choose a different one "
                            "with --port",
                            error.what(), place.kind));
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace servosim

int main(int argc, char** argv) {
  try {
    servosim::reset_inherited_state();
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // as above
    servosim::end_at_signals();
#endif
    return servosim::program(argc, argv);
  } catch (const std::bad_alloc&) {
    return servosim::report_no_memory();
  } catch (const std::exception& error) {
    servosim::Console().log(servosim::LogLevel::Error, error.what());
  }
  return servosim::kExitFailed;
}
