// SPDX-License-Identifier: Apache-2.0
// Webots' rules of WbObjectDetection, as far as they are known.
#include "devices/object_box.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace servosim {

namespace {

constexpr double kPi = std::numbers::pi;

std::vector<Vec3> points_of(const Shape& shape) {
  std::vector<Vec3> points;
  if (shape.type == ShapeType::Box) {
    for (int corner = 0; corner < 8; ++corner) {
      const auto half = [corner](int bit, double size) {
        return (corner >> bit & 1) != 0 ? 0.5 * size : -0.5 * size;
      };
      points.push_back({half(0, shape.size.x), half(1, shape.size.y), half(2, shape.size.z)});
    }
  } else if (shape.type == ShapeType::Mesh && shape.mesh != nullptr) {
    points = shape.mesh->vertices;
  } else if (shape.type == ShapeType::Grid && shape.grid != nullptr) {
    const Grid& grid = *shape.grid;
    for (int row = 0; row < grid.rows; ++row) {
      for (int column = 0; column < grid.columns; ++column) {
        points.push_back({column * grid.dx, row * grid.dy,
                          grid.heights[static_cast<std::size_t>(row) * grid.columns + column]});
      }
    }
  }
  return points;
}

// Half of the extent of a round shape along each axis, whose own axis is `axis`.
Vec3 half_extent(const Shape& shape, const Vec3& axis) {
  const auto along = [&](double part) {
    const double across = std::sqrt(std::max(0.0, 1.0 - part * part));
    return shape.type == ShapeType::Sphere ? shape.radius
           : shape.type == ShapeType::Capsule
               ? 0.5 * std::abs(part) * shape.height + shape.radius
               : 0.5 * std::abs(part) * shape.height + shape.radius * across;
  };
  return {along(axis.x), along(axis.y), along(axis.z)};
}

}  // namespace

double ViewOfObjects::vertical_field_of_view() const {
  const double ratio = static_cast<double>(height) / width;
  return projection == Projection::Planar ? 2.0 * std::atan(std::tan(0.5 * field_of_view) * ratio)
         : projection == Projection::Spherical ? field_of_view
                                               : field_of_view * ratio;
}

ObjectBox::ObjectBox(const ViewOfObjects& view)
    : ObjectBox(view.field_of_view, view.vertical_field_of_view()) {}

ObjectBox::ObjectBox(double width, double height) : cuts_round_shapes_(width <= 0.5 * kPi) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  low_ = {kFar, kFar, kFar};
  high_ = -low_;
  const auto add_pair = [this](double angle, bool is_of_width) {
    const double s = std::sin(0.5 * angle);
    const double c = std::cos(0.5 * angle);
    for (const double sense : {1.0, -1.0}) {
      const Vec3 inwards = is_of_width ? Vec3{s, -sense * c, 0.0} : Vec3{s, 0.0, -sense * c};
      sides_.push_back({inwards, sense, is_of_width});
    }
  };
  if (width < kPi && height < kPi) {
    add_pair(width, true);
    add_pair(height, false);
  }
}

void ObjectBox::include(const Vec3& p) {
  low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y), std::min(low_.z, p.z)};
  high_ = {std::max(high_.x, p.x), std::max(high_.y, p.y), std::max(high_.z, p.z)};
}

void ObjectBox::add(const Shape& shape, const Pose& place) {
  if (shape.type == ShapeType::Plane) {
    return;
  }
  const Pose pose = place * shape.pose;
  if (shape.type == ShapeType::Sphere || shape.type == ShapeType::Cylinder ||
      shape.type == ShapeType::Capsule) {
    return add_round(pose.translation, half_extent(shape, pose.rotation * Vec3{0.0, 0.0, 1.0}));
  }
  std::vector<Vec3> points = points_of(shape);
  for (Vec3& point : points) {
    point = pose * point;
  }
  add_points(points);
}

void ObjectBox::add_sphere(const Vec3& center, double radius) {
  add_round(center, {radius, radius, radius});
}

// Points beyond a side move onto it. A shape without a point inside counts only if it spans the
// field of view.
void ObjectBox::add_points(const std::vector<Vec3>& points) {
  std::vector<Vec3> seen;
  std::vector<Vec3> behind;
  std::array<bool, 4> is_beyond{};
  bool any_inside = false;
  for (Vec3 point : points) {
    if (!sides_.empty() && point.x <= 0.0) {
      behind.push_back(point);
      continue;
    }
    bool is_inside = true;
    for (std::size_t side = 0; side < sides_.size(); ++side) {
      if (const double depth = dot(sides_[side].inwards, point); depth < 0.0) {
        is_beyond[side] = true;
        is_inside = false;
        point = point - depth * sides_[side].inwards;
      }
    }
    any_inside |= is_inside;
    seen.push_back(point);
  }
  const bool spans = (is_beyond[0] && is_beyond[1]) || (is_beyond[2] && is_beyond[3]);
  if (any_inside || spans) {
    std::for_each(seen.begin(), seen.end(), [this](const Vec3& p) { include(p); });
    std::for_each(behind.begin(), behind.end(), [this](const Vec3& p) { include(p); });
  }
}

