// SPDX-License-Identifier: Apache-2.0
#include "devices/servo_electronics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/random.h"
#include "devices/device_archive.h"
#include "physics/servo_state.h"
#include "servo_models/servo_fields.h"

namespace servosim {

namespace {

// A longer delay is that of no servo, and would take memory without bound [steps].
constexpr double kMostDelayed = 10000.0;

std::string why_protected(const ServoMemory& now, const ServoProtection& limits) {
  if (now.is_shut_down > 0.5 && now.volts < limits.min_voltage) {
    return fmt::format("its supply has {:.4g} V, less than protection.min_voltage {:g}", now.volts,
                       limits.min_voltage);
  }
  if (now.is_shut_down > 0.5 && now.volts > limits.max_voltage) {
    return fmt::format("its supply has {:.4g} V, more than protection.max_voltage {:g}", now.volts,
                       limits.max_voltage);
  }
  if (now.is_shut_down > 0.5 && now.housing > limits.max_temperature) {
    return fmt::format("its case has {:.4g} °C, more than protection.max_temperature {:g}",
                       now.housing, limits.max_temperature);
  }
  return fmt::format(
      "its duty was more than protection.overload_duty {:g} for protection.overload_time {:g} s",
      limits.overload_duty, limits.overload_time);
}

}  // namespace

static void add_to_hash(Fnv1a& hash, const ServoCommand& c) {
  for (const double number : {c.is_on, c.goal, c.p, c.i, c.d, c.output, c.is_current, c.max_duty,
                              c.max_current, c.max_speed, c.max_acceleration}) {
    hash.add(number);
  }
}

double read_encoder(const ServoModel& model, double position, Random& random) {
  return encoder_reading(model.encoder, position,
                         model.encoder.noise > 0.0 ? random.normal() : 0.0);
}

void ServoElectronics::bind(ServoState& state, Random& random) {
  state_ = &state;
  random_ = &random;
  h_ = 0.0;
}

ServoCommand ServoElectronics::command_for(const ServoOrder& order) const {
  const ServoFirmware& firmware = model().firmware;
  ServoCommand command = command_of(model(), order.value);
  command.is_on = order.share > 0.0 ? 1.0 : 0.0;
  command.max_duty *= order.share;
  command.max_current = std::min(command.max_current, order.max_current);
  command.p = servo_gain(order.gains.p, firmware.p_scale);
  command.i = servo_gain(order.gains.i, firmware.i_scale);
  command.d = servo_gain(order.gains.d, firmware.d_scale);
  command.max_speed = std::min(command.max_speed, order.speed);
  command.max_acceleration = std::min(command.max_acceleration, order.acceleration);
  if (order.mode == ServoOrder::Mode::Force) {
    command.goal = state_->reading;
    command.p = command.i = command.d = 0.0;
    command.is_current = 1.0;
    command.output = order.value / model().drive.torque_constant;
  } else if (order.mode == ServoOrder::Mode::Current || order.mode == ServoOrder::Mode::Duty) {
    command.goal = state_->reading;
    command.p = command.i = command.d = 0.0;
    command.is_current = order.mode == ServoOrder::Mode::Current ? 1.0 : 0.0;
    command.output = order.value;
  } else if (order.mode == ServoOrder::Mode::Velocity) {
    // The integral of a velocity's error is the error of a target that moves at that velocity.
    if (order.velocity_gains) {
      const bool is_ramp = command.max_acceleration < std::numeric_limits<double>::infinity();
      command.p = order.velocity_gains->i;
      command.i = 0.0;
      command.d = order.velocity_gains->p;
      command.output = command.d * (is_ramp ? state_->memory.law.target_rate : order.value);
    } else if (command.p == 0.0 && command.i == 0.0) {  // no loop follows the target
      command.output = command.d * order.value;
    }
    // The target moves at that speed. It is never further ahead than where the loop gives all that
    // it can, so that a servo which cannot follow turns back at once.
    const double most = firmware.law == ServoLaw::Current ? firmware.max_current : command.max_duty;
    const double rise = firmware.compliance_slope > 0.0 ? firmware.compliance_slope
                                                        : most / std::max(command.p, 1e-9);
    // A profile keeps the way in which it could stop.
    const double stop = order.value * order.value / (2.0 * command.max_acceleration);
    const double ahead = std::min(firmware.dead_zone + rise + stop, 1e9);
    command.max_speed = std::abs(order.value);
    command.goal = order.value == 0.0 ? state_->memory.law.target
                                      : state_->reading + std::copysign(ahead, order.value);
  }
  return command;
}

// Returns whether the firmware has the command of this order already, but for the goal.
bool ServoElectronics::repeats(const ServoOrder& order, double h) {
  repeated_.value = order.value;
  if (h == h_ && order == repeated_) {
    return true;
  }
  const bool is_plain = order.mode == ServoOrder::Mode::Position && !model().pulses.exist() &&
                        std::round(model().firmware.delay / h) < 1.0;
  repeated_ = order;
  h_ = is_plain ? h : 0.0;
  return false;
}

double jam_friction(const ServoModel& model) {
  const ServoDrive& drive = model.drive;
  const double current =
      std::min(model.supply.voltage / drive.resistance, model.firmware.max_current);
  return 10.0 * drive.torque_constant * current;
}

void ServoElectronics::suffer(const ServoTrouble& trouble) {
  ServoMemory& memory = state_->memory.law;
  const ServoThermal& thermal = model().thermal;
  // What has no capacity for heat would keep its temperature.
  if (trouble.temperature < trouble_.temperature) {
    memory.winding = thermal.winding_capacity > 0.0 ? memory.winding : thermal.ambient;
    memory.housing = thermal.case_capacity > 0.0 ? memory.housing : thermal.ambient;
  }
  const bool was_well = trouble_ == ServoTrouble();
  trouble_ = trouble;
  if (!was_well) {
    apply_trouble();
  }
}

void ServoElectronics::apply_trouble() {
  ServoState& state = *state_;
  ServoMemory& memory = state.memory.law;
  const double jam = std::isinf(trouble_.friction) ? jam_friction(model()) : trouble_.friction;
  state.numbers.friction.coulomb = model().friction.coulomb + jam;
  state.max_volts = trouble_.max_volts;
  memory.winding = std::max(memory.winding, trouble_.temperature);
  memory.housing = std::max(memory.housing, trouble_.temperature);
}

// The law has one side, which is the one on which the shaft is.
void ServoElectronics::set_shape(const LoopShape& shape) {
  const ServoFirmware& firmware = model().firmware;
  ServoNumbers& numbers = state_->numbers;
  const int side = state_->memory.law.target < state_->reading ? 0 : 1;
  numbers.dead_zone = std::max(0.0, firmware.dead_zone + shape.dead_zone[side]);
  numbers.punch = std::clamp(firmware.punch + shape.punch, 0.0, firmware.max_duty);
  if (firmware.compliance_slope > 0.0) {
    const double least = 1e-3 * firmware.compliance_slope;  // the law divides by the slope
    numbers.compliance_slope =
        std::max(least, firmware.compliance_slope + shape.compliance_slope[side]);
  }
}

void ServoElectronics::before_step(const ServoOrder& order, double position, double h) {
  ServoState& state = *state_;
  if (trouble_ != ServoTrouble()) {  // in each step, since the state may be that of another world
    apply_trouble();
  }
  state.reading = read_encoder(model(), position, *random_);
  if (order.is_protected) {
    ServoMemory& memory = state.memory.law;
    memory.is_shut_down = memory.is_limited = memory.overload = 0.0;
  }
  state.acts = true;
  const bool is_repeated = repeats(order, h);
  has_shape_ = is_repeated ? has_shape_ : order.shape != LoopShape();
  if (has_shape_ || !is_repeated) {
    set_shape(order.shape);
  }
  if (is_repeated) {
    state.command.goal = order.value;
    return;
  }
  ServoCommand command = command_for(order);
  const ServoPulses& pulses = model().pulses;
  if (pulses.exist() && order.mode == ServoOrder::Mode::Position) {
    if (until_pulse_ < 0.5 * h) {
      const auto [least, most] = std::minmax(pulses.low_position, pulses.high_position);
      pulse_ = std::clamp(command.goal, least, most);
      until_pulse_ += pulses.frame;
    }
    until_pulse_ -= h;
    command.goal = pulse_;
  }
  const auto delay = static_cast<std::size_t>(
      std::clamp(std::round(model().firmware.delay / h), 0.0, kMostDelayed));
  if (delay > 0) {
    // Until the first one arrives there is no torque.
    ServoCommand none = command;
    none.is_on = 0.0;
    if (delayed_.size() != delay) {
      std::rotate(delayed_.begin(), delayed_.begin() + static_cast<std::ptrdiff_t>(next_),
                  delayed_.end());
      delayed_.resize(delay, none);
      next_ = 0;
    }
    std::swap(command, delayed_[next_]);
    next_ = (next_ + 1) % delay;
  }
  state.command = command;
}

// Its torque is off, so that orders of before have no effect after it.
void ServoElectronics::leave_step(double position) {
  state_->reading = read_encoder(model(), position, *random_);
  state_->acts = false;
  delayed_.clear();
  next_ = 0;
  until_pulse_ = 0.0;
}

void ServoElectronics::stop() {
  if (!delayed_.empty()) {
    delayed_.assign(delayed_.size(), ServoCommand(delayed_[next_]));
  }
  until_pulse_ = 0.0;
}

std::string ServoElectronics::protection_news(double now_ms) {
  const ServoMemory& m = state_->memory.law;
  if (m.is_shut_down + m.is_limited < 0.5 || told_protection_) {
    return {};
  }
  told_protection_ = true;
  const ServoProtection& limits = model().protection;
  const std::string effect = m.is_shut_down > 0.5
                                 ? "ended its torque"
                                 : fmt::format("limited its duty to {:.3g}", limits.overload_rest);
  return fmt::format("{} at {:.6g} s: {}", effect, now_ms / 1000.0, why_protected(m, limits));
}

std::string ServoElectronics::idle_gain_news(const PidGains& gains) const {
  const ServoFirmware& own = model().firmware;
  for (const auto& [name, asked, had] :
       {std::tuple("p", gains.p, own.p), {"i", gains.i, own.i}, {"d", gains.d, own.d}}) {
    const std::string_view why =
        asked != had && asked > 0.0 ? why_idle(own, name) : std::string_view();
    if (!why.empty()) {
      return fmt::format("the gain {} = {:g} of its servo {} has no effect, since {}", name, asked,
                         model().name, why);
    }
  }
  return {};
}

double ServoElectronics::power() const {
  const ServoMemory& m = state_->memory.law;
  return model().supply.voltage * m.duty * m.current;
}

double ServoElectronics::target_rate() const { return state_->memory.law.target_rate; }

double ServoElectronics::rate() const { return state_->memory.shaft_rate; }

double ServoElectronics::stall_torque() const {
  const ServoCommand& command = state_->command;
  const ServoNumbers& n = state_->numbers;
  const double current =
      std::min(command.max_duty * command.volts / n.cold_resistance,
               std::sqrt(n.max_supply_current * command.volts / n.cold_resistance));
  return command.is_on > 0.5 ? n.kt * std::min(current, command.max_current) : 0.0;
}

void ServoElectronics::archive(DeviceArchive& archive) {
  std::size_t size = delayed_.size();
  archive.hashed(size);
  delayed_.resize(size);
  for (ServoCommand& command : delayed_) {
    archive.hashed(command);
  }
  archive.hashed(next_);
  archive.hashed(pulse_);
  archive.hashed(until_pulse_);
}

}  // namespace servosim
