// SPDX-License-Identifier: Apache-2.0
#include "servosim/spring_damper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace servosim {
namespace {

// ODE solves v⁺ = v + h/m·λ with v⁺ + CFM·λ = −ERP/h·p. The row must make λ the force of spring and
// damper at the end of the step.
TEST(SoftRow, MakesTheForceOfSpringAndDamper) {
  const double h = 0.016;
  const double m = 2.5;
  const double p = 0.3;
  const double v = -1.7;
  for (const auto& [k, d] : {std::pair(40.0, 3.0), {40.0, 0.0}, {0.0, 3.0}, {1e7, 2e4}}) {
    const SoftRow row = soft_row(k, d, h);
    ASSERT_TRUE(row.active);
    const double lambda = (-row.erp / h * p - v) / (row.cfm + h / m);
    const double after = v + h / m * lambda;
    const double expected = -k * (p + h * after) - d * after;
    EXPECT_NEAR(lambda, expected, 1e-9 * (1.0 + std::abs(expected))) << k << ' ' << d;
  }
}

TEST(SoftRow, WithoutSpringAndDamperThereIsNone) { EXPECT_FALSE(soft_row(0.0, 0.0, 0.016).active); }

// The CFM would be beyond 1e100, and the solver squares it.
TEST(SoftRow, IsInactiveIfTooWeak) {
  EXPECT_FALSE(soft_row(1e-305, 0.0, 0.016).active);
  EXPECT_FALSE(soft_row(0.0, 1e-101, 0.016).active);
  EXPECT_TRUE(soft_row(0.0, 2e-100, 0.016).active);
}

TEST(SoftRow, StaysInRange) {
  for (const auto& [k, d] : {std::pair(1e300, 0.0), {1e308, 1e308}, {1e-90, 0.0}, {3.0, 1e300}}) {
    const SoftRow row = soft_row(k, d, 0.032);
    EXPECT_TRUE(row.active);
    EXPECT_GE(row.erp, 0.0);
    EXPECT_LE(row.erp, 1.0);
    EXPECT_GE(row.cfm, 0.0);
  }
}

}  // namespace
}  // namespace servosim
