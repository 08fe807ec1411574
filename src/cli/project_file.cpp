// SPDX-License-Identifier: Apache-2.0
#include "cli/project_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/toml_reading.h"
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
bool is_of_library(std::string_view key, const toml::node& node) {
  return key == "servo_path" || key == "servo" || key == "integrator" || key == "evaluations" ||
         key == "accuracy" || (key == "bus" && (node.is_table() || node.is_array_of_tables()));
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

// Returns a value as the command line has it; nothing if no option has such a value.
std::optional<std::string> word_of(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) {
    return *text;
  }
  if (const auto whole = node.value_exact<std::int64_t>()) {
    return fmt::format("{}", *whole);
  }
  if (const auto number = node.value_exact<double>()) {
    return fmt::format("{}", *number);
  }
  if (const auto truth = node.value_exact<bool>()) {
    return *truth ? "true" : "false";
  }
  return std::nullopt;
}

// Adds a value, or those of a list.
void add_words(const TomlReading& reading, std::string_view key, const toml::node& node,
               std::vector<std::string>& words) {
  if (const toml::array* const list = node.as_array()) {
    for (const toml::node& each : *list) {
      add_words(reading, key, each, words);
    }
    return;
  }
  std::optional<std::string> word = word_of(node);
  if (!word) {
    reading.refuse(node,
                   fmt::format("{}: expected a text in quotes, a number, true or false", key));
  }
  words.push_back(std::move(*word));
}

// Returns a key as the file has it: `run.sed` for a key of a section.
std::string full_key(const toml::key& key, const toml::node& node) {
  const toml::table* const section = node.as_table();
  return section != nullptr && !section->empty()
             ? fmt::format("{}.{}", key.str(), section->begin()->first.str())
             : std::string(key.str());
}

}  // namespace

ProjectFileError::ProjectFileError(Diagnostic fault)
    : InputError(fmt::format("{}{}: {}", fault.file,
                             fault.line > 0 ? fmt::format(":{}", fault.line) : "", fault.message)),
      fault_(std::move(fault)) {}

void ProjectFile::refuse(std::string_view key, std::string message) const {
  const auto [line, column] = values_.find(key)->second.place;
  throw ProjectFileError({path_, line, column, Severity::Error, std::move(message)});
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
  try {
    file.read(project.string());
  } catch (const TomlError& fault) {
    throw ProjectFileError({fault.path, fault.line, fault.column, Severity::Error, fault.reason});
  }
  return file;
}

void ProjectFile::read(const std::string& project) {
  const auto text = read_file(path_);
  if (const auto* const fault = std::get_if<FileError>(&text)) {
    throw TomlError(path_, 0, 0, fault->reason);
  }
  const TomlReading reading(path_);
  const toml::table table = reading.parse(std::get<std::string>(text));
  std::vector<std::string_view> keys(kProjectKeys.begin(), kProjectKeys.end());
  keys.insert(keys.end(), {"servo_path", "servo", "bus"});
  for (const auto& [key, node] : table) {
    if (is_of_library(key.str(), node)) {
      continue;
    }
    const toml::source_position at = key.source().begin;
    const std::string_view name = key.str();
    if (node.is_table() ||
        std::find(kProjectKeys.begin(), kProjectKeys.end(), name) == kProjectKeys.end()) {
      const std::string close = did_you_mean(name, keys);
      reading.refuse(at,
                     fmt::format("'{}' is no option of a project{}", printable(full_key(key, node)),
                                 close.empty() ? fmt::format("; the options are {}, "
                                                             "servo_path, servo, bus",
                                                             fmt::join(kProjectKeys, ", "))
                                               : close));
    }
    Entry entry{.words = {}, .place = {static_cast<int>(at.line), static_cast<int>(at.column)}};
    add_words(reading, name, node, entry.words);
    for (std::string& word : entry.words) {
      word = in_project(name, word, project);
    }
    if (!entry.words.empty()) {  // an empty list is as no key
      values_[std::string(name)] = std::move(entry);
    }
  }
}

std::vector<std::string> ProjectFile::values(std::string_view key) const {
  const auto found = values_.find(key);
  return found != values_.end() ? found->second.words : std::vector<std::string>{};
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
  const std::vector<std::string>& values = values_.find(key)->second.words;
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
