// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// How much memory there is, how much is free, and how much this process has taken.

namespace servosim {

/// The limit of this process's control group, or of one above it, counts.
struct GroupMemory {
  std::uint64_t limit = 0;  ///< that the group may have [bytes]
  std::uint64_t left = 0;   ///< of that [bytes]; what the system can take back counts as left
};

/// The least limit, and the least that is left; nothing where there is no limit. `groups` is the
/// text of /proc/PID/cgroup, `root` the folder /sys/fs/cgroup; of version 1, 2 or both.
std::optional<GroupMemory> group_memory(std::string_view groups, const std::string& root);

/// The memory of the machine or of the process' control group [bytes]; nothing if the system does
/// not tell.
std::optional<std::uint64_t> memory_there_is();

/// What the process can still take without the system ending it or refusing [bytes]: of the
/// machine, of its control group and of its address space. The largest number if the system does
/// not tell.
std::uint64_t free_memory();

/// What the process has taken from its allocator [bytes]; 0 if that does not tell.
std::uint64_t heap_in_use();

}  // namespace servosim
