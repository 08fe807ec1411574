// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>

namespace servosim::wbt {

/// Places in a sequence, which come and go anywhere in it and can be compared at any time. To make
/// a place takes O(log n) steps on average. (M. Bender and others, "Two simplified algorithms for
/// maintaining order in a list", 2002.)
///
/// Invariant: labels rise from each place to the next.
///
/// Threads: one at a time.
class OrderedPlaces {
 public:
  using Place = std::list<std::uint64_t>::iterator;

  /// Behind all places; a place only for insert_before().
  Place end() { return labels_.end(); }
  Place begin() { return labels_.begin(); }
  /// Valid until it is erased.
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
