// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/tessellation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

namespace servosim::rays {

namespace {

using Form = DrawnShape::Form;

constexpr int kMaxSides = 1000;

class Tessellation {
 public:
  std::uint32_t add(const Vec3& v) {
    for (const double x : {v.x, v.y, v.z}) {
      mesh_.positions.push_back(static_cast<float>(x));
    }
    return static_cast<std::uint32_t>(mesh_.positions.size() / 3 - 1);
  }
  /// Adds a triangle, counter-clockwise seen from outside.
  void add(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    mesh_.indices.insert(mesh_.indices.end(), {a, b, c});
  }
  /// Adds a ring of `sides` points, which begins at +y and is clockwise seen from above. Returns
  /// the first of them.
  std::uint32_t add_ring(int sides, double radius, double z) {
    const auto first = static_cast<std::uint32_t>(mesh_.positions.size() / 3);
    for (int i = 0; i < sides; ++i) {
      const double turn = 2.0 * std::numbers::pi * i / sides;
      add({radius * std::sin(turn), radius * std::cos(turn), z});
    }
    return first;
  }
  /// Adds the faces between a ring and the next one below.
  void join(std::uint32_t upper, std::uint32_t lower, int sides) {
    for_each_side(sides, [&](std::uint32_t i, std::uint32_t next) {
      add(upper + i, upper + next, lower + i);
      add(upper + next, lower + next, lower + i);
    });
  }
  /// Adds the faces between a ring and a point above or below it.
  void join_up(std::uint32_t ring, std::uint32_t point, int sides) {
    for_each_side(sides,
                  [&](std::uint32_t i, std::uint32_t next) { add(point, ring + next, ring + i); });
  }
  void join_down(std::uint32_t ring, std::uint32_t point, int sides) {
    for_each_side(sides,
                  [&](std::uint32_t i, std::uint32_t next) { add(point, ring + i, ring + next); });
  }
  DrawnMesh take() { return std::move(mesh_); }

 private:
  template <typename Action>
  static void for_each_side(int sides, const Action& action) {
    for (int i = 0; i < sides; ++i) {
      action(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>((i + 1) % sides));
    }
  }

