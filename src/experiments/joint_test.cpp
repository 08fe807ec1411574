// SPDX-License-Identifier: Apache-2.0
#include "experiments/joint_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "scene/scene.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

constexpr double kAtPlace = 1e-3;  // relative to the position, at least to 1 rad or m
constexpr double kAtRest = 1e-2;   // the same per second

}  // namespace

// Joints are read-only; commands go to the motor, which the robot owns.
Motor& motor_that_drives(const Simulation& simulation, const Joint& joint) {
  for (const Robot& robot : simulation.robots()) {
    for (const DeviceNode& device : robot.devices()) {
      Motor* const motor = device.get<Motor>();
      if (motor != nullptr && motor == joint.motor()) {
        return *motor;
      }
    }
  }
  throw std::invalid_argument(
      fmt::format("joint '{}' has no motor, so nothing can move it", joint.name()));
}

const char* name_of(TestInput input) {
  switch (input) {
    case TestInput::Position:
      return "position";
    case TestInput::Velocity:
      return "velocity";
    case TestInput::Effort:
      break;
  }
  return "effort";
}

std::int64_t test_steps(double seconds, double time_step) {
  const double steps = std::ceil(seconds / time_step);
  if (!(steps <= static_cast<double>(kMaxTestSteps))) {
    throw std::invalid_argument(
        fmt::format("{:.6g} s are more than the {} steps of {:.6g} s that an experiment may take",
                    seconds, kMaxTestSteps, time_step));
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(steps));
}

JointTest::JointTest(Simulation simulation, std::string_view joint)
    : simulation_(std::move(simulation)),
      joint_(simulation_.joint(joint).index()),
      motor_(&motor_that_drives(simulation_, simulation_.joint(joint_))),
      start_(simulation_.save()) {
  if (motor_->limits().multiplier == 0.0) {
    throw std::invalid_argument(
        fmt::format("the multiplier of the motor of '{}' is 0, so nothing can move it", joint));
  }
}

void JointTest::settle(TestInput input, std::optional<double> around, double seconds) {
  if (!around && std::isfinite(motor_->targets().position)) {
    around = motor_->targets().position;
  }
  input_ = TestInput::Position;
  offset_ = around.value_or(joint().position());
  command(offset_);
  if (seconds > 0.0) {
    simulation_.step(test_steps(seconds, time_step()));
  }
  const JointReading rest = joint().reading();
  const double range = std::max(1.0, std::abs(offset_));
  has_settled_ = std::abs(rest.position - offset_) <= kAtPlace * range &&
                 std::abs(rest.velocity) <= kAtRest * range;
  input_ = input;
  if (input != TestInput::Position) {
    offset_ = input == TestInput::Effort ? holding_effort() : 0.0;
    command(offset_);
  }
  start_ = simulation_.save(std::move(start_));
}

// Returns the effort that the joint exerts on its endpoint, minus that of its spring.
double JointTest::holding_effort() const {
  const JointReading reading = joint().reading();
  return reading.effort + spec().spring.constant * (reading.position - spec().spring.reference);
}

const JointSpec& JointTest::spec() const {
  const WorldInspector inspector(simulation_);
  return inspector.scene().joints[inspector.joint_in_scene(joint_)];
}

JointTest::Room JointTest::room() const {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  double low = -kNoLimit;
  double high = kNoLimit;
  if (input_ == TestInput::Position) {
    if (const std::optional<JointRange> limits = range()) {
      low = limits->lower;
      high = limits->upper;
    }
  } else {
    high = input_ == TestInput::Velocity ? motor_->limits().max_velocity
                                         : motor_->targets().available_force;
    low = -high;
  }
  return {std::max(0.0, offset_ - low), std::max(0.0, high - offset_)};
}

void JointTest::restart() { simulation_.restore(start_); }

JointReading JointTest::step(double change) {
  command(offset_ + change);
  simulation_.step();
  return joint().reading();
}

void JointTest::command(double value) {
  const double told =
      value / motor_->limits().multiplier;  // the motor multiplies it by its multiplier
  double taken = value;
  switch (input_) {
    case TestInput::Position:
      motor_->set_position(told);
      taken = motor_->targets().position;
      break;
    case TestInput::Velocity:
      motor_->set_position(std::numeric_limits<double>::infinity());
      motor_->set_velocity(told);
      taken = motor_->targets().velocity;
      break;
    case TestInput::Effort:
      motor_->set_force(told);
      taken = motor_->targets().force;
      break;
  }
  if (!(std::abs(taken - value) <= 1e-9 * std::max(1.0, std::abs(value)))) {
    throw std::invalid_argument(fmt::format("the motor takes no {} of {:.6g}; its limit is {:.6g}",
                                            name_of(input_), value, taken));
  }
}

}  // namespace servosim
