// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <new>

#include "base/shortage.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "run/console.h"
#include "servosim/simulation.h"
#include "sim/simulation_core.h"

namespace servosim {
namespace {

constexpr const char* kCheckHelp = R"(
Prints `file:line:column: severity: message` for each fault, then a count. The exit
code is 2 when a world cannot be simulated, 1 when the output cannot be written, otherwise 0.

Examples:
  servosim check worlds/*.wbt
  servosim check --strict --proto-path protos worlds/arm.wbt
)";

constexpr int kMaxOverlaps = 500;  // overlapping shapes; with more, a step may take minutes

struct CheckArguments {
  std::vector<std::string> worlds;
  std::vector<std::string> proto_paths;
  std::vector<std::string> assets;
  bool strict = false;  // warnings count as errors
};

std::vector<Diagnostic> diagnose(const std::string& world, const CheckArguments& arguments) {
  LoadOptions options;
  options.proto_paths = arguments.proto_paths;
  options.assets = arguments.assets;
  options.notice = [](std::string_view) {};
  try {
    const Simulation simulation(world, options);
    std::vector<Diagnostic> list = simulation.diagnostics();
    if (const OverlappingShapes overlaps = core_of(simulation).overlapping_shapes();
        overlaps.count > kMaxOverlaps) {
      const Vec3 at = simulation.solid(overlaps.solid).pose().translation;
      list.push_back(
          {world, 0, 0, Severity::Warning,
           fmt::format("{} shapes overlap each other at the start, around Solid \"{}\" at {:.3g} "
                       "{:.3g} {:.3g}; a step takes memory by the square of their number, and time "
                       "by its cube",
                       overlaps.count, simulation.solid(overlaps.solid).name(), at.x, at.y, at.z)});
    }
    return list;
  } catch (const LoadError& error) {
    return error.list();
  } catch (const std::exception& error) {
    rethrow_if_short(error);
    return {{world, 0, 0, Severity::Error, error.what()}};
  }
}

int check(const CheckArguments& arguments) {
  Console console;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  for (const std::string& world : arguments.worlds) {
    for (const Diagnostic& diagnostic : diagnose(world, arguments)) {
      console.write(STDOUT_FILENO, diagnostic);
      ++(diagnostic.severity == Severity::Error ? errors : warnings);
    }
  }
  console.print(fmt::format("{}: {}, {}\n", counted(arguments.worlds.size(), "world"),
                            counted(errors, "error"), counted(warnings, "warning")));
  if (errors > 0 || (arguments.strict && warnings > 0)) {
    return kExitBadInput;
  }
  return console.output_lost() ? kExitFailed : kExitOk;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Check world files: report errors and warnings");
  const auto arguments = std::make_shared<CheckArguments>();
  command->callback([&action, arguments] { action = [arguments] { return check(*arguments); }; });
  command->footer(kCheckHelp);
  command->add_option("WORLD", arguments->worlds, "World files (.wbt)")->required();
  command->add_flag("--strict", arguments->strict, "Warnings count as errors");
  add_proto_path(*command, arguments->proto_paths);
  add_assets(*command, arguments->assets);
}

}  // namespace servosim
