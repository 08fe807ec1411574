// SPDX-License-Identifier: Apache-2.0
#include "yarp/server/states.h"

#include <chrono>

#include "base/limits.h"
#include "yarp/protocol/streaming.h"

namespace servosim::wire {

namespace {

// Clients treat a state as valid for 0.5 s; a slow simulation takes longer to the next.
constexpr std::chrono::milliseconds kRepeat{200};

StampedReadings readings_of(const yarp::ControlBoard& board) {
  StampedReadings state;
  board.read(state.readings);
  return state;
}

yarp::JointStates views(const yarp::BoardReadings& readings,
                        std::span<const double> no_temperatures) {
  yarp::JointStates states;
  states.positions = states.motor_positions = {readings.encoders, true};
  states.velocities = states.motor_velocities = {readings.encoder_speeds, true};
  states.accelerations = states.motor_accelerations = {readings.encoder_accelerations, true};
  states.torques = {readings.torques, true};
  states.duty_cycles = {readings.duty_cycles, true};
  states.currents = {readings.currents, true};
  states.control_modes = {readings.control_modes, true};
  states.interaction_modes = {readings.interaction_modes, true};
  states.temperatures = {no_temperatures, false};
  return states;
}

}  // namespace

States::States(yarp::YarpNode& node, yarp::Port& state, yarp::Port& state_ext, double period,
               yarp::Generation generation, const yarp::ControlBoard& board)
    : state_(state),
      state_ext_(state_ext),
      period_(period),
      generation_(generation),
      board_(board),
      publisher_(
          node.thread(), readings_of(board),
          [this](const StampedReadings& stamped) { send(stamped); }, kRepeat) {}

void States::update(double time) {
  if (time < last_) {  // the first step, or that of a restored simulation
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
  publisher_.put([&](StampedReadings& state) {
    board_.read(state.readings);
    state.stamp = {static_cast<std::int32_t>(sequence_ & 0x7fffffff), time};
  });
}

// In the thread of the ports.
void States::send(const StampedReadings& state) {
  const auto& [readings, stamp] = state;
  if (state_.output_count() > 0) {
    writer_.clear();
    encode_vector(writer_, std::span<const double>(readings.encoders), generation_);
    state_.publish(writer_.bytes(), stamp);
  }
  if (state_ext_.output_count() > 0) {
    writer_.clear();
    no_temperatures_.resize(readings.encoders.size());
    encode_joint_states(writer_, views(readings, no_temperatures_), generation_);
    state_ext_.publish(writer_.bytes(), stamp);
  }
}

}  // namespace servosim::wire
