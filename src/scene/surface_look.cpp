// SPDX-License-Identifier: Apache-2.0
#include "scene/surface_look.h"

#include <algorithm>
#include <limits>
#include <numbers>

#include "base/assert.h"
#include "scene/scene.h"

namespace servosim {

std::shared_ptr<const Image> BlackPicture::get(int width, int height) {
  const std::scoped_lock making(lock_);
  if (std::shared_ptr<const Image> held = held_.lock()) {
    return held;
  }
  auto image = std::make_shared<Image>();
  image->width = width;
  image->height = height;
  image->pixels.assign(std::size_t{4} * width * height, 0);
  for (std::size_t i = 3; i < image->pixels.size(); i += 4) {
    image->pixels[i] = 255;
  }
  held_ = image;
  return image;
}
namespace {

using Place = std::array<double, 2>;

constexpr double kFullTurn = 2.0 * std::numbers::pi;

// Returns the index of the pixel at `x` among `count` pixels that fill [0, 1].
int pixel_at(double x, int count, bool repeats) {
  if (!std::isfinite(x)) {
    return 0;
  }
  const double inside = repeats ? x - std::floor(x) : std::clamp(x, 0.0, 1.0);
  return std::clamp(static_cast<int>(inside * count), 0, count - 1);
}

// Returns the angle from +y towards +x, as a fraction of a turn in [0, 1).
double clockwise(double x, double y) {
  const double part = std::atan2(x, y) / kFullTurn;
  return part < 0.0 ? part + 1.0 : part;
}

// `p` is in a box with sides of length 1 around the origin.
Place on_box(const Vec3& p) {
  const Vec3 far{std::abs(p.x), std::abs(p.y), std::abs(p.z)};
  if (far.x >= far.y && far.x >= far.z) {
    return {p.x > 0.0 ? 0.5 + p.y : 0.5 - p.y, 0.5 - p.z};
  }
  if (far.y >= far.z) {
    return {p.y > 0.0 ? 0.5 - p.x : 0.5 + p.x, 0.5 - p.z};
  }
  return {0.5 + p.x, p.z > 0.0 ? 0.5 - p.y : 0.5 + p.y};
}

// Returns the place on the top or the bottom of a round shape of radius 1.
Place on_disc(double x, double y, bool top) {
  return {0.5 + 0.5 * x, top ? 0.5 - 0.5 * y : 0.5 + 0.5 * y};
}

Place on_cylinder(const Shape& shape, const Vec3& p) {
  const double from_rim = shape.radius - std::hypot(p.x, p.y);
  const double from_end = 0.5 * shape.height - std::abs(p.z);
  if (from_end < from_rim) {
    return on_disc(p.x / shape.radius, p.y / shape.radius, p.z > 0.0);
  }
  return {1.0 - clockwise(p.x, p.y), 0.5 - p.z / shape.height};
}

// Each end takes a third of the picture.
Place on_capsule(const Shape& shape, const Vec3& p) {
  const double u = 1.0 - clockwise(p.x, p.y);
  const double half = 0.5 * shape.height;
  const double beyond = std::abs(p.z) - half;
  if (beyond <= 0.0) {
    return {u, 1.0 / 3.0 + (half - p.z) / (3.0 * shape.height)};
  }
  const double latitude = std::asin(std::clamp(beyond / shape.radius, 0.0, 1.0));
  const double from_pole = (0.5 * std::numbers::pi - latitude) / (1.5 * std::numbers::pi);
  return {u, p.z > 0.0 ? from_pole : 1.0 - from_pole};
}

Place on_sphere(const Vec3& p) {
  const Vec3 unit = unit_or(p, {0.0, 1.0, 0.0});
  return {clockwise(-unit.x, unit.y),
          0.5 - std::asin(std::clamp(unit.z, -1.0, 1.0)) / std::numbers::pi};
}

// `size` has the radius in x and the height in z.
Place on_cone(const Vec3& size, const Vec3& p) {
  const double height = 0.5 + p.z / size.z;
  if (height < 1e-6) {
    return on_disc(p.x / size.x, p.y / size.x, false);
  }
  return {1.0 - clockwise(p.x, p.y), 1.0 - height};
}

Place on_grid(const Grid& grid, const Vec3& p) {
  return {p.x / (grid.dx * (grid.columns - 1)), 1.0 - p.y / (grid.dy * (grid.rows - 1))};
}

// Returns the weights of the corners at a point in the plane of a triangle.
Vec3 weights_in(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  const Vec3 normal = cross(b - a, c - a);
  const double area = dot(normal, normal);
  if (!(area > 0.0)) {
    return {1.0, 0.0, 0.0};
  }
  const double of_b = dot(cross(p - a, c - a), normal) / area;
  const double of_c = dot(cross(b - a, p - a), normal) / area;
  return {1.0 - of_b - of_c, of_b, of_c};
}

struct MeshPoint {
  std::size_t triangle = 0;
  Vec3 weights;
};

// Returns the distance of a point from a triangle, relative to its size. It counts the part outside
// of the triangle and the part off its plane.
double distance_from(const Mesh& mesh, std::size_t triangle, const Vec3& p, Vec3& weights) {
  const auto& [i, j, k] = mesh.triangles[triangle];
  const Vec3& a = mesh.vertices[i];
  const Vec3& b = mesh.vertices[j];
  const Vec3& c = mesh.vertices[k];
  weights = weights_in(a, b, c, p);
  const double outside = std::max({0.0, -weights.x, -weights.y, -weights.z});
  const double off = std::abs(dot(p - a, unit_or(cross(b - a, c - a), {0.0, 0.0, 1.0})));
  return outside + off / std::max(1e-12, norm(b - a) + norm(c - a));
}

MeshPoint find_point(const Mesh& mesh, const Vec3& p, int triangle) {
  MeshPoint found;
  if (triangle >= 0 && static_cast<std::size_t>(triangle) < mesh.triangles.size()) {
    found.triangle = static_cast<std::size_t>(triangle);
    static_cast<void>(distance_from(mesh, found.triangle, p, found.weights));
    return found;
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    Vec3 weights;
    if (const double distance = distance_from(mesh, t, p, weights); distance < least) {
      least = distance;
      found = {t, weights};
    }
  }
  return found;
}

Place on_mesh(const Mesh& mesh, const std::vector<Place>& places, const Vec3& p, int triangle) {
  if (mesh.triangles.empty()) {
    return {0.5, 0.5};
  }
  const MeshPoint at = find_point(mesh, p, triangle);
  const auto& [i, j, k] = mesh.triangles[at.triangle];
  SERVOSIM_ASSERT(std::max({i, j, k}) < places.size(), "{} {} {} of {} places", i, j, k,
                  places.size());
  Place place{};
  for (std::size_t n = 0; n < 2; ++n) {
    place[n] =
        at.weights.x * places[i][n] + at.weights.y * places[j][n] + at.weights.z * places[k][n];
  }
  return place;
}

}  // namespace

double Texture::red_at(const Place& place) const {
  const auto x = static_cast<std::size_t>(pixel_at(place[0], image->width, repeats_u));
  const auto y = static_cast<std::size_t>(pixel_at(place[1], image->height, repeats_v));
  return image->pixels[4 * (y * static_cast<std::size_t>(image->width) + x)] / 255.0;
}

double SurfaceLook::red_at(const Place& place) const {
  return has_picture() ? red * red_map.red_at(transform.apply(place)) : red;
}

double SurfaceLook::reflection(double shade, const Place& place) const {
  double rough = roughness;
  double occlusion = 0.0;
  if (has_picture()) {
    const Place at = transform.apply(place);
    rough = roughness_map.image != nullptr ? roughness_map.red_at(at) : roughness;
    occlusion = occlusion_map.image != nullptr ? occlusion_map.red_at(at) : 0.0;
  }
  return 0.2 + 0.8 * shade * (1.0 - 0.5 * rough) * (1.0 - 0.5 * occlusion);
}

std::array<double, 2> place_in_picture(const PictureMapping& mapping, const Shape& shape,
                                       const Vec3& point, int triangle) {
  const Vec3 p = upright(mapping, point);
  switch (mapping.form) {
    case PictureForm::Box: {
      const Vec3 size = upright(mapping, shape.size);
      return on_box({p.x / size.x, p.y / std::abs(size.y), p.z / size.z});
    }
    case PictureForm::Plane:
      return {0.5 + p.x / mapping.size.x, 0.5 - p.y / mapping.size.y};
    case PictureForm::Sphere:
      return on_sphere(p);
    case PictureForm::Cylinder:
      return on_cylinder(shape, p);
    case PictureForm::Capsule:
      return on_capsule(shape, p);
    case PictureForm::Cone:
      return on_cone(mapping.size, p);
    case PictureForm::Grid:
      return on_grid(*shape.grid, p);
    case PictureForm::Vertices:
      break;
  }
  return mapping.vertices != nullptr ? on_mesh(*shape.mesh, *mapping.vertices, p, triangle)
                                     : Place{0.5, 0.5};
}

std::vector<Place> spread_over_box(const std::vector<Vec3>& vertices) {
  std::array<double, 3> low{};
  std::array<double, 3> size{};
  const auto axes = [](const Vec3& v) { return std::array{v.x, v.y, v.z}; };
  for (std::size_t n = 0; n < 3; ++n) {
    const auto [least, most] =
        std::minmax_element(vertices.begin(), vertices.end(),
                            [&](const Vec3& a, const Vec3& b) { return axes(a)[n] < axes(b)[n]; });
    if (least != vertices.end()) {
      low[n] = axes(*least)[n];
      size[n] = axes(*most)[n] - low[n];
    }
  }
  std::array<std::size_t, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  const double longest = size[order[0]];
  const auto part = [&](const Vec3& v, std::size_t n) {
    return longest > 0.0 ? (axes(v)[n] - low[n]) / longest : 0.0;
  };
  std::vector<Place> places;
  for (const Vec3& v : vertices) {
    places.push_back({part(v, order[0]), 1.0 - part(v, order[1])});
  }
  return places;
}

}  // namespace servosim
