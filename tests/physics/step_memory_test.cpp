// SPDX-License-Identifier: Apache-2.0
// The memory that a step may have without an option.
#include "physics/step_memory.h"

#include <gtest/gtest.h>

namespace servosim::test {
namespace physics_step_memory_test {

TEST(StepMemory, IsSharedByWorldsAndBounded) {
  const std::size_t alone = default_step_memory();
  EXPECT_GT(alone, 0u);
  EXPECT_LE(alone, kMaxStepMemory);
  for (const std::size_t worlds : {2, 16}) {
    EXPECT_LE(default_step_memory(worlds), alone);
    EXPECT_GE(default_step_memory(worlds), alone / worlds);
  }
  EXPECT_LT(default_step_memory(4096), alone);
}

}  // namespace physics_step_memory_test
}  // namespace servosim::test
