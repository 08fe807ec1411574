// SPDX-License-Identifier: Apache-2.0
#include "bus/client/real_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>

namespace servosim::bus {

namespace {

using SteadyClock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Speeds of lines differ by less than this share. Clocks of servos do, too, but on a computer with
// other work a simulated one may be late by 0.1 s.
constexpr double kLineTolerance = 0.2;
constexpr double kClockTolerance = 0.5;
constexpr int kClockReadings = 3;
constexpr std::chrono::milliseconds kBetweenClocks{300};
constexpr int kAnswers = 50;
constexpr std::chrono::milliseconds kBetweenAnswers{5};  // a simulation makes up for an exchange
constexpr double kClockPeriod = 32.768;                  // [s]
constexpr double kClockCount = 0.001;                    // [s]
constexpr std::size_t kMostBytes = 100;
// An instruction to read and a status without parameters, of the protocols with narrow packets.
// Those of wide ones are longer.
constexpr std::size_t kFrames = 8 + 6;

struct ClockReading {
  double least = 0.0;  // between two readings [s]
  double most = 0.0;
  double counted = 0.0;  // by the servo [s]
};

// Nothing if an answer gets lost.
std::optional<ClockReading> read_clock(RemoteServo& servo, const RegisterRow& row) {
  const auto begin = SteadyClock::now();
  try {
    const std::int64_t first = servo.read(row);
    const auto after_first = SteadyClock::now();
    std::this_thread::sleep_for(kBetweenClocks);
    const auto before_second = SteadyClock::now();
    const std::int64_t second = servo.read(row);
    const double counted = static_cast<double>(second - first) * kClockCount;
    return ClockReading{Seconds(before_second - after_first).count(),
                        Seconds(SteadyClock::now() - begin).count(),
                        counted < 0.0 ? counted + kClockPeriod : counted};
  } catch (const BusError&) {
    return std::nullopt;
  }
}

bool fits(const ClockReading& reading) {
  return reading.counted >= (1.0 - kClockTolerance) * reading.least - 2.0 * kClockCount &&
         reading.counted <= (1.0 + kClockTolerance) * reading.most + 2.0 * kClockCount;
}

// The longest bytes without a gap that belong to registers.
std::pair<std::uint16_t, std::uint16_t> longest_run(const RegisterTable& table) {
  std::pair<std::uint16_t, std::uint16_t> longest{};
  std::size_t begin = 0;
  std::size_t end = 0;
  for (const RegisterRow& row : table.rows) {
    begin = row.address == end ? begin : row.address;
    end = row.end();
    const std::size_t count = std::min(end - begin, kMostBytes);
    if (count > longest.second) {
      longest = {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(count)};
    }
  }
  return longest;
}

bool answers_too_soon(RemoteServo& servo, double baud) {
  const auto [address, count] = longest_run(servo.table());
  const double least = static_cast<double>(kFrames + count) * byte_time(baud);
  for (int i = 0; i < kAnswers; ++i) {
    const auto begin = SteadyClock::now();
    try {
      servo.client().read(servo.id(), address, count);
      if (Seconds(SteadyClock::now() - begin).count() < (1.0 - kLineTolerance) * least) {
        return true;
      }
    } catch (const BusError&) {  // it tells nothing
    }
    std::this_thread::sleep_for(kBetweenAnswers);
  }
  return false;
}

}  // namespace

std::string real_time_fault(RemoteServo& servo, double baud) {
  std::string reason;
  if (const RegisterRow* const row = servo.table().find(RegisterRole::RealtimeTick)) {
    for (int i = 0; i < kClockReadings; ++i) {
      const auto reading = read_clock(servo, *row);
      if (reading && fits(*reading)) {
        return {};
      }
      if (reading) {
        reason = fmt::format("its '{}' has counted {:.0f} ms in {:.0f} ms", row->name,
                             1000.0 * reading->counted, 1000.0 * reading->most);
      }
    }
  } else if (answers_too_soon(servo, baud)) {
    reason = fmt::format("an answer came sooner than its bytes take at {} bit/s", baud);
  }
  return reason.empty() ? reason
                        : fmt::format(
                              "servo {} is not in real time, so that its log would be "
                              "wrong: {}; serve it in real time, without --lockstep or "
                              "--bus-lockstep",
                              servo.id(), reason);
}

}  // namespace servosim::bus
