// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/info_json.h"
#include "cli/info_text.h"
#include "cli/output.h"

namespace servosim {
namespace {

constexpr const char* kInfoHelp = R"(
Loads the world without running it, so masses and limits are those a run uses. Of each robot it
prints the devices by tag, the joint tree and the bodies: Solids that move as one are one body. What
is wrong with the world goes to standard error. The JSON document is described in
docs/reference/info-json.md.

Exit codes: 0 done; 1 the output cannot be written; 2 the world cannot be simulated (with --json the
document then holds the diagnostics only).

Examples:
  servosim info worlds/arm.wbt
  servosim info --json worlds/arm.wbt | jq '.joints[] | {name, min_stop, max_stop}'
  servosim info --json worlds/arm.wbt | jq '.robots[] | {name, mass}'
)";

struct InfoArguments {
  std::string world;
  std::vector<std::string> proto_paths;
  bool json = false;
};

int info(const InfoArguments& arguments) {
  Console console;
  LoadOptions options;
  options.proto_paths = arguments.proto_paths;
  options.notice = [&console](std::string_view text) { console.log(LogLevel::Warning, text); };
  std::optional<Simulation> simulation;
  std::vector<Diagnostic> diagnostics;
  try {
    simulation.emplace(arguments.world, options);
    diagnostics = simulation->diagnostics();
  } catch (const LoadError& error) {
    diagnostics = error.list();
  }
  print_diagnostics(diagnostics, console);
  std::optional<WorldView> view;
  if (simulation) {
    view.emplace(*simulation);
  }
  if (arguments.json) {
    console.write(STDOUT_FILENO,
                  json_text(info_json(view ? &*view : nullptr, arguments.world, diagnostics)));
  } else if (view) {
    console.print(info_text(*view, arguments.world));
  }
  if (!view) {
    return kExitBadInput;
  }
  return console.output_lost() ? kExitFailed : kExitOk;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("info", "Show the robots, devices, joints and masses of a world");
  const auto arguments = std::make_shared<InfoArguments>();
  command->callback([&action, arguments] { action = [arguments] { return info(*arguments); }; });
  command->footer(kInfoHelp);
  command->add_option("WORLD", arguments->world, "World file (.wbt)")->required();
  command->add_flag("--json", arguments->json, "One JSON document instead of tables");
  add_proto_path(*command, arguments->proto_paths);
}

}  // namespace servosim
