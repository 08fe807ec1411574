// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rendering/renderer.h"
#include "servosim/math.h"

namespace servosim::rays {

/// The directions of all rays of a pattern.
///
/// Threads: any number at a time.
class RayField {
 public:
  explicit RayField(const RayPattern& pattern);

  int width() const { return width_; }
  int height() const { return height_; }
  bool is_planar() const { return projection_ == Projection::Planar; }
  /// The direction of the ray of a pixel in the frame of the sensor: with x = 1 in a planar
  /// picture, so that the parameter of the ray is the depth, and of length one in others. Null for
  /// a pixel that sees nothing through the lens.
  Vec3 direction(int column, int row) const {
    if (!all_.empty()) {
      return all_[static_cast<std::size_t>(row) * width_ + column];
    }
    const Part& across = columns_[column];
    const Part& up = rows_[row];
    return {up.cosine * across.cosine, up.cosine * across.sine, up.sine};
  }

 private:
  // These are of an angle. In a planar picture they are 1 and the tangent.
  struct Part {
    double cosine = 1.0;
    double sine = 0.0;
  };
  void fill_parts(const RayPattern& pattern);
  void fill_all(const RayPattern& pattern);

  Projection projection_;
  int width_;
  int height_;
  std::vector<Part> columns_;
  std::vector<Part> rows_;
  std::vector<Vec3> all_;  // of patterns whose columns and rows do not separate
};

}  // namespace servosim::rays
