// SPDX-License-Identifier: Apache-2.0
#include "experiments/joint_test.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "scene/scene.h"
#include "sim/simulation_core.h"

namespace servosim {
namespace {

// Joints are for reading; commands go to the motor that the robot owns.
Motor* motor_that_drives(const Simulation& simulation, const Joint& joint) {
  for (const Robot& robot : simulation.robots()) {
    for (const Device& device : robot.devices()) {
      if (device.motor && device.motor.get() == joint.motor()) {
        return device.motor.get();
      }
    }
  }
  throw std::invalid_argument(
      fmt::format("joint '{}' has no motor, so nothing can move it", joint.name()));
}

}  // namespace

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

double room_of(TestInput input, const Motor& motor) {
  switch (input) {
    case TestInput::Position: {
      const double range = motor.max_position() - motor.min_position();  // 0: without limits
      return range > 0.0 ? range / 2.0 : std::numeric_limits<double>::infinity();
    }
    case TestInput::Velocity:
      return motor.max_velocity();
    case TestInput::Effort:
      break;
  }
  return motor.available_force();
}

JointTest::JointTest(Simulation simulation, std::string_view joint)
    : simulation_(std::move(simulation)),
      joint_(simulation_.joint(joint).index()),
      motor_(motor_that_drives(simulation_, simulation_.joint(joint_))),
      start_(simulation_.save()) {}

void JointTest::settle(TestInput input, std::optional<double> around, double seconds) {
  if (!around && std::isfinite(motor_->target_position())) {
    around = motor_->target_position();
  }
  input_ = TestInput::Position;
  offset_ = around.value_or(joint().position());
  command(offset_);
  const auto steps = static_cast<std::int64_t>(std::ceil(seconds / time_step()));
  simulation_.step(steps);
  input_ = input;
  if (input != TestInput::Position) {
    offset_ = input == TestInput::Effort ? holding_effort() : 0.0;
    command(offset_);
  }
  start_ = simulation_.save(std::move(start_));
}

// What the joint puts on its endpoint, less what its spring does.
double JointTest::holding_effort() const {
  const SimulationCore& core = core_of(simulation_);
  const JointSpec& spec = core.scene().joints[core.joint_in_scene(joint_)];
  const JointReading reading = joint().reading();
  return reading.effort + spec.spring_constant * reading.position;
}

void JointTest::restart() { simulation_.restore(start_); }

JointReading JointTest::step(double change) {
  command(offset_ + change);
  simulation_.step();
  return joint().reading();
}

void JointTest::command(double value) {
  switch (input_) {
    case TestInput::Position:
      motor_->set_position(value);
      break;
    case TestInput::Velocity:
      motor_->set_position(std::numeric_limits<double>::infinity());
      motor_->set_velocity(value);
      break;
    case TestInput::Effort:
      motor_->set_force(value);
      break;
  }
}

}  // namespace servosim