// What sticks out beyond a side is cut off the extent along its axis, if the view is narrow.
void ObjectBox::add_round(const Vec3& center, const Vec3& half) {
  Vec3 low = center - half;
  Vec3 high = center + half;
  for (const Side& side : sides_) {
    const double extent = side.is_of_width ? half.y : half.z;
    const double depth = dot(side.inwards, center);
    if (depth < -extent) {
      return;
    }
    const double out = cuts_round_shapes_ ? std::max(0.0, extent - depth) : 0.0;
    double& end = side.is_of_width ? (side.sense > 0.0 ? high.y : low.y)
                                   : (side.sense > 0.0 ? high.z : low.z);
    end -= side.sense * out;
  }
  if (low.y <= high.y && low.z <= high.z) {
    include(low);
    include(high);
  }
}

std::array<Vec3, 8> ObjectBox::corners() const {
  std::array<Vec3, 8> corners;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    corners[i] = {(i & 1u) != 0 ? high_.x : low_.x, (i & 2u) != 0 ? high_.y : low_.y,
                  (i & 4u) != 0 ? high_.z : low_.z};
  }
  return corners;
}

namespace {

double in_picture(double part) { return std::clamp(part, 0.0, 1.0); }

// The place of a point in a picture, as parts of its width and height from the upper left corner.
std::array<double, 2> place_of(const Vec3& p, const ViewOfObjects& view) {
  if (view.projection == Projection::Planar) {
    if (p.x <= 0.0) {
      return {p.y > 0.0 ? 0.0 : 1.0, p.z > 0.0 ? 0.0 : 1.0};
    }
    const auto part = [&p](double along, double angle) {
      return in_picture(0.5 - along / (2.0 * p.x * std::tan(0.5 * angle)));
    };
    return {part(p.y, view.field_of_view), part(p.z, view.vertical_field_of_view())};
  }
  const Vec3 d = unit_or(p, {1.0, 0.0, 0.0});
  if (view.projection == Projection::Cylindrical) {
    return {
        in_picture(0.5 - std::atan2(d.y, d.x) / view.field_of_view),
        in_picture(0.5 - std::asin(std::clamp(d.z, -1.0, 1.0)) / view.vertical_field_of_view())};
  }
  const double off = std::acos(std::clamp(d.x, -1.0, 1.0)) / view.field_of_view;
  const double across = std::hypot(d.y, d.z);
  return across > 0.0 ? std::array{in_picture(0.5 - off * d.y / across),
                                   in_picture(0.5 - off * d.z / across)}
                      : std::array{0.5, 0.5};
}

std::array<double, 2> distorted(const std::array<double, 2>& place, const LensDistortion& lens) {
  const double x = place[0] - lens.center[0];
  const double y = place[1] - lens.center[1];
  const double r = x * x + y * y;
  const double radial = lens.radial[0] * r + lens.radial[1] * r * r;
  const auto [p1, p2] = lens.tangential;
  return {in_picture(place[0] + radial * x + 2.0 * p1 * x * y + p2 * (r + 2.0 * x * x)),
          in_picture(place[1] + radial * y + 2.0 * p2 * x * y + p1 * (r + 2.0 * y * y))};
}

}  // namespace

std::optional<ObjectFrame> frame_of(const ObjectBox& box, const ViewOfObjects& view) {
  std::vector<Vec3> points;
  for (const Vec3& corner : box.corners()) {
    points.push_back(corner);
  }
  if (view.projection != Projection::Planar) {
    points.push_back(box.center());
  }
  std::array<double, 2> low{1e9, 1e9};
  std::array<double, 2> high{-1e9, -1e9};
  for (const Vec3& point : points) {
    std::array<double, 2> place = place_of(point, view);
    if (view.lens) {
      place = distorted(place, *view.lens);
    }
    const std::array<int, 2> pixel{static_cast<int>((view.width - 1) * place[0]),
                                   static_cast<int>((view.height - 1) * place[1])};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      low[axis] = std::min<double>(low[axis], pixel[axis]);
      high[axis] = std::max<double>(high[axis], pixel[axis]);
    }
  }
  ObjectFrame frame;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    frame.middle[axis] = static_cast<int>(std::lround(0.5 * (low[axis] + high[axis])));
    frame.size[axis] = static_cast<int>(std::ceil(high[axis] - low[axis]));
    if (frame.size[axis] < 1) {
      return std::nullopt;
    }
  }
  return frame;
}

}  // namespace servosim
