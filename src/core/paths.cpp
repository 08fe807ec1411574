// SPDX-License-Identifier: Apache-2.0
#include "core/paths.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "core/shortage.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

bool complete(const ControllerKit& kit) {
  std::error_code ignored;
  return fs::exists(fs::path(kit.include_folder) / "webots" / "robot.h", ignored) &&
         fs::exists(fs::path(kit.library_folder) / "libController.so", ignored);
}

ControllerKit installation(const fs::path& home) {
  return {(home / "include" / "controller" / "c").string(), (home / "lib" / "controller").string(),
          home.string()};
}

// Folder of the shared library (or program) this function is linked into.
fs::path own_folder() {
  Dl_info info{};
  std::error_code error;
  if (::dladdr(reinterpret_cast<void*>(&find_controller_kit), &info) == 0 ||
      info.dli_fname == nullptr) {
    return fs::read_symlink("/proc/self/exe", error).parent_path();
  }
  const fs::path file = fs::canonical(info.dli_fname, error);
  throw_if_short(error, fmt::format("'{}' cannot be found", info.dli_fname));
  return error ? fs::path() : file.parent_path();
}

// The build tree has such a folder too, made of links.
fs::path home_folder() {
  const char* home = std::getenv("SERVOSIM_HOME");
  return home != nullptr && *home != '\0' ? fs::absolute(home) : own_folder() / "servosim";
}

}  // namespace

ControllerKit find_controller_kit() {
  const ControllerKit kit = installation(home_folder());
  if (!complete(kit)) {
    throw std::runtime_error(
        fmt::format("libController.so and webots/robot.h are not both in '{}' and '{}'; "
                    "SERVOSIM_HOME, if set, must name the folder lib/servosim of an installation",
                    kit.library_folder, kit.include_folder));
  }
  return kit;
}

std::string default_project_folder() { return (home_folder() / "projects" / "default").string(); }

std::string helper_program_path(std::string_view name) {
  const fs::path self = own_folder();
  // A program that this library is linked into lies in bin, beside lib.
  const fs::path of_program = self / "../lib/servosim" / name;
  std::error_code ignored;
  return fs::exists(of_program, ignored) && self.filename() == "bin"
             ? of_program.string()
             : (self / "servosim" / name).string();
}

}  // namespace servosim
