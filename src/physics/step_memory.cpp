// SPDX-License-Identifier: Apache-2.0
#include "physics/step_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace servosim {

namespace {

constexpr std::uint64_t kMost = std::uint64_t{16} << 30;

std::uint64_t memory_there_is() {
  std::uint64_t bytes = 2 * kMost;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) {
    bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  }
  // In a container; "max", which is no number, where there is no limit.
  std::ifstream group("/sys/fs/cgroup/memory.max");
  if (std::uint64_t allowed = 0; group >> allowed) {
    bytes = std::min(bytes, allowed);
  }
  return bytes;
}

}  // namespace

std::size_t default_step_memory() {
  static const std::size_t bytes = std::min(memory_there_is() / 2, kMost);
  return bytes;
}

}  // namespace servosim