  DrawnMesh mesh_;
};

DrawnMesh box() {
  Tessellation made;
  for (int i = 0; i < 8; ++i) {
    made.add({(i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.5 : -0.5});
  }
  for (const auto& [a, b, c, d] : {std::array{1u, 3u, 7u, 5u},     // +x
                                   std::array{2u, 0u, 4u, 6u},     // -x
                                   std::array{3u, 2u, 6u, 7u},     // +y
                                   std::array{0u, 1u, 5u, 4u},     // -y
                                   std::array{4u, 5u, 7u, 6u},     // +z
                                   std::array{2u, 3u, 1u, 0u}}) {  // -z
    made.add(a, b, c);
    made.add(a, c, d);
  }
  return made.take();
}

DrawnMesh plane() {
  Tessellation made;
  for (const auto& [x, y] : {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) {
    made.add({x, y, 0.0});
  }
  made.add(0, 1, 2);
  made.add(0, 2, 3);
  return made.take();
}

// An icosahedron whose faces are divided in four `times` times. New points are on the unit sphere.
DrawnMesh icosphere(int times) {
  constexpr double kA = 0.525731112119133606;  // 1 / sqrt(1 + golden ratio squared)
  constexpr double kB = 0.850650808352039932;
  std::vector<Vec3> points{{-kA, -kB, 0.0}, {kA, -kB, 0.0}, {-kA, kB, 0.0},  {kA, kB, 0.0},
                           {0.0, -kA, kB},  {0.0, kA, kB},  {0.0, -kA, -kB}, {0.0, kA, -kB},
                           {kB, 0.0, -kA},  {kB, 0.0, kA},  {-kB, 0.0, -kA}, {-kB, 0.0, kA}};
  // The faces are all triples of points whose distances are the edge, 2 kA.
  std::vector<std::array<std::uint32_t, 3>> faces;
  const auto is_edge = [&points](std::uint32_t i, std::uint32_t j) {
    return std::abs(norm(points[i] - points[j]) - 2.0 * kA) < 1e-9;
  };
  for (std::uint32_t i = 0; i < 12; ++i) {
    for (std::uint32_t j = i + 1; j < 12; ++j) {
      for (std::uint32_t k = j + 1; k < 12; ++k) {
        if (is_edge(i, j) && is_edge(j, k) && is_edge(i, k)) {
          const bool outward =
              dot(cross(points[j] - points[i], points[k] - points[i]), points[i]) > 0.0;
          faces.push_back(outward ? std::array{i, j, k} : std::array{i, k, j});
        }
      }
    }
  }
  for (int n = 0; n < times; ++n) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t i, std::uint32_t j) {
      const auto [known, is_new] =
          middles.try_emplace(std::minmax(i, j), static_cast<std::uint32_t>(points.size()));
      if (is_new) {
        points.push_back(unit_or(points[i] + points[j], {}));
      }
      return known->second;
    };
    std::vector<std::array<std::uint32_t, 3>> finer;
    for (const auto& [a, b, c] : faces) {
      const std::uint32_t ab = middle(a, b);
      const std::uint32_t bc = middle(b, c);
      const std::uint32_t ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    faces = std::move(finer);
  }
  Tessellation made;
  for (const Vec3& point : points) {
    made.add(point);
  }
  for (const auto& [a, b, c] : faces) {
    made.add(a, b, c);
  }
  return made.take();
}

// A sphere of rings of latitude, as many as it has sides.
DrawnMesh globe(int sides) {
  Tessellation made;
  const std::uint32_t top = made.add(Vec3{0.0, 0.0, 1.0});
  const std::uint32_t bottom = made.add(Vec3{0.0, 0.0, -1.0});
  std::uint32_t upper = 0;
  for (int row = 1; row < sides; ++row) {
    const double polar = std::numbers::pi * row / sides;
    const std::uint32_t ring = made.add_ring(sides, std::sin(polar), std::cos(polar));
    row == 1 ? made.join_up(ring, top, sides) : made.join(upper, ring, sides);
    upper = ring;
  }
  made.join_down(upper, bottom, sides);
  return made.take();
}

DrawnMesh cylinder(const DrawnShape& shape, int sides) {
  Tessellation made;
  const std::uint32_t upper = made.add_ring(sides, 1.0, 0.5);
  const std::uint32_t lower = made.add_ring(sides, 1.0, -0.5);
  if (shape.side) {
    made.join(upper, lower, sides);
  }
  if (shape.top) {
    made.join_up(upper, made.add(Vec3{0.0, 0.0, 0.5}), sides);
  }
  if (shape.bottom) {
    made.join_down(lower, made.add(Vec3{0.0, 0.0, -0.5}), sides);
  }
  return made.take();
}

DrawnMesh cone(const DrawnShape& shape, int sides) {
  Tessellation made;
  const std::uint32_t rim = made.add_ring(sides, 1.0, -0.5);
  if (shape.side) {
    made.join_up(rim, made.add(Vec3{0.0, 0.0, 0.5}), sides);
  }
  if (shape.bottom) {
    made.join_down(rim, made.add(Vec3{0.0, 0.0, -0.5}), sides);
  }
  return made.take();
}

DrawnMesh capsule(const DrawnShape& shape, int sides) {
  Tessellation made;
  const double half = 0.5 * shape.height;
  const int rows = std::max(1, sides / 4);
  const auto add_cap = [&](double sign) {
    std::uint32_t outer = made.add_ring(sides, shape.radius, sign * half);
    for (int row = 1; row < rows; ++row) {
      const double latitude = 0.5 * std::numbers::pi * row / rows;
      const std::uint32_t ring = made.add_ring(sides, shape.radius * std::cos(latitude),
                                               sign * (half + shape.radius * std::sin(latitude)));
      sign > 0.0 ? made.join(ring, outer, sides) : made.join(outer, ring, sides);
      outer = ring;
    }
    const std::uint32_t pole = made.add(Vec3{0.0, 0.0, sign * (half + shape.radius)});
    sign > 0.0 ? made.join_up(outer, pole, sides) : made.join_down(outer, pole, sides);
  };
  if (shape.top) {
    add_cap(1.0);
  }
  if (shape.side) {
    made.join(made.add_ring(sides, shape.radius, half), made.add_ring(sides, shape.radius, -half),
              sides);
  }
  if (shape.bottom) {
    add_cap(-1.0);
  }
  return made.take();
}

}  // namespace

// Webots replaces a subdivision of a Sphere that is out of range. The default one is out of range
// for a Sphere that is no icosphere.
int fineness_of(const DrawnShape& shape) {
  const auto in_range = [&shape](int low, int high, int otherwise) {
    return shape.subdivision >= low && shape.subdivision <= high ? shape.subdivision : otherwise;
  };
  if (shape.form == Form::Sphere) {
    return shape.icosahedron ? in_range(1, 5, 1) : in_range(3, 32, 24);
  }
  return std::clamp(shape.subdivision, 3, kMaxSides);
}

DrawnMesh tessellate(const DrawnShape& shape) {
  const int sides = fineness_of(shape);
  switch (shape.form) {
    case Form::Box:
      return box();
    case Form::Plane:
      return plane();
    case Form::Sphere:
      return shape.icosahedron ? icosphere(sides) : globe(sides);
    case Form::Cylinder:
      return cylinder(shape, sides);
    case Form::Cone:
      return cone(shape, sides);
    case Form::Capsule:
      return capsule(shape, sides);
    case Form::Mesh:
      break;
  }
  return {};
}

namespace {

Vec3 size_of(const DrawnShape& shape) {
  switch (shape.form) {
    case Form::Box:
      return shape.size;
    case Form::Plane:
      return {shape.size.x, shape.size.y, 1.0};
    case Form::Sphere:
      return {shape.radius, shape.radius, shape.radius};
    case Form::Cylinder:
    case Form::Cone:
      return {shape.radius, shape.radius, shape.height};
    case Form::Capsule:
    case Form::Mesh:
      break;
  }
  return {1.0, 1.0, 1.0};
}

}  // namespace

Vec3 scale_of(const DrawnShape& shape) { return scaled(size_of(shape), shape.scale); }

}  // namespace servosim::rays
