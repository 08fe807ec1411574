// SPDX-License-Identifier: Apache-2.0
#include "base/report_once.h"

#include <gtest/gtest.h>

namespace servosim {
namespace {

using namespace std::chrono_literals;

TEST(RateLimiter, AdmitsTheFirstAndThenOneAfterEachPauseWithACount) {
  RateLimiter limiter(5s);
  const RateLimiter::Clock::time_point start{};
  EXPECT_EQ(limiter.admit("a", start), "a");
  EXPECT_EQ(limiter.admit("b", start), std::nullopt);
  EXPECT_EQ(limiter.admit("c", start + 4999ms), std::nullopt);
  EXPECT_EQ(limiter.admit("d", start + 5s), "d (and 2 more)");
  EXPECT_EQ(limiter.admit("e", start + 6s), std::nullopt);
  EXPECT_EQ(limiter.admit("f", start + 10s), "f (and 1 more)");
  EXPECT_EQ(limiter.admit("g", start + 20s), "g");
}

TEST(ReportOnce, IsFirstOnceForEachKeyUntilAReset) {
  ReportOnce<std::string> names;
  EXPECT_TRUE(names.first("arm"));
  EXPECT_TRUE(names.first("leg"));
  EXPECT_FALSE(names.first("arm"));
  names.reset();
  EXPECT_TRUE(names.first("arm"));
  ReportOnce<> anything;
  EXPECT_TRUE(anything.first());
  EXPECT_FALSE(anything.first());
}

}  // namespace
}  // namespace servosim
