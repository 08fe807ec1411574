// SPDX-License-Identifier: Apache-2.0
#include "scene/ink_layer.h"

#include <algorithm>
#include <cmath>

#include "scene/scene.h"

namespace servosim {

namespace {

constexpr float kLeastFading = 0.001f;  // ink that is fainter stays as it is

bool ink_fades(const InkLayer::Ink& ink) { return ink.density > kLeastFading; }

double radius_of(const std::vector<Vec3>& points) {
  if (points.empty()) {
    return 0.0;
  }
  Vec3 low = points.front();
  Vec3 high = low;
  for (const Vec3& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  double radius = 0.0;
  for (const Vec3& p : points) {
    radius = std::max(radius, norm(p - 0.5 * (low + high)));
  }
  return radius;
}

constexpr int kMostPixels = 4096;  // along a side of a layer, for each of its parts

// The nearer power of two.
int power_near(double x) {
  int power = 1;
  while (power < kMostPixels && 1.5 * power <= x) {
    power *= 2;
  }
  return power;
}

// The next power of two, to which Webots scales pictures.
int power_from(int x) {
  int power = 1;
  while (power < x && power < kMostPixels) {
    power *= 2;
  }
  return power;
}

}  // namespace

double bounding_radius(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Box:
      return 0.5 * norm(shape.size);
    case ShapeType::Sphere:
      return shape.radius;
    case ShapeType::Cylinder:
      return std::hypot(shape.radius, 0.5 * shape.height);
    case ShapeType::Capsule:
      return shape.radius + 0.5 * shape.height;
    case ShapeType::Plane:
      return 0.5 * norm(shape.size);
    case ShapeType::Mesh:
      return shape.mesh != nullptr ? radius_of(shape.mesh->vertices) : 0.0;
    case ShapeType::Grid:
      break;
  }
  std::vector<Vec3> points;
  for (int j = 0; shape.grid != nullptr && j < shape.grid->rows; ++j) {
    for (int i = 0; i < shape.grid->columns; ++i) {
      const std::size_t number = static_cast<std::size_t>(j) * shape.grid->columns + i;
      points.push_back({i * shape.grid->dx, j * shape.grid->dy, shape.grid->heights[number]});
    }
  }
  return radius_of(points);
}

InkForm ink_form_of(std::string_view geometry) {
  return geometry == "Box"        ? InkForm::Box
         : geometry == "Cylinder" ? InkForm::Cylinder
         : geometry == "Cone"     ? InkForm::Cone
         : geometry == "Sphere"   ? InkForm::Sphere
                                  : InkForm::Whole;
}

std::array<int, 2> ink_parts(InkForm form) {
  switch (form) {
    case InkForm::Box:
    case InkForm::Spread:
      return {4, 2};
    case InkForm::Cylinder:
      return {2, 2};
    case InkForm::Cone:
      return {2, 1};
    default:
      return {1, 1};
  }
}

InkLayer::InkLayer(int width, int height)
    : width_(width),
      height_(height),
      tiles_across_(static_cast<std::size_t>((width + kTileSide - 1) / kTileSide)),
      tiles_(tiles_across_ * static_cast<std::size_t>((height + kTileSide - 1) / kTileSide)) {}

// A tile that another layer shares is copied first.
InkLayer::Ink& InkLayer::writable(int x, int y) {
  std::shared_ptr<Tile>& tile = tiles_[tile_of(x, y)];
  if (tile == nullptr) {
    tile = std::make_shared<Tile>();
  } else if (tile.use_count() > 1) {
    tile = std::make_shared<Tile>(*tile);
  }
  return (*tile)[in_tile(x, y)];
}

void InkLayer::mark(double u, double v, int radius, const Ink& ink) {
  if (!takes(u, v, ink)) {
    return;
  }
  const int middle_x = std::min(static_cast<int>(u * width_), width_ - 1);
  const int middle_y = std::min(static_cast<int>(v * height_), height_ - 1);
  for (int y = std::max(0, middle_y - radius); y <= std::min(height_ - 1, middle_y + radius); ++y) {
    for (int x = std::max(0, middle_x - radius); x <= std::min(width_ - 1, middle_x + radius);
         ++x) {
      const std::int64_t dx = x - middle_x;
      const std::int64_t dy = y - middle_y;
      if (dx * dx + dy * dy > std::int64_t{radius} * radius) {
        continue;
      }
      Ink& old = writable(x, y);
      const float share = old.density / (old.density + ink.density);
      old.red = share * old.red + (1.0f - share) * ink.red;
      old.green = share * old.green + (1.0f - share) * ink.green;
      old.blue = share * old.blue + (1.0f - share) * ink.blue;
      old.density = std::min(1.0f, old.density + ink.density);
    }
  }
}

bool InkLayer::fades() const {
  return std::any_of(tiles_.begin(), tiles_.end(), [](const std::shared_ptr<Tile>& tile) {
    return tile != nullptr && std::any_of(tile->begin(), tile->end(), ink_fades);
  });
}

void InkLayer::fade(double factor) {
  for (std::shared_ptr<Tile>& tile : tiles_) {
    if (tile == nullptr || std::none_of(tile->begin(), tile->end(), ink_fades)) {
      continue;
    }
    if (tile.use_count() > 1) {
      tile = std::make_shared<Tile>(*tile);
    }
    for (Ink& ink : *tile) {
      ink.density = ink_fades(ink) ? static_cast<float>(ink.density * factor) : ink.density;
    }
  }
}

std::vector<InkLayer::Spot> InkLayer::spots() const {
  std::vector<Spot> spots;
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    for (std::size_t i = 0; tiles_[t] != nullptr && i < tiles_[t]->size(); ++i) {
      const Ink& ink = (*tiles_[t])[i];
      if (ink.density > 0.0f) {
        const std::size_t x = t % tiles_across_ * kTileSide + i % kTileSide;
        const std::size_t y = t / tiles_across_ * kTileSide + i / kTileSide;
        spots.push_back(
            {static_cast<std::uint32_t>(y * static_cast<std::size_t>(width_) + x), ink});
      }
    }
  }
  return spots;
}

void InkLayer::put(const Spot& spot) {
  const int x = static_cast<int>(spot.pixel % static_cast<std::uint32_t>(width_));
  const int y = static_cast<int>(spot.pixel / static_cast<std::uint32_t>(width_));
  if (y < height_) {
    writable(x, y) = spot.ink;
  }
}

InkLayer ink_layer_for(const VisibleShape& shape) {
  constexpr double kLargest = 10.0;  // radius from which a layer does not grow [m]
  const std::array<int, 2> parts = ink_parts(shape.mapping.ink);
  if (const auto& image = shape.surface->red_map.image) {
    return {parts[0] * power_from(image->width), parts[1] * power_from(image->height)};
  }
  const double radius = std::min(shape.radius, kLargest);
  const int side = power_near(32.0 + 992.0 * radius / kLargest);
  return {parts[0] * side, parts[1] * side};
}

int ink_radius(const VisibleShape& shape, const InkLayer& layer, double lead_size) {
  const int width = layer.width() / ink_parts(shape.mapping.ink)[0];
  const double diameter = shape.radius > 0.0 ? lead_size * width / shape.radius : 1.0;
  return std::max(1, static_cast<int>(std::min(diameter, 1e6))) / 2;
}

}  // namespace servosim
