// SPDX-License-Identifier: Apache-2.0
#include "cli/project_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <sstream>
#include <utility>
#include <variant>

#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/run_arguments.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = "servosim.toml";
constexpr std::array<std::string_view, 17> kProjectKeys{"allow_missing",  "proto_path",
                                                        "assets",         "duration",
                                                        "steps",          "seed",
                                                        "mode",           "watch",
                                                        "controller",     "end_timeout",
                                                        "step_memory",    "compat",
                                                        "solver",         "controller_timeout",
                                                        "extern_timeout", "stop_on_failure",
                                                        "realtime_factor"};

// What the library itself reads, however a world is loaded: see read_project_servos().
bool is_of_library(const CLI::ConfigItem& item) {
  return item.parents.empty() ? item.name == "servo_path" || item.name == "servo"
                              : item.parents.front() == "servo" || item.parents.front() == "bus";
}

bool is_path(std::string_view key) { return key == "proto_path" || key == "assets"; }

// Returns a value of the file; a relative path in it starts at the folder of the project.
std::string in_project(std::string_view key, const std::string& value, const fs::path& project) {
  return is_path(key)          ? (project / value).lexically_normal().string()
         : key == "controller" ? controller_in(project, value)
                               : value;
}

std::string option_of(std::string_view key) {
  std::string name = "--" + std::string(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

ProjectFileError::ProjectFileError(Diagnostic fault)
    : InputError(fmt::format("{}{}: {}", fault.file,
                             fault.line > 0 ? fmt::format(":{}", fault.line) : "", fault.message)),
      fault_(std::move(fault)) {}

// Throws an error with the line of the key, or of the section that has its name. It has no line if
// neither is found.
void ProjectFile::refuse(std::string_view key, std::string message) const {
  Diagnostic fault{path_, 0, 0, Severity::Error, std::move(message)};
  const auto text = read_file(path_);
  std::istringstream lines(std::holds_alternative<std::string>(text) ? std::get<std::string>(text)
                                                                     : "");
  int number = 0;
  for (std::string line; fault.line == 0 && std::getline(lines, line);) {
    ++number;
    const std::size_t begin = line.find_first_not_of(" \t\"'[");
    if (begin == std::string::npos || line.compare(begin, key.size(), key) != 0) {
      continue;
    }
    const std::size_t end = line.find_first_not_of(" \t\"'", begin + key.size());
    if (end == std::string::npos || line[end] == '=' || line[end] == ']' || line[end] == '.') {
      fault.line = number;
      fault.column = static_cast<int>(begin) + 1;
    }
  }
  throw ProjectFileError(std::move(fault));
}

ProjectFile ProjectFile::of_world(const std::string& world) {
  ProjectFile file;
  std::error_code error;
  const fs::path folder = fs::absolute(world, error).lexically_normal().parent_path();
  const fs::path project = wbt::project_of_world(folder.string());
  const fs::path path = project / kFileName;
  if (error || !fs::is_regular_file(path, error)) {
    return file;
  }
  file.path_ = path.string();
  std::vector<CLI::ConfigItem> items;
  try {
    items = read_config_file(file.path_, ConfigFormat::Toml);
  } catch (const CLI::Error& failure) {
    throw ProjectFileError({file.path_, 0, 0, Severity::Error, failure.what()});
  }
  for (const CLI::ConfigItem& item : items) {
    if (is_of_library(item)) {
      continue;
    }
    if (!item.parents.empty() ||
        std::find(kProjectKeys.begin(), kProjectKeys.end(), item.name) == kProjectKeys.end()) {
      const std::string close = did_you_mean(item.name, {kProjectKeys.begin(), kProjectKeys.end()});
      file.refuse(item.parents.empty() ? item.name : item.parents.front(),
                  fmt::format("'{}' is no option of a project{}", printable(item.fullname()),
                              close.empty() ? fmt::format("; the options are {}, servo_path, servo",
                                                          fmt::join(kProjectKeys, ", "))
                                            : close));
    }
    std::vector<std::string>& values = file.values_[item.name];
    for (const std::string& value : item.inputs) {
      values.push_back(in_project(item.name, value, project));
    }
  }
  return file;
}

std::vector<std::string> ProjectFile::values(std::string_view key) const {
  const auto found = values_.find(key);
  return found != values_.end() ? found->second : std::vector<std::string>{};
}

namespace {

// Returns whether an option of the file contradicts one of the command line, beyond options that
// always exclude each other.
bool contradict(const std::string& option, const std::string& other) {
  const auto are = [&](const char* a, const char* b) { return option == a && other == b; };
  return are("--mode", "--realtime-factor") || are("--realtime-factor", "--mode");
}

// Returns whether the command line already decides what an option of the file sets.
bool is_decided(const CLI::App& command, CLI::Option& option) {
  const auto excludes = option.get_excludes();
  const auto options = command.get_options();
  return option.count() > 0 ||
         std::any_of(options.begin(), options.end(), [&](const CLI::Option* other) {
           const bool is_excluded = std::any_of(excludes.begin(), excludes.end(),
                                                [&](const auto* each) { return each == other; });
           return other->count() > 0 &&
                  (is_excluded || contradict(option.get_name(), other->get_name()));
         });
}

// Returns why the option does not accept the values, in words about the key.
std::string fault_of(const std::string& key, const CLI::Option& option,
                     const std::vector<std::string>& values, const CLI::Error& error) {
  if (option.get_multi_option_policy() == CLI::MultiOptionPolicy::Throw && values.size() > 1) {
    return fmt::format("'{}' has {} values; keep one", key, values.size());
  }
  const std::string prefix = option.get_name() + ": ";
  const std::string message = error.what();
  if (error.get_name() == "ValidationError" && message.starts_with(prefix)) {
    return fmt::format("{}: {}", key, message.substr(prefix.size()));
  }
  return fmt::format("{}: '{}' is {}", key, printable(fmt::format("{}", fmt::join(values, " "))),
                     option.get_expected_min() == 0 ? "neither true nor false" : "no value of it");
}

}  // namespace

void ProjectFile::apply(const std::string& key, CLI::Option& option) const {
  const std::vector<std::string>& values = values_.find(key)->second;
  try {
    option.add_result(values);
    option.run_callback();
  } catch (const CLI::Error& error) {
    refuse(key, fault_of(key, option, values, error));
  }
}

void ProjectFile::apply_to(CLI::App& command) const {
  std::vector<std::pair<std::string, CLI::Option*>> open;
  for (const auto& each : values_) {
    CLI::Option* const option = command.get_option_no_throw(option_of(each.first));
    if (option != nullptr && !is_decided(command, *option)) {
      open.emplace_back(each.first, option);
    }
  }
  for (const auto& [key, option] : open) {
    for (const auto& [other_key, other] : open) {
      const auto excludes = option->get_excludes();
      if (std::find(excludes.begin(), excludes.end(), other) != excludes.end()) {
        refuse(key, fmt::format("{} and {} exclude each other; remove one", key, other_key));
      }
    }
    apply(key, *option);
  }
}

}  // namespace servosim
