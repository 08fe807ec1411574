// SPDX-License-Identifier: Apache-2.0
#include "wbt/eras/version.h"

#include <fmt/format.h>

#include <charconv>

namespace servosim::wbt {
namespace {

/// Removes a number of at most four digits from the beginning of `text`.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || digits > 4 || value < 0) {
    return std::nullopt;
  }
  text.remove_prefix(digits);
  return value;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

// Parses `7.4.3`, `8.6`, `6.0`.
std::optional<Version> parse_v(std::string_view text) {
  Version version;
  const auto major = take_number(text);
  if (!major || !take_prefix(text, ".")) {
    return std::nullopt;
  }
  const auto minor = take_number(text);
  if (!minor) {
    return std::nullopt;
  }
  version = {*major, *minor, 0};
  if (take_prefix(text, ".")) {
    const auto revision = take_number(text);
    if (!revision) {
      return std::nullopt;
    }
    version.revision = *revision;
  }
  return text.empty() && version.major < 2000 ? std::optional(version) : std::nullopt;
}

// Parses `2021b`, `2021b revision 1`, `2021b-rev1`.
std::optional<Version> parse_r(std::string_view text) {
  const auto year = take_number(text);
  if (!year || *year < 2000 || text.empty() || text[0] < 'a' || text[0] > 'z') {
    return std::nullopt;
  }
  Version version{*year, text[0] - 'a', 0};
  text.remove_prefix(1);
  if (take_prefix(text, " revision ") || take_prefix(text, "-rev")) {
    const auto revision = take_number(text);
    if (!revision) {
      return std::nullopt;
    }
    version.revision = *revision;
  }
  return text.empty() ? std::optional(version) : std::nullopt;
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  if (take_prefix(text, "V")) {
    return parse_v(text);
  }
  if (take_prefix(text, "R")) {
    return parse_r(text);
  }
  return std::nullopt;
}

std::string to_string(const Version& version) {
  if (version.major >= 2000) {
    std::string text = fmt::format("R{}{}", version.major, static_cast<char>('a' + version.minor));
    return version.revision == 0 ? text : fmt::format("{} revision {}", text, version.revision);
  }
  std::string text = fmt::format("V{}.{}", version.major, version.minor);
  return version.revision == 0 ? text : fmt::format("{}.{}", text, version.revision);
}

bool geometry_axis_is_z(const Version& version) { return version > Version{2021, 1, 1}; }

}  // namespace servosim::wbt
