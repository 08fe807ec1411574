// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace servosim {

/// Whether a moment [ms] has come. A step count times a time step that is not a binary fraction
/// misses whole numbers by rounding: by about 1e-16 of the time for each operation.
inline bool is_due(double now_ms, double due_ms) { return now_ms >= due_ms * (1.0 - 1e-12); }

}  // namespace servosim
