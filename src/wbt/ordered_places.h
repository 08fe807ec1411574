// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>

namespace servosim::wbt {

/// Places in a sequence. They can be inserted and removed anywhere, and compared at any time.
/// Inserting a place takes O(log n) steps on average. (M. Bender and others, "Two simplified
/// algorithms for maintaining order in a list", 2002.)
///
/// Invariant: labels increase from each place to the next.
///
/// Threads: one at a time.
class OrderedPlaces {
 public:
  using Place = std::list<std::uint64_t>::iterator;

  /// Returns the end of the sequence, which is a place only for insert_before().
  Place end() { return labels_.end(); }
  Place begin() { return labels_.begin(); }
  /// Inserts a place, which is valid until it is erased.
  Place insert_before(Place next);
  void erase(Place place) { labels_.erase(place); }
  void clear() { labels_.clear(); }
  static bool is_before(std::list<std::uint64_t>::const_iterator a,
                        std::list<std::uint64_t>::const_iterator b) {
    return *a < *b;
  }

 private:
  void spread(Place around);

  std::list<std::uint64_t> labels_;
};

}  // namespace servosim::wbt
