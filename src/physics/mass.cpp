// SPDX-License-Identifier: Apache-2.0
// Computes the masses of shapes, Solids and bodies by Webots' rules. The formulas of the primitives
// are the usual ones for a homogeneous body about its centre.
#include "physics/mass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scene/scene.h"

namespace servosim {

namespace {

constexpr double kReferenceDensity = 1000.0;  // density with which shapes are weighed first [kg/m³]
// Outside of this range of masses, ODE's arithmetic overflows or vanishes [kg].
constexpr double kLightest = 1e-12;
constexpr double kHeaviest = 1e15;

// Returns the mass that Webots uses for a shape whose mass it cannot compute.
MassProperties unit_mass() { return {1.0, {}, diagonal(1.0, 1.0, 1.0)}; }

// With m = ρ·π·r²·h, the inertia is I_z = m·r²/2 and I_x = I_y = m·(r²/4 + h²/12).
MassProperties cylinder_mass(double radius, double height) {
  const double m = kReferenceDensity * std::numbers::pi * radius * radius * height;
  const double across = m * (0.25 * radius * radius + height * height / 12.0);
  return {m, {}, diagonal(across, across, 0.5 * m * radius * radius)};
}

// A capsule is a cylinder and two half spheres, each at the distance h/2 from the centre. Together
// the half spheres have m = ρ·4/3·π·r³, I_z = 2/5·m·r² and I_x = I_y = m·(2/5·r² + 3/8·r·h + h²/4).
MassProperties capsule_mass(double radius, double height) {
  const double r2 = radius * radius;
  const MassProperties barrel = cylinder_mass(radius, height);
  const double caps = kReferenceDensity * 4.0 / 3.0 * std::numbers::pi * r2 * radius;
  const double across = caps * (0.4 * r2 + 0.375 * radius * height + 0.25 * height * height);
  return {barrel.mass + caps, {}, barrel.inertia + diagonal(across, across, caps * 0.4 * r2)};
}

// The sums are over the tetrahedra between the origin and each triangle (a, b, c). With d = a·(b ×
// c) and s = a + b + c:
//
//     V        = Σ d/6
//     ∫x dV    = Σ d·s/24
//     ∫x·xᵀ dV = Σ d·(s·sᵀ + a·aᵀ + b·bᵀ + c·cᵀ)/120
//
// The tetrahedra are signed, so the result is exact for a closed mesh (J. Blow and A. Binstock,
// "How to find the inertia tensor of a 3D solid body represented by a triangle mesh", 2004).
MassProperties mesh_mass(const Mesh& mesh) {
  // These are the sums at density 1.
  double volume = 0.0;
  Vec3 moment;
  Mat3 second{{}};
  for (const auto& [ia, ib, ic] : mesh.triangles) {
    const Vec3 a = mesh.vertices[ia];
    const Vec3 b = mesh.vertices[ib];
    const Vec3 c = mesh.vertices[ic];
    const Vec3 sum = a + b + c;
    const double det = dot(a, cross(b, c));
    volume += det / 6.0;
    moment = moment + (det / 24.0) * sum;
    second = second + det / 120.0 * (outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c));
  }
  if (!(std::abs(volume) > 1e-15)) {
    return unit_mass();
  }
  const Vec3 center = (1.0 / volume) * moment;
  // The second moments about the centre give the inertia: I = ρ·(tr(S)·1 − S).
  const Mat3 spread = second + -volume * outer(center, center);
  const double trace = spread(0, 0) + spread(1, 1) + spread(2, 2);
  // In a mesh whose triangles face inwards, all signs are negative.
  const double density = std::copysign(kReferenceDensity, volume);
  const MassProperties mass{density * volume, center,
                            density * (diagonal(trace, trace, trace) + -1.0 * spread)};
  return is_acceptable(mass) ? mass : unit_mass();
}

// Returns the mass in the shape's frame at the reference density. With that mass m, a box has I_x =
// m·(y² + z²)/12, and a sphere has I = 2/5·m·r²·1. Planes and grids have no volume.
MassProperties shape_mass(const Shape& s) {
  if (s.degenerate) {
    return unit_mass();
  }
  switch (s.type) {
    case ShapeType::Box: {
      const double m = kReferenceDensity * s.size.x * s.size.y * s.size.z;
      const Vec3 q = (m / 12.0) * scaled(s.size, s.size);
      return {m, {}, diagonal(q.y + q.z, q.x + q.z, q.x + q.y)};
    }
    case ShapeType::Sphere: {
      const double r2 = s.radius * s.radius;
      const double m = kReferenceDensity * 4.0 / 3.0 * std::numbers::pi * r2 * s.radius;
      return {m, {}, 0.4 * m * r2 * diagonal(1.0, 1.0, 1.0)};
    }
    case ShapeType::Cylinder:
      return cylinder_mass(s.radius, s.height);
    case ShapeType::Capsule:
      return capsule_mass(s.radius, s.height);
    case ShapeType::Mesh:
      return mesh_mass(*s.mesh);
    case ShapeType::Plane:
    case ShapeType::Grid:
      break;
  }
  return {};
}

// Returns the sum of the masses of a Solid's shapes at the reference density, in the Solid's frame.
MassProperties shapes_mass(const SolidSpec& solid) {
  MassProperties total;
  for (const Shape& shape : solid.shapes) {
    total = total + placed(shape_mass(shape), shape.pose);
  }
  return total;
}

// The shapes are weighed with the reference density. The result is scaled to the given mass or,
// without one, to the given density.
MassProperties bounding_object_mass(const SolidSpec& solid, const MassSpec& spec,
                                    Diagnostics& diagnostics) {
  if (std::any_of(solid.shapes.begin(), solid.shapes.end(),
                  [](const Shape& s) { return s.type == ShapeType::Grid; })) {
    diagnostics.warning(spec.where,
                        fmt::format("an ElevationGrid has no volume; that of Solid \"{}\" adds "
                                    "nothing to its mass",
                                    solid.name));
  }
  MassProperties mass = shapes_mass(solid);
  const double density_ratio = spec.density / kReferenceDensity;
  if (is_acceptable(mass)) {
    const double factor = spec.mass > 0.0 ? spec.mass / mass.mass : density_ratio;
    mass.mass *= factor;
    mass.inertia = factor * mass.inertia;
  } else {
    diagnostics.replacement(
        spec.where, fmt::format("Solid \"{}\" has no bounding object that can be weighed; its "
                                "inertia is the identity matrix [kg m^2]",
                                solid.name));
    mass = unit_mass();
    mass.mass = spec.mass > 0.0 ? spec.mass : density_ratio;
    mass.inertia = (spec.mass > 0.0 ? 1.0 : density_ratio) * mass.inertia;
  }
  if (spec.inertia) {
    // Webots takes the Solid's origin as the centre of mass and keeps the tensor about that origin.
    mass.inertia = mass.inertia + mass.mass * point_inertia(mass.center);
    mass.center = {};
  }
  mass.center = spec.center_of_mass.value_or(mass.center);
  return mass;
}

}  // namespace

