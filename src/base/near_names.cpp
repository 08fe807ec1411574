// SPDX-License-Identifier: Apache-2.0
// Finds names that are close to a wrong one. libController, which has no fmt, contains this source
// too.
#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace servosim {
namespace {

constexpr std::size_t kMaxLength = 60;  // the longest names that are compared letter by letter

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Returns the Levenshtein distance with transpositions of two letters as one edit; ignores case.
// For a distance of `limit` or more it may return any number from `limit`. Only a band of the table
// about its diagonal is computed: outside of it all distances are above the limit.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  std::vector<std::size_t> row(b.size() + 1);  // the distances of the first i letters of a
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> before(row);
  std::vector<std::size_t> above(row);
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  std::size_t least = 0;  // of a row; none below it is smaller than the least of two rows
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    const std::size_t begin = i > limit ? i - limit : 0;
    const std::size_t end = std::min(b.size(), i + limit + 1);
    row[begin] = begin == 0 ? i + 1 : limit;
    std::size_t least_here = row[begin];
    for (std::size_t j = begin; j < end; ++j) {
      row[j + 1] = std::min({above[j] + (same(i, j) ? 0 : 1), row[j] + 1, above[j + 1] + 1});
      if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j)) {
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
      }
      least_here = std::min(least_here, row[j + 1]);
    }
    if (std::min(std::exchange(least, least_here), least_here) >= limit) {
      return limit;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view closest(std::string_view wrong, const std::vector<std::string_view>& names) {
  std::string_view best;
  // A word of two letters may lack one letter: "rn" for "run".
  const bool is_short_word = wrong.size() == 2 && wrong[0] != '-';
  std::size_t limit = is_short_word ? 2 : std::min<std::size_t>(2, wrong.size() / 3) + 1;
  for (const std::string_view name : names) {
    // Each letter that one word has more than the other is an edit.
    const std::size_t longer = std::max(name.size(), wrong.size());
    const std::size_t shorter = std::min(name.size(), wrong.size());
    if (wrong.size() <= kMaxLength && name != wrong && longer - shorter < limit &&
        (!is_short_word || (name.size() > 2 && lower(name[0]) == lower(wrong[0])))) {
      const std::size_t d = distance(wrong, name, limit);
      if (d < limit) {
        limit = d;
        best = name;
      }
    }
  }
  return best;
}

std::string nearest_names(std::string_view wrong, const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNames = 5;
  constexpr std::size_t kAny = 2 * kMaxLength;  // no distance is larger
  std::vector<std::pair<std::size_t, std::string_view>> by_distance;
  for (const std::string& name : names) {
    const std::string_view whole = std::string_view(name).substr(0, kMaxLength);
    const std::string_view shortened = wrong.substr(0, kMaxLength);
    by_distance.emplace_back(std::min(distance(shortened, whole, kAny),
                                      distance(shortened, whole.substr(name.find('/') + 1), kAny)),
                             name);
  }
  const auto nearer = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(by_distance.begin(), by_distance.end(), nearer);
  const bool all = names.size() <= kMaxNames;
  by_distance.resize(std::min(by_distance.size(), kMaxNames));
  std::vector<std::string_view> nearest;
  for (const auto& [ignored, name] : by_distance) {
    nearest.push_back(name);
  }
  std::string text = all ? "; there are " : "; the nearest names are ";
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    text.append(i > 0 ? ", '" : "'").append(nearest[i]).append("'");
  }
  return text;
}

}  // namespace servosim
