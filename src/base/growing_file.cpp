// SPDX-License-Identifier: Apache-2.0
#include "base/growing_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "base/files.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

bool begins_like(const std::string& path, const GrowingFileKind& kind) {
  const std::string begin = read_beginning(path, 32);
  return std::any_of(
      kind.beginnings.begin(), kind.beginnings.end(), [&begin](std::string_view known) {
        // A process that was killed may have written only the beginning of the first line.
        return begin.starts_with(known) || (!begin.empty() && known.starts_with(begin));
      });
}

// Returns a list such as ".csv or .jsonl".
std::string list_of(std::span<const std::string_view> endings) {
  std::string list;
  for (const std::string_view ending : endings) {
    list += fmt::format("{}{}", list.empty() ? "" : " or ", ending);
  }
  return list;
}

}  // namespace

std::string lower_extension(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return ending;
}

void check_growing_file(const std::string& path, const GrowingFileKind& kind) {
  if (path == "-") {
    throw std::invalid_argument(
        kind.to_streams
            ? fmt::format("a {} does not go to '-'; for standard output name /dev/stdout, with "
                          "--quiet",
                          kind.name)
            : fmt::format("a {} does not go to '-'; name a file", kind.name));
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (kind.to_streams || fs::is_directory(status)) {
      return;  // holds nothing that could be lost; opening a folder fails later
    }
    throw std::invalid_argument(fmt::format(
        "a {} does not go to '{}', which is no regular file; name a file", kind.name, path));
  }
  if (const std::string ending = lower_extension(path);
      std::find(kind.endings.begin(), kind.endings.end(), ending) == kind.endings.end()) {
    throw std::invalid_argument(fmt::format(
        "a {} is a {} file, not '{}'; did you mean '{}'?", kind.name, list_of(kind.endings), path,
        fs::path(path).replace_extension(kind.endings[0]).string()));
  }
  if (fs::is_regular_file(status) && fs::file_size(path, error) > 0 && !error &&
      !begins_like(path, kind)) {
    throw std::invalid_argument(fmt::format(
        "'{}' is there already and is no {}, so it is not overwritten; choose another name or "
        "remove it",
        path, kind.name));
  }
}

}  // namespace servosim
