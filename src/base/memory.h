// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// How much memory there is, how much of it is free, and how much this process has taken.

namespace servosim {

/// The limits of this process's control group and of those above it.
struct GroupMemory {
  std::uint64_t limit = 0;  ///< what the group may have [bytes]
  /// What is left of it [bytes]; what the system can reclaim counts as left.
  std::uint64_t left = 0;
};

/// Returns the lowest limit and the lowest remainder; nothing if there is no limit. `groups` is the
/// text of /proc/PID/cgroup, `root` the folder /sys/fs/cgroup, in version 1, version 2 or both.
std::optional<GroupMemory> group_memory(std::string_view groups, const std::string& root);

/// Returns the memory of the machine or of the process's control group [bytes]; nothing if the
/// system does not tell.
std::optional<std::uint64_t> memory_there_is();

/// Returns how many bytes the process can still take before the system refuses or ends it. The
/// machine, the control group and the address space limit this. Returns the largest number if the
/// system does not tell.
std::uint64_t free_memory();

/// Returns what the process has taken from its allocator [bytes]; 0 if the allocator does not tell.
std::uint64_t heap_in_use();

}  // namespace servosim
