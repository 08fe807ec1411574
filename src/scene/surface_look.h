// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "servosim/math.h"

// How a Shape reflects light, and which place of its picture is at a point of the Shape. In places
// u points to the right and v downwards: 0 0 is the upper left corner of a picture, 1 1 the lower
// right corner.

namespace servosim {

struct Shape;

/// A picture as pixels.
struct Image {
  int width = 0;                     ///< > 0
  int height = 0;                    ///< > 0
  std::vector<std::uint8_t> pixels;  ///< red, green, blue and alpha of each pixel, rows from the
                                     ///< top
  /// What Cameras see in place of the pixels: red, green, blue and alpha of each pixel, of which 1
  /// is that of the byte 255, and light may be brighter. Empty for a picture of bytes alone.
  std::vector<float> light = {};
  bool operator==(const Image&) const = default;
};

/// An opaque black picture, which exists as long as somebody holds it.
///
/// Threads: any.
class BlackPicture {
 public:
  /// @param width   [pixels], > 0; the same in each call
  /// @param height  [pixels], > 0; the same in each call
  std::shared_ptr<const Image> get(int width, int height);

 private:
  std::mutex lock_;
  std::weak_ptr<const Image> held_;
};

/// An ImageTexture.
struct Texture {
  std::shared_ptr<const Image> image;  ///< null without an image
  bool repeats_u = true;               ///< true if the picture repeats, false if its edge continues
  bool repeats_v = true;
  bool is_smooth = true;  ///< false if Cameras see its pixels without a mean: filtering 0
  /// Whether there is an ImageTexture, also one without an image: a Display shows its picture
  /// there.
  bool is_node = false;

  /// Returns the red part of the pixel at a place, in [0, 1]. There must be an image.
  double red_at(const std::array<double, 2>& place) const;
};

struct TextureTransform {
  std::array<double, 2> scale{1.0, 1.0};
  double rotation = 0.0;  ///< [rad]
  std::array<double, 2> center{0.0, 0.0};
  std::array<double, 2> translation{0.0, 0.0};

  bool is_finite() const {
    return std::isfinite(scale[0] + scale[1] + rotation + center[0] + center[1] + translation[0] +
                         translation[1]);
  }
  /// Applies C⁻·S·R·C·T of Webots, from right to left.
  std::array<double, 2> apply(const std::array<double, 2>& place) const {
    const std::array<double, 2> c{center[0], -center[1] - 1.0};
    const double u = place[0] + translation[0] + c[0];
    const double v = place[1] - translation[1] + c[1];
    const double turned_u = std::cos(rotation) * u + std::sin(rotation) * v;
    const double turned_v = -std::sin(rotation) * u + std::cos(rotation) * v;
    return {scale[0] * turned_u - c[0], scale[1] * turned_v - c[1]};
  }
};

/// The part of infra-red light that a Shape reflects. Each number is in [0, 1].
struct SurfaceLook {
  double red = 1.0;  ///< red of the colour, times 1 - transparency
  double roughness = 0.0;
  double red_of_display = 1.0;  ///< takes the place of `red` where a Display is shown
  Texture red_map;              ///< multiplies `red`
  Texture roughness_map;        ///< replaces `roughness`
  Texture occlusion_map;        ///< counts as 0 without an image
  TextureTransform transform;

  bool has_picture() const { return red_map.image != nullptr; }
  /// Returns a number in [0.2, 1], by Webots' rule: 0.2 + 0.8 red (1 - roughness/2) (1 -
  /// occlusion/2).
  double reflection_at(const std::array<double, 2>& place) const {
    return reflection(red_at(place), place);
  }
  /// Returns the red part of the colour at a place, in [0, 1].
  double red_at(const std::array<double, 2>& place) const;
  /// Returns the reflection of a place whose colour has another red part.
  double reflection(double shade, const std::array<double, 2>& place) const;
};

enum class PictureForm : std::uint8_t {
  Box,
  Plane,
  Sphere,
  Cylinder,
  Capsule,
  Cone,
  Grid,
  Vertices
};

/// How the ink layer of a Shape is divided, so that no part of the Shape shares ink with another.
enum class InkForm : std::uint8_t {
  Whole,     ///< not at all: ink lies like a picture
  Sphere,    ///< not at all, and u continues beyond 1 at 0
  Box,       ///< into the sides of a Box
  Cylinder,  ///< into the side, the top and the bottom
  Cone,      ///< into the side and the bottom
  Spread     ///< a mesh without places in a picture: into the sides of the box around it
};

/// The placement of a picture on a Shape.
struct PictureMapping {
  PictureForm form = PictureForm::Vertices;
  bool y_is_up = false;  ///< for old files: y of the shape takes the role of z
  Vec3 size;             ///< x and y of a Plane; radius of a Cone in x and its height in z [m]
  /// The places in the picture of the vertices of the shape's mesh. Null if there is no picture.
  std::shared_ptr<const std::vector<std::array<double, 2>>> vertices;
  InkForm ink = InkForm::Whole;
  Vec3 low;  ///< corners of the box around a mesh without places in a picture, in the shape's frame
  Vec3 high;
};

/// Returns the place of the picture at a point of the surface of a shape, in the shape's frame.
/// `triangle` is the triangle of its mesh that has the point, or -1 if it is unknown.
std::array<double, 2> place_in_picture(const PictureMapping& mapping, const Shape& shape,
                                       const Vec3& point, int triangle);

/// Returns a vector in the frame of a shape with z along its axis.
inline Vec3 upright(const PictureMapping& mapping, const Vec3& v) {
  return mapping.y_is_up ? Vec3{v.x, -v.z, v.y} : v;
}

/// Returns the places of the vertices of a mesh without places of its own. The picture extends
/// along the two longest sides of its bounding box. It is as high as it is wide: both coordinates
/// are shares of the longest side.
std::vector<std::array<double, 2>> spread_over_box(const std::vector<Vec3>& vertices);

}  // namespace servosim
