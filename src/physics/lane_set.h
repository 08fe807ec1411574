// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace servosim {

/// With which instructions equal trees of joints are solved side by side; all give the same bits.
enum class LaneSet : std::uint8_t {
  None,    ///< each tree by itself
  Sse2,    ///< two at a time; on any processor, whatever it has for two numbers
  Avx2,    ///< four
  Avx512,  ///< eight
};

/// Whether the processor has it.
bool has_lanes(LaneSet set);
/// The widest that it has.
LaneSet widest_lanes();

}  // namespace servosim
