// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace servosim {

/// What the solver of a world may have for one step when nobody says so [bytes]: half of the memory
/// of the machine or of the process' control group, at most 16 GB, from where on ODE counts rows
/// past its integers.
std::size_t default_step_memory();

}  // namespace servosim
