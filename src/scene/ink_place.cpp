// SPDX-License-Identifier: Apache-2.0
// The library and the renderer contain this code.
#include <algorithm>
#include <cmath>

#include "scene/ink_layer.h"

namespace servosim {

namespace {

using Place = std::array<double, 2>;

enum class Side : std::uint8_t { PlusX, MinusX, PlusY, MinusY, PlusZ, MinusZ };

// The axis along which a normal points most, and its sense.
Side side_of(const Vec3& n) {
  const Vec3 size{std::abs(n.x), std::abs(n.y), std::abs(n.z)};
  if (size.x >= size.y && size.x >= size.z) {
    return n.x > 0.0 ? Side::PlusX : Side::MinusX;
  }
  if (size.y >= size.z) {
    return n.y > 0.0 ? Side::PlusY : Side::MinusY;
  }
  return n.z > 0.0 ? Side::PlusZ : Side::MinusZ;
}

Place on_side(Side side, const Vec3& p) {
  switch (side) {
    case Side::PlusX:
      return {0.5 + p.y, 0.5 - p.z};
    case Side::MinusX:
      return {0.5 - p.y, 0.5 - p.z};
    case Side::PlusY:
      return {0.5 - p.x, 0.5 - p.z};
    case Side::MinusY:
      return {0.5 + p.x, 0.5 - p.z};
    case Side::PlusZ:
      return {0.5 + p.x, 0.5 - p.y};
    case Side::MinusZ:
      break;
  }
  return {0.5 + p.x, 0.5 + p.y};
}

// Where the picture of a side lies in the layer of a Box.
Place corner_of(Side side) {
  switch (side) {
    case Side::PlusX:
      return {0.75, 0.5};
    case Side::MinusX:
      return {0.25, 0.5};
    case Side::PlusY:
      return {0.0, 0.5};
    case Side::MinusY:
      return {0.5, 0.5};
    case Side::PlusZ:
      return {0.5, 0.0};
    case Side::MinusZ:
      break;
  }
  return {0.0, 0.0};
}

Place in_part(const Place& corner, double width, double height, const Place& place) {
  return {corner[0] + width * std::clamp(place[0], 0.0, 1.0),
          corner[1] + height * std::clamp(place[1], 0.0, 1.0)};
}

}  // namespace

std::array<double, 2> ink_place(InkForm form, const Vec3& normal, const Place& place,
                                const Vec3& in_box) {
  const Side side = side_of(normal);
  switch (form) {
    case InkForm::Box:
      return in_part(corner_of(side), 0.25, 0.5, place);
    case InkForm::Spread:
      return in_part(corner_of(side), 0.25, 0.5, on_side(side, in_box));
    case InkForm::Cylinder:
      return in_part({side == Side::PlusZ ? 0.5 : 0.0, side == Side::MinusZ ? 0.5 : 0.0}, 0.5, 0.5,
                     place);
    case InkForm::Cone:
      return in_part(
          {side == Side::MinusZ && std::hypot(normal.x, normal.y) < 1e-3 * norm(normal) ? 0.5 : 0.0,
           0.0},
          0.5, 1.0, place);
    case InkForm::Sphere:
      return {place[0] > 1.0 ? place[0] - 1.0 : place[0], place[1]};
    case InkForm::Whole:
      break;
  }
  return place;
}

Vec3 place_in_box(const Vec3& point, const Vec3& low, const Vec3& high) {
  const auto part = [](double x, double from, double to) {
    return to > from ? (x - from) / (to - from) - 0.5 : 0.0;
  };
  return {part(point.x, low.x, high.x), part(point.y, low.y, high.y), part(point.z, low.z, high.z)};
}

InkLayer::Ink InkLayer::at(double u, double v) const {
  if (!(u >= 0.0 && u <= 1.0 && v >= 0.0 && v <= 1.0)) {
    return {};
  }
  const int x = std::min(static_cast<int>(u * width_), width_ - 1);
  const int y = std::min(static_cast<int>(v * height_), height_ - 1);
  const std::shared_ptr<Tile>& tile = tiles_[tile_of(x, y)];
  return tile != nullptr ? (*tile)[in_tile(x, y)] : Ink{};
}

}  // namespace servosim
