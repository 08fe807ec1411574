// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace servosim::test {

/// Returns the repetitions of a test with random moments: `few`, or `many` with `scripts/test
/// --long`.
inline int repetitions(int few, int many) {
  return std::getenv("SERVOSIM_LONG_TESTS") != nullptr ? many : few;
}

}  // namespace servosim::test
