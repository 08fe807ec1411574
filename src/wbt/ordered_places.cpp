// SPDX-License-Identifier: Apache-2.0
#include "wbt/ordered_places.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace servosim::wbt {
namespace {

constexpr int kLabelBits = 62;
constexpr std::uint64_t kLastLabel = (std::uint64_t{1} << kLabelBits) - 1;
constexpr std::uint64_t kGap = std::uint64_t{1} << 24;  // initial distance of consecutive labels
// The allowed ratio between the fill level of a half range and that of the range; between 1 and 2.
constexpr double kGrowth = 1.4;

}  // namespace

OrderedPlaces::Place OrderedPlaces::insert_before(Place next) {
  const auto low = [&] { return next == labels_.begin() ? 0 : *std::prev(next); };
  const auto high = [&] { return next == labels_.end() ? kLastLabel : *next; };
  if (high() - low() < 2) {
    spread(next == labels_.end() ? std::prev(next) : next);
  }
  return labels_.insert(next, low() + std::min((high() - low()) / 2, kGap));
}

// Spreads the labels of the smallest range around a place that is not too full.
void OrderedPlaces::spread(Place around) {
  Place first = around;
  Place last = std::next(around);
  std::uint64_t count = 1;
  const std::uint64_t label = *around;
  for (int bits = 1; bits <= kLabelBits; ++bits) {
    const std::uint64_t size = std::uint64_t{1} << bits;
    const std::uint64_t low = label / size * size;
    for (; first != labels_.begin() && *std::prev(first) >= low; --first, ++count) {
    }
    for (; last != labels_.end() && *last - low < size; ++last, ++count) {
    }
    const std::uint64_t step = size / (count + 1);
    if (step >= 4 && static_cast<double>(count) <= std::pow(2.0 / kGrowth, bits)) {
      std::uint64_t next = low;
      for (Place at = first; at != last; ++at) {
        *at = next += step;
      }
      return;
    }
  }
}

}  // namespace servosim::wbt
