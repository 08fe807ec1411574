// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Numbers that bound what several modules accept, each with its unit and its reason.

namespace servosim {

/// The largest coordinate and length [m] that a world file may contain. There a double
/// resolves 1e-10 m, and a float, in which ODE keeps meshes, 0.06 m. A larger value is replaced, or
/// its shape left out.
inline constexpr double kMaxFileCoordinate = 1e6;

/// The largest joint position [rad|m] that a world file may contain: beyond it a double does not
/// resolve small motions. A wheel may get there in days.
inline constexpr double kMaxFileJointPosition = 1e8;

/// The largest coordinate [m], joint position [m, rad] and speed [m/s, rad/s] of a simulation that
/// counts as stable: a step that goes beyond ends the run, and nothing may be put there. ODE itself
/// aborts far later.
inline constexpr double kMaxCoordinate = 1e9;

/// The longest time-out [s], 30 years: a longer one is cut to it, so that it fits any integer type
/// as milliseconds or nanoseconds.
inline constexpr double kMaxTimeout = 1e9;

/// Most points of an ElevationGrid, and most of them that a file may leave out (they are 0 m high):
/// a few bytes of a file must not ask for more memory than this.
inline constexpr std::int64_t kMaxGridPoints = 1 << 24;
inline constexpr std::int64_t kMaxOmittedGridPoints = 1 << 20;

/// Whether a moment [ms] has come. A step count times a time step that is not a binary fraction
/// misses whole numbers by rounding: by about 1e-16 of the time for each operation.
inline bool is_due(double now_ms, double due_ms) { return now_ms >= due_ms * (1.0 - 1e-12); }

}  // namespace servosim
