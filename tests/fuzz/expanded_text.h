// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace servosim::fuzz {

/// The longest file that a target reads [bytes].
inline constexpr std::size_t kMaxFile = 1u << 20;

/// Expands an input to a file: each line `#REPEAT 2000 text` becomes 2000 times "text ", so that a
/// few bytes make long lists and deep nests. The result has at most kMaxFile bytes.
inline std::string expanded(std::string_view input) {
  constexpr std::string_view kRepeat = "#REPEAT ";
  std::string text;
  while (!input.empty() && text.size() < kMaxFile) {
    const std::size_t end = std::min(input.find('\n'), input.size() - 1) + 1;
    std::string_view line = input.substr(0, end);
    input.remove_prefix(end);
    std::size_t count = 1;
    if (line.starts_with(kRepeat)) {
      line.remove_prefix(kRepeat.size());
      const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), count);
      line.remove_prefix(static_cast<std::size_t>(rest - line.data()));
      count = error == std::errc() ? count : 1;
    }
    if (line.empty()) {
      continue;
    }
    const std::size_t fits = (kMaxFile - text.size()) / line.size();
    for (count = std::min(count, std::max<std::size_t>(fits, 1)); count > 0; --count) {
      text += line;
    }
  }
  text.resize(std::min(text.size(), kMaxFile));
  return text;
}

}  // namespace servosim::fuzz
