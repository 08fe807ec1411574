// SPDX-License-Identifier: Apache-2.0
#include "servosim/math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/quaternion.h"
#include "support/near.h"

namespace servosim::test {
namespace {

TEST(RotationMatrix, RotatesRightHandedAboutEachAxis) {
  const double a = 0.7;
  const double c = std::cos(a);
  const double s = std::sin(a);
  expect_near(rotation_matrix({{1, 0, 0}, a}), {{1, 0, 0, 0, c, -s, 0, s, c}});
  expect_near(rotation_matrix({{0, 1, 0}, a}), {{c, 0, s, 0, 1, 0, -s, 0, c}});
  expect_near(rotation_matrix({{0, 0, 1}, a}), {{c, -s, 0, s, c, 0, 0, 0, 1}});
}

TEST(RotationMatrix, OfAThirdOfATurnAboutTheDiagonalPermutesTheAxes) {
  const Mat3 r = rotation_matrix({{2.5, 2.5, 2.5}, 2.0 * std::numbers::pi / 3.0});
  expect_near(r * Vec3{3, 5, 7}, {7, 3, 5});
}

TEST(RotationMatrix, IsOrthogonalAndKeepsItsAxisWhateverTheLengthOfTheAxis) {
  const Vec3 axis{0.3, -1.2, 2.0};
  const Mat3 r = rotation_matrix({axis, 2.1});
  expect_near(r * transposed(r), Mat3{});
  expect_near(r * axis, axis);
  expect_near(rotation_matrix({40.0 * axis, 2.1}), r);
  // The squares of 1e-200 and 1e200 underflow and overflow, so their length needs care.
  expect_near(rotation_matrix({1e-200 * axis, 2.1}), r);
  expect_near(rotation_matrix({1e200 * axis, 2.1}), r);
}

TEST(RotationMatrix, OfAnInvalidAxisIsTheIdentity) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(rotation_matrix({{0, 0, 0}, 2.1}), Mat3{});
  EXPECT_EQ(rotation_matrix({{inf, 2, 0}, 2.1}), Mat3{});
  EXPECT_EQ(rotation_matrix({{std::nan(""), 2, 0}, 2.1}), Mat3{});
}

// A turn by 2·atan2(5, 4) about an axis: x, y, z, w are 3, 4, 0, 4 times any factor.
TEST(QuaternionMatrix, TurnsByTwiceTheAngleWhateverTheLength) {
  const Mat3 turn = rotation_matrix({{3, 4, 0}, 2.0 * std::atan2(5.0, 4.0)});
  for (const double factor : {1.0, 1e-3, -32767.0}) {
    expect_near(quaternion_matrix({3 * factor, 4 * factor, 0.0, 4 * factor}), turn);
  }
  expect_near(quaternion_matrix({0.0, 0.0, std::sqrt(0.5), std::sqrt(0.5)}) * Vec3{2, 0, 0},
              {0, 2, 0});
  EXPECT_EQ(quaternion_matrix({0.0, 0.0, 0.0, 0.0}), Mat3());
}

TEST(UnitOr, FallsBackForNullAndNonFinite) {
  const Vec3 fallback{4, 5, 6};
  EXPECT_EQ(unit_or({0, 0, 0}, fallback), fallback);
  EXPECT_EQ(unit_or({2, std::nan(""), 0}, fallback), fallback);
  expect_near(unit_or({0, -3, 4}, fallback), {0, -0.6, 0.8});
}

TEST(TurnAbout, KeepsTheAnchorAndRotatesOtherPoints) {
  const Vec3 anchor{2, -3, 0.5};
  const Pose turn = turn_about(anchor, {0, 0, 4}, std::numbers::pi / 2.0);
  expect_near(turn * anchor, anchor);
  expect_near(turn * Vec3{2.25, -3, 7}, {2, -2.75, 7});
}

TEST(Pose, InverseAndProductComposeTransforms) {
  const Pose a{rotation_matrix({{1, 2, -1}, 0.8}), {0.4, -5, 2}};
  const Pose b{rotation_matrix({{-3, 0.2, 1}, -1.9}), {7, 0.25, -2}};
  const Vec3 p{1.5, -2.5, 3.5};
  expect_near(inverse(a) * (a * p), p);
  expect_near((a * b) * p, a * (b * p));
  expect_near((a * inverse(a)).rotation, Mat3{});
}

TEST(Vec3, ProductsFollowTheRightHand) {
  EXPECT_EQ(cross({2, 0, 0}, {0, 3, 0}), (Vec3{0, 0, 6}));
  EXPECT_EQ(dot({2, -3, 4}, {5, 6, 7}), 20.0);
  EXPECT_EQ(scaled({2, -3, 4}, {5, 6, 7}), (Vec3{10, -18, 28}));
  EXPECT_EQ(norm({2, -3, 6}), 7.0);
}

}  // namespace
}  // namespace servosim::test
