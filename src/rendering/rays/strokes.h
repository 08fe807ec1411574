// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "rendering/rays/float3.h"
#include "rendering/renderer.h"

namespace servosim::rays {

/// A Shape with lines or points.
struct StrokeShape {
  std::shared_ptr<const DrawnMesh> mesh;  ///< not null
  Vec3 scale;
  std::size_t shape = 0;  ///< its number among the shapes of the Renderer
};

/// Returns those of the shapes that have lines or points.
std::vector<StrokeShape> strokes_of(const std::vector<DrawnShape>& shapes);

/// A pixel that a line or a point covers.
struct StrokePixel {
  Vec3 place;  ///< of the nearest one, in the frame of the eye
  Float3 color{};
};

/// Finds the pixels that lines and points cover, whatever lies in front of them. They are one pixel
/// wide, which is a guess for points, and no lens bends them.
class StrokePainter {
 public:
  /// @param pattern  outlives this object
  explicit StrokePainter(const RayPattern& pattern) : pattern_(pattern) {}

  /// Returns them by row * width + column. `glance` has its looks.
  std::map<std::size_t, StrokePixel> paint(const Glance& glance,
                                           const std::vector<StrokeShape>& strokes);

 private:
  // A place in the picture [pixels]; of a planar one only what is in front of the eye has one.
  struct Spot {
    double x;
    double y;
  };
  Spot spot_of(const Vec3& place) const;
  void add_line(Vec3 from, Vec3 to, double near);
  void split(const Vec3& from, const Vec3& to, const Spot& first, const Spot& last, int depth);
  void add_point(const Vec3& place, const Spot& spot);

  const RayPattern& pattern_;
  Float3 color_{};  // of what is added
  std::map<std::size_t, StrokePixel> pixels_;
};

}  // namespace servosim::rays
