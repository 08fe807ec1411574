// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace servosim {

/// The farthest coordinate that a file may ask for [m]. What lies beyond is replaced.
inline constexpr double kMaxWrittenCoordinate = 1e6;

/// The largest coordinate [m], joint position [m, rad] and speed [m/s, rad/s] of a simulation that
/// counts as stable: a step that goes beyond ends the run, and nothing may be put there.
inline constexpr double kMaxCoordinate = 1e9;

}  // namespace servosim
