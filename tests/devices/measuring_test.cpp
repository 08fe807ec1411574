// SPDX-License-Identifier: Apache-2.0
#include "devices/measuring.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "scene/scene.h"

namespace servosim {
namespace {

TEST(LookUp, GoesStraightBetweenRowsAndStaysOutside) {
  Random random(1);
  const std::vector<LookupRow> table{{0.0, 10.0, 0.0}, {2.0, 30.0, 0.0}, {4.0, 0.0, 0.0}};
  EXPECT_EQ(look_up(table, -5.0, random), 10.0);
  EXPECT_EQ(look_up(table, 0.0, random), 10.0);
  EXPECT_EQ(look_up(table, 0.5, random), 15.0);
  EXPECT_EQ(look_up(table, 2.0, random), 30.0);
  EXPECT_EQ(look_up(table, 3.0, random), 15.0);
  EXPECT_EQ(look_up(table, 9.0, random), 0.0);
  EXPECT_EQ(look_up({}, 9.0, random), 9.0) << "no table";
}

TEST(LookUp, TakesEqualRowsAsAJump) {
  Random random(1);
  const std::vector<LookupRow> table{{1.0, 1.0, 0.0}, {1.0, 5.0, 0.0}};
  EXPECT_EQ(look_up(table, 0.9, random), 1.0);
  EXPECT_EQ(look_up(table, 1.0, random), 5.0);
}

TEST(LookUp, AddsNoiseRelativeToTheReading) {
  Random random(7);
  Random same(7);
  const std::vector<LookupRow> table{{0.0, 100.0, 0.5}, {2.0, 100.0, 0.0}};
  EXPECT_EQ(look_up(table, 1.0, random), 100.0 * (1.0 + 0.25 * same.normal()));
}

TEST(InGrains, RoundsAsWebotsDoes) {
  EXPECT_EQ(quantized(0.74, 0.5), 0.5);
  EXPECT_EQ(quantized(0.76, 0.5), 1.0);
  EXPECT_EQ(quantized(-1.0, 1.0), 0.0);
  EXPECT_EQ(quantized(-1.6, 1.0), -1.0);
  EXPECT_EQ(quantized(0.76, -1.0), 0.76);
}

// On the middle meridian of a zone the map is true to north and 0.9996 of the true scale. The
// series are good for 1 mm, which is 1e-8 of a degree.
TEST(Earth, GoesFromMetresToDegrees) {
  const Vec3 home{46.0, 9.0, 400.0};  // the middle of zone 32
  const Vec3 same = place_on_earth(home, {});
  EXPECT_NEAR(same.x, 46.0, 1e-8);
  EXPECT_NEAR(same.y, 9.0, 1e-8);
  EXPECT_EQ(same.z, 400.0);
  // Radii of curvature of WGS84 at 46°: 6368.7 km along the meridian, 6389.2 km across.
  const Vec3 north = place_on_earth(home, {0.0, 999.6, 5.0});
  EXPECT_NEAR((north.x - 46.0) * 3.14159265358979 / 180.0 * 6368.7e3, 1000.0, 0.2);
  EXPECT_NEAR(north.y, 9.0, 1e-9);
  EXPECT_EQ(north.z, 405.0);
  const Vec3 east = place_on_earth(home, {999.6, 0.0, 0.0});
  EXPECT_NEAR((east.y - 9.0) * 3.14159265358979 / 180.0 * 6389.2e3 * 0.694658370, 1000.0, 0.2);
  EXPECT_NEAR(east.x, 46.0, 1e-4);
}

TEST(Earth, ComesBackAwayFromTheMiddleOfTheZone) {
  for (const Vec3 place : {Vec3{46.52, 6.56, 0.0}, Vec3{-33.9, 151.2, 10.0}, Vec3{0.0, -0.1, 0.0},
                           Vec3{79.0, 5.9, 0.0}}) {
    const Vec3 same = place_on_earth(place, {});
    EXPECT_NEAR(same.x, place.x, 1e-8);
    EXPECT_NEAR(same.y, place.y, 1e-8);
  }
}

}  // namespace
}  // namespace servosim
