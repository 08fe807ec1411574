// SPDX-License-Identifier: Apache-2.0
#include "run/launch_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

#include "base/files.h"
#include "base/letter_case.h"
#include "base/report_once.h"
#include "base/shortage.h"
#include "base/text.h"
#include "run/c_sources.h"
#include "run/controller_builder.h"
#include "run/controller_finder.h"
#include "run/process.h"
#include "scene/scene.h"

namespace servosim {

namespace {

constexpr std::array<const char*, 2> kDisplays{"DISPLAY", "WAYLAND_DISPLAY"};
constexpr std::string_view kSpaces = " \t\r\f\v";

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

constexpr std::string_view kVariables = "environment variables";

// Returns whether a section applies to this system.
bool has_our_variables(std::string_view section) {
  return section == kVariables || section == "environment variables with paths" ||
         section == "environment variables for linux" ||
         section == "environment variables for linux 64";
}

bool is_known(std::string_view section) {
  return section == "java" || section == "python" || section == "matlab" ||
         section.substr(0, kVariables.size()) == kVariables;
}

void take(RuntimeIni& ini, const std::string& section, std::string_view key,
          std::string_view value) {
  if (has_our_variables(section)) {
    ini.variables.push_back(
        {std::string(key), std::string(value), section == "environment variables with paths"});
  } else if (section == "python" && lower_case(key) == "command") {
    ini.python_command = value;
  } else if (section == "python" && lower_case(key) == "options") {
    ini.python_options = value;
  }
}

}  // namespace

RuntimeIni parse_runtime_ini(std::string_view text) {
  RuntimeIni ini;
  std::string section;
  if (text.substr(0, 3) == "\xef\xbb\xbf") {
    text.remove_prefix(3);
  }
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end), kSpaces);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto complain = [&](std::string_view what) {
      ini.faults.push_back(fmt::format("line {}: {}", number, what));
    };
    const std::size_t equals = line.find('=');
    if (line.empty() || line[0] == ';' || line[0] == '#') {
      continue;
    }
    if (line.front() == '[' && line.back() == ']') {
      section = lower_case(trimmed(line.substr(1, line.size() - 2), kSpaces));
      if (!is_known(section)) {
        complain(fmt::format("there is no section '{}'", section));
      }
    } else if (equals == line.npos || equals == 0 || line.find('\0') != line.npos) {
      complain("neither [SECTION] nor KEY = VALUE");
    } else {
      take(ini, section, trimmed(line.substr(0, equals), kSpaces),
           unquoted(trimmed(line.substr(equals + 1), kSpaces)));
    }
  }
  return ini;
}

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

/// The variables that are set for a controller in addition to our own environment.
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
  /// Puts folders before those in a variable such as PATH.
  void put_before(const std::string& name, Words folders) {
    if (const std::string old = get(name); !old.empty()) {
      folders.push_back(old);
    }
    set(name, fmt::format("{}", fmt::join(folders, ":")));
  }
  /// Returns `text` with each $(NAME) replaced by its value.
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

// Only servosim may set the variables that connect a program with its simulator.
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

// Our folder is first, since a project may have a libController of another simulator.
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

// Returns the command of the first line `#!…` without env(1), which only searches PATH, as we do.
Words command_of_first_line(const std::string& script) {
  std::string line = read_beginning(script, 256);
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

// A script for Python 2 fails with an unclear syntax error. A match may also be a part of a string,
// so it is confirmed by compiling the script.
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

// Returns the interpreter and its first arguments from runtime.ini, from the script's first line,
// or python3.
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
  for (const std::string& fault : ini.faults) {
    warnings.push_back(fmt::format("'{}', {}; left out", file, fault));
  }
  return ini;
}

// The libraries by which most programs draw windows can do so without a display. A variable that
// the user has set does not change.
void draw_off_screen(Environment& environment) {
  constexpr std::pair<const char*, const char*> kOffScreen[] = {{"QT_QPA_PLATFORM", "offscreen"},
                                                                {"MPLBACKEND", "Agg"},
                                                                {"SDL_VIDEODRIVER", "dummy"},
                                                                {"SDL_VIDEO_DRIVER", "dummy"}};
  for (const auto& [name, value] : kOffScreen) {
    if (environment.get(name).empty()) {
      environment.set(name, value);
    }
  }
}

// Returns the items of a list.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin), kSpaces));
    begin = end + 1;
  }
  return parts;
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(kSpaces));
}

bool module_opens_windows(std::string_view module) {
  const std::string_view package = module.substr(0, module.find('.'));
  return module == "matplotlib.pyplot" || package == "pygame" || package == "tkinter" ||
         package == "turtle" || package.starts_with("PyQt") || package.starts_with("PySide");
}

