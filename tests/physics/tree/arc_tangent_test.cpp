// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/arc_tangent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "physics/rows/row.h"

namespace servosim {
namespace physics_tree_arc_tangent_test {
namespace {

// The library's, to the last bit.
TEST(ArcTangent, IsThatOfTheLibraryWhereItIsNotInDoubt) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  int doubts = 0;
  constexpr int kAngles = 2'000'000;
  for (int k = 0; k < kAngles; ++k) {
    double angle = std::numbers::pi * any(random);
    angle = k % 4 == 1   ? 1e-3 * angle
            : k % 4 == 2 ? std::numbers::pi / 4 * (k % 16 / 4) + 1e-6 * angle
            : k % 4 == 3 ? angle * std::exp(-300.0 * std::abs(any(random)))
                         : angle;
    const double size = 1.0 + 1e-15 * any(random);
    const double sine = std::abs(std::sin(angle) * size);
    const double cosine = std::cos(angle) * size;
    const FoundAngle<Vec3> found = arc_tangent<Vec3>(sine, cosine);
    doubts += found.is_doubtful ? 1 : 0;
    ASSERT_TRUE(found.is_doubtful || found.angle == std::atan2(sine, cosine))
        << sine << ", " << cosine;
  }
  EXPECT_LT(doubts, kAngles / 10);
}

TEST(ArcTangent, KnowsTheAxesAndTheDiagonals) {
  constexpr double kPi = std::numbers::pi;
  const auto angle = [](double sine, double cosine) {
    const FoundAngle<Vec3> found = arc_tangent<Vec3>(sine, cosine);
    EXPECT_FALSE(found.is_doubtful);
    return found.angle;
  };
  EXPECT_EQ(angle(0.0, 1.0), 0.0);
  EXPECT_EQ(angle(0.0, -1.0), kPi);
  EXPECT_EQ(angle(1.0, 0.0), kPi / 2);
  EXPECT_EQ(angle(1.0, -0.0), kPi / 2);
  EXPECT_EQ(angle(0.5, 0.5), kPi / 4);
  EXPECT_EQ(angle(0.5, -0.5), 3 * kPi / 4);
}

TEST(ArcTangent, DoubtsWhatIsNoDirectionOrTooSmall) {
  for (const auto& [sine, cosine] : {std::pair{0.0, 0.0},
                                     {kInfinity, 1.0},
                                     {1.0, -kInfinity},
                                     {std::nan(""), 1.0},
                                     {1.0, std::nan("")},
                                     {1e-280, 1.0},
                                     {5e-324, -1.0},
                                     {1.0, 1e-290}}) {
    EXPECT_TRUE(arc_tangent<Vec3>(sine, cosine).is_doubtful) << sine << ", " << cosine;
  }
}

}  // namespace
}  // namespace physics_tree_arc_tangent_test
}  // namespace servosim
