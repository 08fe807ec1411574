// SPDX-License-Identifier: Apache-2.0
#include "host/controller_finder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/suggest.h"
#include "host/c_sources.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using Kind = ControllerChoice::Kind;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::array<char, 20> first_bytes(const fs::path& file) {
  std::array<char, 20> bytes{};
  std::ifstream(file, std::ios::binary).read(bytes.data(), bytes.size());
  return bytes;
}

// An ELF program for this machine (told by our own header), or a script with an interpreter.
bool is_program(const fs::path& path) {
  if (!is_file(path) || ::access(path.c_str(), X_OK) != 0) {
    return false;
  }
  const auto bytes = first_bytes(path);
  if (bytes[0] == '#' && bytes[1] == '!') {
    return true;
  }
  static const auto own = first_bytes("/proc/self/exe");
  constexpr std::size_t kIdentity = 6;  // magic, class, byte order
  constexpr std::size_t kMachine = 18;
  return std::equal(bytes.begin(), bytes.begin() + kIdentity, own.begin()) &&
         std::equal(bytes.begin() + kMachine, bytes.end(), own.begin() + kMachine);
}

struct FolderContents {
  bool c = false;
  bool cpp = false;
  bool java = false;
  bool python = false;
  bool matlab = false;
};

FolderContents look_into(const fs::path& folder) {
  FolderContents found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!is_file(it->path())) {
      continue;
    }
    const std::string suffix = it->path().extension().string();
    found.c |= suffix == ".c";
    found.cpp |= suffix == ".cpp" || suffix == ".cc" || suffix == ".cxx" || suffix == ".c++";
    found.java |= suffix == ".java" || suffix == ".class" || suffix == ".jar";
    found.python |= suffix == ".py";
    found.matlab |= suffix == ".m";
  }
  return found;
}

// C files that only help a controller in another language, such as an extension module.
bool only_helps(const fs::path& folder, const std::string& name) {
  constexpr std::array kSuffixes{".class", ".jar", ".java", ".py", ".m", ".bsg"};
  return std::any_of(kSuffixes.begin(), kSuffixes.end(),
                     [&](const char* suffix) { return is_file(folder / (name + suffix)); }) &&
         !has_main(folder.string());
}

// Why nothing in `folder` can be run, as a clause.
std::string why_not(const fs::path& folder, const std::string& name, const FolderContents& found) {
  const auto unsupported = [&](const char* kind) {
    return fmt::format("{} controllers are not supported yet ('{}')", kind, folder.string());
  };
  if (is_file(folder / "Dockerfile")) return unsupported("Docker");
  if (found.cpp) return unsupported("C++");
  if (found.java) return unsupported("Java");
  if (found.python) return unsupported("Python");
  if (found.matlab) return unsupported("MATLAB");
  if (is_file(folder / (name + ".bsg"))) return unsupported("BotStudio");
  if (find_makefile(folder.string())) {
    return fmt::format("'{}' has a Makefile but no C sources, and Makefiles are not run yet",
                       folder.string());
  }
  if (is_file(folder / name)) {
    return fmt::format("'{}' is not an executable program for this machine",
                       (folder / name).string());
  }
  return fmt::format("'{}' holds neither a program '{}' nor C sources", folder.string(), name);
}

std::string existing_program(const fs::path& folder, const std::string& name) {
  for (const fs::path& path : {folder / name, folder / "build" / "release" / name}) {
    if (is_program(path)) {
      return path.string();
    }
  }
  return {};
}

// The choice within a controller folder; a warning without the robot's name if there is none.
ControllerChoice choose_in(const fs::path& folder, const std::string& name) {
  const FolderContents found = look_into(folder);
  ControllerChoice choice{
      Kind::Nothing, name, folder.string(), existing_program(folder, name), {}, {}};
  if (found.c && !found.cpp && !only_helps(folder, name)) {
    choice.kind = Kind::Sources;
  } else if (!choice.program.empty()) {
    choice.kind = Kind::Program;
  } else {
    choice.warning = why_not(folder, name, found);
  }
  return choice;
}

bool means_nothing(std::string_view controller) {
  return controller.empty() || controller == "void" || controller == "<generic>" ||
         controller == "<none>";
}

bool is_plain_name(const std::string& name) {
  return name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

std::vector<fs::path> search_folders(const ControllerQuery& query) {
  std::vector<fs::path> folders;
  const auto add = [&](std::string_view project) {
    if (project.empty()) {
      return;
    }
    fs::path folder = fs::absolute(project) / "controllers" / query.controller;
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(std::move(folder));
    }
  };
  add(query.project);
  add(query.proto_project);
  const char* extra = std::getenv("WEBOTS_EXTRA_PROJECT_PATH");
  std::string_view rest = extra != nullptr ? extra : "";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    add(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return folders;
}

ControllerChoice choose(const ControllerQuery& query) {
  const auto refuse = [&](std::string why) {
    return ControllerChoice{Kind::Nothing, query.controller, {}, {}, {}, std::move(why)};
  };
  if (means_nothing(query.controller)) {
    return refuse({});
  }
  if (query.controller == "<extern>") {
    return refuse("controllers started by hand (\"<extern>\") are not supported yet");
  }
  if (!is_plain_name(query.controller)) {
    return refuse(fmt::format("controller '{}' must be a plain folder name", query.controller));
  }
  const std::vector<fs::path> folders = search_folders(query);
  const auto folder = std::find_if(folders.begin(), folders.end(), is_folder);
  if (folder == folders.end()) {
    std::vector<std::string> looked;
    for (const fs::path& path : folders) {
      looked.push_back(fmt::format("'{}'", path.string()));
    }
    std::string close;
    for (const fs::path& path : folders) {
      close = close.empty() ? did_you_mean_file(path.string()) : close;
    }
    return refuse(fmt::format("controller '{}' not found (looked for {}){}", query.controller,
                              fmt::join(looked, ", "), close));
  }
  return choose_in(*folder, query.controller);
}

}  // namespace

ControllerChoice find_controller(const ControllerQuery& query) {
  ControllerChoice choice = choose(query);
  if (!choice.warning.empty()) {
    choice.warning = fmt::format("robot '{}': {}{} robot stays passive", query.robot,
                                 choice.warning, choice.warning.back() == '?' ? " The" : "; the");
  }
  return choice;
}

ControllerChoice choose_controller(const std::string& program) {
  if (means_nothing(program)) {
    return {Kind::Nothing, program, {}, {}, {}, {}};
  }
  fs::path path = fs::absolute(program).lexically_normal();
  if (is_folder(path)) {
    path = path.has_filename() ? path : path.parent_path();  // without the last slash
    ControllerChoice choice = choose_in(path, path.filename().string());
    if (choice.kind == Kind::Nothing) {
      throw std::invalid_argument(choice.warning);
    }
    return choice;
  }
  if (is_file(path) && path.extension() == ".c") {
    const std::string name = path.stem().string();
    return {Kind::Sources,
            name,
            path.parent_path().string(),
            existing_program(path.parent_path(), name),
            path.filename().string(),
            {}};
  }
  if (!is_program(path)) {
    std::error_code ignored;
    throw std::invalid_argument(
        fmt::format("'{}' is {}{}", path.string(),
                    fs::exists(path, ignored)
                        ? "no executable program for this machine, C source file or folder"
                        : "not there",
                    did_you_mean_file(path.string())));
  }
  return {
      Kind::Program, path.filename().string(), path.parent_path().string(), path.string(), {}, {}};
}

}  // namespace servosim
