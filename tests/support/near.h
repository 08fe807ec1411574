// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "servosim/math.h"

namespace servosim::test {

/// The rounding of a few operations on numbers below 10: some ulps of 2e-15.
constexpr double kRounding = 1e-14;

inline void expect_near(const Vec3& a, const Vec3& b) {
  EXPECT_NEAR(a.x, b.x, kRounding);
  EXPECT_NEAR(a.y, b.y, kRounding);
  EXPECT_NEAR(a.z, b.z, kRounding);
}

inline void expect_near(const Mat3& a, const Mat3& b) {
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(a.m[i], b.m[i], kRounding) << i;
  }
}

inline void expect_near(const Pose& a, const Pose& b) {
  expect_near(a.translation, b.translation);
  expect_near(a.rotation, b.rotation);
}

}  // namespace servosim::test
