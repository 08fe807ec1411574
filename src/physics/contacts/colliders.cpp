// SPDX-License-Identifier: Apache-2.0
// Finds the contacts of boxes, and chooses between servosim's colliders and ODE's. Normals point
// into the first geom, and depths are positive if the geoms overlap [m].
//
// Two boxes a and b have the unit axes a_i and b_j and the half lengths half_a,i and half_b,j. A
// unit vector l separates them if their overlap along it,
//
//     depth(l) = Σ_i half_a,i·|a_i·l| + Σ_j half_b,j·|b_j·l| − |(center_b − center_a)·l|,
//
// is negative. It is enough to test the axes a_i, b_j and a_i × b_j (Gottschalk et al. 1996; see
// collide_box_box()).
#include "physics/contacts/colliders.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <utility>

#include "physics/ode_library.h"

namespace servosim {

namespace {

using Triple = std::array<double, 3>;

// Below this angle between two edges [rad], rounding spoils the direction that is perpendicular to
// both, so the pair is not tested. The faces along the edges then give the same result, except for
// this angle times the size of the boxes.
constexpr double kParallelEdges = 1e-6;
// Below this squared sine (0.57°) rounding makes the point where two lines cross too uncertain, so
// the point is limited to the edges.
constexpr double kUncertainCrossing = 1e-4;
// A pair of edges is used only if its overlap is smaller than that of every face by this factor,
// which is ODE's. Otherwise rounding would change a contact of faces, with up to eight points, into
// one of edges, with a single point.
constexpr double kEdgeFudge = 1.05;

// Describes a box in the world. Its axes are the columns of `rotation`.
struct BoxAt {
  Mat3 rotation;
  Vec3 center;
  Triple half;  // half lengths along the axes [m]

