// SPDX-License-Identifier: Apache-2.0
#include "support/counted_malloc.h"

#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
}

namespace servosim::test {

thread_local long allocations = 0;
thread_local std::size_t allocated_bytes = 0;
thread_local long fails_after = -1;

namespace {

// Counts an allocation and returns whether it succeeds.
bool count(std::size_t size) {
  ++allocations;
  allocated_bytes += size;
  return fails_after < 0 || fails_after-- > 0;
}

}  // namespace
}  // namespace servosim::test

// operator new of libstdc++ calls malloc, so these functions count every allocation.
extern "C" void* malloc(std::size_t size) {
  const bool succeeds = servosim::test::count(size);
  return succeeds ? __libc_malloc(size) : nullptr;
}
extern "C" void* calloc(std::size_t count, std::size_t size) {
  const bool succeeds = servosim::test::count(count * size);
  return succeeds ? __libc_calloc(count, size) : nullptr;
}
extern "C" void* realloc(void* old, std::size_t size) {
  const bool succeeds = servosim::test::count(size);
  return succeeds ? __libc_realloc(old, size) : nullptr;
}
