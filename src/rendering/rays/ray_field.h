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
    return {rows_.cosine[row] * columns_.cosine[column], rows_.cosine[row] * columns_.sine[column],
            rows_.sine[row]};
  }
  /// Writes the directions of the rays of pixels in the picture, by components.
  /// @param columns  how many of each row, which is even
  void fill(int column, int row, int columns, int rows, double* x, double* y, double* z) const;

 private:
  // These are of angles. In a planar picture they are 1 and the tangents.
  struct Parts {
    void add(double of_cosine, double of_sine) {
      cosine.push_back(of_cosine);
      sine.push_back(of_sine);
    }
    std::vector<double> cosine;
    std::vector<double> sine;
  };
  void fill_parts(const RayPattern& pattern);
  void fill_all(const RayPattern& pattern);

  Projection projection_;
  int width_;
  int height_;
  Parts columns_;
  Parts rows_;
  std::vector<Vec3> all_;  // of patterns whose columns and rows do not separate
};

}  // namespace servosim::rays
