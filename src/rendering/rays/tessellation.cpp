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

/// A corner of a triangle. In the place in a picture v points downwards.
struct Corner {
  Vec3 position;
  Vec3 normal;
  std::array<double, 2> place{};
};

class Tessellation {
 public:
  std::uint32_t add(const Corner& corner) {
    append(corner.position, mesh_.positions);
    append(corner.normal, mesh_.normals);
    mesh_.uvs.push_back(static_cast<float>(corner.place[0]));
    mesh_.uvs.push_back(static_cast<float>(1.0 - corner.place[1]));
    return static_cast<std::uint32_t>(mesh_.positions.size() / 3 - 1);
  }
  /// Adds a triangle, counter-clockwise seen from outside.
  void add(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    mesh_.indices.insert(mesh_.indices.end(), {a, b, c});
  }
  /// Adds a ring of corners, which begins at +y and is clockwise seen from above. The last one is
  /// where the first one is, on the other side of the picture. corner_at(sine, cosine, u) makes
  /// them. Returns the first of them.
  template <typename CornerAt>
  std::uint32_t add_ring(int sides, const CornerAt& corner_at) {
    const auto first = static_cast<std::uint32_t>(mesh_.positions.size() / 3);
    for (int i = 0; i <= sides; ++i) {
      const double turn = 2.0 * std::numbers::pi * (i % sides) / sides;
      add(corner_at(std::sin(turn), std::cos(turn), 1.0 - static_cast<double>(i) / sides));
    }
    return first;
  }
  /// Adds the faces between a ring and the next one below.
  void join(std::uint32_t upper, std::uint32_t lower, int sides) {
    for_each_side(sides, [&](std::uint32_t i) {
      add(upper + i, upper + i + 1, lower + i);
      add(upper + i + 1, lower + i + 1, lower + i);
    });
  }
  /// Adds the faces between a ring and a point above or below it. tip_at(sine, cosine, u) makes the
  /// corner there of the side whose middle is at an angle.
  template <typename TipAt>
  void join_to_tip(std::uint32_t ring, bool above, int sides, const TipAt& tip_at) {
    for_each_side(sides, [&](std::uint32_t i) {
      const double middle = (i + 0.5) / sides;
      const double turn = 2.0 * std::numbers::pi * middle;
      const std::uint32_t tip = add(tip_at(std::sin(turn), std::cos(turn), 1.0 - middle));
      above ? add(tip, ring + i + 1, ring + i) : add(tip, ring + i, ring + i + 1);
    });
  }
  /// Adds a flat end at the height `z`, which faces upwards or downwards.
  void add_end(bool up, double z, int sides) {
    const Vec3 normal{0.0, 0.0, up ? 1.0 : -1.0};
    const auto place = [up](double x, double y) {
      return std::array{0.5 + 0.5 * x, up ? 0.5 - 0.5 * y : 0.5 + 0.5 * y};
    };
    const std::uint32_t ring = add_ring(sides, [&](double sine, double cosine, double) {
      return Corner{{sine, cosine, z}, normal, place(sine, cosine)};
    });
    const std::uint32_t middle = add({{0.0, 0.0, z}, normal, place(0.0, 0.0)});
    for_each_side(sides, [&](std::uint32_t i) {
      up ? add(middle, ring + i + 1, ring + i) : add(middle, ring + i, ring + i + 1);
    });
  }
  DrawnMesh take() { return std::move(mesh_); }
  /// Leaves the normals out, which are those of the triangles.
  DrawnMesh take_flat() {
    mesh_.normals.clear();
    return take();
  }

 private:
  static void append(const Vec3& v, std::vector<float>& list) {
    for (const double x : {v.x, v.y, v.z}) {
      list.push_back(static_cast<float>(x));
    }
  }
  template <typename Action>
  static void for_each_side(int sides, const Action& action) {
    for (int i = 0; i < sides; ++i) {
      action(static_cast<std::uint32_t>(i));
    }
  }

  DrawnMesh mesh_;
};

