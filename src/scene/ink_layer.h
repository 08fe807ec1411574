// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "scene/surface_look.h"
#include "servosim/math.h"

// The ink of Pens on Shapes.

namespace servosim {

struct Shape;
struct VisibleShape;

/// Returns the place in the ink layer of a Shape, 0 0 in the upper left corner and 1 1 in the lower
/// right one.
/// @param normal  of the surface there, in the frame of the Shape before it is scaled, z upright
/// @param place  in a picture that lies on the Shape once
/// @param in_box  the place in the box around the Shape, each coordinate in [-0.5, 0.5]; used for
///   InkForm::Spread
std::array<double, 2> ink_place(InkForm form, const Vec3& normal,
                                const std::array<double, 2>& place, const Vec3& in_box);

/// Returns the place of a point in the box between two corners, each coordinate in [-0.5, 0.5], for
/// ink_place().
Vec3 place_in_box(const Vec3& point, const Vec3& low, const Vec3& high);

/// Returns how the ink layer of a geometry is divided, by the type of its node. A mesh may also
/// have InkForm::Spread.
InkForm ink_form_of(std::string_view geometry);

/// How many columns and rows of pictures the ink layer of a Shape has.
std::array<int, 2> ink_parts(InkForm form);

/// What Pens have written on a Shape: ink by pixel, of which only those that have some take memory.
///
/// Threads: one at a time; any number may read.
class InkLayer {
 public:
  /// Ink at a pixel. Webots uses the colour as a linear one.
  struct Ink {
    float red = 1.0f;
    float green = 1.0f;
    float blue = 1.0f;
    float density = 0.0f;  ///< in [0, 1]
  };

  /// @param width, height  > 0 [pixels]
  InkLayer(int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  /// Returns the ink at a place; none outside of the layer.
  Ink at(double u, double v) const;
  /// Adds ink to the disc of pixels around a place, unless that is outside of the layer. A new one
  /// mixes with the old one by their densities, which add up to at most 1.
  /// @param radius  [pixels], >= 0
  void mark(double u, double v, int radius, const Ink& ink);
  /// Whether mark() would add such ink at a place.
  static bool takes(double u, double v, const Ink& ink) {
    return u >= 0.0 && u <= 1.0 && v >= 0.0 && v <= 1.0 && ink.density > 0.0f;
  }
  /// Multiplies all densities. Ink below 0.001 no longer fades.
  void fade(double factor);
  /// Whether some ink fades.
  bool fades() const;

  /// The pixels that have ink, in a fixed order, for saved states.
  struct Spot {
    std::uint32_t pixel = 0;  ///< row * width + column
    Ink ink;
  };
  std::vector<Spot> spots() const;
  void put(const Spot& spot);

 private:
  static constexpr int kTileSide = 16;
  using Tile = std::array<Ink, std::size_t{kTileSide} * kTileSide>;

  std::size_t tile_of(int x, int y) const {
    return static_cast<std::size_t>(y / kTileSide) * tiles_across_ + x / kTileSide;
  }
  static std::size_t in_tile(int x, int y) {
    return static_cast<std::size_t>(y % kTileSide) * kTileSide + x % kTileSide;
  }
  Ink& writable(int x, int y);

  int width_;
  int height_;
  std::size_t tiles_across_;
  std::vector<std::shared_ptr<Tile>> tiles_;  // null without ink; layers that are copies share them
};

/// Returns the radius of a sphere around a shape [m]: see VisibleShape::radius.
double bounding_radius(const Shape& shape);

/// Returns an empty layer for a Shape, as large as Webots makes it.
InkLayer ink_layer_for(const VisibleShape& shape);

/// The radius of the disc that a Pen marks on a layer [pixels]. It depends on the width of a part
/// of the layer, which has the pixels of a picture on the Shape.
/// @param lead_size  [m]
int ink_radius(const VisibleShape& shape, const InkLayer& layer, double lead_size);

}  // namespace servosim
