// SPDX-License-Identifier: Apache-2.0
#include "bus/client/test_trajectory.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace servosim::bus {

namespace {

constexpr double kQuarter = 0.5 * std::numbers::pi;

// From one angle to another, with no rate at either end.
double eased(double from, double to, double share) {
  const double s = std::clamp(share, 0.0, 1.0);
  return from + (to - from) * s * s * (3.0 - 2.0 * s);
}

TrajectoryPoint sin_sin(double t) {
  return {kQuarter * std::sin(t) + 0.5 * std::sin(5.0 * t) * std::sin(2.0 * t), true};
}
TrajectoryPoint sin_time_square(double t) { return {std::sin(t * t), true}; }
TrajectoryPoint up_and_down(double t) {
  constexpr double kTop = 3.0;  // [s]
  constexpr double kEnd = 0.8;  // of a quarter turn
  return {t < kTop ? eased(0.0, kQuarter, t / kTop)
                   : eased(kQuarter, kEnd * kQuarter, (t - kTop) / kTop),
          true};
}
TrajectoryPoint lift_and_drop(double t) {
  constexpr double kTop = 2.0;  // [s]
  return {eased(0.0, -kQuarter, t / kTop), t <= kTop};
}

constexpr double kSeconds = 6.0;
constexpr TestTrajectory kTrajectories[] = {
    {"sin_sin", "two sines, slow with a large and fast with a small amplitude", kSeconds, sin_sin},
    {"sin_time_square", "a sine that gets faster", kSeconds, sin_time_square},
    {"up_and_down", "a slow lift and a slower way back", kSeconds, up_and_down},
    {"lift_and_drop", "a slow lift; then the torque is off, and the load drives the gear", kSeconds,
     lift_and_drop},
};

}  // namespace

std::span<const TestTrajectory> test_trajectories() { return kTrajectories; }

const TestTrajectory* find_trajectory(std::string_view name) {
  for (const TestTrajectory& each : kTrajectories) {
    if (each.name == name) {
      return &each;
    }
  }
  return nullptr;
}

GoalRange goal_range(const TestTrajectory& trajectory) {
  constexpr int kPoints = 6000;
  GoalRange range;
  for (int i = 0; i <= kPoints; ++i) {
    const double goal = trajectory.at(trajectory.duration * i / kPoints).goal;
    range.least = std::min(range.least, goal);
    range.greatest = std::max(range.greatest, goal);
  }
  return range;
}

}  // namespace servosim::bus
