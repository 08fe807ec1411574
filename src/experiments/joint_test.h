// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "servosim/simulation.h"
#include "sim/report.h"

// Experiments with one joint of a world: the joint's motor gets a signal, and the response is
// measured. No controllers run, so all other motors keep the targets that they have when the world
// is loaded.

namespace servosim {

struct JointSpec;

/// The command of the motor that an experiment varies.
enum class TestInput {
  Position,  ///< its target position [rad|m]
  Velocity,  ///< its velocity [rad/s|m/s]
  Effort,    ///< its torque or force [N·m|N]
};

const char* name_of(TestInput input);

/// Returns the number of basic steps in `seconds`, at least 1. @throws std::invalid_argument above
/// kMaxTestSteps
std::int64_t test_steps(double seconds, double time_step);
/// The most steps of one run of an experiment.
inline constexpr std::int64_t kMaxTestSteps = 5'000'000;

/// Returns the motor that drives a joint of a simulation, for commands.
/// @throws std::invalid_argument if there is none
Motor& motor_that_drives(const Simulation& simulation, const Joint& joint);

/// A joint of a world under test.
///
/// Invariant: after settle(), every restart() leads to the same state bit for bit.
class JointTest {
 public:
  /// @param joint  the name, as for Simulation::joint()
  /// @throws std::out_of_range if there is no such joint; std::invalid_argument if no motor can
  /// move it
  JointTest(Simulation simulation, std::string_view joint);

  /// Moves the joint to a position by position control for `seconds`, and makes that state the
  /// start. The motor holds the joint there; for TestInput::Effort it exerts the effort that this
  /// takes in addition to the joint's spring.
  /// @param around  position [rad|m]; nothing means the target of the motor, or if it has none, the
  /// present position
  /// @throws StepFailed; std::invalid_argument for more steps than kMaxTestSteps
  void settle(TestInput input, std::optional<double> around, double seconds);
  /// Returns whether the joint was at rest at its position at the end of settle().
  bool has_settled() const { return has_settled_; }
  /// How far the input may go from its value at the start: for positions to the ends of the range,
  /// otherwise to the motor's limits. It is infinite if there is no limit.
  struct Room {
    double below;
    double above;
  };
  Room room() const;
  /// Returns the range of positions [rad|m]: the motor's minPosition and maxPosition, else the
  /// joint's stops.
  std::optional<JointRange> range() const { return range_of(spec(), motor_); }
  /// Goes back to the start.
  void restart();
  /// Takes one basic step with the input at its value at the start plus `change`, and returns the
  /// joint's state after it. @throws StepFailed; std::invalid_argument for an input beyond room()
  JointReading step(double change);

  double time_step() const { return simulation_.basic_time_step_ms() / 1000.0; }  ///< [s]
  Joint joint() const { return simulation_.joint(joint_); }
  const Motor& motor() const { return *motor_; }
  Motor& motor() { return *motor_; }
  TestInput input() const { return input_; }
  /// Returns the input at the start, measured at the joint: the motor's multiplier does not count.
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
