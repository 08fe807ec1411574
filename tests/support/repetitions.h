// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace servosim::test {

/// How often a test repeats what happens at a random moment: `few` times for each change, `many`
/// with `scripts/test --long`.
inline int repetitions(int few, int many) {
  return std::getenv("SERVOSIM_LONG_TESTS") != nullptr ? many : few;
}

}  // namespace servosim::test
