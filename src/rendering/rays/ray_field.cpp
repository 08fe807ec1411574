// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/ray_field.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "rendering/rays/floats.h"

namespace servosim::rays {

namespace {

// Returns the place in the picture without a lens that a pixel at `p` sees, both as fractions of
// width and height, v downwards.
std::array<double, 2> undistorted(const LensDistortion& lens, double u, double v) {
  const double x = u - lens.center[0];
  const double y = v - lens.center[1];
  const double r = x * x + y * y;
  const auto [k1, k2] = lens.radial;
  const auto [p1, p2] = lens.tangential;
  const double a = k1 * r + k2 * r * r;
  const double b = 1.0 / (1.0 + 4.0 * k1 * r + 6.0 * k2 * r * r + 8.0 * p1 * y + 8.0 * p2 * x);
  return {u - b * (a * x + 2.0 * p1 * x * y + p2 * (r + 2.0 * x * x)),
          v - b * (a * y + 2.0 * p2 * x * y + p1 * (r + 2.0 * y * y))};
}

bool is_in_picture(double x) { return x >= 0.0 && x <= 1.0; }

}  // namespace

RayField::RayField(const RayPattern& pattern)
    : projection_(pattern.projection), width_(pattern.width), height_(pattern.height) {
  if (projection_ == Projection::Spherical || pattern.lens) {
    fill_all(pattern);
  } else {
    fill_parts(pattern);
  }
}

void RayField::fill_parts(const RayPattern& pattern) {
  const double half = std::tan(0.5 * pattern.field_of_view);
  const double ratio = static_cast<double>(height_) / width_;
  for (int i = 0; i < width_; ++i) {
    const double u = (i + 0.5) / width_;
    const double azimuth = (0.5 - u) * pattern.field_of_view;
    is_planar() ? columns_.add(1.0, (1.0 - 2.0 * u) * half)
                : columns_.add(std::cos(azimuth), std::sin(azimuth));
  }
  for (int j = 0; j < height_; ++j) {
    const double v = (j + 0.5) / height_;
    const bool given = !pattern.elevations.empty();
    const double elevation =
        given ? pattern.elevations[j] : (0.5 - v) * pattern.field_of_view * ratio;
    is_planar() ? rows_.add(1.0, given ? std::tan(elevation) : (1.0 - 2.0 * v) * half * ratio)
                : rows_.add(std::cos(elevation), std::sin(elevation));
  }
}

void RayField::fill(int column, int row, int columns, int rows, double* x, double* y,
                    double* z) const {
  int n = 0;
  for (int j = row; j < row + rows; ++j) {
    for (int i = column; i < column + columns; i += 2, n += 2) {
      if (all_.empty()) {
        const Doubles cosine{rows_.cosine[j], rows_.cosine[j]};
        store(cosine * load(&columns_.cosine[i]), x + n);
        store(cosine * load(&columns_.sine[i]), y + n);
        store(Doubles{rows_.sine[j], rows_.sine[j]}, z + n);
      } else {
        const Vec3 a = direction(i, j);
        const Vec3 b = direction(i + 1, j);
        store(Doubles{a.x, b.x}, x + n);
        store(Doubles{a.y, b.y}, y + n);
        store(Doubles{a.z, b.z}, z + n);
      }
    }
  }
}

void RayField::fill_all(const RayPattern& pattern) {
  const double half = std::tan(0.5 * pattern.field_of_view);
  const double ratio = static_cast<double>(height_) / width_;
  all_.reserve(static_cast<std::size_t>(width_) * height_);
  for (int j = 0; j < height_; ++j) {
    for (int i = 0; i < width_; ++i) {
      const double u = (i + 0.5) / width_;
      const double v = (j + 0.5) / height_;
      if (projection_ == Projection::Spherical) {
        const double from_middle = std::hypot(u - 0.5, v - 0.5);
        const double off = from_middle * pattern.field_of_view;
        const double share = from_middle > 0.0 ? std::sin(off) / from_middle : 0.0;
        all_.push_back({std::cos(off), -share * (u - 0.5), -share * (v - 0.5)});
      } else {
        const auto [x, y] = undistorted(*pattern.lens, u, v);
        all_.push_back(is_in_picture(x) && is_in_picture(y)
                           ? Vec3{1.0, (1.0 - 2.0 * x) * half, (1.0 - 2.0 * y) * half * ratio}
                           : Vec3{});
      }
    }
  }
}

}  // namespace servosim::rays