DrawnMesh box() {
  Tessellation made;
  // The normal, and the directions in which u and v grow.
  const std::array<std::array<Vec3, 3>, 6> faces{{
      {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, -1.0}}},
      {{{-1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, -1.0}}},
      {{{0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}}},
      {{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}}},
      {{{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}}},
      {{{0.0, 0.0, -1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}},
  }};
  for (const auto& [normal, across, down] : faces) {
    std::array<std::uint32_t, 4> corners{};
    int number = 0;
    for (const auto& [u, v] : {std::pair{0.0, 1.0}, {1.0, 1.0}, {1.0, 0.0}, {0.0, 0.0}}) {
      const Vec3 position = 0.5 * normal + (u - 0.5) * across + (v - 0.5) * down;
      corners[number++] = made.add({position, normal, {u, v}});
    }
    made.add(corners[0], corners[1], corners[2]);
    made.add(corners[0], corners[2], corners[3]);
  }
  return made.take_flat();
}

DrawnMesh plane() {
  Tessellation made;
  for (const auto& [x, y] : {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) {
    made.add({{x, y, 0.0}, {0.0, 0.0, 1.0}, {0.5 + x, 0.5 - y}});
  }
  made.add(0, 1, 2);
  made.add(0, 2, 3);
  return made.take_flat();
}

// The corners of a unit sphere. A point has one for each place in the picture: on the line where
// the picture ends it has two, and at a pole one for each triangle.
class GlobeCorners {
 public:
  GlobeCorners(const std::vector<Vec3>& points, Tessellation& made)
      : points_(points), made_(made) {}

  void add(const std::array<std::uint32_t, 3>& triangle) {
    std::array<double, 3> u{};
    double most = 0.0;
    for (int i = 0; i < 3; ++i) {
      u[i] = is_pole(triangle[i]) ? -1.0 : turn_of(points_[triangle[i]]);
      most = std::max(most, u[i]);
    }
    double sum = 0.0;
    int known = 0;
    for (double& x : u) {
      x += x >= 0.0 && most - x > 0.5 ? 1.0 : 0.0;  // the triangle crosses that line
      sum += x >= 0.0 ? x : 0.0;
      known += x >= 0.0 ? 1 : 0;
    }
    std::array<std::uint32_t, 3> corners{};
    for (int i = 0; i < 3; ++i) {
      corners[i] = corner(triangle[i], u[i] >= 0.0 ? u[i] : sum / known);
    }
    made_.add(corners[0], corners[1], corners[2]);
  }

 private:
  bool is_pole(std::uint32_t i) const { return std::hypot(points_[i].x, points_[i].y) < 1e-9; }
  // From +y over -x, as a part of a turn in [0, 1).
  static double turn_of(const Vec3& p) {
    const double turn = std::atan2(-p.x, p.y) / (2.0 * std::numbers::pi);
    return turn < 0.0 ? std::min(turn + 1.0, 1.0 - 1e-9) : turn;
  }
  std::uint32_t corner(std::uint32_t i, double u) {
    const auto [known, is_new] = numbers_.try_emplace({i, u}, 0);
    if (is_new) {
      const Vec3& p = points_[i];
      const double v = 0.5 - std::asin(std::clamp(p.z, -1.0, 1.0)) / std::numbers::pi;
      known->second = made_.add({p, p, {u, v}});
    }
    return known->second;
  }

  const std::vector<Vec3>& points_;
  Tessellation& made_;
  std::map<std::pair<std::uint32_t, double>, std::uint32_t> numbers_;
};

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
  GlobeCorners corners(points, made);
  for (const std::array<std::uint32_t, 3>& face : faces) {
    corners.add(face);
  }
  return made.take();
}

