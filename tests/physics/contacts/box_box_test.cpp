// SPDX-License-Identifier: Apache-2.0
// Boxes on boxes, without a simulation: contacts against geometry and against stock ODE's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "physics/contacts/collider_support.h"
#include "physics/contacts/colliders.h"
#include "physics/ode_library.h"

namespace servosim::test {
namespace physics_box_box_test {

constexpr int kAttitudes = 300'000;
constexpr Vec3 kHalf{0.1, 0.15, 0.2};        // of the first box [m]
constexpr Vec3 kOther{0.075, 0.125, 0.175};  // of the second one
constexpr double kGeometry = 1e-12;          // sums of some ten numbers near 1

double part(const Vec3& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

class BoxBox : public ColliderTest {
 protected:
  BoxBox() : points_(100), theirs_(100) {}

  double any(double size) { return std::uniform_real_distribution<double>(-size, size)(random_); }
  Vec3 anywhere(double size) { return {any(size), any(size), any(size)}; }
  void any_attitude(dQuaternion q) {
    for (int i = 0; i < 4; ++i) {
      q[i] = std::normal_distribution<double>()(random_);
    }
    dNormalize4(q);
  }
  static void place(dGeomID geom, const dQuaternion q, const Vec3& at) {
    dGeomSetQuaternion(geom, q);
    dGeomSetPosition(geom, at.x, at.y, at.z);
  }
  std::span<dContactGeom> touch(dGeomID a, dGeomID b) {
    return std::span(points_).first(colliders_.collide(a, b, points_));
  }
  std::span<dContactGeom> stock(dGeomID a, dGeomID b) {
    return std::span(theirs_).first(
        dCollide(a, b, static_cast<int>(theirs_.size()), theirs_.data(), sizeof(dContactGeom)));
  }

  dGeomID box_ = at(dCreateBox(nullptr, 2 * kHalf.x, 2 * kHalf.y, 2 * kHalf.z), {});
  dGeomID other_ = at(dCreateBox(nullptr, 2 * kOther.x, 2 * kOther.y, 2 * kOther.z), {});
  std::mt19937_64 random_{5};

 private:
  Colliders colliders_;
  std::vector<dContactGeom> points_;
  std::vector<dContactGeom> theirs_;
};

// The boxes are one attitude but for rounding, or for an angle of 1e-9 to 1e-6 rad: stock ODE
// misses an eighth of the first.
TEST_F(BoxBox, OfEqualAttitudeTouchFaceToFace) {
  int missed = 0;
  int wrong = 0;
  int missed_by_stock = 0;
  for (int n = 0; n < kAttitudes; ++n) {
    dQuaternion q;
    dQuaternion q2;
    any_attitude(q);
    const double tilt = n % 4 == 0 ? std::pow(10.0, -9 + n / 4 % 4) : 0.0;
    const double scale = 1.0 + any(0.5);
    for (int i = 0; i < 4; ++i) {
      q2[i] = scale * q[i] + any(tilt);
    }
    dNormalize4(q2);
    const int axis = n % 3;
    const double depth = 0.0055 + any(0.0045);
    Vec3 gap = scaled(anywhere(0.9), kHalf + kOther);
    (axis == 0   ? gap.x
     : axis == 1 ? gap.y
                 : gap.z) = std::copysign(part(kHalf + kOther, axis) - depth, any(1.0));
    const Vec3 center = anywhere(1.0);
    place(box_, q, center);
    const Mat3 attitude = to_mat3(dGeomGetRotation(box_));
    place(other_, q2, center + attitude * gap);
    const bool swapped = n % 2 == 1;
    const dGeomID a = swapped ? other_ : box_;
    const dGeomID b = swapped ? box_ : other_;
    const std::span<dContactGeom> points = touch(a, b);
    missed += points.size() < 3;
    missed_by_stock += stock(a, b).empty();
    const double into_first = swapped ? 1.0 : -1.0;
    for (const dContactGeom& p : points) {
      const Vec3 normal = transposed(attitude) * to_vec3(p.normal);
      const Vec3 place = transposed(attitude) * (to_vec3(p.pos) - center);
      // Tilts of 1e-6 about three axes move a corner by 1 µm.
      wrong += std::abs(p.depth - depth) > 2e-6 ||
               part(normal, axis) * part(gap, axis) * into_first < 0.0 ||
               std::abs(part(normal, axis)) < 1.0 - 1e-9 ||
               std::abs(std::abs(part(place, axis)) - part(kHalf, axis)) > 0.011;
    }
  }
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(missed_by_stock, kAttitudes / 20) << "nothing that stock ODE finds hard";
}

// In any attitude without nearly parallel edges, stock ODE is the reference: the contacts have the
// same number and order.
TEST_F(BoxBox, OfAnyAttitudeTouchAsInStockOde) {
  int edges = 0;
  int faces = 0;
  for (int n = 0; n < 30'000; ++n) {
    dQuaternion q;
    any_attitude(q);
    place(box_, q, anywhere(1.0));
    any_attitude(q);
    place(other_, q, to_vec3(dGeomGetPosition(box_)) + anywhere(0.35));
    const dGeomID a = n % 2 == 0 ? box_ : other_;
    const dGeomID b = n % 2 == 0 ? other_ : box_;
    const std::span<dContactGeom> points = touch(a, b);
    const std::span<dContactGeom> theirs = stock(a, b);
    ASSERT_EQ(points.size(), theirs.size()) << n;
    (points.size() == 1 ? edges : faces) += !points.empty();
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_NEAR(points[i].depth, theirs[i].depth, kGeometry) << n;
      ASSERT_NEAR(norm(to_vec3(points[i].pos) - to_vec3(theirs[i].pos)), 0.0, kGeometry) << n;
      ASSERT_NEAR(norm(to_vec3(points[i].normal) - to_vec3(theirs[i].normal)), 0.0, kGeometry) << n;
      ASSERT_EQ(points[i].g1, a);
      ASSERT_EQ(points[i].g2, b);
    }
  }
  EXPECT_GT(edges, 1000);
  EXPECT_GT(faces, 1000);
}

// Edges at a small angle touch between their ends, not at a corner far away.
TEST_F(BoxBox, AlmostParallelEdgesTouchWhereBothAre) {
  // The first box stands on an edge along x, above another edge turned by 2 mrad about z.
  dQuaternion up;
  dQuaternion turn;
  dQuaternion other;
  dQFromAxisAndAngle(up, 1, 0, 0, 0.785398);
  dQFromAxisAndAngle(turn, 0, 0, 1, 0.002);
  dQMultiply0(other, turn, up);
  const double reach = std::sqrt(0.5) * (kHalf.y + kHalf.z + kOther.y + kOther.z);
  // Seen along x the boxes are no squares. The upper edge of the first box and the lower edge of
  // the second are off their middles, to opposite sides.
  const double beside = std::sqrt(0.5) * (kHalf.z - kHalf.y);
  const double beside_other = std::sqrt(0.5) * (kOther.z - kOther.y);
  place(box_, up, {0, 0, 0});
  for (const double shift : {-0.16, 0.0, 0.16}) {
    place(other_, other, {shift, -(beside + beside_other), reach - 0.001});
    const std::span<dContactGeom> points = touch(box_, other_);
    EXPECT_FALSE(points.empty()) << shift;
    for (const dContactGeom& p : points) {
      EXPECT_LE(std::abs(p.pos[0]), kHalf.x + 1e-3);
      EXPECT_LE(std::abs(p.pos[0] - shift), kOther.x + 1e-3);
    }
  }
}

TEST_F(BoxBox, ApartDoNotTouch) {
  dQuaternion q;
  any_attitude(q);
  place(box_, q, {0.3, 0.2, 0.1});
  const Mat3 attitude = to_mat3(dGeomGetRotation(box_));
  for (int axis = 0; axis < 3; ++axis) {
    const double far = part(kHalf + kOther, axis) + 1e-9;
    const Vec3 gap{axis == 0 ? far : 0.01, axis == 1 ? far : 0.02, axis == 2 ? far : 0.03};
    place(other_, q, Vec3{0.3, 0.2, 0.1} + attitude * gap);
    EXPECT_TRUE(touch(box_, other_).empty()) << axis;
  }
}

TEST_F(BoxBox, OfMorePointsThanFitTheDeepestStay) {
  dQuaternion q;
  any_attitude(q);
  place(box_, q, {});
  place(other_, q, to_mat3(dGeomGetRotation(box_)) * Vec3{0.05, 0.04, 0.37});
  std::vector<dContactGeom> room(3);
  EXPECT_EQ(Colliders().collide(box_, other_, room), 3);
  EXPECT_EQ(touch(box_, other_).size(), 4u);
}

}  // namespace physics_box_box_test
}  // namespace servosim::test
