// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace servosim::test {

/// The allocations of this thread so far, in a program with counted_malloc.cpp.
extern thread_local long allocations;
extern thread_local std::size_t allocated_bytes;
/// How many allocations of this thread succeed before one fails; -1: all succeed.
extern thread_local long fails_after;

}  // namespace servosim::test