// ODE inverts mass and inertia, so neither may be extreme.
bool is_acceptable(const MassProperties& mass) {
  if (!(mass.mass >= kLightest && mass.mass <= kHeaviest) || !is_finite(mass.center)) {
    return false;
  }
  const Mat3& i = mass.inertia;
  if (!std::all_of(i.m.begin(), i.m.end(), [](double x) { return std::isfinite(x); })) {
    return false;
  }
  // The pivots of an elimination are ratios of the leading minors, which are positive if the matrix
  // is positive definite. Each must exceed its rounding errors. Only the upper triangle counts,
  // because ODE gets only that; the lower one may differ by rounding or because of a faulty file.
  const double largest = std::max({i(0, 0), i(1, 1), i(2, 2)});
  const double margin = 1e-13 * largest;
  const double pivot1 = i(0, 0);
  const double pivot2 = i(1, 1) - i(0, 1) * i(0, 1) / pivot1;
  const double rest = i(1, 2) - i(0, 2) * i(0, 1) / pivot1;
  const double pivot3 = i(2, 2) - i(0, 2) * i(0, 2) / pivot1 - rest * rest / pivot2;
  // The small differences pivot2 and rest have large relative errors, which the quotient inherits.
  const double margin3 = margin + margin / pivot2 * (rest * rest / pivot2 + std::abs(rest));
  return largest > 1e-30 && largest < 1e30 && pivot1 > margin && pivot2 > margin &&
         pivot3 > margin3;
}

// At the reference density the volume is m/ρ.
double bounding_volume(const SolidSpec& solid) {
  return shapes_mass(solid).mass / kReferenceDensity;
}

namespace {

// As in Webots, a given inertia is used unchanged only if mass and centre of mass are given, too.
MassProperties valid_mass(const SolidSpec& solid, Diagnostics& diagnostics) {
  const MassSpec& spec = *solid.physics;
  if (spec.mass > 0.0 && spec.center_of_mass && spec.inertia) {
    const MassProperties mass{spec.mass, *spec.center_of_mass, *spec.inertia};
    if (is_acceptable(mass)) {
      return mass;
    }
  }
  if (spec.inertia) {
    diagnostics.replacement(
        spec.where,
        fmt::format("inertiaMatrix of Solid \"{}\" is ignored: it must be positive definite and "
                    "stand beside a mass and a centerOfMass; the bounding object is used",
                    solid.name));
  }
  MassProperties mass = bounding_object_mass(solid, spec, diagnostics);
  if (!is_acceptable(mass)) {
    diagnostics.replacement(spec.where,
                            fmt::format("mass {} kg of Solid \"{}\" cannot be simulated; "
                                        "1 kg and 1 kg m^2 are used",
                                        mass.mass, solid.name));
    mass = unit_mass();
  }
  return mass;
}

}  // namespace

