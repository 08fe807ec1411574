// SPDX-License-Identifier: Apache-2.0
// Rules of contact geometry in which Webots differs from stock ODE, without a simulation.
#include "physics/contacts/colliders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "physics/contacts/collider_support.h"
#include "physics/contacts/geoms.h"
#include "physics/ode_library.h"
#include "scene/scene.h"
#include "support/near.h"

namespace servosim::test {
namespace {

// ---- Box on plane, R2025a

TEST_F(ColliderTest, AllCornersOfABoxBelowAPlaneTheDeepestFirst) {
  const Mat3 turn = rotation_matrix({{1, 2, 3}, 0.9});
  const dGeomID box = at(dCreateBox(nullptr, 0.2, 0.3, 0.4), {turn, {0.5, 0.6, -0.1}});
  const dGeomID plane = floor();
  const std::vector<dContactGeom> points = collide(box, plane, true);
  std::vector<double> depths;
  for (int i = 0; i < 8; ++i) {
    const Vec3 corner =
        Pose{turn, {0.5, 0.6, -0.1}} * Vec3{i & 1 ? .1 : -.1, i & 2 ? .15 : -.15, i & 4 ? .2 : -.2};
    if (corner.z <= 0.0) {
      depths.push_back(-corner.z);
    }
  }
  std::sort(depths.rbegin(), depths.rend());
  ASSERT_EQ(points.size(), depths.size());
  ASSERT_GT(points.size(), 4u) << "more than stock ODE keeps";
  for (std::size_t i = 0; i < depths.size(); ++i) {
    EXPECT_NEAR(points[i].depth, depths[i], kRounding);
    EXPECT_NEAR(points[i].pos[2], -depths[i], kRounding);
    EXPECT_EQ(points[i].normal[2], 1.0);
  }
  EXPECT_EQ(collide(box, plane, false).size(), 4u);
}

TEST_F(ColliderTest, ABoxUnderAPlaneHasEightPoints) {
  const dGeomID box = at(dCreateBox(nullptr, 0.2, 0.3, 0.4), {{}, {0.5, 0.6, -0.9}});
  EXPECT_EQ(collide(box, floor(), true).size(), 8u);
}

// ---- Cylinder and capsule: radii 0.1 and 0.05, lengths 0.4 and 0.6

class CylinderCapsule : public ColliderTest {
 protected:
  // Both in a frame of their own, so that no axis is that of the world.
  std::vector<dContactGeom> touch(const Pose& capsule_in_cylinder) {
    const Pose world{rotation_matrix({{3, -1, 2}, 0.8}), {0.7, -0.4, 1.5}};
    std::vector<dContactGeom> points =
        collide(at(dCreateCylinder(nullptr, 0.1, 0.4), world),
                at(dCreateCapsule(nullptr, 0.05, 0.6), world * capsule_in_cylinder));
    // Back into the cylinder's frame.
    for (dContactGeom& p : points) {
      const Vec3 position = inverse(world) * to_vec3(p.pos);
      const Vec3 normal = transposed(world.rotation) * to_vec3(p.normal);
      std::copy_n(&position.x, 3, p.pos);
      std::copy_n(&normal.x, 3, p.normal);
    }
    return points;
  }
};

TEST_F(CylinderCapsule, ParallelTouchAtBothEndsOfTheOverlapAndItsMiddle) {
  // Overlap along z: the cylinder ends at 0.2, the capsule's axis begins at 0.25 − 0.3.
  const std::vector<dContactGeom> points = touch({{}, {0.12, 0.06, 0.25}});
  ASSERT_EQ(points.size(), 3u);
  const double rho = std::hypot(0.12, 0.06);
  const Vec3 out{0.12 / rho, 0.06 / rho, 0};
  const double z[] = {-0.05, 0.075, 0.2};
  for (int i = 0; i < 3; ++i) {
    expect_near(to_vec3(points[i].pos), 0.1 * out + Vec3{0, 0, z[i]});
    expect_near(to_vec3(points[i].normal), -out);
    EXPECT_NEAR(points[i].depth, 0.15 - rho, kRounding);
  }
  EXPECT_TRUE(touch({{}, {0.12, 0.1, 0.25}}).empty()) << "beyond both radii";
}

TEST_F(CylinderCapsule, AlmostParallelIsParallel) {
  EXPECT_EQ(touch({rotation_matrix({{1, 0, 0}, 0.009}), {0.12, 0, 0}}).size(), 3u);
  EXPECT_EQ(touch({rotation_matrix({{1, 0, 0}, 0.011}), {0.12, 0, 0}}).size(), 1u);
}

TEST_F(CylinderCapsule, CrossingHasOnePointWithHalfTheDepth) {
  // The capsule runs along y at x = 0.13, across the cylinder at z = 0.07.
  const Pose lying{rotation_matrix({{1, 0, 0}, std::numbers::pi / 2}), {0.13, 0.04, 0.07}};
  const std::vector<dContactGeom> points = touch(lying);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].depth, 0.5 * (0.15 - 0.13), kRounding);
  expect_near(to_vec3(points[0].pos), {0.5 * (0.13 + 0.1 - 0.05), 0, 0.07});
  expect_near(to_vec3(points[0].normal), {-1, 0, 0});
  EXPECT_TRUE(touch({lying.rotation, {0.151, 0.04, 0.07}}).empty());
}

