// SPDX-License-Identifier: Apache-2.0
#include "run/make_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/child_process.h"
#include "run/build_hints.h"
#include "run/c_sources.h"
#include "run/command.h"
#include "run/controller_finder.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLines = 200;  // of what make says

std::string replaced(std::string text, std::string_view old, std::string_view by) {
  for (std::size_t at = text.find(old); at != text.npos; at = text.find(old, at + by.size())) {
    text.replace(at, old.size(), by);
  }
  return text;
}

// A variable with a list of folders, to which ours are added: for Makefiles that look for headers
// and libraries where another Webots had them. CPATH, since folders in C_INCLUDE_PATH are system
// folders: GCC looks up where their links lead, and finds no neighbours there.
std::string extended(const char* name, const std::vector<std::string>& folders) {
  const char* const old = std::getenv(name);
  const bool is_set = old != nullptr && *old != '\0';
  return fmt::format("{}={}{}{}", name, is_set ? old : "", is_set ? ":" : "",
                     fmt::join(folders, ":"));
}

// Variables on the command line win over what a Makefile sets.
CommandResult run_make(const std::string& make, const std::string& folder, const std::string& home,
                       const std::vector<std::string>& more) {
  const std::string value = replaced(home, "$", "$$");
  const std::string headers = home + "/include/controller";
  // When we are run by a make ourselves, its flags are not for this one.
  std::vector<std::string> command{"env",
                                   "-u",
                                   "MAKEFLAGS",
                                   "-u",
                                   "MFLAGS",
                                   "-u",
                                   "MAKELEVEL",
                                   "WEBOTS_MODULES_PATH=" + home,
                                   extended("CPATH", {headers + "/cpp", headers + "/c"}),
                                   extended("LIBRARY_PATH", {home + "/lib/controller"}),
                                   make,
                                   "--no-print-directory",
                                   "WEBOTS_HOME=" + value,
                                   "WEBOTS_HOME_PATH=" + replaced(value, " ", "\\ ")};
  command.insert(command.end(), more.begin(), more.end());
  return run_command(command, folder, kMaxLines);
}

// What may help somebody whose Makefile wants more than we have.
std::string remarks(const ControllerChoice& choice, const ControllerKit& kit,
                    const std::string& folder, const std::string& output) {
  std::string text;
  if (output.find(kit.home + "/") != output.npos && output.find("No such file") != output.npos) {
    text += fmt::format(
        "of a Webots installation servosim has only what is in '{}': headers, libraries and "
        "Makefile.include\n",
        kit.home);
  }
  text += build_hints(output, {folder, kit.home + "/include/controller/c",
                               kit.home + "/include/controller/cpp", "/usr/include"});
  if (!choice.program.empty()) {
    text += fmt::format("to run what is there as it is: --controller 'ROBOT={}'\n", choice.program);
  }
  return text;
}

std::vector<std::string> make_libraries(const MakePlace& place, const ControllerKit& kit,
                                        const std::string& make) {
  std::vector<std::string> warnings;
  for (const std::string& folder : place.libraries) {
    if (!find_makefile(folder)) {
      continue;
    }
    const FolderLock lock(folder);
    const CommandResult result = run_make(make, folder, kit.home, {});
    if (!result.succeeded()) {
      warnings.push_back(fmt::format("the library in '{}' is not built: make {}\n{}", folder,
                                     describe_wait_status(result.wait_status), result.output));
    }
  }
  return warnings;
}

using Stamp = std::pair<std::string, fs::file_time_type>;

Stamp stamp_of(const std::string& program) {
  std::error_code ignored;
  return {program, program.empty() ? fs::file_time_type() : fs::last_write_time(program, ignored)};
}

}  // namespace

std::string find_make() {
  const char* chosen = std::getenv("MAKE");
  if (chosen != nullptr && *chosen != '\0') {
    return find_in_path(chosen);
  }
  const std::string make = find_in_path("make");
  return make.empty() ? find_in_path("gmake") : make;
}

BuiltController make_controller(const ControllerChoice& choice, const ControllerKit& kit,
                                const std::string& make) {
  const MakePlace place = make_place(choice);
  BuiltController built;
  built.warnings = make_libraries(place, kit, make);
  if (place.mirrored) {
    built.library_folders = place.libraries;
  }
  const FolderLock lock(place.folder);
  const Stamp before = stamp_of(existing_program(place.folder, choice.name));
  std::vector<std::string> arguments{"SERVOSIM_KIND=controllers"};
  if (kit.webots_api > 0) {
    arguments.push_back(fmt::format("SERVOSIM_WEBOTS_API={}", kit.webots_api));
  }
  CommandResult result = run_make(make, place.folder, kit.home, arguments);
  Stamp after = stamp_of(existing_program(place.folder, choice.name));
  if (result.succeeded() && after.first.empty()) {
    // A program for another machine may pass for up to date.
    arguments.emplace_back("--always-make");
    result = run_make(make, place.folder, kit.home, arguments);
    after = stamp_of(existing_program(place.folder, choice.name));
  }
  if (!result.succeeded()) {
    throw BuildError(fmt::format(
        "controller '{}' in '{}' is not built: make {}\n{}{}{}", choice.name, place.folder,
        describe_wait_status(result.wait_status), result.output, fmt::join(built.warnings, ""),
        remarks(choice, kit, place.folder, result.output)));
  }
  if (after.first.empty()) {
    throw BuildError(
        fmt::format("make did well in '{0}', but there is no program '{1}' or "
                    "'build/release/{1}' for this machine",
                    place.folder, choice.name));
  }
  built.program = after.first;
  built.compiled = before != after;
  return built;
}

}  // namespace servosim
