// SPDX-License-Identifier: Apache-2.0
#include "run/real_time_pacer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"

namespace servosim {

// This uses doubles, since time / factor may exceed the range of Clock::duration.
RealTimePacer::Seconds RealTimePacer::until(double time, Clock::time_point now) const {
  return moved_ - late(time, now);
}

RealTimePacer::Seconds RealTimePacer::late(double time, Clock::time_point now) const {
  return Seconds(now - begin_.value_or(now)) - Seconds(time / factor_);
}

std::optional<std::string> RealTimePacer::step(double time, Clock::time_point now) {
  const Seconds behind = -until(time, now);
  if (behind <= kMaxBurst) {
    return std::nullopt;
  }
  moved_ += behind - kMaxBurst;
  SERVOSIM_ASSERT(moved_ > Seconds(0.0), "the schedule has moved by {} s", moved_.count());
  if (reported_ && now - *reported_ < kReportInterval) {
    return std::nullopt;
  }
  reported_ = now;
  return fmt::format("cannot keep up with {:g} x real time: {:.3g} s late at {:.3f} s simulated",
                     factor_, late(time, now).count(), time);
}

std::optional<std::string> RealTimePacer::late_report(double time, Clock::time_point now) const {
  const Seconds planned(time / factor_);
  const Seconds behind = late(time, now);
  if (moved_ == Seconds(0.0) && behind < std::max(kJitter, 0.1 * planned)) {
    return std::nullopt;
  }
  return fmt::format("could not keep up with {:g} x real time: reached {:.3g} x, {:.3g} s late",
                     factor_, time / (planned + behind).count(), behind.count());
}

}  // namespace servosim