TEST_F(CylinderCapsule, AcrossACapTouchesAtTheEndsOfTheOverlapAndItsMiddle) {
  // Over the upper cap at x = 0.06: the disc is 0.08 long there on both sides of y = 0.
  const Mat3 along_y = rotation_matrix({{1, 0, 0}, std::numbers::pi / 2});
  const std::vector<dContactGeom> points = touch({along_y, {0.06, 0.25, 0.24}});
  ASSERT_EQ(points.size(), 3u);
  std::vector<double> y;
  for (const dContactGeom& p : points) {
    EXPECT_NEAR(p.pos[0], 0.06, kRounding);
    EXPECT_NEAR(p.pos[2], 0.2, kRounding);
    EXPECT_NEAR(p.depth, 0.01, kRounding);
    expect_near(to_vec3(p.normal), {0, 0, -1});
    y.push_back(p.pos[1]);
  }
  std::sort(y.begin(), y.end());
  // The capsule's axis begins at 0.25 − 0.3.
  EXPECT_NEAR(y[0], -0.05, kRounding);
  EXPECT_NEAR(y[1], 0.015, kRounding);
  EXPECT_NEAR(y[2], 0.08, kRounding);
  // Below the lower cap the normal points up, into the cylinder.
  expect_near(to_vec3(touch({along_y, {0.06, 0.25, -0.24}}).at(0).normal), {0, 0, 1});
}

TEST_F(CylinderCapsule, AnEndAboveACapTouchesTheCap) {
  // The capsule stands on the cap; its lower end sphere has its centre at 0.24.
  const std::vector<dContactGeom> points = touch({{}, {0.03, 0.04, 0.54}});
  ASSERT_EQ(points.size(), 1u);
  expect_near(to_vec3(points[0].pos), {0.03, 0.04, 0.2});
  expect_near(to_vec3(points[0].normal), {0, 0, -1});
  EXPECT_NEAR(points[0].depth, 0.01, kRounding);
}

TEST_F(CylinderCapsule, AnEndBesideTheRimTouchesTheRim) {
  // The end's centre is 0.03 out and 0.04 up from the rim: 0.05 − 0.05 would touch, 0.045 overlaps.
  const std::vector<dContactGeom> points = touch({{}, {0.127, 0, 0.536}});
  ASSERT_EQ(points.size(), 1u);
  expect_near(to_vec3(points[0].pos), {0.1, 0, 0.2});
  expect_near(to_vec3(points[0].normal), {-0.6, 0, -0.8});
  EXPECT_NEAR(points[0].depth, 0.005, kRounding);
}

TEST_F(CylinderCapsule, ASlantedCapsuleTouchesTheRimWithItsSide) {
  // The rim point (0.1, 0, 0.2) is 0.04 from the capsule's axis, which runs at 45° through x and z.
  const double s = std::sqrt(0.5);
  const Mat3 slanted = rotation_matrix({{0, 1, 0}, -std::numbers::pi / 4});  // z axis: (−s, 0, s)
  const Vec3 foot = Vec3{0.1, 0, 0.2} + 0.04 * Vec3{s, 0, s};
  const std::vector<dContactGeom> points = touch({slanted, foot + 0.1 * Vec3{-s, 0, s}});
  ASSERT_EQ(points.size(), 1u);
  // Bisection ends 60 halvings after 0.6 m; a point's place errs by the root of rounding at most.
  EXPECT_NEAR(norm(to_vec3(points[0].pos) - Vec3{0.1, 0, 0.2}), 0.0, 1e-8);
  EXPECT_NEAR(norm(to_vec3(points[0].normal) - Vec3{-s, 0, -s}), 0.0, 1e-8);
  EXPECT_NEAR(points[0].depth, 0.01, kRounding);
}

TEST_F(CylinderCapsule, PiercedIsLeftToOde) {
  // Along the axis and deep inside: one point at least, and finite.
  const std::vector<dContactGeom> points = touch({{}, {0.01, 0, 0.49}});
  ASSERT_GE(points.size(), 1u);
  EXPECT_GT(points[0].depth, 0.0);
  EXPECT_NEAR(norm(to_vec3(points[0].normal)), 1.0, 1e-9);
}

