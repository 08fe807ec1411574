// SPDX-License-Identifier: Apache-2.0
#include "run/controller_finder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "run/c_sources.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

std::array<char, 20> first_bytes(const fs::path& file) {
  std::array<char, 20> bytes{};
  const std::string text = read_beginning(file.string(), bytes.size());
  std::copy(text.begin(), text.end(), bytes.begin());
  return bytes;
}

bool is_executable_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

bool runs_here(const fs::path& file) {
  if (!is_executable_file(file)) {
    return false;
  }
  const auto bytes = first_bytes(file);
  if (bytes[0] == '#' && bytes[1] == '!') {
    return true;
  }
  static const auto own =
      first_bytes("/proc/self/exe");    // the header of servosim itself identifies this machine
  constexpr std::size_t kIdentity = 6;  // magic, class, byte order
  constexpr std::size_t kMachine = 18;
  return std::equal(bytes.begin(), bytes.begin() + kIdentity, own.begin()) &&
         std::equal(bytes.begin() + kMachine, bytes.end(), own.begin() + kMachine);
}

bool is_any_program(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    return false;
  }
  const auto bytes = first_bytes(file);
  const std::string_view magic(bytes.data(), 4);
  return magic == "\x7f\x45LF" || magic == "\xcf\xfa\xed\xfe" || magic == "\xca\xfe\xba\xbe" ||
         magic == "\xce\xfa\xed\xfe" || magic.substr(0, 2) == "MZ";
}

std::string find_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return is_executable_file(name) ? fs::absolute(name).string() : std::string();
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty() && !name.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path file = fs::path(rest.substr(0, colon)) / name;
    if (is_executable_file(file)) {
      return fs::absolute(file).string();
    }
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return {};
}

namespace {

using ChoiceKind = ControllerChoice::Kind;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Returns whether `folder` has something to compile: C or C++ files, or a Makefile that lists them.
bool has_native_sources(const fs::path& folder) {
  return find_makefile(folder.string()) || !native_files(folder.string()).empty();
}

// Returns whether C and C++ files only help a controller in another language, such as those of an
// extension module.
bool only_helps(const fs::path& folder, const std::string& name) {
  constexpr std::array kOtherLanguages{".class", ".jar", ".java", ".py", ".m", ".bsg"};
  return std::any_of(kOtherLanguages.begin(), kOtherLanguages.end(),
                     [&](const char* suffix) { return is_file(folder / (name + suffix)); }) &&
         !has_main(folder.string());
}

bool holds_any(const fs::path& folder, std::initializer_list<std::string_view> suffixes) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string suffix = it->path().extension().string();
    if (is_file(it->path()) &&
        std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end()) {
      return true;
    }
  }
  return false;
}

std::string webots_home() {
  try {
    return find_controller_kit().home;
  } catch (const std::runtime_error&) {
    return "PREFIX/lib/servosim";
  }
}

// Returns why nothing in `folder` can be run, as a clause.
std::string why_not(const fs::path& folder, const std::string& name) {
  const auto unsupported = [&](const char* kind) {
    return fmt::format("{} controllers are not supported ('{}')", kind, folder.string());
  };
  if (is_file(folder / "Dockerfile")) return unsupported("Docker");
  if (holds_any(folder, {".java", ".class", ".jar"})) return unsupported("Java");
  if (holds_any(folder, {".m"})) return unsupported("MATLAB");
  if (is_file(folder / (name + ".bsg"))) return unsupported("BotStudio");
  if (is_file(folder / "CMakeLists.txt")) {
    return fmt::format(
        "'{0}' is built by CMake, and not by us: build it there, with WEBOTS_HOME='{1}' in the "
        "environment (cmake -S . -B build && cmake --build build), and put the program at '{2}'",
        folder.string(), webots_home(), (folder / name).string());
  }
  if (is_file(folder / name)) {
    return fmt::format("'{}' is not an executable program for this machine",
                       (folder / name).string());
  }
  return fmt::format("'{0}' holds neither a program '{1}' nor '{1}.py' nor C or C++ sources",
                     folder.string(), name);
}

// Returns the choice within a controller folder. If there is none, it has a warning without the
// robot's name.
ControllerChoice choose_in(const fs::path& folder, const std::string& name) {
  ControllerChoice choice{
      ChoiceKind::Nothing, name, folder.string(), existing_program(folder.string(), name), {}, {}};
  const fs::path script = folder / (name + ".py");
  if (has_native_sources(folder) && !only_helps(folder, name)) {
    choice.kind = ChoiceKind::Sources;
  } else if (!choice.program.empty()) {
    choice.kind = ChoiceKind::Program;
  } else if (is_file(script)) {
    choice.kind = ChoiceKind::Python;
    choice.program = script.string();
  } else {
    choice.warning = why_not(folder, name);
    choice.is_built_elsewhere = is_file(folder / "CMakeLists.txt");
  }
  return choice;
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
  if (const fs::path own = default_project_folder(); is_folder(own / "controllers")) {
    add(own.string());
  }
  return folders;
}

