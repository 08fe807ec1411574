// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "scene/glyphs.h"
#include "scene/surface_look.h"

namespace servosim {

/// With what a Display is drawn on: the values that the controller has set, each from 0 to 255.
///
/// Threads: a plain value.
struct Brush {
  std::array<std::uint8_t, 3> color{255, 255, 255};  ///< red, green, blue
  std::uint8_t alpha = 255;
  std::uint8_t opacity = 255;
};

/// The pixels of a Display, and the laws by which Webots draws on them. Places are in pixels from
/// the upper left corner; what lies outside is left out.
///
/// Threads: one at a time.
class Canvas {
 public:
  using Point = std::array<std::int32_t, 2>;

  /// @param image  outlives this object
  explicit Canvas(Image& image) : image_(image) {}

  /// Draws one pixel: each of its colours becomes ((255 - opacity) old + opacity new) div 255, and
  /// so does its alpha.
  void pixel(std::int64_t x, std::int64_t y, const Brush& brush);
  /// Draws a line by Bresenham's law in whole numbers, with both ends.
  void line(const Point& from, const Point& to, const Brush& brush);
  /// Draws the frame of a rectangle. Its sizes are > 0.
  void rectangle(const Point& corner, std::int32_t width, std::int32_t height, const Brush& brush);
  void fill_rectangle(const Point& corner, std::int32_t width, std::int32_t height,
                      const Brush& brush);
  /// Draws an ellipse by the midpoint law.
  /// @param radii  > 0, at most kMaxRadius
  void oval(const Point& middle, const Point& radii, bool is_filled, const Brush& brush);
  /// Draws a polygon row by row, by the even-odd rule.
  /// @param corners  at least one
  void polygon(std::span<const Point> corners, bool is_filled, const Brush& brush);
  /// Draws a glyph, whose coverage scales the opacity.
  /// @param pen  where its line begins on the baseline
  void glyph(const Point& pen, const Glyph& glyph, const Brush& brush);
  /// Puts an image at a place: it replaces the pixels or, if it is blended, covers them by its
  /// alpha.
  void paste(const Image& image, const Point& corner, bool is_blended);

 private:
  std::uint8_t* at(std::int64_t x, std::int64_t y) {
    return &image_.pixels[4 * static_cast<std::size_t>(y * image_.width + x)];
  }
  void row(std::int64_t left, std::int64_t right, std::int64_t y, const Brush& brush);

  Image& image_;
};

/// Returns the part of a rectangle that is inside of an image.
Image part_of(const Image& image, const Canvas::Point& corner, std::int32_t width,
              std::int32_t height);

}  // namespace servosim
