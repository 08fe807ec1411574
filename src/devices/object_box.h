// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "scene/scene.h"
#include "servosim/math.h"

namespace servosim {

/// The field of view of a Camera in its own frame: x forward, y to the left, z up.
struct ViewOfObjects {
  Projection projection = Projection::Planar;
  int width = 1;  ///< [pixels]
  int height = 1;
  double field_of_view = 1.0;  ///< [rad], of the width
  std::optional<LensDistortion> lens;

  /// The angle that the height spans [rad].
  double vertical_field_of_view() const;
};

/// The box around an object, with the axes of a Camera. It begins empty.
class ObjectBox {
 public:
  explicit ObjectBox(const ViewOfObjects& view);
  /// @param width, height  the angles that a planar view spans [rad]
  ObjectBox(double width, double height);

  /// Adds the part of a shape that the Camera can see; a Plane has none.
  /// @param place  of the shape's Solid, in the frame of the Camera
  void add(const Shape& shape, const Pose& place);
  /// Adds that of a sphere. @param center  in the frame of the Camera
  void add_sphere(const Vec3& center, double radius);

  bool is_empty() const { return !(low_.x <= high_.x); }
  Vec3 center() const { return 0.5 * (low_ + high_); }
  Vec3 size() const { return high_ - low_; }
  std::array<Vec3, 8> corners() const;

 private:
  // A side of the field of view: a plane through the Camera, with its normal inwards.
  struct Side {
    Vec3 inwards;
    double sense;  // of the axis on which what sticks out is cut off: 1 at its upper end
    bool is_of_width;
  };
  void add_points(const std::vector<Vec3>& points);
  void add_round(const Vec3& center, const Vec3& half);
  void include(const Vec3& point);

  std::vector<Side> sides_;  // none where the field of view is not a pyramid
  bool cuts_round_shapes_;   // beyond the sides
  Vec3 low_;
  Vec3 high_;
};

/// A rectangle in a picture [pixels], from the upper left corner.
struct ObjectFrame {
  std::array<int, 2> middle{};
  std::array<int, 2> size{};
};

/// Returns the rectangle around a box in the picture; nothing if it is smaller than a pixel.
std::optional<ObjectFrame> frame_of(const ObjectBox& box, const ViewOfObjects& view);

}  // namespace servosim
