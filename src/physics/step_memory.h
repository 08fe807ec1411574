// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace servosim {

/// What the solver of a world may have for one step at most [bytes]: from 17.2e9 on ODE counts the
/// numbers of a matrix past its integers.
inline constexpr std::size_t kMaxStepMemory = 16'000'000'000;

/// What it may have without an option [bytes], where `worlds` are simulated at the same time, by
/// whatever process: its share of half of the memory of the machine or of the process' control
/// group, at most kMaxStepMemory.
std::size_t default_step_memory(std::size_t worlds = 1);

/// The memory that the control group of a process may have, or one above it [bytes]; nothing where
/// there is no limit. `groups` is what /proc/PID/cgroup says, `root` the folder /sys/fs/cgroup; of
/// version 1, 2 or both.
std::optional<std::uint64_t> group_memory_limit(std::string_view groups, const std::string& root);

}  // namespace servosim
