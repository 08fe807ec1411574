// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Bounds on what several modules accept, each with its unit and its reason.

namespace servosim {

/// The largest coordinate and length [m] of a world file. At this value the resolution of a double
/// is 1e-10 m, and that of a float, in which ODE keeps meshes, 0.06 m. A larger value is replaced,
/// or its shape is left out.
inline constexpr double kMaxFileCoordinate = 1e6;

/// The largest joint position [rad|m] of a world file: beyond it a double does not resolve small
/// motions. A wheel may reach it within days.
inline constexpr double kMaxFileJointPosition = 1e8;

/// The largest coordinate [m], joint position [m, rad] and speed [m/s, rad/s] of a stable
/// simulation. A step that goes beyond ends the run, and no object may be placed beyond it. ODE
/// itself aborts only at much larger values.
inline constexpr double kMaxCoordinate = 1e9;

/// The longest time-out [s], 30 years. A longer one is reduced to it, so that it fits any integer
/// type in milliseconds or nanoseconds.
inline constexpr double kMaxTimeout = 1e9;

/// The most points of an ElevationGrid, and the most of them that a file may omit (they are 0 m
/// high): a few bytes of a file must not ask for more memory than this.
inline constexpr std::int64_t kMaxGridPoints = 1 << 24;
inline constexpr std::int64_t kMaxOmittedGridPoints = 1 << 20;

/// Returns whether the time `due_ms` [ms] has come. The product of a step count and a time step
/// that is not a binary fraction misses whole numbers by rounding: by about 1e-16 of the time for
/// each operation.
inline bool is_due(double now_ms, double due_ms) { return now_ms >= due_ms * (1.0 - 1e-12); }

}  // namespace servosim
