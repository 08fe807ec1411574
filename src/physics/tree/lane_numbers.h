// SPDX-License-Identifier: Apache-2.0
// Numbers of SERVOSIM_LANES trees side by side, and what spatial.h has for single ones. Included by
// lane_kernel.h alone, before the templates, which find functions of such types only then.
#pragma once

#include <cstddef>

// Of vectors as arguments; all such functions are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace servosim {

namespace {

constexpr std::size_t kLanes = SERVOSIM_LANES;

using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using LaneMask = decltype(Lanes{} < Lanes{});

[[gnu::always_inline]] inline Lanes choose(const LaneMask& condition, const Lanes& a,
                                           const Lanes& b) {
  return condition ? a : b;
}

[[gnu::always_inline]] inline bool any_holds(const LaneMask& condition) {
  auto any = condition[0];
  for (std::size_t l = 1; l < kLanes; ++l) {
    any |= condition[l];
  }
  return any != 0;
}
[[gnu::always_inline]] inline bool all_hold(const LaneMask& condition) {
  return !any_holds(~condition);
}

// Correctly rounded, as that of a single number.
[[gnu::always_inline]] inline Lanes square_root(const Lanes& x) {
  Lanes root;
  for (std::size_t l = 0; l < kLanes; ++l) {
    root[l] = __builtin_sqrt(x[l]);
  }
  return root;
}

}  // namespace

}  // namespace servosim
