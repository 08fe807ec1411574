// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace servosim {

/// The largest coordinate [m] and joint position [m, rad] that a file may ask for. Beyond it digits
/// are lost; a larger one is replaced.
inline constexpr double kMaxWrittenCoordinate = 1e6;

/// The largest coordinate [m], joint position [m, rad] and speed [m/s, rad/s] of a simulation that
/// counts as stable: a step that goes beyond ends the run, and nothing may be put there. ODE itself
/// aborts far later.
inline constexpr double kMaxCoordinate = 1e9;

}  // namespace servosim