// The distance of the capsule's axis from the solid cylinder, by trying.
double distance_by_trying(const Pose& capsule) {
  double least = INFINITY;
  for (int n = -3000; n <= 3000; ++n) {
    const Vec3 p = capsule * Vec3{0, 0, n * 1e-4};
    least = std::min(least, std::hypot(std::max(0.0, std::hypot(p.x, p.y) - 0.1),
                                       std::max(0.0, std::abs(p.z) - 0.2)));
  }
  return least;
}

TEST_F(CylinderCapsule, AnywhereIsAsDeepAsTheirDistanceSays) {
  std::mt19937_64 random(7);
  int touching = 0;
  for (int n = 0; n < 400; ++n) {
    const auto any = [&random](double size) {
      return std::uniform_real_distribution<double>(-size, size)(random);
    };
    const Pose capsule{rotation_matrix({{any(1), any(1), any(1)}, any(3)}),
                       {any(0.3), any(0.3), any(0.45)}};
    const double distance = distance_by_trying(capsule);
    if (distance == 0.0) {
      continue;  // pierced: ODE's answer
    }
    // Trying misses the closest point by up to 5e-5 m along the axis: by that near an edge, by its
    // square elsewhere.
    constexpr double kTried = 6e-5;
    const std::vector<dContactGeom> points = touch(capsule);
    if (std::abs(distance - 0.05) > kTried) {
      EXPECT_EQ(points.empty(), distance > 0.05) << n;
    }
    if (!points.empty()) {
      ++touching;
      const double depth = points[0].depth;
      const double full = 0.05 - distance;
      EXPECT_LT(std::min(std::abs(depth - full), std::abs(depth - full / 2)), kTried) << n;
      EXPECT_NEAR(norm(to_vec3(points[0].normal)), 1.0, kRounding) << n;
    }
  }
  EXPECT_GT(touching, 30);
}

// ---- Box on mesh

dContactGeom point_at(const Vec3& position, const Vec3& normal, double depth) {
  dContactGeom p{};
  std::copy_n(&position.x, 3, p.pos);
  std::copy_n(&normal.x, 3, p.normal);
  p.depth = depth;
  return p;
}

TEST(MergeOpposite, KeepsTheFirstNormalAndTheLargerDepth) {
  const Vec3 up{0, 0.6, 0.8};
  std::vector<dContactGeom> points{point_at({2, 3, 4}, up, 0.25), point_at({2, 3, 5}, -up, 0.5),
                                   point_at({2, 3, 4 + 1e-8}, -up, 0.75),
                                   point_at({2, 3, 4}, up, 0.875),
                                   point_at({2, 3, 4 + 1e-7}, -up, 0.125)};
  ASSERT_EQ(merge_opposite(points), 4);
  EXPECT_EQ(points[0].depth, 0.75);
  EXPECT_EQ(to_vec3(points[0].normal), up);
  EXPECT_EQ(points[1].depth, 0.5) << "elsewhere";
  EXPECT_EQ(points[2].depth, 0.875) << "the same normal";
  EXPECT_EQ(points[3].depth, 0.125) << "farther than 1.5e-8 m";
}

TEST_F(ColliderTest, ABoxOnAMeshIsServed) {
  Mesh sheet;
  sheet.vertices = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const OdeMesh data(sheet);
  const dGeomID mesh = at(dCreateTriMesh(nullptr, data.data(), nullptr, nullptr, nullptr), {});
  const dGeomID box = at(dCreateBox(nullptr, 0.2, 0.3, 0.4), {{}, {0.31, 0.17, 0.195}});
  const std::vector<dContactGeom> points = collide(box, mesh);
  ASSERT_GE(points.size(), 4u);
  for (const dContactGeom& p : points) {
    EXPECT_NEAR(p.depth, 0.005, 1e-7);  // ODE keeps meshes in single precision
  }
}

TEST(ContactList, OfMorePointsThanFitTheDeepestStayInOrder) {
  std::vector<dContactGeom> room(4);
  ContactList list(nullptr, nullptr, room);
  const double depths[] = {0.3, 0.1, 0.4, 0.1, 0.2, 0.1, 0.5, 0.05, 0.2};
  for (int i = 0; i < 9; ++i) {
    list.add({i + 0.5, 0.0, 0.0}, {0.0, 0.0, 1.0}, depths[i]);
  }
  ASSERT_EQ(list.count(), 4);
  const int expected[] = {0, 2, 4, 6};  // of the equal ones at 4 and 8 the first
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(room[i].pos[0], expected[i] + 0.5);
    EXPECT_EQ(room[i].depth, depths[expected[i]]);
  }
  ContactList none(nullptr, nullptr, {});
  none.add({1.5, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.25);
  EXPECT_EQ(none.count(), 0);
}

}  // namespace
}  // namespace servosim::test
