// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace servosim {

/// The largest memory of the solver for one step [bytes]: from 17.2e9 on the number of elements of
/// a matrix overflows ODE's integers.
inline constexpr std::size_t kMaxStepMemory = 16'000'000'000;

/// The default [bytes], where `worlds` are simulated at the same time, by any processes: its share
/// of half of the memory of the machine or of the process' control group, at most kMaxStepMemory.
std::size_t default_step_memory(std::size_t worlds = 1);

}  // namespace servosim
