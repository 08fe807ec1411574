// SPDX-License-Identifier: Apache-2.0
#include "robots/geom_mass.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace servosim::robots {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kLeastVolume = 1e-15;  // [m³], as in MuJoCo; of a shell [m²]

MassProperties ellipsoid(const Vec3& r) {
  const double m = 4.0 / 3.0 * kPi * r.x * r.y * r.z;
  return {
      m,
      {},
      (m / 5.0) * diagonal(r.y * r.y + r.z * r.z, r.x * r.x + r.z * r.z, r.x * r.x + r.y * r.y)};
}

// A cuboid at `center`; a rectangle has 0 for its half edge along the normal.
MassProperties cuboid(const Vec3& center, const Vec3& half, double mass) {
  return {
      mass, center,
      (mass / 3.0) * diagonal(half.y * half.y + half.z * half.z, half.x * half.x + half.z * half.z,
                              half.x * half.x + half.y * half.y)};
}

MassProperties cylinder(double r, double length) {
  const double m = kPi * r * r * length;
  const double across = m * (3.0 * r * r + length * length) / 12.0;
  return {m, {}, diagonal(across, across, 0.5 * m * r * r)};
}

// A half ball with its flat side at z and its pole towards the sign of `up`; its centre is 3/8 of
// the radius beyond the flat side.
MassProperties half_ball(double r, double z, double up) {
  const double m = 2.0 / 3.0 * kPi * r * r * r;
  const double across = (2.0 / 5.0 - 9.0 / 64.0) * m * r * r;
  return {m, {0.0, 0.0, z + up * 3.0 / 8.0 * r}, diagonal(across, across, 0.4 * m * r * r)};
}

// The same for the surface of a half ball, whose centre is at half of the radius.
MassProperties half_sphere(double r, double z, double up) {
  const double m = 2.0 * kPi * r * r;
  const double across = (2.0 / 3.0 - 1.0 / 4.0) * m * r * r;
  return {m, {0.0, 0.0, z + up * 0.5 * r}, diagonal(across, across, 2.0 / 3.0 * m * r * r)};
}

MassProperties tube(double r, double length) {
  const double m = 2.0 * kPi * r * length;
  const double across = m * (6.0 * r * r + length * length) / 12.0;
  return {m, {}, diagonal(across, across, m * r * r)};
}

MassProperties disc(double r, double z) {
  const double m = kPi * r * r;
  return {m, {0.0, 0.0, z}, (m * r * r / 4.0) * diagonal(1.0, 1.0, 2.0)};
}

MassProperties hollow_box(const Vec3& h) {
  MassProperties sum;
  for (const double side : {-1.0, 1.0}) {
    sum = cuboid({side * h.x, 0, 0}, {0, h.y, h.z}, 4.0 * h.y * h.z) + sum;
    sum = cuboid({0, side * h.y, 0}, {h.x, 0, h.z}, 4.0 * h.x * h.z) + sum;
    sum = cuboid({0, 0, side * h.z}, {h.x, h.y, 0}, 4.0 * h.x * h.y) + sum;
  }
  return sum;
}

// MuJoCo's area is the approximation of Thomsen, and the moments are those of a thin layer between
// two ellipsoids.
MassProperties hollow_ellipsoid(const Vec3& r) {
  constexpr double p = 1.6075;
  const double x = std::pow(r.x, p);
  const double y = std::pow(r.y, p);
  const double z = std::pow(r.z, p);
  const double area = 4.0 * kPi * std::pow((x * y + x * z + y * z) / 3.0, 1.0 / p);
  constexpr double kLayer = 1e-6;  // [m]
  const MassProperties inner = ellipsoid(r);
  const MassProperties outer = ellipsoid(r + Vec3{kLayer, kLayer, kLayer});
  MassProperties layer{outer.mass - inner.mass, {}, outer.inertia + -1.0 * inner.inertia};
  return with_mass(layer, area);
}

