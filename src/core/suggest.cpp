// SPDX-License-Identifier: Apache-2.0
#include "core/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace servosim {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Levenshtein distance, upper and lower case alike.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& names) {
  static constexpr std::size_t kLongest = 60;
  std::string_view best;
  std::size_t least = std::min<std::size_t>(2, wrong.size() / 3) + 1;
  for (const std::string_view name : names) {
    if (wrong.size() <= kLongest && name != wrong) {
      const std::size_t d = distance(wrong, name);
      if (d < least) {
        least = d;
        best = name;
      }
    }
  }
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

}  // namespace servosim
