// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace servosim {

/// The kind of a degree of freedom. Rotational joints are measured in rad and N·m, linear ones in m
/// and N.
///
/// Threads: a plain value.
enum class JointType : std::uint8_t { Rotational, Linear };

}  // namespace servosim
