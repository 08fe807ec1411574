// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace servosim {

struct Scene;

/// Some of the scene's Solids, one behind the other.
/// Threads: a plain value.
struct SolidRange {
  int begin = 0;
  int end = 0;  ///< behind the last
  bool contains(int solid) const { return solid >= begin && solid < end; }
};

/// A Solid and all below it, which follow it in the scene; none for -1.
SolidRange branch_of(const Scene& scene, int solid);

}  // namespace servosim
