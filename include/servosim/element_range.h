// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

namespace servosim {

class SimulationCore;

/// Element `index` of a simulation. Only ElementRange uses it. @throws std::out_of_range
template <typename Element>
Element element_of(SimulationCore& core, int index);

/// The robots, joints, Solids or propellers of a Simulation, in the order of their indices, for
/// loops such as `for (Joint joint : simulation.joints())`.
///
/// The range has the number of elements at the time when it was made. It is valid as long as the
/// simulation, and until a Supervisor changes the tree of its world. Elements are references
/// (Robot&) or handles (Joint, Solid, Propeller), which are cheap to copy.
///
/// Threads: one at a time, with the Simulation.
template <typename Element>
class ElementRange {
 public:
  /// An input iterator over the indices. It makes each element when it is dereferenced, so that a
  /// loop takes `Joint joint`, not `Joint& joint`.
  class iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = std::remove_reference_t<Element>;

    iterator() = default;
    /// @throws std::out_of_range at end(), or when the element no longer exists
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

  /// Only Simulation uses it. The range is that of the indices 0 to size - 1.
  ElementRange(SimulationCore& core, int size) : core_(&core), size_(size) {}

  /// The number of elements; joints and propellers that have left the tree count, since they keep
  /// their indices.
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
