// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace servosim::test {

/// What this thread has allocated so far: a program with counted_malloc.cpp counts.
extern thread_local long allocations;
extern thread_local std::size_t allocated_bytes;
/// How many more allocations of this thread succeed before one fails; -1: all do, also after it.
extern thread_local long fails_after;

}  // namespace servosim::test