MassProperties shell_of_geom(GeomType type, const Vec3& size) {
  const double r = size.x;
  switch (type) {
    case GeomType::Sphere:
      return half_sphere(r, 0.0, 1.0) + half_sphere(r, 0.0, -1.0);
    case GeomType::Capsule:
      return tube(r, 2.0 * size.y) + half_sphere(r, size.y, 1.0) + half_sphere(r, -size.y, -1.0);
    case GeomType::Ellipsoid:
      return hollow_ellipsoid(size);
    case GeomType::Cylinder:
      return tube(r, 2.0 * size.y) + disc(r, size.y) + disc(r, -size.y);
    case GeomType::Box:
      return hollow_box(size);
    case GeomType::Plane:
    case GeomType::Mesh:
      break;
  }
  return {};
}

// The second moments ∫x·xᵀ dm of mass that is spread evenly over the tetrahedron of the origin and
// a triangle (divisor 20), or over the triangle (divisor 12).
Mat3 second_moments(const Triangle& t, double mass, double divisor) {
  const Vec3 sum = t[0] + t[1] + t[2];
  return (mass / divisor) *
         (outer(sum, sum) + outer(t[0], t[0]) + outer(t[1], t[1]) + outer(t[2], t[2]));
}

}  // namespace

MassProperties with_mass(const MassProperties& of, double mass) {
  return {mass, of.center, of.mass > 0.0 ? (mass / of.mass) * of.inertia : of.inertia};
}

MassProperties mass_of_geom(GeomType type, const Vec3& size, bool shell) {
  if (shell) {
    return shell_of_geom(type, size);
  }
  const double r = size.x;
  switch (type) {
    case GeomType::Sphere:
      return ellipsoid({r, r, r});
    case GeomType::Capsule:
      return cylinder(r, 2.0 * size.y) + half_ball(r, size.y, 1.0) + half_ball(r, -size.y, -1.0);
    case GeomType::Ellipsoid:
      return ellipsoid(size);
    case GeomType::Cylinder:
      return cylinder(r, 2.0 * size.y);
    case GeomType::Box:
      return cuboid({}, size, 8.0 * size.x * size.y * size.z);
    case GeomType::Plane:
    case GeomType::Mesh:
      break;
  }
  return {};
}

std::variant<MassProperties, std::string> mass_of_mesh(const std::vector<Triangle>& triangles,
                                                       MeshInertia mode) {
  const auto area_of = [](const Triangle& t) {
    return 0.5 * norm(cross(t[1] - t[0], t[2] - t[0]));
  };
  const auto middle_of = [](const Triangle& t) { return (1.0 / 3.0) * (t[0] + t[1] + t[2]); };
  double area = 0.0;
  Vec3 center;
  for (const Triangle& t : triangles) {
    area += area_of(t);
    center = center + area_of(t) * middle_of(t);
  }
  if (!(area > kLeastVolume)) {
    return "has no area";
  }
  center = (1.0 / area) * center;
  const auto moved = [](const Triangle& t, const Vec3& by) {
    return Triangle{t[0] - by, t[1] - by, t[2] - by};
  };
  // The volume of the tetrahedron between the origin and a triangle.
  const auto volume_of = [&](const Triangle& t) {
    const double volume = dot(t[0], cross(t[1], t[2])) / 6.0;
    return mode == MeshInertia::Legacy ? std::abs(volume) : volume;
  };
  if (mode != MeshInertia::Shell) {
    double volume = 0.0;
    Vec3 sum;
    for (const Triangle& t : triangles) {
      const Triangle about = moved(t, center);
      volume += volume_of(about);
      sum = sum + 0.75 * volume_of(about) * middle_of(about);
    }
    if (!(volume > kLeastVolume)) {
      return fmt::format("has the volume {:.3g} m^3, which is too small for a mass", volume);
    }
    center = center + (1.0 / volume) * sum;
  }
  double mass = 0.0;
  Mat3 second{{}};
  for (const Triangle& t : triangles) {
    const Triangle about = moved(t, center);
    const bool shell = mode == MeshInertia::Shell;
    const double part = shell ? area_of(t) : volume_of(about);
    mass += part;
    second = second + second_moments(about, part, shell ? 12.0 : 20.0);
  }
  if (!(mass > kLeastVolume)) {
    return fmt::format("has the volume {:.3g} m^3, which is too small for a mass", mass);
  }
  const double trace = second(0, 0) + second(1, 1) + second(2, 2);
  return MassProperties{mass, center, diagonal(trace, trace, trace) + -1.0 * second};
}

}  // namespace servosim::robots
