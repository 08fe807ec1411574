// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <exception>

#include "cli/commands.h"
#include "servosim/simulation.h"

namespace servosim {
namespace {

std::vector<Diagnostic> diagnose(const std::string& world, const CheckArguments& arguments) {
  LoadOptions options;
  options.proto_paths = arguments.proto_paths;
  options.notice = [](std::string_view) {};
  try {
    return Simulation(world, options).diagnostics();
  } catch (const LoadError& error) {
    return error.list();
  } catch (const std::exception& error) {
    return {{world, 0, 0, Severity::Error, error.what()}};
  }
}

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

int check(const CheckArguments& arguments) {
  Console console;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  for (const std::string& world : arguments.worlds) {
    for (const Diagnostic& diagnostic : diagnose(world, arguments)) {
      console.write(STDOUT_FILENO, to_string(diagnostic) + '\n');
      ++(diagnostic.severity == Severity::Error ? errors : warnings);
    }
  }
  console.write(STDOUT_FILENO,
                fmt::format("{}: {}, {}\n", counted(arguments.worlds.size(), "world"),
                            counted(errors, "error"), counted(warnings, "warning")));
  if (errors > 0 || (arguments.strict && warnings > 0)) {
    return kExitBadInput;
  }
  return console.output_lost() ? kExitFailed : kExitOk;
}

}  // namespace servosim
