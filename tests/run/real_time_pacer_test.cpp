// SPDX-License-Identifier: Apache-2.0
#include "run/real_time_pacer.h"

#include <gtest/gtest.h>

#include <vector>

namespace servosim {
namespace {

using namespace std::chrono_literals;
using Clock = RealTimePacer::Clock;

// The wall clock counts nanoseconds, and a double has a finer resolution.
constexpr double kTick = 2e-9;

const Clock::time_point kBegin = Clock::time_point(1234567ms);

RealTimePacer begun(double factor) {
  RealTimePacer pace(factor);
  pace.begin(kBegin);
  return pace;
}

TEST(RealTimePacer, AStateIsDueAtItsTimeOverTheFactor) {
  EXPECT_NEAR(begun(1.0).until(0.008, kBegin).count(), 0.008, kTick);
  EXPECT_NEAR(begun(0.5).until(3.0, kBegin + 2s).count(), 4.0, kTick);
  EXPECT_NEAR(begun(4.0).until(6.0, kBegin + 2s).count(), -0.5, kTick);
}

TEST(RealTimePacer, FactorsNoClockCanHoldAreWaitsWithoutEnd) {
  EXPECT_GT(begun(1e-300).until(0.008, kBegin).count(), 1e297);
  EXPECT_NEAR(begun(1e300).until(0.008, kBegin + 1s).count(), -1.0, kTick);
}

// Every step is 3 ms late, as a sleep may be. After an hour the last step is still 3 ms late.
TEST(RealTimePacer, DoesNotDrift) {
  RealTimePacer pace = begun(1.0);
  Clock::time_point now = kBegin;
  const int steps = 450000;
  for (int i = 1; i <= steps; ++i) {
    const double time = i * 0.008;
    now += std::chrono::duration_cast<Clock::duration>(pace.until(time, now)) + 3ms;
    EXPECT_FALSE(pace.step(time, now));
  }
  EXPECT_NEAR(RealTimePacer::Seconds(now - kBegin).count(), 3600.003, kTick);
  EXPECT_FALSE(pace.late_report(3600.0, now));
}

TEST(RealTimePacer, MakesUpForAShortDelayWithoutAWord) {
  RealTimePacer pace = begun(1.0);
  EXPECT_FALSE(pace.step(0.01, kBegin + 59ms));  // 49 ms late
  EXPECT_NEAR(pace.until(0.02, kBegin + 59ms).count(), -0.039, kTick);
  EXPECT_NEAR(pace.until(0.1, kBegin + 59ms).count(), 0.041, kTick);
}

TEST(RealTimePacer, MakesUpForNoMoreThanTheBurst) {
  RealTimePacer pace = begun(2.0);
  EXPECT_EQ(pace.step(0.02, kBegin + 1010ms).value(),
            "cannot keep up with 2 x real time: 1 s late at 0.020 s simulated");
  // 100 ms of simulated time happen at once. Then the plan holds again, 950 ms later.
  EXPECT_NEAR(pace.until(0.02, kBegin + 1010ms).count(), -0.05, kTick);
  EXPECT_NEAR(pace.until(0.12, kBegin + 1010ms).count(), 0.0, kTick);
  EXPECT_NEAR(pace.until(2.0, kBegin + 1s).count(), 0.95, kTick);
  EXPECT_NEAR(pace.late(2.0, kBegin + 1950ms).count(), 0.95, kTick);
  EXPECT_EQ(pace.late_report(2.0, kBegin + 2s).value(),
            "could not keep up with 2 x real time: reached 1 x, 1 s late");
}

TEST(RealTimePacer, JudgesAShortRunByTheWholeOfIt) {
  const RealTimePacer pace = begun(1000.0);
  EXPECT_FALSE(pace.late_report(5.0, kBegin + 14ms));  // 9 ms late
  EXPECT_EQ(pace.late_report(5.0, kBegin + 25ms).value(),
            "could not keep up with 1000 x real time: reached 200 x, 0.02 s late");
  EXPECT_FALSE(begun(1.0).late_report(1.0, kBegin + 1049ms));
  EXPECT_FALSE(begun(1.0).late_report(1.0, kBegin + 500ms));  // the run ends early
}

// Each step of 10 ms takes 20 ms.
TEST(RealTimePacer, IsReportedAtOnceAndThenEveryTenSeconds) {
  RealTimePacer pace = begun(1.0);
  std::vector<double> reported;
  for (int i = 1; i <= 1500; ++i) {
    if (pace.step(0.01 * i, kBegin + i * 20ms)) {
      reported.push_back(0.02 * i);
    }
  }
  ASSERT_EQ(reported.size(), 3u);
  EXPECT_NEAR(reported[0], 0.12, kTick);  // 60 ms late, which exceeds 50 ms for the first time
  EXPECT_NEAR(reported[1], 10.12, kTick);
  EXPECT_NEAR(reported[2], 20.12, kTick);
  EXPECT_EQ(pace.late_report(15.0, kBegin + 30s).value(),
            "could not keep up with 1 x real time: reached 0.5 x, 15 s late");
}

}  // namespace
}  // namespace servosim