// Handles Python's `import NAME as N, NAME` and `from NAME import NAME, NAME`.
bool import_opens_windows(std::string_view statement) {
  constexpr std::string_view kImport = "import ";
  constexpr std::string_view kFrom = "from ";
  if (statement.starts_with(kImport)) {
    const auto modules = parts_of(statement.substr(kImport.size()), ",");
    return std::any_of(modules.begin(), modules.end(), [](std::string_view module) {
      return module_opens_windows(first_word(module));
    });
  }
  if (!statement.starts_with(kFrom)) {
    return false;
  }
  const std::string_view rest = trimmed(statement.substr(kFrom.size()), kSpaces);
  const std::string_view module = first_word(rest);
  const auto names = parts_of(rest.substr(module.size()), " ,(");
  return module_opens_windows(module) ||
         (module == "matplotlib" && std::find(names.begin(), names.end(), "pyplot") != names.end());
}

bool call_opens_windows(std::string_view statement) {
  for (const std::string_view prefix : {"cv2.", "cv::", "::"}) {
    if (statement.starts_with(prefix)) {
      statement.remove_prefix(prefix.size());
    }
  }
  const std::string_view name = statement.substr(0, statement.find('('));
  return name.size() < statement.size() &&
         (trimmed(name, kSpaces) == "imshow" || trimmed(name, kSpaces) == "namedWindow");
}

// Returns whether a statement of the source, not a comment, imports or calls something that opens
// windows.
bool source_opens_windows(const std::string& text, bool is_python) {
  for (const std::string_view line : parts_of(text, "\n")) {
    for (const std::string_view statement :
         parts_of(line.substr(0, line.find(is_python ? "#" : "//")), ";{})")) {
      if (call_opens_windows(statement) || (is_python && import_opens_windows(statement))) {
        return true;
      }
    }
  }
  return false;
}

// Returns whether a source of the controller opens windows.
bool opens_windows(const ControllerChoice& choice, const BuiltController& built) {
  const bool is_python = choice.kind == ControllerChoice::Kind::Python;
  Words files;
  if (is_python) {
    files.push_back(built.program);
  } else if (choice.kind == ControllerChoice::Kind::Sources) {
    std::error_code error;
    for (fs::directory_iterator it(choice.folder, error), end; !error && it != end;
         it.increment(error)) {
      const std::string ending = it->path().extension().string();
      if (ending == ".c" || ending == ".cpp" || ending == ".cc") {
        files.push_back(it->path().string());
      }
    }
  }
  return std::any_of(files.begin(), files.end(), [is_python](const std::string& file) {
    return source_opens_windows(read_file_or_nothing(file), is_python);
  });
}

}  // namespace

bool has_display() {
  return std::any_of(kDisplays.begin(), kDisplays.end(), [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  });
}

