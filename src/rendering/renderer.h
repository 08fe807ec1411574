// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "scene/device_spec.h"
#include "scene/drawn_shape.h"
#include "scene/looks.h"
#include "servosim/math.h"

// What sensors need to see a world: the boundary between the library and the renderer, which is a
// library of its own (src/rendering/rays/) that is loaded when a sensor needs it.
//
// The frame of a sensor has x forward, y to the left and z up. Row 0 of a picture is its upper
// edge, and column 0 its left edge.

namespace servosim {

/// The rays of a picture.
struct RayPattern {
  Projection projection = Projection::Planar;
  int width = 1;                                  ///< columns, >= 1
  int height = 1;                                 ///< rows, >= 1
  double field_of_view = std::numbers::pi / 4.0;  ///< angle that the width spans [rad], > 0
  /// The angle of each row above the xy plane [rad], for Planar and Cylindrical. If there are none,
  /// pixels are square.
  std::vector<double> elevations = {};
  std::optional<LensDistortion> lens = {};  ///< of a Planar picture without `elevations`
};

/// A rectangle of a picture: columns from `left` on and before `right`, counted from the first one
/// of the Glance, and rows from `top` on and before `bottom`.
struct PicturePart {
  int left = 0;
  int right = 0;
  int top = 0;
  int bottom = 0;
};

/// One picture of an Eye.
struct Glance {
  Pose eye;                           ///< the sensor's pose in the world
  std::span<const Pose> shapes;       ///< the pose of each shape of the renderer, in the world
  std::span<const char> hidden = {};  ///< which shapes are not seen, not 0 for these; none if empty
  double near = 0.0;                  ///< surfaces at a smaller depth are not seen [m]
  /// Rays end at this distance [m]; perhaps infinite. For find_light() it only leaves out shapes
  /// that are wholly beyond this depth; 0 leaves out none.
  double far = 0.0;
  int first_column = 0;  ///< the columns that are drawn
  int columns = 0;
  int threads = 1;               ///< threads that draw; the result is the same for any number
  const Looks* looks = nullptr;  ///< for find_light(), not null there
  int rays_per_pixel = 1;        ///< for find_light(): 1, or 4 whose mean is taken
  /// For find_light(): the threads that draw call it with each part whose light is found, once for
  /// each pixel. Must throw nothing; empty for nothing to do.
  std::function<void(const PicturePart&)> use_part = {};
};

/// Whether a shape of the renderer, by its number, is not seen.
inline bool is_hidden(const Glance& glance, std::size_t shape) {
  return !glance.hidden.empty() && glance.hidden[shape] != 0;
}

/// A sensor that sees the shapes of a Renderer. Its addresses of shapes are those of the renderer.
///
/// Threads: one at a time.
class Eye {
 public:
  virtual ~Eye() = default;
  /// Finds the distance along each ray to the first front face [m], infinite where there is none.
  /// It is computed in double precision from the plane of the triangle that the ray meets.
  /// @param glance  the columns must be in the pattern
  /// @param distances  rows of `glance.columns` values each
  virtual void find_distances(const Glance& glance, std::span<double> distances) = 0;
  /// Finds the light that comes along each ray: linear red, green and blue before tone mapping.
  /// White paper that one light of intensity 1 shines on vertically has 1. What the lens shows from
  /// outside of the picture is black.
  /// @param glance  the columns must be in the pattern
  /// @param light  rows of 3 * `glance.columns` values each
  virtual void find_light(const Glance& glance, std::span<float> light) = 0;
  /// Finds the shape that each ray meets first, by its number in the renderer; -1 for none.
  /// Translucent shapes count as opaque.
  /// @param glance  the columns must be in the pattern; `far` is that of find_light()
  /// @param shapes  rows of `glance.columns` values each
  virtual void find_shapes(const Glance& glance, std::span<std::int32_t> shapes) = 0;
};

/// The shapes of a world, prepared for rays. Simulations of the same world share it.
///
/// Threads: any number at a time.
class Renderer {
 public:
  virtual ~Renderer() = default;
  /// The number of shapes.
  virtual std::size_t size() const = 0;
  /// The Renderer must outlive the Eye.
  virtual std::unique_ptr<Eye> open(const RayPattern& pattern) const = 0;
};

/// Loads the renderer's library and prepares shapes. Fully transparent ones are not seen.
/// @param like  a renderer of similar shapes, with which the result shares what is equal; may be
///   null
/// @throws std::runtime_error if the library cannot be loaded; the message says what to do
std::unique_ptr<Renderer> make_renderer(const std::vector<DrawnShape>& shapes,
                                        const Renderer* like = nullptr);

}  // namespace servosim
