// SPDX-License-Identifier: Apache-2.0
#include "physics/step_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace servosim {

namespace {

std::uint64_t memory_there_is() {
  std::uint64_t bytes = 2 * std::uint64_t{kMaxStepMemory};
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) {
    bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  }
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), {}};
  return std::min(bytes, group_memory_limit(groups, "/sys/fs/cgroup").value_or(bytes));
}

// Takes the text before `end` away from `text`, with it; all where there is none.
std::string_view take_until(char end, std::string_view& text) {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

bool names_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    if (take_until(',', controllers) == "memory") {
      return true;
    }
  }
  return false;
}

}  // namespace

// In a container the path may be that of the machine, where the folder has the container's group
// only: then it is the top one. An unlimited group has "max", which is no number, or 2^63 less a
// page.
std::optional<std::uint64_t> group_memory_limit(std::string_view groups, const std::string& root) {
  constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 62;
  std::optional<std::uint64_t> least;
  while (!groups.empty()) {  // lines NUMBER:CONTROLLERS:PATH; without controllers: version 2
    std::string_view path = take_until('\n', groups);
    take_until(':', path);
    const std::string_view controllers = take_until(':', path);
    if (!controllers.empty() && !names_memory(controllers)) {
      continue;
    }
    const std::string top = root + (controllers.empty() ? "" : "/memory");
    const char* const name = controllers.empty() ? "/memory.max" : "/memory.limit_in_bytes";
    for (;;) {
      const std::string folder = top + std::string(path == "/" ? "" : path);
      std::ifstream file(folder + name);
      if (std::uint64_t bytes = 0; file >> bytes && bytes < kUnlimited) {
        least = std::min(bytes, least.value_or(bytes));
      }
      if (path.empty()) {
        break;
      }
      path = path.substr(0, path.find_last_of('/') == path.npos ? 0 : path.find_last_of('/'));
    }
  }
  return least;
}

std::size_t default_step_memory(std::size_t worlds) {
  static const std::uint64_t bytes = memory_there_is();
  return std::min<std::uint64_t>(bytes / 2 / std::max<std::size_t>(worlds, 1), kMaxStepMemory);
}

}  // namespace servosim