Launch make_launch(const ControllerChoice& choice, const BuiltController& built,
                   const ControllerSite& site, const ControllerKit& kit) {
  Launch launch;
  LaunchSpec& spec = launch.spec;
  const RuntimeIni ini = read_runtime_ini(choice.folder, launch.warnings);
  Environment environment;
  environment.set("WEBOTS_HOME", kit.home);
  environment.set("WEBOTS_HOME_PATH", kit.home);     // its name in Webots 7 and 8
  environment.set("WEBOTS_MODULES_PATH", kit.home);  // the folder with its components
  if (!has_display()) {
    draw_off_screen(environment);
    if (opens_windows(choice, built)) {
      launch.notes.push_back(fmt::format(
          "'{}' opens windows, and there is no display: they are drawn nowhere", built.program));
    }
  }
  apply(ini, choice.folder, environment);
  environment.put_before("LD_LIBRARY_PATH", library_folders(choice, built, site, kit, environment));
  environment.put_before("PYTHONPATH", {(fs::path(kit.library_folder) / "python").string()});
  environment.set("PYTHONIOENCODING", "UTF-8");
  environment.set("PYTHONUNBUFFERED", "1");  // shows each line as soon as it is complete
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

std::string no_such_robot(const std::string& robot, const char* they_have,
                          const std::vector<std::string_view>& names) {
  const std::string list = fmt::format("'{}'", fmt::join(names, "', '"));
  return fmt::format("there is no robot '{}'; {} {}{}", robot, they_have,
                     names.empty() ? "none" : list, did_you_mean(robot, names));
}

const ControllerOverride* find_override(const std::vector<ControllerOverride>& overrides,
                                        const std::string& robot) {
  const auto found = std::find_if(overrides.rbegin(), overrides.rend(),
                                  [&](const ControllerOverride& o) { return o.robot == robot; });
  return found == overrides.rend() ? nullptr : &*found;
}

namespace {

// Returns the number of Webots' controller interface for a world of `version`, such as "V6.0" or
// "R2023b"; 0 for all versions since R2018a.
int old_api_of(const std::string& version) {
  return version.size() > 1 && version[0] == 'V' && version[1] >= '1' && version[1] <= '9'
             ? version[1] - '0'
             : 0;
}

class Planner {
 public:
  Planner(const Scene& scene, Console& console, std::vector<MissingPart>& missing)
      : scene_(scene), console_(console), missing_(missing) {}

  // Returns nothing for a robot that stays passive. @throws InputError
  std::optional<PlannedController> plan(const Candidate& candidate) {
    const RobotSpec& robot = scene_.robots[candidate.robot];
    const ControllerChoice choice = choose(robot, candidate.option);
    if (!choice.warning.empty()) {
      console_.log(LogLevel::Warning, choice.warning);
    }
    if (choice.missing) {
      missing_.push_back(*choice.missing);
    }
    if (choice.kind == ControllerChoice::Kind::Nothing) {
      return std::nullopt;
    }
    PlannedController planned{candidate.robot, robot.name, robot.synchronization, {}};
    planned.is_extern = choice.kind == ControllerChoice::Kind::Extern;
    if (!planned.is_extern) {
      planned.launch = launch_of(robot, choice);
    }
    return planned;
  }

 private:
  ControllerChoice choose(const RobotSpec& robot, const ControllerOverride* option) const {
    const ControllerQuery query{robot.name, robot.controller, scene_.project, robot.proto_project};
    if (option == nullptr) {
      return find_controller(query);
    }
    try {
      return choose_controller(option->program, query);
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("controller of robot '{}': {}", robot.name, error.what()));
    }
  }

  const ControllerKit& kit() {
    if (!kit_) {
      try {
        kit_ = find_controller_kit();
        kit_->webots_api = old_api_of(scene_.version);
      } catch (const std::runtime_error& error) {
        rethrow_if_short(error);
        throw InputError(error.what());
      }
    }
    return *kit_;
  }

  // Builds each controller once, even if several robots use it.
  const BuiltController& built(const ControllerChoice& choice) {
    const std::string key = choice.folder + '\0' + choice.source + '\0' + choice.program;
    if (const auto known = built_.find(key); known != built_.end()) {
      return known->second;
    }
    if (choice.kind != ControllerChoice::Kind::Sources) {
      return built_[key] = BuiltController{choice.program};
    }
    BuiltController made = build_controller(choice, kit());
    for (const std::string& warning : made.warnings) {
      warn_once(warning);
    }
    for (const std::string& note : made.notes) {
      console_.log(LogLevel::Info, note);
    }
    if (made.compiled) {
      console_.log(LogLevel::Info, fmt::format("compiled '{}'", made.program));
    }
    return built_[key] = std::move(made);
  }

  LaunchSpec launch_of(const RobotSpec& robot, const ControllerChoice& choice) {
    try {
      Launch launch = make_launch(
          choice, built(choice),
          {robot.name, scene_.project, robot.proto_project, robot.controller_args}, kit());
      for (const std::string& warning : launch.warnings) {
        warn_once(warning);
      }
      for (const std::string& note : launch.notes) {
        if (warned_.first(note)) {
          console_.log(LogLevel::Info, note);
        }
      }
      return std::move(launch.spec);
    } catch (const InputError&) {
      throw;
    } catch (const std::runtime_error& error) {
      rethrow_if_short(error);
      throw InputError(fmt::format("robot '{}': {}", robot.name, error.what()));
    }
  }

  // Robots may share a controller, and controllers may share a library.
  void warn_once(const std::string& warning) {
    if (warned_.first(warning)) {
      console_.log(LogLevel::Warning, warning);
    }
  }

  const Scene& scene_;
  Console& console_;
  std::vector<MissingPart>& missing_;
  std::optional<ControllerKit> kit_;
  std::map<std::string, BuiltController> built_;
  ReportOnce<std::string> warned_;
};

}  // namespace

void check_overrides(const Scene& scene, const std::vector<ControllerOverride>& overrides) {
  for (const ControllerOverride& asked : overrides) {
    const auto is_meant = [&](const RobotSpec& robot) { return robot.name == asked.robot; };
    if (std::none_of(scene.robots.begin(), scene.robots.end(), is_meant)) {
      std::vector<std::string_view> names;
      for (const RobotSpec& robot : scene.robots) {
        names.push_back(robot.name);
      }
      throw InputError(no_such_robot(asked.robot, "the world has", names));
    }
  }
}

std::vector<PlannedController> plan_controllers(
    const Scene& scene, const std::vector<Candidate>& candidates, Console& console,
    std::vector<MissingPart>& missing,
    const std::function<void(const std::runtime_error&)>& on_failure) {
  Planner planner(scene, console, missing);
  std::vector<PlannedController> planned;
  for (const Candidate& candidate : candidates) {
    try {
      if (auto controller = planner.plan(candidate)) {
        planned.push_back(std::move(*controller));
      }
    } catch (const std::runtime_error& error) {
      on_failure(error);
    }
  }
  return planned;
}

}  // namespace servosim
