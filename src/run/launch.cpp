// SPDX-License-Identifier: Apache-2.0
#include "run/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/files.h"
#include "run/build_hints.h"
#include "run/command.h"
#include "run/controller_finder.h"
#include "run/runtime_ini.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

Words parts_of_path(const std::string& path) {
  std::istringstream stream(path);
  Words parts;
  for (std::string part; std::getline(stream, part, ':');) {
    parts.push_back(part);
  }
  return parts;
}

/// Variables that are set for a controller, over those of our own environment.
class Environment {
 public:
  void set(const std::string& name, std::string value) { values_[name] = std::move(value); }
  std::string get(const std::string& name) const {
    if (const auto found = values_.find(name); found != values_.end()) {
      return found->second;
    }
    const char* value = std::getenv(name.c_str());
    return value != nullptr ? value : "";
  }
  /// Puts folders before what a variable such as PATH holds.
  void put_before(const std::string& name, Words folders) {
    if (const std::string old = get(name); !old.empty()) {
      folders.push_back(old);
    }
    set(name, fmt::format("{}", fmt::join(folders, ":")));
  }
  /// `text` with the values of all $(NAME).
  std::string expanded(std::string_view text) const {
    std::string result;
    while (!text.empty()) {
      const std::size_t begin = text.find("$(");
      const std::size_t end = begin == text.npos ? text.npos : text.find(')', begin);
      result += text.substr(0, end == text.npos ? text.npos : begin);
      if (end == text.npos) {
        break;
      }
      result += get(std::string(text.substr(begin + 2, end - begin - 2)));
      text.remove_prefix(end + 1);
    }
    return result;
  }
  std::vector<std::pair<std::string, std::string>> list() const {
    return {values_.begin(), values_.end()};
  }

 private:
  std::map<std::string, std::string> values_;
};

std::string absolute_paths(const std::string& paths, const std::string& folder) {
  Words parts = parts_of_path(paths);
  for (std::string& part : parts) {
    part = part.empty() ? part : (fs::path(folder) / part).lexically_normal().string();
  }
  return fmt::format("{}", fmt::join(parts, ":"));
}

// What links a program with its simulator is ours alone.
bool may_be_set(const std::string& name) {
  return name.rfind("SERVOSIM_", 0) != 0 && name != "WEBOTS_CONTROLLER_URL" &&
         name != "WEBOTS_HOME" && name != "WEBOTS_INSTANCE_PATH";
}

void apply(const RuntimeIni& ini, const std::string& folder, Environment& environment) {
  for (const RuntimeIni::Variable& variable : ini.variables) {
    if (may_be_set(variable.name)) {
      const std::string value = environment.expanded(variable.value);
      environment.set(variable.name, variable.holds_paths ? absolute_paths(value, folder) : value);
    }
  }
}

void add_libraries(Words& folders, const std::string& project) {
  if (project.empty()) {
    return;
  }
  Words found;
  std::error_code error;
  for (fs::directory_iterator it(fs::path(project) / "libraries", error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      found.push_back(it->path().string());
    }
  }
  std::sort(found.begin(), found.end());
  folders.insert(folders.end(), found.begin(), found.end());
}

// Ours first: a project may carry a libController of another simulator.
Words library_folders(const ControllerChoice& choice, const BuiltController& built,
                      const ControllerSite& site, const ControllerKit& kit,
                      const Environment& environment) {
  Words folders{kit.library_folder};
  for (const std::string& asked : parts_of_path(environment.get("WEBOTS_LIBRARY_PATH"))) {
    folders.push_back(asked);
  }
  folders.push_back(choice.folder);
  folders.insert(folders.end(), built.library_folders.begin(), built.library_folders.end());
  add_libraries(folders, site.project);
  if (site.proto_project != site.project) {
    add_libraries(folders, site.proto_project);
  }
  folders.erase(std::remove(folders.begin(), folders.end(), ""), folders.end());
  return folders;
}

// The command of the first line `#!…`, without env(1), which only looks in PATH, as we do.
Words command_of_first_line(const std::string& script) {
  std::string line = beginning_of(script, 256);
  line = line.substr(0, line.find('\n'));
  if (line.rfind("#!", 0) != 0) {
    return {};
  }
  Words words = words_of(line.substr(2));
  if (!words.empty() && fs::path(words[0]).filename() == "env") {
    words.erase(words.begin());
    if (!words.empty() && words[0] == "-S") {
      words.erase(words.begin());
    }
  }
  return words;
}