// A sphere of rings of latitude, as many as it has sides.
DrawnMesh globe(int sides) {
  Tessellation made;
  std::uint32_t upper = 0;
  const auto pole = [](double z) {
    return [z](double, double, double u) {
      return Corner{{0.0, 0.0, z}, {0.0, 0.0, z}, {u, 0.5 - 0.5 * z}};
    };
  };
  for (int row = 1; row < sides; ++row) {
    const double polar = std::numbers::pi * row / sides;
    const std::uint32_t ring = made.add_ring(sides, [&](double sine, double cosine, double u) {
      const Vec3 p{std::sin(polar) * sine, std::sin(polar) * cosine, std::cos(polar)};
      return Corner{p, p, {u, static_cast<double>(row) / sides}};
    });
    row == 1 ? made.join_to_tip(ring, true, sides, pole(1.0)) : made.join(upper, ring, sides);
    upper = ring;
  }
  made.join_to_tip(upper, false, sides, pole(-1.0));
  return made.take();
}

DrawnMesh cylinder(const DrawnShape& shape, int sides) {
  Tessellation made;
  const auto ring = [&](double z) {
    return made.add_ring(sides, [z](double sine, double cosine, double u) {
      return Corner{{sine, cosine, z}, {sine, cosine, 0.0}, {u, 0.5 - z}};
    });
  };
  if (shape.side) {
    const std::uint32_t upper = ring(0.5);
    made.join(upper, ring(-0.5), sides);
  }
  if (shape.top) {
    made.add_end(true, 0.5, sides);
  }
  if (shape.bottom) {
    made.add_end(false, -0.5, sides);
  }
  return made.take();
}

DrawnMesh cone(const DrawnShape& shape, int sides) {
  Tessellation made;
  if (shape.side) {
    const auto normal = [](double sine, double cosine) {
      return unit_or(Vec3{sine, cosine, 0.5}, {});
    };
    const std::uint32_t rim = made.add_ring(sides, [&](double sine, double cosine, double u) {
      return Corner{{sine, cosine, -0.5}, normal(sine, cosine), {u, 1.0}};
    });
    made.join_to_tip(rim, true, sides, [&](double sine, double cosine, double u) {
      return Corner{{0.0, 0.0, 0.5}, normal(sine, cosine), {u, 0.0}};
    });
  }
  if (shape.bottom) {
    made.add_end(false, -0.5, sides);
  }
  return made.take();
}

// Each end takes a third of the picture, with equal steps of latitude.
DrawnMesh capsule(const DrawnShape& shape, int sides) {
  Tessellation made;
  const double half = 0.5 * shape.height;
  const int rows = std::max(1, sides / 4);
  // `part` is 0 on the rim of an end and 1 at its pole.
  const auto v_at = [](double sign, double part) {
    return sign > 0.0 ? (1.0 - part) / 3.0 : (2.0 + part) / 3.0;
  };
  const auto ring_at = [&](double sign, int row) {
    const double part = static_cast<double>(row) / rows;
    const double latitude = 0.5 * std::numbers::pi * part;
    const double across = row == 0 ? 1.0 : std::cos(latitude);
    const double along = row == 0 ? 0.0 : sign * std::sin(latitude);
    return made.add_ring(sides, [&](double sine, double cosine, double u) {
      return Corner{{shape.radius * across * sine, shape.radius * across * cosine,
                     sign * half + shape.radius * along},
                    {across * sine, across * cosine, along},
                    {u, v_at(sign, part)}};
    });
  };
  const auto add_cap = [&](double sign) {
    std::uint32_t outer = ring_at(sign, 0);
    for (int row = 1; row < rows; ++row) {
      const std::uint32_t ring = ring_at(sign, row);
      sign > 0.0 ? made.join(ring, outer, sides) : made.join(outer, ring, sides);
      outer = ring;
    }
    made.join_to_tip(outer, sign > 0.0, sides, [&](double, double, double u) {
      return Corner{{0.0, 0.0, sign * (half + shape.radius)}, {0.0, 0.0, sign}, {u, v_at(sign, 1)}};
    });
  };
  if (shape.top) {
    add_cap(1.0);
  }
  if (shape.side) {
    const std::uint32_t upper = ring_at(1.0, 0);
    made.join(upper, ring_at(-1.0, 0), sides);
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
