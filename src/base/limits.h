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

/// Whether a moment [ms] has come. A step count times a time step that is not a binary fraction
/// misses whole numbers by rounding: by about 1e-16 of the time for each operation.
inline bool is_due(double now_ms, double due_ms) { return now_ms >= due_ms * (1.0 - 1e-12); }

}  // namespace servosim
