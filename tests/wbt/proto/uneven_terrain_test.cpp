// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "wbt/proto/proto.h"

namespace servosim::wbt::test {
namespace {

TEST(UnevenTerrain, SpansTheWholeRange) {
  for (const int seed : {-3, 0, 1, 2147483647}) {
    const auto heights = uneven_terrain(30, 20, seed, 3);
    ASSERT_EQ(heights.size(), 600u);
    EXPECT_EQ(*std::min_element(heights.begin(), heights.end()), 0.0);
    EXPECT_EQ(*std::max_element(heights.begin(), heights.end()), 1.0);
  }
}

TEST(UnevenTerrain, IsTheSameForTheSameSeedAndAnotherForAnother) {
  EXPECT_EQ(uneven_terrain(30, 20, 5, 3), uneven_terrain(30, 20, 5, 3));
  EXPECT_NE(uneven_terrain(30, 20, 5, 3), uneven_terrain(30, 20, 6, 3));
  EXPECT_NE(uneven_terrain(30, 20, 5, 3), uneven_terrain(30, 20, 5, 2));
}

// Half the distance of the points halves the largest step between neighbours.
TEST(UnevenTerrain, IsSmooth) {
  const auto largest_step = [](int points) {
    const auto heights = uneven_terrain(points, 2, 7, 3);
    double most = 0.0;
    for (int i = 1; i < points; ++i) {
      most = std::max(most, std::abs(heights[i] - heights[i - 1]));
    }
    return most;
  };
  EXPECT_NEAR(largest_step(2001) / largest_step(4001), 2.0, 0.05) << "to the first order";
}

TEST(UnevenTerrain, OfTheLeastSizeHasCorners) {
  const auto heights = uneven_terrain(2, 2, 7, 8);
  EXPECT_EQ(heights.size(), 4u);
  EXPECT_TRUE(
      std::all_of(heights.begin(), heights.end(), [](double h) { return h >= 0.0 && h <= 1.0; }));
}

}  // namespace
}  // namespace servosim::wbt::test
