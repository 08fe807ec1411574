// SPDX-License-Identifier: Apache-2.0
#include "cli/fit_arguments.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "cli/project_file.h"

namespace servosim {

LoadOptions world_options(const FitArguments& arguments, const std::string& world) {
  const ProjectFile project = ProjectFile::of_world(world);
  LoadOptions options;
  options.proto_paths = project.values_unless(arguments.proto_paths, "proto_path");
  options.servo_paths = arguments.servo_paths;
  options.assets = project.values_unless(arguments.assets, "assets");
  return options;
}

std::vector<std::string> words_of_lists(const std::vector<std::string>& lists) {
  std::vector<std::string> parts;
  for (const std::string& list : lists) {
    std::string_view rest = list;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::string_view part = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!part.empty()) {
        parts.emplace_back(part);
      }
    }
  }
  return parts;
}

}  // namespace servosim
