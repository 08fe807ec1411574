// SPDX-License-Identifier: Apache-2.0
#include "core/paths.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace servosim {
namespace {

namespace fs = std::filesystem;

bool complete(const ControllerKit& kit) {
  std::error_code ignored;
  return fs::exists(fs::path(kit.include_folder) / "webots" / "robot.h", ignored) &&
         fs::exists(fs::path(kit.library_folder) / "libController.so", ignored);
}

ControllerKit installation(const fs::path& home) {
  return {(home / "include" / "controller" / "c").string(), (home / "lib" / "controller").string()};
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
  return error ? fs::path() : file.parent_path();
}

std::vector<ControllerKit> candidates() {
  if (const char* home = std::getenv("SERVOSIM_HOME"); home != nullptr && *home != '\0') {
    return {installation(fs::absolute(home))};
  }
  const fs::path self = own_folder();
  return {installation(self / "servosim"),
          {SERVOSIM_SOURCE_INCLUDE_DIR, (self / "controller").string()}};
}

}  // namespace

ControllerKit find_controller_kit() {
  std::string looked;
  for (const ControllerKit& kit : candidates()) {
    if (complete(kit)) {
      return kit;
    }
    looked += fmt::format("{}'{}' and '{}'", looked.empty() ? "" : "; ", kit.library_folder,
                          kit.include_folder);
  }
  throw std::runtime_error("libController.so and webots/robot.h are not both in " + looked);
}

std::string mesh_reader_path() {
  const fs::path self = own_folder();
  // A program that this library is linked into lies in bin, beside lib.
  const fs::path of_program = self / "../lib/servosim/mesh_reader";
  std::error_code ignored;
  return fs::exists(of_program, ignored) && self.filename() == "bin"
             ? of_program.string()
             : (self / "servosim/mesh_reader").string();
}

}  // namespace servosim
