// SPDX-License-Identifier: Apache-2.0
#include "bus/servo/bench_plant.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace servosim::bus {

BenchLoad bench_load_for(const ServoModel& model) {
  const double most =
      model.drive.torque_constant *
      std::min(model.supply.voltage / model.drive.resistance, model.firmware.max_current);
  BenchLoad load{.mass = 1.0};
  load.mass = std::max(std::round(1e4 * 0.1 * most / load.weight()), 1.0) / 1e4;
  return load;
}

static ServoState state_of(const ServoModel& model) {
  ServoState state;
  state.model = &model;
  state.numbers = numbers_of(model);
  state.is_simulated = true;
  state.command = command_of(model, 0.0);
  state.memory.law = servo_at(model, 0.0);
  return state;
}

BenchPlant::BenchPlant(std::shared_ptr<const ServoModel> model, const BenchLoad& load)
    : model_(std::move(model)),
      load_(load),
      state_(state_of(*model_)),
      random_(1),
      electronics_(state_, random_),
      volts_(model_->supply.voltage) {
  order_.share = 0.0;
  order_.gains = own_gains();
}

PidGains BenchPlant::own_gains() const {
  return {model_->firmware.p, model_->firmware.i, model_->firmware.d};
}

ServoSense BenchPlant::sense() const {
  ServoSense sense;
  sense.position = encoder_reading(model_->encoder, position_, 0.0);
  sense.velocity = rate_;
  sense.reading = electronics_.reading();
  sense.target_rate = electronics_.target_rate();
  return sense;
}

void BenchPlant::put(double position) {
  position_ = position;
  rate_ = 0.0;
  state_.put(position, 0.0);
}

void BenchPlant::step(double h) {
  electronics_.before_step(order_, position_, h);
  ServoMemory& memory = state_.memory.law;
  const ServoSupply& supply = model_->supply;
  const double unloaded = std::min(volts_, state_.max_volts);
  state_.command.volts =
      supply_voltage(unloaded, supply.resistance, std::min(least_voltage(supply), unloaded),
                     supply_load(state_.numbers, memory));
  const double load = -load_.weight() * std::sin(position_);
  const ServoStep step =
      servo_step(state_.numbers, state_.command, state_.reading, rate_, load_.inertia(), h, memory);
  double force = 0.0;
  double after = rate_after(step, load_.inertia(), load, h, &force);
  if (is_blocked_) {
    after = 0.0;
  }
  after_servo_step(state_.numbers, step, after, force, load_.inertia(), h, memory);
  position_ += h * after;
  rate_ = after;
}

}  // namespace servosim::bus