  explicit BoxAt(dGeomID geom) : BoxAt(geom, geom_pose(geom)) {}
  BoxAt(dGeomID geom, const Pose& pose) : rotation(pose.rotation), center(pose.translation) {
    dVector3 size;
    dGeomBoxGetLengths(geom, size);
    half = {0.5 * size[0], 0.5 * size[1], 0.5 * size[2]};
  }
  // Returns axis i, a unit vector in the world.
  Vec3 axis(int i) const { return {rotation(0, i), rotation(1, i), rotation(2, i)}; }
};

// Returns the coordinates of a vector of the world in the axes of the box.
Triple in_axes_of(const BoxAt& box, const Vec3& v) {
  return {dot(box.axis(0), v), dot(box.axis(1), v), dot(box.axis(2), v)};
}

// Describes the axis with the least overlap.
struct Separation {
  double depth = INFINITY;  // overlap of the boxes along it [m]
  bool backwards = false;   // whether it points from the second box to the first
  int face_of = -1;      // 0 or 1: it is a normal of this box; -1: it is perpendicular to two edges
  int first_axis = -1;   // axis of the face, or of the edge of the first box
  int second_axis = -1;  // axis of the edge of the second box
  double sine = 1.0;     // sine of the angle between the edges
};

// Finds the axis with the least overlap, with the equation at the head of this file. Returns false
// if an axis separates the boxes; `best` is then undefined.
bool least_overlap(const BoxAt& a, const BoxAt& b, Separation& best) {
  const Vec3 apart = b.center - a.center;
  const Triple gap = in_axes_of(a, apart);
  double c[3][3];  // cosine of the angle between axis i of the first and axis j of the second box
  double q[3][3];  // |c|
  for (int i = 0; i < 3; ++i) {
    // This axis is a normal of the first box. |gap| is the distance of the centres along it.
    double reach = a.half[i];
    for (int j = 0; j < 3; ++j) {
      c[i][j] = dot(a.axis(i), b.axis(j));
      q[i][j] = std::abs(c[i][j]);
      reach += b.half[j] * q[i][j];
    }
    const double depth = reach - std::abs(gap[i]);
    if (depth < 0.0) {
      return false;
    }
    if (depth < best.depth) {
      best = {depth, gap[i] < 0.0, 0, i};
    }
  }
  for (int j = 0; j < 3; ++j) {
    // This axis is a normal of the second box.
    const double gap_b = dot(b.axis(j), apart);
    const double depth = b.half[j] + a.half[0] * q[0][j] + a.half[1] * q[1][j] +
                         a.half[2] * q[2][j] - std::abs(gap_b);
    if (depth < 0.0) {
      return false;
    }
    if (depth < best.depth) {
      best = {depth, gap_b < 0.0, 1, j};
    }
  }
  for (int i = 0; i < 3; ++i) {
    const int i1 = i == 2 ? 0 : i + 1;
    const int i2 = i == 0 ? 2 : i - 1;
    for (int j = 0; j < 3; ++j) {
      // The axis l is a_i × b_j. All lengths here contain the factor |a_i × b_j|, the sine of the
      // angle between the edges.
      const double sine2 = c[i1][j] * c[i1][j] + c[i2][j] * c[i2][j];
      if (sine2 < kParallelEdges * kParallelEdges) {
        continue;
      }
      const int j1 = j == 2 ? 0 : j + 1;
      const int j2 = j == 0 ? 2 : j - 1;
      const double along = gap[i2] * c[i1][j] - gap[i1] * c[i2][j];
      const double depth = a.half[i1] * q[i2][j] + a.half[i2] * q[i1][j] + b.half[j1] * q[i][j2] +
                           b.half[j2] * q[i][j1] - std::abs(along);
      if (depth < 0.0) {
        return false;
      }
      // This tests kEdgeFudge·depth/sine < best.depth without a square root for each pair of edges.
      if (kEdgeFudge * kEdgeFudge * depth * depth < best.depth * best.depth * sine2) {
        const double sine = std::sqrt(sine2);
        best = {depth / sine, along < 0.0, -1, i, j, sine};
      }
    }
  }
  return true;
}

// Returns the unit vector of the axis in the world, from the first box to the second one.
Vec3 direction(const BoxAt& a, const BoxAt& b, const Separation& s) {
  const Vec3 along = s.face_of == 0 ? a.axis(s.first_axis)
                     : s.face_of == 1
                         ? b.axis(s.first_axis)
                         : (1.0 / s.sine) * cross(a.axis(s.first_axis), b.axis(s.second_axis));
  return s.backwards ? -along : along;
}

// Returns the middle of the edge along `axis` that is farthest in the direction `out`.
Vec3 edge_middle(const BoxAt& box, int axis, const Vec3& out) {
  Vec3 point = box.center;
  for (int k = 0; k < 3; ++k) {
    if (k != axis) {
      point = point + std::copysign(box.half[k], dot(out, box.axis(k))) * box.axis(k);
    }
  }
  return point;
}

// Adds one contact in the middle between the closest points of the lines through the edges. With
// gap the vector from p_a to p_b and w = a × b, the closest points are p_a + t·a and p_b + u·b with
// t = (gap × b)·w/|w|² and u = (gap × a)·w/|w|².
void touch_edges(const BoxAt& a, const BoxAt& b, const Separation& s, const Vec3& out,
                 ContactList& contacts) {
  const Vec3 along_a = a.axis(s.first_axis);
  const Vec3 along_b = b.axis(s.second_axis);
  const Vec3 middle_a = edge_middle(a, s.first_axis, out);
  const Vec3 middle_b = edge_middle(b, s.second_axis, -out);
  const Vec3 gap = middle_b - middle_a;
  const Vec3 across = cross(along_a, along_b);
  const double sine2 = dot(across, across);
  double t = dot(cross(gap, along_b), across) / sine2;
  double u = dot(cross(gap, along_a), across) / sine2;
  if (sine2 < kUncertainCrossing) {
    t = std::clamp(t, -a.half[s.first_axis], a.half[s.first_axis]);
    u = std::clamp(u, -b.half[s.second_axis], b.half[s.second_axis]);
  }
  contacts.add(0.5 * (middle_a + t * along_a + middle_b + u * along_b), -out, s.depth);
}

// Describes a corner of the face of one box in coordinates of the face of the other box. `depth` is
// its distance below that face [m].
struct Corner {
  double x;
  double y;
  double depth;
};

// Holds a convex polygon. A quadrilateral that is cut at four lines has at most eight corners; only
// rounding could add more, and these are dropped.
struct Polygon {
  std::array<Corner, 8> corners;
  int count = 0;

