// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "recording/recording_reader.h"
#include "recording/scene_parts.h"
#include "servosim/math.h"

// The region of a recording that pictures show, as web/src/view.ts finds it.

namespace servosim::still {

/// A box along the axes of its frame.
struct StageBox {
  Vec3 low{kFar, kFar, kFar};
  Vec3 high{-kFar, -kFar, -kFar};

  bool is_empty() const { return low.x > high.x; }
  Vec3 center() const { return 0.5 * (low + high); }
  /// The length of its diagonal [m].
  double size() const { return is_empty() ? 0.0 : norm(high - low); }
  void add(const Vec3& point) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y), std::min(low.z, point.z)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y), std::max(high.z, point.z)};
  }
  void add(const StageBox& other) {
    if (!other.is_empty()) {
      add(other.low);
      add(other.high);
    }
  }
  /// Returns the box around this one, which is in a frame of this pose.
  StageBox placed(const Pose& pose) const;

 private:
  static constexpr double kFar = std::numeric_limits<double>::infinity();
};

/// The extent of the shapes that show each body, in its frame.
std::vector<StageBox> body_extents(const SceneParts& parts);

/// What moves in a recording, and the directions of somebody who looks at it.
struct Stage {
  StageBox around;           ///< where the moving bodies are, at any time unless they travel
  bool travels = false;      ///< whether they go far away from where they are first
  std::vector<Vec3> places;  ///< some places of moving bodies
  Vec3 up;
  Vec3 right;
  Vec3 near;                 ///< towards the viewer
  double cell = 1.0;         ///< length of a cell of the grid [m]
  double force_scale = 0.0;  ///< length of the arrow of a force [m/N]; 0 without forces
  /// The size of the marks of each body [m].
  std::vector<double> mark_sizes(const SceneParts& parts) const;
  double size() const { return std::max(1e-3, around.size()); }
};

/// Finds the stage of a recording. It counts frames of the scene at `time` [s] alone.
/// @param parts  of that scene
Stage find_stage(const Recording& recording, const SceneParts& parts, double time);

}  // namespace servosim::still
