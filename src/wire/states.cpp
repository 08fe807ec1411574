// SPDX-License-Identifier: Apache-2.0
#include "wire/states.h"

#include "core/due.h"

namespace servosim::wire {

using yarp::ControlBoard;

namespace {

void fill(const ControlBoard& board, JointNumbers& numbers) {
  using Results = ControlBoard::Results;
  auto& q = numbers.quantities;
  numbers.valid = {board.getEncoders(Results(q[0])),
                   board.getEncoderSpeeds(Results(q[1])),
                   board.getEncoderAccelerations(Results(q[2])),
                   board.getMotorEncoders(q[3]),
                   board.getMotorEncoderSpeeds(q[4]),
                   board.getMotorEncoderAccelerations(q[5]),
                   board.getTorques(Results(q[6])),
                   board.getDutyCycles(Results(q[7])),
                   board.getCurrents(Results(q[8])),
                   false};
  numbers.modes_valid = {board.getControlModes(ControlBoard::ModeResults(numbers.modes[0])),
                         board.getInteractionModes(ControlBoard::ModeResults(numbers.modes[1]))};
}

yarp::JointStates views(const JointNumbers& numbers) {
  yarp::JointStates states;
  std::size_t at = 0;
  for (auto* quantity :
       {&states.positions, &states.velocities, &states.accelerations, &states.motor_positions,
        &states.motor_velocities, &states.motor_accelerations, &states.torques, &states.duty_cycles,
        &states.currents, &states.temperatures}) {
    *quantity = {numbers.quantities[at], numbers.valid[at]};
    ++at;
  }
  states.control_modes = {numbers.modes[0], numbers.modes_valid[0]};
  states.interaction_modes = {numbers.modes[1], numbers.modes_valid[1]};
  return states;
}

}  // namespace

JointNumbers::JointNumbers(std::size_t axes) {
  quantities.fill(std::vector<double>(axes));
  modes.fill(std::vector<yarp::vocab32_t>(axes));
}

States::States(yarp::Station& station, yarp::Port& state, yarp::Port& state_ext, double period,
               yarp::Generation generation, std::size_t axes)
    : state_(state),
      state_ext_(state_ext),
      period_(period),
      generation_(generation),
      outbox_(station.thread(), JointNumbers(axes),
              [this](const JointNumbers& numbers) { send(numbers); }) {}

void States::update(const ControlBoard& board, double time) {
  if (time < last_) {  // a restored simulation
    due_ = time;
  }
  last_ = time;
  if (!is_due(1e3 * time, 1e3 * due_)) {
    return;
  }
  due_ += period_;
  if (is_due(1e3 * time, 1e3 * due_)) {  // steps are longer than the period
    due_ = time + period_;
  }
  ++sequence_;
  outbox_.put([&](JointNumbers& numbers) {
    fill(board, numbers);
    numbers.stamp = {static_cast<std::int32_t>(sequence_ & 0x7fffffff), time};
  });
}

// In the thread of the ports.
void States::send(const JointNumbers& numbers) {
  if (state_.output_count() > 0) {
    writer_.clear();
    encode_vector(writer_, std::span<const double>(numbers.quantities[0]), generation_);
    state_.publish(writer_.bytes(), numbers.stamp);
  }
  if (state_ext_.output_count() > 0) {
    writer_.clear();
    encode_joint_states(writer_, views(numbers), generation_);
    state_ext_.publish(writer_.bytes(), numbers.stamp);
  }
}

}  // namespace servosim::wire
