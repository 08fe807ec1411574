// SPDX-License-Identifier: Apache-2.0
#include "cli/config_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <set>
#include <sstream>

#include "core/file.h"
#include "core/suggest.h"
#include "servosim/diagnostics.h"

namespace servosim {
namespace {

constexpr const char* kSectionBegins = "++";  // as CLI11 marks them
constexpr const char* kSectionEnds = "--";

std::vector<CLI::ConfigItem> parse(const std::string& path, const std::string& text) {
  try {
    std::istringstream stream(text);
    return CLI::ConfigTOML().from_config(stream);
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{} is no configuration file: {}", path, error.what()));
  }
}

std::string text_of(const std::string& path) {
  const auto content = read_file(path);
  if (const auto* error = std::get_if<FileError>(&content)) {
    throw InputError(fmt::format("{} {}{}", path, error->reason, did_you_mean_file(path)));
  }
  return std::get<std::string>(content);
}

}  // namespace

std::vector<ConfigSection> read_config_file(const std::string& path) {
  std::vector<ConfigSection> sections(1);
  std::set<std::string> seen;
  const auto once = [&](const std::string& name) {
    if (!seen.insert(name).second) {
      throw InputError(fmt::format("{}: {} is there twice", path, name));
    }
  };
  for (CLI::ConfigItem& item : parse(path, text_of(path))) {
    const std::string section = fmt::format("{}", fmt::join(item.parents, "."));
    if (item.name == kSectionBegins) {
      once(fmt::format("[{}]", section));
      sections.push_back({section, {}});
    } else if (item.name != kSectionEnds) {
      once(fmt::format("'{}' in [{}]", item.name, section));
      sections.back().entries.push_back({std::move(item.name), std::move(item.inputs)});
    }
  }
  return sections;
}

}  // namespace servosim
