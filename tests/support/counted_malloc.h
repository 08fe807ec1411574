// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace servosim::test {

/// What this thread has allocated so far: a program with counted_malloc.cpp counts.
extern thread_local long allocations;
extern thread_local std::size_t allocated_bytes;

}  // namespace servosim::test
