// SPDX-License-Identifier: Apache-2.0
// Finds the contacts of cylinders with planes, capsules and ElevationGrids.
// docs/explanation/deviations.md#contact-geometry has the reasons why ODE's colliders are not used.
// Lengths are in [m], and a depth is positive if the shapes overlap.
#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/contacts/colliders.h"
#include "physics/contacts/geoms.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// These are limits of the squared sine of the tilt. Below the first one, the points on a rim are
// along the cylinder's own axes; below the second one (18.4°), there are four per cap.
constexpr double kUpright = 0.001;
constexpr double kFourPoints = 0.1;

// Describes the four candidates on each rim by two vectors, since the others are opposite.
struct RimFrame {
  Vec3 deepest;   // from the cap's centre to the deepest rim point
  Vec3 sideways;  // from the cap's centre to a rim point a quarter turn away
};

// If the axis a is nearly along the normal n, rounding decides which rim point is deepest. So the
// points are then along the cylinder's own axes, which do not jump from step to step. Otherwise the
// deepest point is in the direction (a·n)·a − n, which is −n projected onto the cap.
RimFrame rim_frame(const CylinderAt& c, const Vec3& axis, const Vec3& normal, double sine2) {
  const Mat3& r = c.pose.rotation;
  if (sine2 < kUpright) {
    return {c.radius * Vec3{r(0, 1), r(1, 1), r(2, 1)}, c.radius * Vec3{r(0, 0), r(1, 0), r(2, 0)}};
  }
  const double cosine = dot(axis, normal);
  return {c.radius * unit_or(cosine * axis - normal, {}),
          c.radius * unit_or(cross(axis, normal), {})};
}

}  // namespace

CylinderAt cylinder_of(dGeomID geom) {
  CylinderAt c{geom_pose(geom), 0.0, 0.0};
  dGeomCylinderGetParams(geom, &c.radius, &c.length);
  return c;
}

// Candidates are the deepest rim point of each cap and those a quarter, a half and three quarters
// of a turn away. If the cylinder is tilted by more than 18.4°, so that sin² ≥ 0.1, only the
// deepest one of each cap counts.
RimPoints rim_points_below(const CylinderAt& c, const Vec3& normal, double offset) {
  const Mat3& r = c.pose.rotation;
  const Vec3 axis{r(0, 2), r(1, 2), r(2, 2)};
  const Vec3 tilt = cross(axis, normal);
  const double sine2 = dot(tilt, tilt);
  const RimFrame rim = rim_frame(c, axis, normal, sine2);
  const Vec3 candidates[] = {rim.deepest, rim.sideways, -rim.deepest, -rim.sideways};
  const int per_cap = sine2 < kFourPoints ? 4 : 1;
  RimPoints below;
  for (const double side : {0.5, -0.5}) {
    const Vec3 cap = c.pose.translation + (side * c.length) * axis;
    for (int i = 0; i < per_cap; ++i) {
      const Vec3 point = cap + candidates[i];
      // This is the distance of the point below the plane normal·x = offset.
      const double depth = offset - dot(normal, point);
      if (depth > 0.0) {
        below.points[below.count++] = {point, depth};
      }
    }
  }
  return below;
}

void collide_cylinder_plane(dGeomID cylinder, dGeomID plane, ContactList& contacts) {
  dVector4 equation;
  dGeomPlaneGetParams(plane, equation);
  const Vec3 normal = to_vec3(equation);
  const RimPoints below = rim_points_below(cylinder_of(cylinder), normal, equation[3]);
  for (int i = 0; i < below.count; ++i) {
    contacts.add(below.points[i].position, normal, below.points[i].depth);
  }
}

namespace {

// Below this squared sine (0.57°) the axes count as parallel, and below this cosine the capsule
// counts as perpendicular to the cylinder.
constexpr double kParallel = 1e-4;
constexpr double kAcross = 1e-4;

// Describes a cylinder and a capsule in the cylinder's frame, whose origin is the cylinder's centre
// and whose z axis is the cylinder's axis.
struct Pair {
  double radius;       // radius of the cylinder
  double half_height;  // half of the height of the cylinder
  Vec3 center;         // centre of the capsule
  Vec3 axis;           // unit vector along the capsule
  double capsule_radius;
  double half_length;  // half of the length of the capsule's axis, without the end spheres

  // Returns the point of the capsule's axis at the distance t from its centre.
  Vec3 on_axis(double t) const { return center + t * axis; }
};

// Collects the contacts of a Pair. `frame` is the pose of the cylinder in the world.
struct Found {
  const Pose& frame;
  ContactList& contacts;

