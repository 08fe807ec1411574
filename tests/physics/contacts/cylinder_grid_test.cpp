// SPDX-License-Identifier: Apache-2.0
// Cylinders on the triangles of an ElevationGrid, without a simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "physics/contacts/collider_support.h"
#include "physics/contacts/geoms.h"
#include "scene/scene.h"
#include "support/near.h"

namespace servosim::test {
namespace {

// A grid of 5 x 5 points, 0.25 m apart, over x and y from 0 to 1

class CylinderGrid : public ColliderTest {
 protected:
  // A cylinder of radius 0.1 and length 0.2 over a ground with the heights of `height(i, j)`.
  template <typename Height>
  std::vector<dContactGeom> stand(Height height, const Pose& cylinder) {
    grid_ = Grid{5, 5, 0.25, 0.25, 1.0, {}};
    for (int j = 0; j < 5; ++j) {
      for (int i = 0; i < 5; ++i) {
        grid_.heights.push_back(height(i, j));
      }
    }
    Shape shape;
    shape.type = ShapeType::Grid;
    shape.grid = std::make_shared<Grid>(grid_);
    info_.grid = shape.grid.get();
    const Pose world{rotation_matrix({{3, -1, 2}, 0.8}), {0.7, -0.4, 1.5}};
    const dGeomID ground = create_geom(shape, nullptr, data_);
    dGeomSetData(ground, &info_);
    at(ground, world * geom_pose_in_solid(shape));
    std::vector<dContactGeom> points =
        collide(at(dCreateCylinder(nullptr, 0.1, 0.2), world * cylinder), ground);
    for (dContactGeom& p : points) {
      const Vec3 position = inverse(world) * to_vec3(p.pos);
      const Vec3 normal = transposed(world.rotation) * to_vec3(p.normal);
      std::copy_n(&position.x, 3, p.pos);
      std::copy_n(&normal.x, 3, p.normal);
    }
    return points;
  }

 private:
  Grid grid_;
  GeomInfo info_;
  GeomData data_;
};

double flat(int, int) { return 0.5; }

TEST_F(CylinderGrid, OnFlatGroundIsAsOnAPlane) {
  for (const double tilt : {0.0, 3e-4, 0.01, 0.05, 0.2, 0.7, std::numbers::pi / 2}) {
    const double reach = 0.1 * std::abs(std::cos(tilt)) + 0.1 * std::abs(std::sin(tilt));
    // Over the corner of four cells, so that the points are spread over several triangles.
    const Pose cylinder{rotation_matrix({{1, 0.3, 0}, tilt}), {0.48, 0.53, 0.5 + reach - 0.005}};
    const std::vector<dContactGeom> points = stand(flat, cylinder);
    const std::vector<dContactGeom> on_plane =
        collide(at(dCreateCylinder(nullptr, 0.1, 0.2), cylinder), floor(0.5));
    ASSERT_EQ(points.size(), on_plane.size()) << tilt;
    for (const dContactGeom& p : on_plane) {
      const auto same = [&p](const dContactGeom& q) {
        return norm(to_vec3(p.pos) - to_vec3(q.pos)) < kRounding &&
               std::abs(p.depth - q.depth) < kRounding;
      };
      EXPECT_EQ(std::count_if(points.begin(), points.end(), same), 1) << tilt;
    }
  }
}

// Heights 0.2·x + 0.1·y: one plane, cut into triangles.
TEST_F(CylinderGrid, OnASlopeIsAsOnItsPlane) {
  const Vec3 normal = unit_or({-0.2, -0.1, 1}, {});
  const Vec3 foot{0.47, 0.52, 0.2 * 0.47 + 0.1 * 0.52};
  // Upright on the slope: its own z axis is the normal.
  const Vec3 x = unit_or(cross({0, 1, 0}, normal), {});
  const Vec3 y = cross(normal, x);
  const Mat3 upright{{x.x, y.x, normal.x, x.y, y.y, normal.y, x.z, y.z, normal.z}};
  const auto slope = [](int i, int j) { return 0.25 * (0.2 * i + 0.1 * j); };
  const std::vector<dContactGeom> points = stand(slope, {upright, foot + 0.095 * normal});
  ASSERT_EQ(points.size(), 4u);
  for (const dContactGeom& p : points) {
    expect_near(to_vec3(p.normal), normal);
    EXPECT_NEAR(p.depth, 0.005, kRounding);
  }
}

// A roof along y: the planes of its two sides meet at x = 0.5, height 0.5.
TEST_F(CylinderGrid, AcrossARidgeTouchesItsTops) {
  const auto roof = [](int i, int) { return 0.5 - 0.25 * std::abs(i - 2); };
  // Upright over the ridge: the rim is in the air, the grid points on the ridge are inside.
  const std::vector<dContactGeom> points = stand(roof, {{}, {0.5, 0.55, 0.5 + 0.1 - 0.005}});
  ASSERT_EQ(points.size(), 1u);
  expect_near(to_vec3(points[0].pos), {0.5, 0.5, 0.5});
  expect_near(to_vec3(points[0].normal), {0, 0, 1});
  EXPECT_NEAR(points[0].depth, 0.005, kRounding);
}

TEST_F(CylinderGrid, ATopInsideATiltedCylinderIsAsDeepAsStraightDown) {
  const auto spike = [](int i, int j) { return i == 2 && j == 2 ? 0.5 : 0.0; };
  // The cylinder lies along y, 0.03 to the side of the spike. The depth down to the mantle is
  // √(0.1² − 0.03²) minus the rise.
  const Pose lying{rotation_matrix({{1, 0, 0}, std::numbers::pi / 2}), {0.53, 0.5, 0.59}};
  const std::vector<dContactGeom> points = stand(spike, lying);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].depth, std::sqrt(0.01 - 0.0009) - 0.09, kRounding);
  expect_near(to_vec3(points[0].pos), {0.5, 0.5, 0.5});
}

TEST_F(CylinderGrid, InAValleyTouchesBothSides) {
  const auto valley = [](int i, int) { return 0.25 * std::abs(i - 2); };
  // Lying along the valley: the mantle touches both sides at 45°, at both ends.
  const Pose lying{rotation_matrix({{1, 0, 0}, std::numbers::pi / 2}),
                   {0.5, 0.6, 0.1 * std::sqrt(2.0) - 0.004}};
  const std::vector<dContactGeom> points = stand(valley, lying);
  ASSERT_EQ(points.size(), 4u);
  double sideways = 0.0;
  for (const dContactGeom& p : points) {
    EXPECT_NEAR(p.depth, 0.004 * std::sqrt(0.5), kRounding);
    EXPECT_NEAR(std::abs(p.normal[0]), std::sqrt(0.5), kRounding);
    sideways += p.normal[0];
  }
  EXPECT_NEAR(sideways, 0.0, kRounding) << "two on each side";
}

TEST_F(CylinderGrid, BesideTheGroundTouchesNothing) {
  EXPECT_TRUE(stand(flat, {{}, {1.2, 0.5, 0.5}}).empty());
  EXPECT_TRUE(stand(flat, {{}, {-0.2, 0.5, 0.5}}).empty());
  EXPECT_TRUE(stand(flat, {{}, {0.5, 0.5, 0.61}}).empty());
  // Half over the border: only the points over the ground count.
  EXPECT_EQ(stand(flat, {{}, {1.0 - 1e-9, 0.5, 0.595}}).size(), 3u);
}

}  // namespace
}  // namespace servosim::test
