// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "servosim/math.h"
#include "view/still/still_eye.h"

namespace servosim::still {

/// The red, green and blue of a colour such as 0xff8000, in [0, 1].
constexpr Vec3 hex_color(unsigned hex) {
  return {(hex >> 16 & 0xffu) / 255.0, (hex >> 8 & 0xffu) / 255.0, (hex & 0xffu) / 255.0};
}

/// A straight line in the world that is drawn over a picture.
struct MarkLine {
  Vec3 from;
  Vec3 to;
  Vec3 color;          ///< red, green, blue in [0, 1]
  double width = 1.0;  ///< [pixels]
  double from_opacity = 1.0;
  double to_opacity = 1.0;
  bool is_on_ground = false;  ///< whether what is nearer hides it
};

/// A round sign in the world, of a fixed size in the picture.
struct MarkDot {
  enum class Sign : std::uint8_t { Contact, Mass };
  Vec3 at;
  Sign sign = Sign::Contact;
};

/// A picture with marks over it.
struct StillCanvas {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  ///< red, green and blue, rows from the top
  /// The largest of each pixel, along the forward axis of the eye [m], so that a floor that is seen
  /// at a grazing angle does not hide a line on it.
  std::vector<float> depths;

  StillCanvas(int columns, int rows)
      : width(columns),
        height(rows),
        pixels(std::size_t{3} * columns * rows),
        depths(std::size_t{1} * columns * rows) {}

  void draw(const StillEye& eye, const MarkLine& line);
  void draw(const StillEye& eye, const MarkDot& dot);
  /// Returns the picture as a PNG file.
  std::string png() const;

 private:
  void draw_across(const StillEye::Spot& from, const StillEye::Spot& to, const MarkLine& line);
  void blend(int column, int row, const Vec3& color, double opacity);
};

}  // namespace servosim::still
