// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "servosim/simulation.h"
#include "sim/report.h"

// Experiments with one joint of a world: the joint's motor gets a signal, and its answer is looked
// at. No controllers run: all other motors hold what they hold when the world is loaded.

namespace servosim {

struct JointSpec;

/// What of a motor an experiment commands.
enum class TestInput {
  Position,  ///< its target position [rad|m]
  Velocity,  ///< its velocity [rad/s|m/s]
  Effort,    ///< its torque or force [N·m|N]
};

const char* name_of(TestInput input);

/// The basic steps in `seconds`, at least 1. @throws std::invalid_argument above kMaxTestSteps
std::int64_t test_steps(double seconds, double time_step);
/// Of one run of an experiment.
inline constexpr std::int64_t kMaxTestSteps = 5'000'000;

/// A joint of a world under test.
///
/// Invariant: once it has settled, every restart() leads to the same state bit for bit.
class JointTest {
 public:
  /// @param joint  as Simulation::joint(name)
  /// @throws std::out_of_range: there is no such joint; std::invalid_argument: no motor can move it
  JointTest(Simulation simulation, std::string_view joint);

  /// Brings the joint to a place by position control for `seconds`, and makes that the start: the
  /// motor holds it there, for TestInput::Effort by the effort that this takes besides its spring.
  /// @param around  [rad|m]; nothing: where its motor's target is, else where it is
  /// @throws StepFailed; std::invalid_argument for more steps than kMaxTestSteps
  void settle(TestInput input, std::optional<double> around, double seconds);
  /// Whether the joint rested in its place at the end of settle().
  bool has_settled() const { return has_settled_; }
  /// How far the input may go from its value at the start: for positions to the ends of the range,
  /// else to the motor's limits; infinite without a limit.
  struct Room {
    double below;
    double above;
  };
  Room room() const;
  /// Where it may be [rad|m]: the motor's minPosition and maxPosition, else the joint's stops.
  std::optional<JointRange> range() const { return range_of(spec(), motor_); }
  /// Goes back to the start.
  void restart();
  /// One basic step with the input at its value at the start plus `change`; returns what the joint
  /// does at its end. @throws StepFailed; std::invalid_argument for an input beyond room()
  JointReading step(double change);

  double time_step() const { return simulation_.basic_time_step_ms() / 1000.0; }  ///< [s]
  Joint joint() const { return simulation_.joint(joint_); }
  const Motor& motor() const { return *motor_; }
  Motor& motor() { return *motor_; }
  TestInput input() const { return input_; }
  /// The input at the start, at the joint: the motor's multiplier does not count.
  double offset() const { return offset_; }

 private:
  void command(double value);
  double holding_effort() const;
  const JointSpec& spec() const;

  Simulation simulation_;
  int joint_;
  Motor* motor_;  // not null
  TestInput input_ = TestInput::Position;
  double offset_ = 0.0;
  bool has_settled_ = false;
  SimulationState start_;
};

}  // namespace servosim