ControllerChoice choose(const ControllerQuery& query) {
  const auto refuse = [&](std::string why) {
    return ControllerChoice{ChoiceKind::Nothing, query.controller, {}, {}, {}, std::move(why)};
  };
  if (means_no_controller(query.controller)) {
    return refuse({});
  }
  if (query.controller == "<extern>") {
    return {ChoiceKind::Extern, query.controller, {}, {}, {}, {}};
  }
  if (!is_plain_name(query.controller)) {
    return refuse(fmt::format("controller '{}' must be a plain folder name", query.controller));
  }
  const std::vector<fs::path> folders = search_folders(query);
  const auto folder = std::find_if(folders.begin(), folders.end(), is_folder);
  if (folder == folders.end()) {
    std::string close;
    for (const fs::path& path : folders) {
      close = close.empty() ? did_you_mean_file(path.string()) : close;
    }
    return refuse(fmt::format("controller '{}' not found{}", query.controller, close));
  }
  return choose_in(*folder, query.controller);
}

}  // namespace

bool means_no_controller(std::string_view controller) {
  return controller.empty() || controller == "void" || controller == "<generic>" ||
         controller == "<none>";
}

namespace {

// Returns what the user may do instead, as the end of a warning.
std::string other_ways(const ControllerChoice& choice, const std::string& robot) {
  const std::string first = choice.is_built_elsewhere    ? "or "
                            : !choice.folder.empty()     ? "write it in C, C++ or Python, or "
                            : is_plain_name(choice.name) ? fmt::format(
                                                               "put it into controllers/{} of the "
                                                               "project, or ",
                                                               choice.name)
                                                         : "";
  return fmt::format("{} {}name one by --controller '{}=PROGRAM'",
                     choice.warning.ends_with('?') ? " Else" : ";", first, robot);
}

// `text` without its subject where it begins with that.
std::string without_subject(const std::string& text, const std::string& subject) {
  return text.starts_with(subject + ' ') ? text.substr(subject.size() + 1) : text;
}

}  // namespace

ControllerChoice find_controller(const ControllerQuery& query) {
  ControllerChoice choice = choose(query);
  if (!choice.warning.empty()) {
    const std::string subject = fmt::format("controller '{}'", query.controller);
    choice.missing =
        MissingPart{Missing::Controllers, fmt::format("{} of robot '{}'", subject, query.robot),
                    without_subject(choice.warning, subject) + other_ways(choice, query.robot)};
    choice.warning = fmt::format("robot '{}': {}{} robot stays passive", query.robot,
                                 choice.warning, choice.warning.back() == '?' ? " The" : "; the");
  }
  return choice;
}

std::string existing_program(const std::string& folder, const std::string& name) {
  const fs::path beside = fs::path(folder) / name;
  const fs::path built = fs::path(folder) / "build" / "release" / name;
  std::error_code ignored;
  const bool newer = runs_here(built) &&
                     (!runs_here(beside) ||
                      fs::last_write_time(built, ignored) > fs::last_write_time(beside, ignored));
  return newer ? built.string() : runs_here(beside) ? beside.string() : std::string();
}

ControllerChoice choose_controller(const std::string& program) {
  if (means_no_controller(program)) {
    return {ChoiceKind::Nothing, program, {}, {}, {}, {}};
  }
  if (program == "<extern>") {
    return {ChoiceKind::Extern, program, {}, {}, {}, {}};
  }
  fs::path path = fs::absolute(program).lexically_normal();
  if (is_folder(path)) {
    path = path.has_filename() ? path : path.parent_path();  // removes a slash at the end
    ControllerChoice choice = choose_in(path, path.filename().string());
    if (choice.kind == ChoiceKind::Nothing) {
      throw std::invalid_argument(choice.warning);
    }
    return choice;
  }
  const std::string name = path.stem().string();
  const std::string folder = path.parent_path().string();
  if (is_file(path) && is_native_source(path)) {
    return {ChoiceKind::Sources,      name, folder, existing_program(folder, name),
            path.filename().string(), {}};
  }
  if (is_file(path) && path.extension() == ".py") {
    return {ChoiceKind::Python, name, folder, path.string(), {}, {}};
  }
  if (!runs_here(path)) {
    std::error_code ignored;
    const std::string close = did_you_mean_file(path.string());
    throw std::invalid_argument(
        fmt::format("'{}' is {}{}", path.string(),
                    fs::exists(path, ignored)
                        ? "no executable program for this machine, C, C++ or Python source file "
                          "or folder"
                    : close.empty() ? "not there; give the path of a program, a source file or "
                                      "the folder of a controller"
                                    : "not there",
                    close));
  }
  return {ChoiceKind::Program, path.filename().string(), folder, path.string(), {}, {}};
}

ControllerChoice choose_controller(const std::string& program, const ControllerQuery& robot) {
  std::error_code ignored;
  if (!is_plain_name(program) || fs::exists(program, ignored)) {
    return choose_controller(program);
  }
  ControllerChoice choice = choose({robot.robot, program, robot.project, robot.proto_project});
  if (!choice.warning.empty()) {
    throw std::invalid_argument(
        fmt::format("'{}' is not there, and {}", fs::absolute(program).string(), choice.warning));
  }
  return choice;
}

std::string controller_in(const fs::path& folder, const std::string& argument) {
  const std::size_t begin = argument.find('=') + 1;
  const std::string program = argument.substr(begin);
  if (begin == 0 || program.empty() || program[0] == '<') {
    return argument;
  }
  const auto path = fs::absolute(folder / program).lexically_normal();
  std::error_code ignored;
  const bool is_name = program.find('/') == std::string::npos && !fs::exists(path, ignored);
  return is_name ? argument : argument.substr(0, begin) + path.string();
}

}  // namespace servosim