// The motion of a light body with very different moments of inertia may be unstable. The limits are
// those of Webots' own warning.
MassProperties solid_mass(const SolidSpec& solid, Diagnostics& diagnostics) {
  const MassProperties mass = valid_mass(solid, diagnostics);
  const auto [least, most] =
      std::minmax({mass.inertia(0, 0), mass.inertia(1, 1), mass.inertia(2, 2)});
  if (least < 1e-5 && most > 15.0 * least) {
    diagnostics.warning(
        solid.physics->where,
        fmt::format("Solid \"{}\" is light and oblong (moments of inertia from {:.3g} to "
                    "{:.3g} kg m^2): its motion may be unstable",
                    solid.name, least, most));
  }
  return mass;
}

// The scene lists a Solid before the Solids below it. So the owner of a body comes first, and the
// pose of a part in the owner's frame is that of the Solid above times its own.
std::vector<RigidBody> weigh_bodies(const Scene& scene, Diagnostics& diagnostics) {
  std::vector<RigidBody> bodies;
  std::vector<std::size_t> body_of(scene.solids.size());
  std::vector<Pose> in_owner(scene.solids.size());
  for (int s = 0; s < static_cast<int>(scene.solids.size()); ++s) {
    const SolidSpec& solid = scene.solids[s];
    if (!solid.physics) {
      continue;
    }
    const MassProperties mass = solid_mass(solid, diagnostics);
    if (!is_merged(scene, s)) {
      body_of[s] = bodies.size();
      bodies.push_back({{{s, {}, mass.mass, mass.center}}, mass});
      continue;
    }
    in_owner[s] = in_owner[solid.parent] * solid.pose;
    body_of[s] = body_of[solid.parent];
    RigidBody& body = bodies[body_of[s]];
    body.mass = body.mass + placed(mass, in_owner[s]);
    body.parts.push_back({s, in_owner[s], mass.mass, mass.center});
  }
  for (RigidBody& body : bodies) {
    if (!is_acceptable(body.mass)) {
      const SolidSpec& owner = scene.solids[body.owner()];
      diagnostics.replacement(owner.physics->where,
                              fmt::format("the Solids that form one body with \"{}\" cannot be "
                                          "weighed together; the mass of \"{}\" alone is used",
                                          owner.name, owner.name));
      Diagnostics ignored;  // the replacement was reported above
      body.mass = solid_mass(owner, ignored);
    }
  }
  return bodies;
}

namespace {

constexpr double kMassRounding = 1e-9;  // tolerance of the rim [m]

struct Point {
  double x;
  double y;
  friend auto operator<=>(const Point&, const Point&) = default;
};

Point operator-(const Point& a, const Point& b) { return {a.x - b.x, a.y - b.y}; }
// Returns a number that is positive if b is to the left of a.
double cross(const Point& a, const Point& b) { return a.x * b.y - a.y * b.x; }
double length(const Point& a) { return std::hypot(a.x, a.y); }

// Returns the convex hull, counter-clockwise and without the points on its edges, by A. M. Andrew's
// monotone chain (1979): one pass for the lower half and one for the upper half.
std::vector<Point> hull_of(std::vector<Point> points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::vector<Point> hull;
  for (int half = 0; half < 2; ++half) {
    const std::size_t start = hull.size();
    for (const Point& p : points) {
      // A point that makes no left turn is not a corner of the hull.
      while (hull.size() >= start + 2 &&
             cross(hull.back() - hull[hull.size() - 2], p - hull.back()) <= 0.0) {
        hull.pop_back();
      }
      hull.push_back(p);
    }
    if (hull.size() > 1) {
      hull.pop_back();  // it is also the first point of the other half
    }
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

// Returns the distance of p from the segment from a to b. The nearest point is a + t·(b − a) with t
// clamped to [0, 1].
double distance_to_line(const Point& p, const Point& a, const Point& b) {
  const Point along = b - a;
  const double square = along.x * along.x + along.y * along.y;
  const Point from = p - a;
  const double t =
      square > 0.0 ? std::clamp((from.x * along.x + from.y * along.y) / square, 0.0, 1.0) : 0.0;
  return length({from.x - t * along.x, from.y - t * along.y});
}

}  // namespace

// A body does not tip over if the projection of its centre of mass is in the hull of its supports.
bool is_supported(const Vec3& point, const std::vector<Vec3>& others, const Vec3& down) {
  // u and v are unit vectors perpendicular to `down`. The test is done with the coordinates along
  // them.
  const Vec3 helper =
      std::abs(down.x) < 0.5 * norm(down) ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0};
  const Vec3 u = (1.0 / norm(servosim::cross(down, helper))) * servosim::cross(down, helper);
  const Vec3 v = (1.0 / norm(down)) * servosim::cross(down, u);
  const auto seen = [&](const Vec3& p) { return Point{dot(p, u), dot(p, v)}; };
  std::vector<Point> points;
  for (const Vec3& other : others) {
    points.push_back(seen(other));
  }
  const std::vector<Point> hull = hull_of(std::move(points));
  const Point p = seen(point);
  // A hull without an area has no inside. Its points are on the rim.
  bool inside = hull.size() > 2;
  bool on_rim = false;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Point& a = hull[i];
    const Point& b = hull[(i + 1) % hull.size()];
    inside = inside && cross(b - a, p - a) >= 0.0;
    on_rim = on_rim || distance_to_line(p, a, b) <= kMassRounding;
  }
  return inside || on_rim;
}

}  // namespace servosim
