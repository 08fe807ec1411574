// SPDX-License-Identifier: Apache-2.0
#include "cli/project_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

#include "base/printable.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "run/launch_plan.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = "servosim.toml";
constexpr std::array<std::string_view, 17> kKeys{"allow_missing",  "proto_path",
                                                 "assets",         "duration",
                                                 "steps",          "seed",
                                                 "mode",           "watch",
                                                 "controller",     "end_timeout",
                                                 "step_memory",    "compat",
                                                 "solver",         "controller_timeout",
                                                 "extern_timeout", "stop_on_failure",
                                                 "realtime_factor"};

bool is_path(std::string_view key) { return key == "proto_path" || key == "assets"; }

std::string option_of(std::string_view key) {
  std::string name = "--" + std::string(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

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
    throw InputError(fmt::format("{}: {}", file.path_, failure.what()));
  }
  for (const CLI::ConfigItem& item : items) {
    if (!item.parents.empty() || std::find(kKeys.begin(), kKeys.end(), item.name) == kKeys.end()) {
      throw InputError(fmt::format("{}: '{}' is no option of a project{}; the options are {}",
                                   file.path_, printable(item.fullname()),
                                   did_you_mean(item.name, {kKeys.begin(), kKeys.end()}),
                                   fmt::join(kKeys, ", ")));
    }
    std::vector<std::string>& values = file.values_[item.name];
    for (const std::string& value : item.inputs) {
      values.push_back(is_path(item.name) ? (project / value).lexically_normal().string() : value);
    }
  }
  return file;
}

std::vector<std::string> ProjectFile::values(std::string_view key) const {
  const auto found = values_.find(key);
  return found != values_.end() ? found->second : std::vector<std::string>{};
}

void ProjectFile::apply_to(CLI::App& command) const {
  for (const auto& [key, values] : values_) {
    CLI::Option* const option = command.get_option_no_throw(option_of(key));
    if (option == nullptr || option->count() > 0) {
      continue;
    }
    const auto excluded_by = [](const CLI::Option* other) { return other->count() > 0; };
    const auto excludes = option->get_excludes();
    if (std::any_of(excludes.begin(), excludes.end(), excluded_by)) {
      continue;  // the command line gives steps, the file a duration
    }
    try {
      option->add_result(values);
      option->run_callback();
    } catch (const CLI::Error& error) {
      throw InputError(fmt::format("{}: {}", path_, error.what()));
    }
  }
}

}  // namespace servosim
