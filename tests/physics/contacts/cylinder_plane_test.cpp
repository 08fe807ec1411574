// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "physics/contacts/colliders.h"
#include "physics/ode_library.h"

namespace servosim {
namespace {

constexpr double kRadius = 0.1;
constexpr double kLength = 0.2;

// A cylinder over the plane z = 0, turned by `yaw` about its own axis, then tilted about x.
class CylinderPlane : public testing::Test {
 protected:
  CylinderPlane() { use_ode(); }

  std::vector<dContactGeom> collide(double tilt, double height, double yaw = 0.0, int room = 50,
                                    bool plane_first = false) {
    const dGeomID cylinder = dCreateCylinder(nullptr, kRadius, kLength);
    const dGeomID plane = dCreatePlane(nullptr, 0, 0, 1, 0);
    dMatrix3 r;
    to_ode(rotation_matrix({{1, 0, 0}, tilt}) * rotation_matrix({{0, 0, 1}, yaw}), r);
    dGeomSetRotation(cylinder, r);
    dGeomSetPosition(cylinder, 0.3, -0.4, height);
    std::vector<dContactGeom> points(room);
    points.resize(Colliders().collide(plane_first ? plane : cylinder,
                                      plane_first ? cylinder : plane, points));
    first_is_cylinder_ = !points.empty() && points[0].g1 == cylinder;
    dGeomDestroy(cylinder);
    dGeomDestroy(plane);
    return points;
  }

  // The height at which the deepest point is 5 mm below the plane.
  static double pressed(double tilt) {
    return kLength / 2 * std::abs(std::cos(tilt)) + kRadius * std::abs(std::sin(tilt)) - 0.005;
  }

  bool first_is_cylinder_ = false;
};

TEST_F(CylinderPlane, CountsOfWebots) {
  const std::pair<double, std::size_t> counts[] = {
      {0.0, 4}, {3e-4, 4}, {1e-3, 4}, {0.01, 4}, {0.05, 3},
      {0.1, 1}, {0.5, 1},  {1.0, 1},  {1.4, 1},  {std::numbers::pi / 2, 2}};
  for (const auto& [tilt, count] : counts) {
    EXPECT_EQ(collide(tilt, pressed(tilt)).size(), count) << tilt;
    EXPECT_EQ(collide(std::numbers::pi - tilt, pressed(tilt)).size(), count) << "upside down";
  }
}

TEST_F(CylinderPlane, FourPointsEndAtASquaredSineOfATenth) {
  const double edge = std::asin(std::sqrt(0.1));
  // So deep that every rim point of the lower cap is below the plane, and none of the upper one.
  EXPECT_EQ(collide(edge - 1e-6, 0.04).size(), 4u);
  EXPECT_EQ(collide(edge + 1e-6, 0.04).size(), 1u);
}

TEST_F(CylinderPlane, TheRimFollowsTheTiltFromASquaredSineOfAThousandth) {
  const double edge = std::asin(std::sqrt(0.001));
  const double yaw = 0.7;
  // Below, the rim points are those of the cylinder's own axes: the first one along its y.
  const dContactGeom own = collide(edge - 1e-6, 0.05, yaw).at(0);
  EXPECT_NEAR(own.pos[0] - 0.3, -kRadius * std::sin(yaw), 1e-12);
  // Beyond, the first one is the deepest: straight below the tilt, at no x.
  const std::vector<dContactGeom> points = collide(edge + 1e-6, 0.05, yaw);
  EXPECT_NEAR(points.at(0).pos[0] - 0.3, 0.0, 1e-12);
  for (const dContactGeom& point : points) {
    EXPECT_LE(point.depth, points[0].depth);
  }
}

TEST_F(CylinderPlane, DepthIsTheDistanceBelowThePlane) {
  const double tilt = 0.2;
  for (const dContactGeom& point : collide(tilt, 0.05)) {
    EXPECT_NEAR(point.depth, -point.pos[2], 1e-15);
    EXPECT_EQ(point.normal[2], 1.0);
  }
  EXPECT_NEAR(collide(tilt, pressed(tilt)).at(0).depth, 0.005, 1e-15);
  EXPECT_TRUE(collide(0.0, kLength / 2).empty()) << "touching is not enough";
}

TEST_F(CylinderPlane, TheCapAlongTheAxisComesFirst) {
  const std::vector<dContactGeom> sunk = collide(0.0, -0.5);
  ASSERT_EQ(sunk.size(), 8u);
  EXPECT_NEAR(sunk[0].depth, 0.4, 1e-15);
  EXPECT_NEAR(sunk[3].depth, 0.4, 1e-15);
  EXPECT_NEAR(sunk[4].depth, 0.6, 1e-15);
  EXPECT_NEAR(sunk[7].depth, 0.6, 1e-15);
}

TEST_F(CylinderPlane, OnItsSideTouchesAtBothEndsOfAGenerator) {
  const double tilt = std::numbers::pi / 2;
  const std::vector<dContactGeom> points = collide(tilt, pressed(tilt));
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NEAR(std::abs(points[0].pos[1] - points[1].pos[1]), kLength, 1e-12);
  EXPECT_NEAR(points[0].depth, 0.005, 1e-15);
  EXPECT_NEAR(points[1].depth, 0.005, 1e-15);
}

TEST_F(CylinderPlane, KeepsToTheRoomItHas) { EXPECT_EQ(collide(0.0, -0.5, 0.0, 3).size(), 3u); }

TEST_F(CylinderPlane, IsServedInBothOrders) {
  const std::vector<dContactGeom> points = collide(0.01, pressed(0.01), 0.0, 50, true);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_FALSE(first_is_cylinder_);
  EXPECT_EQ(points[0].normal[2], -1.0);
}

}  // namespace
}  // namespace servosim
