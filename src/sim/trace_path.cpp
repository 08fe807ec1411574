// SPDX-License-Identifier: Apache-2.0
// Where a trace may go.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "core/file.h"
#include "sim/trace.h"
#include "sim/trace_format.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

// How our traces begin.
bool holds_a_trace(const std::string& path) {
  constexpr std::string_view kBeginnings[]{"time [s]", R"({"format":"servosim trace")"};
  const std::string begin = beginning_of(path, 32);
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&begin](std::string_view known) { return begin.starts_with(known); });
}

}  // namespace

std::string trace_ending(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return ending;
}

void check_trace_path(const std::string& path) {
  if (path == "-") {
    throw std::invalid_argument(
        "a trace does not go to '-'; for standard output name /dev/stdout, with --quiet");
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return;  // holds nothing that could be lost; a folder cannot be opened
  }
  if (const std::string ending = trace_ending(path); ending != ".csv" && ending != ".jsonl") {
    throw std::invalid_argument(
        fmt::format("a trace is a .csv or .jsonl file, not '{}'; did you mean '{}'?", path,
                    fs::path(path).replace_extension(".csv").string()));
  }
  if (fs::is_regular_file(status) && fs::file_size(path, error) > 0 && !error &&
      !holds_a_trace(path)) {
    throw std::invalid_argument(fmt::format(
        "'{}' is there already and is no trace, so it is not overwritten; choose another name or "
        "remove it",
        path));
  }
}

}  // namespace servosim
