// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/report_once.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

TEST(RateLimiter, SaysTheFirstAndThenOneAfterEachPauseWithACount) {
  RateLimiter seldom(5s);
  const RateLimiter::Clock::time_point start{};
  EXPECT_EQ(seldom.say("a", start), "a");
  EXPECT_EQ(seldom.say("b", start), std::nullopt);
  EXPECT_EQ(seldom.say("c", start + 4999ms), std::nullopt);
  EXPECT_EQ(seldom.say("d", start + 5s), "d (and 2 more)");
  EXPECT_EQ(seldom.say("e", start + 6s), std::nullopt);
  EXPECT_EQ(seldom.say("f", start + 10s), "f (and 1 more)");
  EXPECT_EQ(seldom.say("g", start + 20s), "g");
}

}  // namespace
}  // namespace servosim
