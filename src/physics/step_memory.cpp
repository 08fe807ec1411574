// SPDX-License-Identifier: Apache-2.0
#include "physics/step_memory.h"

#include <algorithm>
#include <cstdint>

#include "base/memory.h"

namespace servosim {

std::size_t default_step_memory(std::size_t worlds) {
  // Without a known size of the memory, the limit for one world is kMaxStepMemory.
  static const std::uint64_t bytes = memory_there_is().value_or(2 * std::uint64_t{kMaxStepMemory});
  return std::min<std::uint64_t>(bytes / 2 / std::max<std::size_t>(worlds, 1), kMaxStepMemory);
}

}  // namespace servosim
