// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

// Movements by which a servo on a pendulum shows what it is: with load and without, fast and slow,
// and driven by the load alone. They are those of Rhoban's BAM, so that logs can be compared with
// published ones. 0 is where the pendulum hangs.

namespace servosim::bus {

/// What a servo is told at a time.
///
/// Threads: a plain value.
struct TrajectoryPoint {
  double goal = 0.0;  ///< [rad]
  bool is_on = true;  ///< whether its torque is on
};

/// A movement that begins at 0.
///
/// Threads: a plain value.
struct TestTrajectory {
  std::string_view name;
  std::string_view meaning;
  double duration;                     ///< [s]
  TrajectoryPoint (*at)(double time);  ///< from 0 to `duration` [s]
};

/// Returns all of them.
std::span<const TestTrajectory> test_trajectories();
/// Returns the one with a name; null for none.
const TestTrajectory* find_trajectory(std::string_view name);

/// The least and the greatest goal of a trajectory [rad].
///
/// Threads: a plain value.
struct GoalRange {
  double least = 0.0;
  double greatest = 0.0;
};
GoalRange goal_range(const TestTrajectory& trajectory);

}  // namespace servosim::bus
