// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_cylinder_capsule.h"

#include <algorithm>
#include <cmath>

#include "physics/ode_cylinder_plane.h"
#include "physics/ode_library.h"

namespace servosim {

namespace {

// Squared sine below which the axes are parallel: 0.57°. Cosine below which one lies across.
constexpr double kParallel = 1e-4;
constexpr double kAcross = 1e-4;

// All lengths in the cylinder's frame: its axis is z, its centre 0.
struct Pair {
  double radius;       // of the cylinder
  double half_height;  // of the cylinder
  Vec3 center;         // of the capsule
  Vec3 axis;           // of the capsule
  double capsule_radius;
  double half_length;  // of the capsule's axis, without the end spheres

  Vec3 on_axis(double t) const { return center + t * axis; }
};

/// Where the contact is, and how: `out` points from the cylinder to the capsule.
struct Found {
  const Pose& frame;
  ContactList& contacts;

  void add(const Vec3& point, const Vec3& out, double depth) const {
    if (depth > 0.0) {
      contacts.add(frame * point, -(frame.rotation * out), depth);
    }
  }
};

double radial(const Vec3& p) { return std::hypot(p.x, p.y); }

// The overlap of two parallel axes, seen along z.
struct Overlap {
  double low;
  double high;
};

Overlap overlap(const Pair& p) {
  return {std::max(-p.half_height, p.center.z - p.half_length),
          std::min(p.half_height, p.center.z + p.half_length)};
}

// Three points along the generator next to the capsule, or false if the capsule is beside a cap.
bool lies_along(const Pair& p, const Found& found) {
  const auto [low, high] = overlap(p);
  const double rho = radial(p.center);
  const double depth = p.radius + p.capsule_radius - rho;
  if (high < low || (rho < p.radius && depth > high - low)) {
    return false;
  }
  const Vec3 out = unit_or({p.center.x, p.center.y, 0.0}, {1.0, 0.0, 0.0});
  for (const double z : {low, 0.5 * (low + high), high}) {
    found.add(p.radius * out + Vec3{0.0, 0.0, z}, out, depth);
  }
  return true;
}

// One point half way between the axes where they are closest, if that is within both.
bool crosses(const Pair& p, const Found& found) {
  const double c = p.axis.z;
  const double sine = std::sqrt(1.0 - c * c);
  const double t1 = (p.center.z - c * dot(p.center, p.axis)) / (1.0 - c * c);
  const double t2 = c * t1 - dot(p.center, p.axis);
  if (std::abs(t1) > p.half_height || std::abs(t2) > p.half_length) {
    return false;
  }
  const Vec3 across = (1.0 / sine) * cross({0.0, 0.0, 1.0}, p.axis);
  const double signed_distance = dot(p.center, across);
  const double distance = std::abs(signed_distance);
  const Vec3 out = std::copysign(1.0, signed_distance) * across;
  found.add(Vec3{0.0, 0.0, t1} + 0.5 * (distance + p.radius - p.capsule_radius) * out, out,
            0.5 * (p.radius + p.capsule_radius - distance));
  return true;
}

// A capsule over a cap: the ends and the middle of the part of its axis that is above the disc.
bool lies_across_cap(const Pair& p, const Found& found) {
  const double gap = std::abs(p.center.z) - p.half_height;
  if (std::abs(p.axis.z) > kAcross || gap < 0.0) {
    return false;
  }
  // |center + t·axis| = radius, seen along z.
  const double a = p.axis.x * p.axis.x + p.axis.y * p.axis.y;
  const double b = p.axis.x * p.center.x + p.axis.y * p.center.y;
  const double under_root = b * b - a * (radial(p.center) * radial(p.center) - p.radius * p.radius);
  if (under_root <= 0.0) {
    return false;
  }
  const double low = std::max(-p.half_length, (-b - std::sqrt(under_root)) / a);
  const double high = std::min(p.half_length, (-b + std::sqrt(under_root)) / a);
  if (high <= low) {
    return false;
  }
  const double side = std::copysign(1.0, p.center.z);
  const Vec3 out{0.0, 0.0, side};
  for (const double t : {low, 0.5 * (low + high), high}) {
    const Vec3 above = p.on_axis(t);
    const double depth = p.capsule_radius - (side * above.z - p.half_height);
    found.add({above.x, above.y, side * p.half_height}, out, depth);
  }
  return true;
}

Vec3 closest_in_cylinder(const Pair& p, const Vec3& q) {
  const double rho = radial(q);
  const double shrink = rho > p.radius ? p.radius / rho : 1.0;
  return {shrink * q.x, shrink * q.y, std::clamp(q.z, -p.half_height, p.half_height)};
}

// Where the capsule's axis is closest to the cylinder: the distance from a convex body along a line
// is convex, so its slope changes sign once.
double closest_parameter(const Pair& p) {
  const auto slope = [&p](double t) {
    const Vec3 q = p.on_axis(t);
    return dot(q - closest_in_cylinder(p, q), p.axis);
  };
  double low = -p.half_length;
  double high = p.half_length;
  if (slope(low) >= 0.0) {
    return low;
  }
  if (slope(high) <= 0.0) {
    return high;
  }
  for (int i = 0; i < 60 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    (slope(middle) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

bool touches_at_closest(const Pair& p, const Found& found) {
  const Vec3 q = p.on_axis(closest_parameter(p));
  const Vec3 on_cylinder = closest_in_cylinder(p, q);
  const double distance = norm(q - on_cylinder);
  if (!(distance > 1e-9 * p.capsule_radius)) {
    return false;
  }
  found.add(on_cylinder, (1.0 / distance) * (q - on_cylinder), p.capsule_radius - distance);
  return true;
}

}  // namespace

bool collide_cylinder_capsule(dGeomID cylinder, dGeomID capsule, ContactList& contacts) {
  const CylinderAt c = cylinder_of(cylinder);
  const Pose at = inverse(c.pose) * geom_pose(capsule);
  const Mat3& r = at.rotation;
  Pair p{c.radius, 0.5 * c.length, at.translation, {r(0, 2), r(1, 2), r(2, 2)}, 0.0, 0.0};
  dGeomCapsuleGetParams(capsule, &p.capsule_radius, &p.half_length);
  p.half_length *= 0.5;
  const Found found{c.pose, contacts};
  const double sine2 = p.axis.x * p.axis.x + p.axis.y * p.axis.y;
  if (sine2 < kParallel ? lies_along(p, found) : crosses(p, found) || lies_across_cap(p, found)) {
    return true;
  }
  return touches_at_closest(p, found);
}

}  // namespace servosim
