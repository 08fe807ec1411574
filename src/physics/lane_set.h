// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace servosim {

/// Names the instructions with which equal trees of joints are solved together. All give the same
/// bits.
enum class LaneSet : std::uint8_t {
  None,    ///< each tree on its own
  Sse2,    ///< two trees at a time; any processor can do it, as two separate numbers without SSE2
  Avx2,    ///< four trees at a time
  Avx512,  ///< eight trees at a time
};

/// Returns whether the processor has these instructions.
bool has_lanes(LaneSet set);
/// Returns the widest set that the processor has.
LaneSet widest_lanes();

}  // namespace servosim