  // Adds a contact if the shapes overlap there. `point` and the unit vector `out`, from the
  // cylinder to the capsule, are in the cylinder's frame.
  void add(const Vec3& point, const Vec3& out, double depth) const {
    if (depth > 0.0) {
      contacts.add(frame * point, -(frame.rotation * out), depth);
    }
  }
};

// Returns the distance of a point from the cylinder's axis.
double radial(const Vec3& p) { return std::hypot(p.x, p.y); }

// Describes the range of z in which two parallel axes overlap. If high < low, they do not.
struct Overlap {
  double low;
  double high;
};

Overlap overlap(const Pair& p) {
  return {std::max(-p.half_height, p.center.z - p.half_length),
          std::min(p.half_height, p.center.z + p.half_length)};
}

// Adds three points along the line on the mantle that is nearest to the capsule. Returns false and
// adds nothing if the capsule is beyond a cap or touches it less deeply through the cap than
// through the mantle.
bool lies_along(const Pair& p, const Found& found) {
  const auto [low, high] = overlap(p);
  const double rho = radial(p.center);
  // With ρ the distance of the parallel axes, the depth is r_cylinder + r_capsule − ρ.
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

// Adds one point in the middle between the closest points of the axes, if these are within both
// axes; returns false otherwise. With c the cosine between the unit vectors z and a of the axes and
// p the capsule's centre, the closest points are t₁·z and p + t₂·a with t₁ = (p_z − c·p·a)/(1 − c²)
// and t₂ = c·t₁ − p·a. As in Webots, the depth is halved. The sine of the angle must not be 0.
bool crosses(const Pair& p, const Found& found) {
  const double c = p.axis.z;
  const double sine = std::sqrt(1.0 - c * c);
  const double t1 = (p.center.z - c * dot(p.center, p.axis)) / (1.0 - c * c);
  const double t2 = c * t1 - dot(p.center, p.axis);
  if (std::abs(t1) > p.half_height || std::abs(t2) > p.half_length) {
    return false;
  }
  const Vec3 across = (1.0 / sine) * cross({0.0, 0.0, 1.0}, p.axis);
  // The distance of the axes is the part of p along their common perpendicular.
  const double signed_distance = dot(p.center, across);
  const double distance = std::abs(signed_distance);
  const Vec3 out = std::copysign(1.0, signed_distance) * across;
  found.add(Vec3{0.0, 0.0, t1} + 0.5 * (distance + p.radius - p.capsule_radius) * out, out,
            0.5 * (p.radius + p.capsule_radius - distance));
  return true;
}

// Adds points for a capsule above a cap: the ends and the middle of the part of its axis that is
// over the disc. Returns false if the capsule is not perpendicular to the cylinder or not over the
// disc.
bool lies_across_cap(const Pair& p, const Found& found) {
  const double gap = std::abs(p.center.z) - p.half_height;
  if (std::abs(p.axis.z) > kAcross || gap < 0.0) {
    return false;
  }
  // Solves |center + t·axis| = radius in the xy plane for t.
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

// Returns the point of the cylinder that is nearest to q, which is q itself if it is inside.
Vec3 closest_in_cylinder(const Pair& p, const Vec3& q) {
  const double rho = radial(q);
  // A point outside of the mantle moves to it along the radius, a point beyond a cap along the
  // axis.
  const double shrink = rho > p.radius ? p.radius / rho : 1.0;
  return {shrink * q.x, shrink * q.y, std::clamp(q.z, -p.half_height, p.half_height)};
}

// Returns the parameter t at which the capsule's axis is closest to the cylinder. The distance from
// a convex body is convex along a line, so its slope changes sign at most once, and bisection finds
// that point. After 60 halvings the interval is shorter than the rounding error.
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

// Adds one point at the nearest point of the cylinder. If the axis of the capsule pierces the
// cylinder, the distance is 0 and there is no normal, so the result is false.
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

// The first rule that applies gives the contacts. The squared sine of the angle between the axes
// selects between the rule for parallel axes and the others.
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

namespace {

// A cell gives at most this many contacts, as in ODE's collider of heightfields.
constexpr int kMaxPerCell = 10;

// Identifies a triangle of a cell. The diagonal of every cell is from (i, j) to (i + 1, j + 1), as
// in ODE.
struct Place {
  int i;
  int j;
  bool upper;  // whether it is the half with the corner (i, j + 1), not that with (i + 1, j)

  friend bool operator==(const Place&, const Place&) = default;
};

// Finds the contacts of a cylinder and an ElevationGrid. All coordinates are in the grid's frame,
// in which the ground is z(x, y). `frame` is its pose in the world. All references must outlive the
// object.
class CylinderOnGrid {
 public:
  CylinderOnGrid(const Grid& grid, const Pose& frame, const CylinderAt& cylinder,
                 ContactList& contacts)
      : grid_(grid),
        frame_(frame),
        cylinder_{inverse(frame) * cylinder.pose, cylinder.radius, cylinder.length},
        contacts_(contacts) {
    find_range();
  }

  // Adds the contacts: first those of the tops, then those of the cells, each row by row. The order
  // is fixed, since the result of the solver depends on it.
  void collide() {
    for (int j = j_low_; j <= j_high_ + 1; ++j) {
      for (int i = i_low_; i <= i_high_ + 1; ++i) {
        touch_top(i, j);
      }
    }
    for (int j = j_low_; j <= j_high_; ++j) {
      for (int i = i_low_; i <= i_high_; ++i) {
        touch_cell(i, j);
      }
    }
  }

 private:
  void find_range();
  // Returns the height of the ground at a grid point [m].
  double height(int i, int j) const { return grid_.heights[i + std::size_t(j) * grid_.columns]; }
  Place place_of(const Vec3& p) const;
  bool is_top(int i, int j) const;
  double drop_inside(const Vec3& p) const;
  void touch_top(int i, int j);
  void touch_cell(int i, int j);
  int touch_triangle(const Place& place, int room);
  // Adds a contact, whose point and normal it transforms to the world.
  void add(const Vec3& point, const Vec3& normal, double depth) {
    contacts_.add(frame_ * point, frame_.rotation * normal, depth);
  }

  const Grid& grid_;
  const Pose& frame_;
  CylinderAt cylinder_;
  ContactList& contacts_;
  double bottom_ = 0.0;  // z of the lowest point of the cylinder
  int i_low_ = 0;        // cells below the cylinder; both ends are included
  int i_high_ = -1;
  int j_low_ = 0;
  int j_high_ = -1;
};

// Finds the cells under the bounding box of the cylinder. Numbers are clamped before they become
// integers, since huge ones would overflow.
void CylinderOnGrid::find_range() {
  const Mat3& r = cylinder_.pose.rotation;
  const Vec3& p = cylinder_.pose.translation;
  // Half of the cylinder's extent along a unit vector e is L/2·|a| + r·√(1 − a²) with a = e·axis.
  const auto reach = [&](double a) {
    return 0.5 * cylinder_.length * std::abs(a) +
           cylinder_.radius * std::sqrt(std::max(0.0, 1.0 - a * a));
  };
  const auto cell = [](double x, double spacing, int cells) {
    return static_cast<int>(std::clamp(std::floor(x / spacing), -1.0, static_cast<double>(cells)));
  };
  const double x = reach(r(0, 2));
  const double y = reach(r(1, 2));
  bottom_ = p.z - reach(r(2, 2));
  i_low_ = std::max(0, cell(p.x - x, grid_.dx, grid_.columns - 1));
  i_high_ = std::min(grid_.columns - 2, cell(p.x + x, grid_.dx, grid_.columns - 1));
  j_low_ = std::max(0, cell(p.y - y, grid_.dy, grid_.rows - 1));
  j_high_ = std::min(grid_.rows - 2, cell(p.y + y, grid_.dy, grid_.rows - 1));
  if (i_high_ < i_low_ || j_high_ < j_low_) {
    // The cylinder is not over the grid. This leaves neither cells nor points, whose range is one
    // longer.
    j_high_ = j_low_ - 2;
  }
}

// Returns the triangle below a point. There is exactly one, so no contact is found twice. Outside
// of the grid it is none of the grid's triangles.
Place CylinderOnGrid::place_of(const Vec3& p) const {
  const double x = p.x / grid_.dx;
  const double y = p.y / grid_.dy;
  const double i = std::clamp(std::floor(x), -1.0, static_cast<double>(grid_.columns));
  const double j = std::clamp(std::floor(y), -1.0, static_cast<double>(grid_.rows));
  return {static_cast<int>(i), static_cast<int>(j), y - j >= x - i};
}

// Returns whether the ground is convex at a grid point along x, y or the diagonal, which means
//
//     z(i − 1) + z(i + 1) − 2·z(i) < 0.
//
// Only then can the point be inside a body before the faces around it are. A smaller curvature than
// the margin is rounding.
bool CylinderOnGrid::is_top(int i, int j) const {
  const double z = height(i, j);
  const double margin = 1e-9 * std::min(grid_.dx, grid_.dy);
  const auto above_line = [&](int di, int dj) {
    const bool inside = i - di >= 0 && i + di < grid_.columns && j - dj >= 0 && j + dj < grid_.rows;
    return inside && height(i - di, j - dj) + height(i + di, j + dj) - 2.0 * z < -margin;
  };
  return above_line(1, 0) || above_line(0, 1) || above_line(1, 1);
}

// Returns the distance from `p` down to the cylinder's surface; 0 if `p` is not inside. In the
// cylinder's frame the ray o + t·d meets the side where |o + t·d| = radius in the xy plane, and a
// cap where o_z + t·d_z = ±L/2.
double CylinderOnGrid::drop_inside(const Vec3& p) const {
  const Pose to_cylinder = inverse(cylinder_.pose);
  const Vec3 o = to_cylinder * p;
  const Vec3 d = to_cylinder.rotation * Vec3{0.0, 0.0, -1.0};
  const double c = o.x * o.x + o.y * o.y - cylinder_.radius * cylinder_.radius;
  const double half = 0.5 * cylinder_.length;
  if (c >= 0.0 || std::abs(o.z) >= half) {
    return 0.0;
  }
  const double a = d.x * d.x + d.y * d.y;
  const double b = o.x * d.x + o.y * d.y;
  const double infinity = std::numeric_limits<double>::infinity();
  const double to_side = a > 1e-20 ? (-b + std::sqrt(b * b - a * c)) / a : infinity;
  const double to_cap = d.z != 0.0 ? (std::copysign(half, d.z) - o.z) / d.z : infinity;
  return std::min(to_side, to_cap);
}

// The normal is vertical, because the ground has no normal at a grid point. The depth is measured
// along it.
void CylinderOnGrid::touch_top(int i, int j) {
  const Vec3 top{i * grid_.dx, j * grid_.dy, height(i, j)};
  if (top.z <= bottom_) {
    return;
  }
  if (const double depth = drop_inside(top); depth > 0.0 && is_top(i, j)) {
    add(top, {0.0, 0.0, 1.0}, depth);
  }
}

// Both triangles of a cell share the limit of contacts per cell. A cell whose four corners are all
// below the cylinder cannot touch it.
void CylinderOnGrid::touch_cell(int i, int j) {
  if (std::max({height(i, j), height(i + 1, j), height(i, j + 1), height(i + 1, j + 1)}) <=
      bottom_) {
    return;
  }
  const int lower = touch_triangle({i, j, false}, kMaxPerCell);
  touch_triangle({i, j, true}, kMaxPerCell - lower);
}

// The ground is the plane through the triangle, z = h00 + slope_x·(x − x_i) + slope_y·(y − y_j).
// The rim points below it count if they are over this triangle. Returns the number of added
// contacts, at most `room`.
int CylinderOnGrid::touch_triangle(const Place& place, int room) {
  const auto [i, j, upper] = place;
  const double h00 = height(i, j);
  const double h11 = height(i + 1, j + 1);
  const double corner = upper ? height(i, j + 1) : height(i + 1, j);
  // The edges of the triangle along x and y have these slopes.
  const double slope_x = (upper ? h11 - corner : corner - h00) / grid_.dx;
  const double slope_y = (upper ? corner - h00 : h11 - corner) / grid_.dy;
  const Vec3 normal = unit_or({-slope_x, -slope_y, 1.0}, {0.0, 0.0, 1.0});
  const double offset = dot(normal, {i * grid_.dx, j * grid_.dy, h00});
  const RimPoints below = rim_points_below(cylinder_, normal, offset);
  int added = 0;
  for (int k = 0; k < below.count && added < room; ++k) {
    if (place_of(below.points[k].position) == place) {
      add(below.points[k].position, normal, below.points[k].depth);
      ++added;
    }
  }
  return added;
}

}  // namespace

void collide_cylinder_grid(dGeomID cylinder, dGeomID grid_geom, ContactList& contacts) {
  const Grid& grid = *info_of(grid_geom).grid;
  const Pose frame = geom_pose(grid_geom) * inverse(ode_frame(grid));
  CylinderOnGrid(grid, frame, cylinder_of(cylinder), contacts).collide();
}

}  // namespace servosim
