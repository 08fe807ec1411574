// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace servosim::test {

/// Counts the allocations of this thread so far, in a program with counted_malloc.cpp.
extern thread_local long allocations;
extern thread_local std::size_t allocated_bytes;
/// This many allocations of this thread succeed before one fails; -1 means that all succeed.
extern thread_local long fails_after;

}  // namespace servosim::test
