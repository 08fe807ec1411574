// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace servosim {

/// ODE's solver gets at most this memory for one step [bytes]. From 17.2e9 on, the number of
/// elements of a matrix overflows ODE's integers.
inline constexpr std::size_t kMaxStepMemory = 16'000'000'000;

/// Returns the default limit [bytes] if `worlds` worlds are simulated at the same time by any
/// processes: half of the memory of the machine or of the process' control group, divided by
/// `worlds`, at most kMaxStepMemory. Threads: any.
std::size_t default_step_memory(std::size_t worlds = 1);

}  // namespace servosim
