// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#include "cli/commands.h"
#include "run/controller_builder.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWebotsHomeHelp = R"HELP(
That folder has the shape of a Webots installation, for WEBOTS_HOME: libraries, headers and
Makefiles of controllers, and the programs `webots` and `webots-controller`, which take the place of
Webots' own. With --link a folder of PATH gets links to these two; links of an earlier call are
renewed, and nothing else is replaced.

Exit codes: 0 done; 1 a link cannot be made; 2 something else has that name, or an argument is
wrong.

Examples:
  export WEBOTS_HOME="$(servosim webots-home)"
  servosim webots-home --link ~/.local/bin
)HELP";

constexpr const char* kPrograms[] = {"webots", "webots-controller"};

// Returns whether a link may be created there: nothing exists there, or a link of this or another
// installation of servosim.
bool is_free(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  return !fs::exists(status) ||
         (fs::is_symlink(status) &&
          fs::read_symlink(path, error).parent_path().filename() == "servosim");
}

void link_programs(const fs::path& home, const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    throw InputError(fmt::format("'{}' is not a folder", folder.string()));
  }
  for (const char* const name : kPrograms) {
    if (const fs::path path = folder / name; !is_free(path)) {
      throw InputError(fmt::format(
          "'{}' is there already, and not a link of `servosim webots-home`; remove it first",
          path.string()));
    }
  }
  for (const char* const name : kPrograms) {
    const fs::path path = folder / name;
    fs::remove(path);
    fs::create_symlink(home / name, path);
  }
}

}  // namespace

void add_webots_home(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("webots-home", "Print the folder for WEBOTS_HOME, or link its programs");
  const auto folder = std::make_shared<std::string>();
  command->callback([&action, folder] {
    action = [folder] {
      return run_writer([&](Console& console) {
        const fs::path home = find_controller_kit().home;
        if (folder->empty()) {
          console.print(home.string() + '\n');
        } else {
          link_programs(home, *folder);
        }
      });
    };
  });
  command->footer(kWebotsHomeHelp);
  command->add_option("--link", *folder, "Put links to `webots` and `webots-controller` into DIR")
      ->type_name("DIR");
}

}  // namespace servosim
