// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_cylinder_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/ode_cylinder_plane.h"
#include "physics/ode_geom_info.h"
#include "physics/ode_geometry.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

namespace {

constexpr int kMostPerCell = 10;  // as in ODE's own collider of heightfields

// A triangle of a cell: every cell is cut from (i, j) to (i + 1, j + 1), as ODE does.
struct Place {
  int i;
  int j;
  bool upper;  // the half on the side of (i, j + 1)

  friend bool operator==(const Place&, const Place&) = default;
};

// Everything in the grid's frame.
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
  double height(int i, int j) const { return grid_.heights[i + std::size_t(j) * grid_.columns]; }
  Place place_of(const Vec3& p) const;
  bool is_top(int i, int j) const;
  double drop_inside(const Vec3& p) const;
  void touch_top(int i, int j);
  void touch_cell(int i, int j);
  int touch_triangle(const Place& place, int room);
  void add(const Vec3& point, const Vec3& normal, double depth) {
    contacts_.add(frame_ * point, frame_.rotation * normal, depth);
  }

  const Grid& grid_;
  const Pose& frame_;
  CylinderAt cylinder_;
  ContactList& contacts_;
  double bottom_ = 0.0;  // lowest point of the cylinder
  int i_low_ = 0;        // cells below the cylinder, ends included
  int i_high_ = -1;
  int j_low_ = 0;
  int j_high_ = -1;
};

void CylinderOnGrid::find_range() {
  const Mat3& r = cylinder_.pose.rotation;
  const Vec3& p = cylinder_.pose.translation;
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
    j_high_ = j_low_ - 2;  // beside the grid: neither cells nor points
  }
}

// Each point stands over one triangle only, so that none is counted twice.
Place CylinderOnGrid::place_of(const Vec3& p) const {
  const double x = p.x / grid_.dx;
  const double y = p.y / grid_.dy;
  const double i = std::clamp(std::floor(x), -1.0, static_cast<double>(grid_.columns));
  const double j = std::clamp(std::floor(y), -1.0, static_cast<double>(grid_.rows));
  return {static_cast<int>(i), static_cast<int>(j), y - j >= x - i};
}

// True if the ground is convex at a grid point in some direction; only there a point of it reaches
// into a body before the faces around it do.
bool CylinderOnGrid::is_top(int i, int j) const {
  const double z = height(i, j);
  const double margin = 1e-9 * std::min(grid_.dx, grid_.dy);
  const auto above_line = [&](int di, int dj) {
    const bool inside = i - di >= 0 && i + di < grid_.columns && j - dj >= 0 && j + dj < grid_.rows;
    return inside && height(i - di, j - dj) + height(i + di, j + dj) - 2.0 * z < -margin;
  };
  return above_line(1, 0) || above_line(0, 1) || above_line(1, 1);
}

// How far straight down from `p` the cylinder's surface is; 0 if `p` is not inside.
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

void CylinderOnGrid::touch_top(int i, int j) {
  const Vec3 top{i * grid_.dx, j * grid_.dy, height(i, j)};
  if (top.z <= bottom_) {
    return;
  }
  if (const double depth = drop_inside(top); depth > 0.0 && is_top(i, j)) {
    add(top, {0.0, 0.0, 1.0}, depth);
  }
}

void CylinderOnGrid::touch_cell(int i, int j) {
  if (std::max({height(i, j), height(i + 1, j), height(i, j + 1), height(i + 1, j + 1)}) <=
      bottom_) {
    return;
  }
  const int lower = touch_triangle({i, j, false}, kMostPerCell);
  touch_triangle({i, j, true}, kMostPerCell - lower);
}

int CylinderOnGrid::touch_triangle(const Place& place, int room) {
  const auto [i, j, upper] = place;
  const double h00 = height(i, j);
  const double h11 = height(i + 1, j + 1);
  const double corner = upper ? height(i, j + 1) : height(i + 1, j);
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
