// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace servosim {

/// The largest memory of the solver for one step [bytes]: from 17.2e9 on the number of elements of
/// a matrix overflows ODE's integers.
inline constexpr std::size_t kMaxStepMemory = 16'000'000'000;

/// The default [bytes], where `worlds` are simulated at the same time, by any processes: its share
/// of half of the memory of the machine or of the process' control group, at most kMaxStepMemory.
std::size_t default_step_memory(std::size_t worlds = 1);

/// The memory that the control group of a process may have, or one above it [bytes]; nothing where
/// there is no limit. `groups` is the text of /proc/PID/cgroup, `root` the folder /sys/fs/cgroup;
/// of version 1, 2 or both.
std::optional<std::uint64_t> group_memory_limit(std::string_view groups, const std::string& root);

}  // namespace servosim
