// SPDX-License-Identifier: Apache-2.0
#include "experiments/excitation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>

#include "experiments/frequency_response.h"

namespace servosim {
namespace {

constexpr int kSines = 12;
constexpr double kNear = 0.8;       // share of the way to the nearer end of the range
constexpr double kFar = 1.0;        // [rad|m]
constexpr double kUsed = 0.9;       // share of the motor's available effort
constexpr double kMoves = 1e-9;     // [rad/s|m/s]; a greater speed means that the joint moves
constexpr double kLeastWay = 1e-4;  // [rad|m]; ODE's friction lets a joint creep less than this
constexpr int kHalvings = 12;
constexpr int kStiffer = 4;          // how often the loop's frequency is doubled
constexpr double kStableLoop = 0.3;  // largest product of the loop's angular frequency and a step

// The sum of the sines, from -1 to 1. Schroeder's phases keep its peaks low.
class Signal {
 public:
  explicit Signal(const Sines& sines)
      : frequencies_(spaced_frequencies(sines.from, sines.to, kSines)) {}

  double at(double time) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < frequencies_.size(); ++i) {
      const auto n = static_cast<double>(i);
      const double phase = std::numbers::pi * n * n / kSines;
      sum += std::sin(2.0 * std::numbers::pi * frequencies_[i] * time + phase);
    }
    return sum / kSines;
  }

 private:
  std::vector<double> frequencies_;
};

[[noreturn]] void refuse_held_joint(const JointTest& test) {
  throw std::invalid_argument(fmt::format(
      "this effort does not move '{}': friction, a brake or a stop holds it", test.joint().name()));
}

// Moves the joint and returns its samples. The effort of each step, in addition to the one that
// holds the joint at its start, is `effort_of` the time and the joint's state at the beginning of
// the step. If `effort_of` returns nothing, the motion ends and there are no samples. @throws
// std::invalid_argument for a joint that does not move
template <typename EffortOf>
std::vector<JointSample> moved(JointTest& test, double seconds, const EffortOf& effort_of) {
  const double h = test.time_step();
  const std::int64_t steps = test_steps(seconds, h);
  test.restart();
  JointReading reading = test.joint().reading();
  std::vector<JointSample> samples{{0.0, reading.position, reading.velocity, test.offset()}};
  double farthest = 0.0;
  for (std::int64_t step = 0; step < steps; ++step) {
    const double now = static_cast<double>(step) * h;
    const std::optional<double> effort = effort_of(now, reading);
    if (!effort) {
      return {};
    }
    reading = test.step(*effort);
    samples.push_back({now + h, reading.position, reading.velocity, test.offset() + *effort});
    farthest = std::max(farthest, std::abs(reading.position - samples.front().position));
  }
  if (farthest < kLeastWay) {
    refuse_held_joint(test);
  }
  return samples;
}

struct Bounds {
  double way;     // distance from the start [rad|m]
  double speed;   // [rad/s|m/s]
  double effort;  // in addition to the one that holds the joint at the start [N·m|N]
};

Bounds bounds_of(const JointTest& test) {
  const double start = test.joint().position();
  Bounds bounds{kFar, test.motor().limits().max_velocity, 0.0};
  if (const std::optional<JointRange> range = test.range()) {
    const double nearer = std::min(start - range->lower, range->upper - start);
    bounds.way = std::min(kFar, kNear * std::max(0.0, nearer));
  }
  const auto [below, above] = test.room();
  bounds.effort = kUsed * std::min(below, above);
  return bounds;
}

// Returns the inertia that the motor feels in one step [kg·m²|kg], damping included, from the
// additional speed that doubling the effort causes. Static friction reduces both speeds equally.
double felt_inertia(JointTest& test, double greatest_effort) {
  const auto speed_by = [&test](double effort) {
    test.restart();
    return test.step(effort).velocity;
  };
  double effort = std::isfinite(greatest_effort) ? greatest_effort / 2.0 : 1.0;
  for (int tenfold = 0; tenfold < 9; ++tenfold, effort *= 10.0) {
    const double faster = speed_by(2.0 * effort) - speed_by(effort);
    if (faster > kMoves) {
      return test.time_step() * effort / faster;
    }
    if (std::isfinite(greatest_effort)) {
      break;
    }
  }
  refuse_held_joint(test);
}

}  // namespace

std::vector<JointSample> excite(JointTest& test, double amplitude, const Sines& sines) {
  const Signal signal(sines);
  return moved(test, sines.seconds, [&](double time, const JointReading&) {
    return std::optional<double>(amplitude * signal.at(time));
  });
}

std::vector<JointSample> excite_near_start(JointTest& test, const Sines& sines) {
  const Signal signal(sines);
  test.restart();
  const double start = test.joint().position();
  const Bounds bounds = bounds_of(test);
  const double inertia = felt_inertia(test, bounds.effort);
  const double slowest = kStableLoop / test.time_step();
  double loop = 2.0 * std::numbers::pi * std::sqrt(sines.from * sines.to);  // [1/s]
  for (int stiffer = 0; stiffer < kStiffer; ++stiffer, loop *= 2.0) {
    const double frequency = std::min(loop, slowest);
    const double highest = 2.0 * std::numbers::pi * sines.to;
    double amplitude = std::min(bounds.effort, inertia * bounds.way * highest * highest);
    for (int halving = 0; halving < kHalvings; ++halving, amplitude /= 2.0) {
      const auto effort_of = [&](double time, const JointReading& joint) -> std::optional<double> {
        const double away = joint.position - start;
        const double effort =
            amplitude * signal.at(time) -
            inertia * frequency * (frequency * away + std::numbers::sqrt2 * joint.velocity);
        const bool within = std::abs(away) <= bounds.way &&
                            std::abs(joint.velocity) <= bounds.speed &&
                            std::abs(effort) <= bounds.effort;
        return within ? std::optional<double>(effort) : std::nullopt;
      };
      std::vector<JointSample> samples = moved(test, sines.seconds, effort_of);
      if (!samples.empty()) {
        return samples;
      }
    }
  }
  throw std::invalid_argument(fmt::format(
      "'{}' does not stay within {:.3g} of its start and the limits of its motor; choose another "
      "place by --around, or the effort by --amplitude",
      test.joint().name(), bounds.way));
}

}  // namespace servosim
