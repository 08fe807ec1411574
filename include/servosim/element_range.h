// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

namespace servosim {

struct SimulationCore;

/// Element `index` of a simulation. Used by ElementRange.
template <typename Element>
Element element_of(SimulationCore& core, int index);

/// The robots, joints, Solids or propellers of a Simulation, in the order of their indices, for
/// `for (Joint joint : simulation.joints())`. Valid as long as the simulation, and until the tree
/// of its world changes.
///
/// Threads: one at a time, with the Simulation.
template <typename Element>
class ElementRange {
 public:
  class iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = std::remove_reference_t<Element>;

    iterator() = default;
    Element operator*() const { return element_of<Element>(*core_, index_); }
    iterator& operator++() {
      ++index_;
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++index_;
      return before;
    }
    friend bool operator==(const iterator&, const iterator&) = default;

   private:
    friend class ElementRange;
    iterator(SimulationCore* core, int index) : core_(core), index_(index) {}

    SimulationCore* core_ = nullptr;
    int index_ = 0;
  };

  ElementRange(SimulationCore& core, int size) : core_(&core), size_(size) {}

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// @throws std::out_of_range
  Element operator[](int index) const { return element_of<Element>(*core_, index); }
  iterator begin() const { return {core_, 0}; }
  iterator end() const { return {core_, size_}; }

 private:
  SimulationCore* core_;
  int size_;
};

}  // namespace servosim