// A script of Python 2 fails with a message that only those understand who remember it. What looks
// like one is compiled, since it may also stand in a text.
void warn_of_python2(const std::string& script, const std::string& python, Words& warnings) {
  constexpr const char* kCompile =
      "import sys; compile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec')";
  const bool is_python = fs::path(python).filename().string().rfind("python", 0) == 0;
  const std::string where = is_python ? python2_in(read_file_or_nothing(script)) : std::string();
  if (!where.empty() && !run_command({python, "-c", kCompile, script}, "/", 0).succeeded()) {
    warnings.push_back(fmt::format(
        "'{}' is written in Python 2 ({}); Python 3 does not run it: 2to3, or print(...), helps",
        script, where));
  }
}

// The interpreter and its first arguments: of runtime.ini, the script's first line, or python3.
Words python_command(const std::string& script, const RuntimeIni& ini, Words& warnings) {
  const Words asked =
      ini.python_command.empty() ? command_of_first_line(script) : words_of(ini.python_command);
  const std::string python3 = find_in_path("python3");
  Words command = asked.empty() ? Words{"python3"} : asked;
  if (std::string found = find_in_path(command[0]); !found.empty()) {
    command[0] = std::move(found);
  } else if (!asked.empty() && !python3.empty()) {
    warnings.push_back(
        fmt::format("'{}' asks for '{}', which is not there; python3 runs it", script, asked[0]));
    command = {python3};
  } else {
    throw std::runtime_error(fmt::format(
        "there is no {} to run '{}'; on Debian: apt-get install python3", command[0], script));
  }
  warn_of_python2(script, command[0], warnings);
  const Words options = words_of(ini.python_options);
  command.insert(command.end(), options.begin(), options.end());
  const std::string name = fs::path(script).filename().string();
  command.push_back(name[0] == '-' ? "./" + name : name);
  return command;
}

RuntimeIni read_runtime_ini(const std::string& folder, Words& warnings) {
  const std::string file = (fs::path(folder) / "runtime.ini").string();
  RuntimeIni ini = parse_runtime_ini(read_file_or_nothing(file));
  for (const std::string& complaint : ini.complaints) {
    warnings.push_back(fmt::format("'{}', {}; left out", file, complaint));
  }
  return ini;
}

}  // namespace

Launch make_launch(const ControllerChoice& choice, const BuiltController& built,
                   const ControllerSite& site, const ControllerKit& kit) {
  Launch launch;
  LaunchSpec& spec = launch.spec;
  const RuntimeIni ini = read_runtime_ini(choice.folder, launch.warnings);
  Environment environment;
  environment.set("WEBOTS_HOME", kit.home);
  environment.set("WEBOTS_HOME_PATH", kit.home);     // its names in Webots 7 and 8
  environment.set("WEBOTS_MODULES_PATH", kit.home);  // where its parts stand
  apply(ini, choice.folder, environment);
  environment.put_before("LD_LIBRARY_PATH", library_folders(choice, built, site, kit, environment));
  environment.put_before("PYTHONPATH", {(fs::path(kit.library_folder) / "python").string()});
  environment.set("PYTHONIOENCODING", "UTF-8");
  environment.set("PYTHONUNBUFFERED", "1");  // each line shows as soon as it is whole
  if (!site.robot.empty()) {
    environment.set("WEBOTS_ROBOT_NAME", site.robot);
  }
  environment.set("WEBOTS_CONTROLLER_NAME", choice.name);
  if (!site.project.empty()) {
    environment.set("WEBOTS_PROJECT", site.project);
  }
  spec.folder = choice.folder;
  spec.program = built.program;
  if (choice.kind == ControllerChoice::Kind::Python) {
    const Words command = python_command(built.program, ini, launch.warnings);
    spec.program = command[0];
    spec.arguments.assign(command.begin() + 1, command.end());
  }
  spec.arguments.insert(spec.arguments.end(), site.arguments.begin(), site.arguments.end());
  spec.environment = environment.list();
  return launch;
}

}  // namespace servosim
