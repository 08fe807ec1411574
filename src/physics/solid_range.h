// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace servosim {

struct Scene;

/// Holds the indices of Solids that are adjacent in the scene.
/// Threads: a plain value.
struct SolidRange {
  int begin = 0;
  int end = 0;  ///< one after the last
  bool contains(int solid) const { return solid >= begin && solid < end; }
};

/// Returns a Solid and everything below it, which are adjacent in the scene. The range is empty for
/// -1.
SolidRange branch_of(const Scene& scene, int solid);

}  // namespace servosim