  void add(const Corner& corner) {
    if (count < static_cast<int>(corners.size())) {
      corners[count++] = corner;
    }
  }
};

// Keeps the part of a convex polygon in which sign·Along < limit (I. E. Sutherland and G. W.
// Hodgman, "Reentrant polygon clipping", 1974). A corner on the line is not kept, so edges that end
// there leave one point and not two.
template <double Corner::*Along>
void cut(Polygon& polygon, double sign, double limit) {
  std::array<double, 8> inside;
  bool all = true;
  for (int k = 0; k < polygon.count; ++k) {
    inside[k] = limit - sign * polygon.corners[k].*Along;
    all = all && inside[k] > 0.0;
  }
  if (all) {
    return;
  }
  Polygon kept;
  for (int k = 0; k < polygon.count; ++k) {
    const int next = k + 1 == polygon.count ? 0 : k + 1;
    const Corner& from = polygon.corners[k];
    const Corner& to = polygon.corners[next];
    if (inside[k] > 0.0) {
      kept.add(from);
    }
    if ((inside[k] > 0.0) != (inside[next] > 0.0)) {
      const double part = inside[k] / (inside[k] - inside[next]);
      Corner crossing{from.x + part * (to.x - from.x), from.y + part * (to.y - from.y),
                      from.depth + part * (to.depth - from.depth)};
      crossing.*Along = sign * limit;
      kept.add(crossing);
    }
  }
  std::copy_n(kept.corners.begin(), kept.count, polygon.corners.begin());
  polygon.count = kept.count;
}

// Adds a contact for each corner below the face `axis` of `base`, after the opposite face of
// `other` is clipped to that face. The opposite face is the one whose normal is most opposed to
// `out`. The unit vector `out` points from `base` to `other`, and `into_first` into the first geom.
// `depth` is the overlap along `out` [m].
void touch_face(const BoxAt& base, const BoxAt& other, int axis, const Vec3& out,
                const Vec3& into_first, double depth, ContactList& contacts) {
  const Triple along = in_axes_of(other, out);
  const Triple steep{std::abs(along[0]), std::abs(along[1]), std::abs(along[2])};
  // The two axes in the face are in increasing order as in ODE, since the order of the contacts,
  // and with it the result of the solver, depends on it.
  const int facing = static_cast<int>(std::max_element(steep.begin(), steep.end()) - steep.begin());
  const int u = facing == 0 ? 1 : 0;
  const int v = facing == 2 ? 1 : 2;
  const Vec3 half_u = other.half[u] * other.axis(u);
  const Vec3 half_v = other.half[v] * other.axis(v);
  const Vec3 middle = other.center - base.center -
                      std::copysign(other.half[facing], along[facing]) * other.axis(facing);
  const int x = axis == 0 ? 1 : 0;
  const int y = axis == 2 ? 1 : 2;
  const Vec3 axis_x = base.axis(x);
  const Vec3 axis_y = base.axis(y);
  Polygon polygon;
  for (const auto& [s, t] : {std::array{-1.0, -1.0}, {-1.0, 1.0}, {1.0, 1.0}, {1.0, -1.0}}) {
    const Vec3 corner = middle + s * half_u + t * half_v;
    polygon.add({dot(corner, axis_x), dot(corner, axis_y), base.half[axis] - dot(corner, out)});
  }
  for (const double sign : {-1.0, 1.0}) {
    cut<&Corner::x>(polygon, sign, base.half[x]);
  }
  for (const double sign : {-1.0, 1.0}) {
    cut<&Corner::y>(polygon, sign, base.half[y]);
  }
  const auto add = [&](const Corner& corner) {
    contacts.add(base.center + corner.x * axis_x + corner.y * axis_y +
                     (base.half[axis] - corner.depth) * out,
                 into_first, corner.depth);
  };
  for (int k = 0; k < polygon.count; ++k) {
    if (polygon.corners[k].depth >= 0.0) {
      add(polygon.corners[k]);
    }
  }
  if (contacts.count() == 0) {
    // Because of rounding or of kEdgeFudge the boxes overlap only next to that face. One contact is
    // added at the point of the face that is nearest to the middle of the other face.
    add({std::clamp(dot(middle, axis_x), -base.half[x], base.half[x]),
         std::clamp(dot(middle, axis_y), -base.half[y], base.half[y]), depth});
  }
}

}  // namespace

// If the axis is the normal of a face, the other box's face is clipped to that face. If it is
// perpendicular to two edges, there is one point.
void collide_box_box(dGeomID first, dGeomID second, ContactList& contacts) {
  const BoxAt a(first);
  const BoxAt b(second);
  Separation s;
  if (!least_overlap(a, b, s)) {
    return;
  }
  const Vec3 out = direction(a, b, s);
  if (s.face_of < 0) {
    touch_edges(a, b, s, out, contacts);
  } else if (s.face_of == 0) {
    touch_face(a, b, s.first_axis, out, -out, s.depth, contacts);
  } else {
    touch_face(b, a, s.first_axis, -out, -out, s.depth, contacts);
  }
}

// As in Webots the deepest corners come first, so these remain if there is no room for all corners.
void collide_box_plane(dGeomID box, dGeomID plane, ContactList& contacts) {
  struct Corner {
    Vec3 position;
    double depth;
  };
  dVector4 equation;
  dVector3 size;
  dGeomPlaneGetParams(plane, equation);
  dGeomBoxGetLengths(box, size);
  // The depth of a corner below the plane normal·x = d is d − normal·corner.
  const Vec3 normal = to_vec3(equation);
  const Pose pose = geom_pose(box);
  std::array<Corner, 8> below;
  std::size_t count = 0;
  for (int i = 0; i < 8; ++i) {
    const Vec3 signs{(i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5,
                     (i & 4) != 0 ? 0.5 : -0.5};
    const Vec3 corner = pose * scaled(signs, to_vec3(size));
    const double depth = equation[3] - dot(normal, corner);
    if (depth < 0.0) {
      continue;
    }
    // Corners of equal depth keep their order.
    std::size_t place = count++;
    for (; place > 0 && below[place - 1].depth < depth; --place) {
      below[place] = below[place - 1];
    }
    below[place] = {corner, depth};
  }
  for (std::size_t i = 0; i < count; ++i) {
    contacts.add(below[i].position, normal, below[i].depth);
  }
}

namespace {

// Returns whether the classes of two geoms are these two, in any order.
bool is_pair(int class_a, int class_b, int one, int other) {
  return (class_a == one && class_b == other) || (class_a == other && class_b == one);
}

// Returns the number of contacts that ODE has found. Their normals point into `a`.
int collide_by_ode(dGeomID a, dGeomID b, std::span<dContactGeom> points) {
  return dCollide(a, b, static_cast<int>(points.size()), points.data(), sizeof(dContactGeom));
}

// Finds the contacts of a mesh. Only one thread at a time does this, since Debian's ODE shares the
// caches of meshes between threads.
int collide_mesh(dGeomID a, dGeomID b, bool with_box, std::span<dContactGeom> points) {
  const std::lock_guard<std::mutex> lock(trimesh_mutex());
  const int count = collide_by_ode(a, b, points);
  // Webots merges the points of boxes and meshes only.
  return with_box ? merge_opposite(points.first(count)) : count;
}

// Applies a rule of Webots to the geom `one`. `swapped` tells that it is the second geom of the
// pair; the contacts are then returned for the pair in its own order.
template <typename Rule>
int apply(Rule rule, dGeomID one, dGeomID other, bool swapped, std::span<dContactGeom> points) {
  ContactList list(one, other, points);
  rule(one, other, list);
  if (swapped) {
    for (dContactGeom& point : list.points()) {
      // The rule was applied to the geoms in reverse order.
      std::swap(point.g1, point.g2);
      for (int i = 0; i < 3; ++i) {
        point.normal[i] = -point.normal[i];
      }
    }
  }
  return list.count();
}

// Finds the contacts of a cylinder. Planes, grids and capsules have rules of Webots. For all other
// shapes, and for a capsule whose axis pierces the cylinder, ODE finds the contacts. `swapped`
// tells that the cylinder is the second geom of the pair.
int collide_cylinder(dGeomID cylinder, dGeomID other, int other_class, bool swapped,
                     std::span<dContactGeom> points) {
  switch (other_class) {
    case dPlaneClass:
      return apply(collide_cylinder_plane, cylinder, other, swapped, points);
    case dHeightfieldClass:
      return apply(collide_cylinder_grid, cylinder, other, swapped, points);
    case dCapsuleClass: {
      bool answered = false;
      const int count = apply(
          [&answered](dGeomID c, dGeomID capsule, ContactList& list) {
            answered = collide_cylinder_capsule(c, capsule, list);
          },
          cylinder, other, swapped, points);
      return answered
                 ? count
                 : collide_by_ode(swapped ? other : cylinder, swapped ? cylinder : other, points);
    }
    default:
      return collide_by_ode(swapped ? other : cylinder, swapped ? cylinder : other, points);
  }
}

}  // namespace

// The points that are kept move to the front in their order. Each point is compared with all of
// these. Normals count as opposite within 0.08°.
int merge_opposite(std::span<dContactGeom> points) {
  constexpr double kSamePlace = 2.2e-16;  // squared distance of points at the same position [m²]
  std::size_t kept = 0;
  for (const dContactGeom& point : points) {
    const Vec3 normal = to_vec3(point.normal);
    std::size_t k = 0;
    for (; k < kept; ++k) {
      const Vec3 apart = to_vec3(points[k].pos) - to_vec3(point.pos);
      if (dot(apart, apart) < kSamePlace && dot(to_vec3(points[k].normal), normal) < -0.999999) {
        break;
      }
    }
    if (k == kept) {
      points[kept++] = point;
    } else if (point.depth > points[k].depth) {
      points[k].depth = point.depth;
    }
  }
  return static_cast<int>(kept);
}

// Pairs for which stock ODE finds the contacts of Webots go to ODE. Meshes come first, because ODE
// alone collides them with every other shape.
int Colliders::collide(dGeomID a, dGeomID b, std::span<dContactGeom> points) const {
  const int class_a = dGeomGetClass(a);
  const int class_b = dGeomGetClass(b);
  if (class_a == dTriMeshClass || class_b == dTriMeshClass) {
    return collide_mesh(a, b, class_a == dBoxClass || class_b == dBoxClass, points);
  }
  if (class_a == dCylinderClass) {
    return collide_cylinder(a, b, class_b, false, points);
  }
  if (class_b == dCylinderClass) {
    return collide_cylinder(b, a, class_a, true, points);
  }
  if (class_a == dBoxClass && class_b == dBoxClass) {
    ContactList list(a, b, points);
    collide_box_box(a, b, list);
    return list.count();
  }
  if (all_box_corners_ && is_pair(class_a, class_b, dBoxClass, dPlaneClass)) {
    const bool swapped = class_b == dBoxClass;
    return apply(collide_box_plane, swapped ? b : a, swapped ? a : b, swapped, points);
  }
  return collide_by_ode(a, b, points);
}

}  // namespace servosim
