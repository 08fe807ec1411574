// SPDX-License-Identifier: Apache-2.0
#include "bus/servo/feetech_firmware.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace servosim::bus {

using Role = RegisterRole;

// What the register of the torque means besides 0 and 1.
static constexpr std::int64_t kMiddleIsHere = 128;
// Bits of the register Phase.
static constexpr std::int64_t kFineSpeed = 0x04;
static constexpr std::int64_t kZeroSpeedIsFull = 0x08;
static constexpr std::int64_t kFullAngle = 0x10;
// SCS has no register for the load that is too much.
static constexpr double kOverload = 0.8;
// A shaft that is slower does not turn, for its overload [rad/s].
static constexpr double kTurns = 0.05;
// Without the fine unit of speed a count is 50 counts of the position per second.
static constexpr double kCoarse = 50.0;

double FeetechFirmware::baud() const {
  constexpr double kBauds[] = {1e6, 5e5, 2.5e5, 1.28e5, 1.152e5, 7.68e4, 5.76e4, 3.84e4};
  constexpr double kLerobotBauds[] = {1e6, 5e5, 2.5e5, 1.28e5, 1.152e5, 5.76e4, 3.84e4, 1.92e4};
  const auto code = static_cast<std::size_t>(std::clamp<std::int64_t>(value(Role::BaudRate), 0, 7));
  return choices_.registers.lerobot_bauds ? kLerobotBauds[code] : kBauds[code];
}

FeetechFirmware::Motion FeetechFirmware::kind() const {
  const bool has_no_limits = value(Role::MinPosition) == 0 && value(Role::MaxPosition) == 0;
  if (is_scs()) {
    return has_no_limits ? Motion::Pwm : Motion::Position;
  }
  switch (value(Role::OperatingMode)) {
    case 1:
      return Motion::Velocity;
    case 2:
      return Motion::Pwm;
    case 3:
      return Motion::Relative;
    default:
      return has_no_limits ? Motion::MultiTurn : Motion::Position;
  }
}

bool FeetechFirmware::is_single_turn() const {
  return kind() != Motion::MultiTurn && (value(Role::Phase) & kFullAngle) == 0;
}

double FeetechFirmware::present(double position) const {
  const double counts = memory_.table().counts;
  const double seen =
      raw_count(position) - turns_ * counts - static_cast<double>(value(Role::HomingOffset));
  if (is_scs()) {
    return std::clamp(seen, 0.0, 1023.0);
  }
  return is_single_turn() ? seen - counts * std::floor(seen / counts) : seen;
}

// Where one turn is all that the servo knows, the goal is in the turn in which the register of the
// present position is: turns begin where that register is 0, which the offset shifts.
double FeetechFirmware::position_of(double count) const {
  const double counts = memory_.table().counts;
  const double actual = count + static_cast<double>(value(Role::HomingOffset)) + turns_ * counts;
  if (!is_single_turn() || is_scs()) {
    return position_of_raw(actual);
  }
  const double position = plant_.sense().position;
  return position_of_raw(raw_count(position) + count - present(position));
}

void FeetechFirmware::take_present_as_goal() {
  const double position = plant_.sense().position;
  memory_.set(Role::GoalPosition, static_cast<std::int64_t>(present(position)));
  goal_ = position;
  speed_ = 0.0;
}

void FeetechFirmware::start() {
  turns_ = std::floor(raw_count(plant_.sense().position) / memory_.table().counts);
  overload_side_ = 0.0;
  Firmware::start();
  take_present_as_goal();
  order();
}

void FeetechFirmware::begin_motion() {
  auto count = static_cast<double>(value(Role::GoalPosition));
  if (kind() == Motion::Relative) {
    goal_ += count * this->count();
  } else {
    if (kind() == Motion::Position) {
      // A client may write a least position above the greatest one.
      count = std::min(std::max(count, static_cast<double>(value(Role::MinPosition))),
                       static_cast<double>(value(Role::MaxPosition)));
    }
    goal_ = position_of(count);
  }
  plan_time();
  if ((goal_ - plant_.sense().position) * overload_side_ < 0.0) {
    overload_side_ = 0.0;
    overload_ = 0.0;
  }
}

// SCS has the time of a motion where STS has the PWM. It may be written after the goal.
void FeetechFirmware::plan_time() {
  const double time = is_scs() ? memory_.quantity(Role::GoalTime) : 0.0;
  const double way = std::abs(goal_ - plant_.sense().position);
  speed_ = time > 0.0 ? std::max(way / time, 1e-9) : 0.0;
}

// The direction of PWM is bit 10 of what SCS otherwise has as a time.
double FeetechFirmware::signed_output() const {
  const std::int64_t raw = value(Role::GoalTime);
  if (!is_scs()) {
    return 0.001 * static_cast<double>(raw);
  }
  const double size = 0.001 * static_cast<double>(raw & 0x3FF);
  return (raw & 0x400) != 0 ? -size : size;
}

double FeetechFirmware::speed_unit() const {
  return is_scs() || (value(Role::Phase) & kFineSpeed) != 0 ? 1.0 : kCoarse;
}

ServoOrder FeetechFirmware::motion() const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  ServoOrder order = limited_order();
  order.share = memory_.quantity(Role::TorqueLimit, memory_.quantity(Role::MaxTorque, 1.0));
  if (overload_side_ != 0.0) {
    order.share = std::min(order.share, memory_.quantity(Role::ProtectiveTorque, 0.2));
  }
  if (const double acceleration = memory_.quantity(Role::ProfileAcceleration); acceleration > 0.0) {
    order.acceleration = acceleration;
  }
  const double speed = speed_unit() * memory_.quantity(Role::GoalVelocity);
  switch (kind()) {
    case Motion::Velocity:
      order.mode = ServoOrder::Mode::Velocity;
      order.value = speed;
      break;
    case Motion::Pwm:
      order.mode = ServoOrder::Mode::Duty;
      order.value = signed_output();
      break;
    default: {
      order.value = goal_;
      const bool stops_at_0 = !is_scs() && (value(Role::Phase) & kZeroSpeedIsFull) == 0;
      order.speed = speed_ > 0.0   ? speed_
                    : speed != 0.0 ? std::abs(speed)
                    : stops_at_0   ? 1e-9
                                   : kNone;
    }
  }
  if (!is_on()) {
    order.share = 0.0;
  }
  return order;
}

void FeetechFirmware::written(const RegisterRow& row, std::int64_t before) {
  switch (row.role) {
    case Role::TorqueEnable:
      if (value(Role::TorqueEnable) == kMiddleIsHere) {
        memory_.set(row, before == 1 && !choices_.firmware.middle_ends_torque ? 1 : 0);
        calibrate(static_cast<std::int64_t>(memory_.table().zero));
      } else if (before == 0 && is_on() && !choices_.firmware.keeps_goal) {
        take_present_as_goal();
      } else if (!is_on()) {
        overload_side_ = 0.0;
        if (!choices_.firmware.overload_lasts) {
          clear_errors();
        }
      }
      break;
    case Role::GoalPosition:
      begin_motion();
      break;
    case Role::GoalTime:
      plan_time();
      break;
    case Role::OperatingMode:
    case Role::HomingOffset:
      take_present_as_goal();
      break;
    default:
      break;
  }
}

bool FeetechFirmware::clear_turns() {
  turns_ = std::floor(raw_count(plant_.sense().position) / memory_.table().counts);
  take_present_as_goal();
  return true;
}

bool FeetechFirmware::calibrate(std::int64_t count) {
  const RegisterRow* const offset = memory_.table().find(Role::HomingOffset);
  if (offset == nullptr) {
    return false;
  }
  const double counts = memory_.table().counts;
  const double needed = raw_count(plant_.sense().position) - static_cast<double>(count);
  const double nearest = needed - counts * std::round(needed / counts);
  const auto most = static_cast<double>(offset->room().second);
  memory_.set(*offset, static_cast<std::int64_t>(std::clamp(nearest, -most, most)));
  take_present_as_goal();
  return true;
}

bool FeetechFirmware::is_overloaded(const ServoSense& sense) const {
  // The register of the load has the duty, which a free shaft at its greatest speed needs, too.
  const bool counts = choices_.firmware.overload_in_motion || std::abs(sense.velocity) < kTurns;
  return counts && kind() != Motion::Pwm &&
         std::abs(sense.reading.duty) > memory_.quantity(Role::OverloadTorque, kOverload);
}

double FeetechFirmware::overload_time() const {
  // The register has units of 10 ms, also where the table of the model does not say so.
  return 0.01 * static_cast<double>(value(Role::ProtectionTime, 200));
}

// The bit of an overload stays, so that a second one is no change of the errors.
void FeetechFirmware::overloaded(const ServoSense& sense) {
  overload_side_ = sense.reading.duty < 0.0 ? -1.0 : 1.0;
  order();
}

void FeetechFirmware::errors_changed(std::uint8_t before) {
  memory_.set(Role::HardwareError, errors_);
  const auto come = static_cast<std::uint8_t>(errors_ & ~before);
  // An overload leaves the protective torque; the others end all of it.
  const int ending = choices_.firmware.overload_unloads ? 0xFF : ~error_bits().overload;
  if ((come & ending & value(Role::Shutdown)) != 0) {
    memory_.set(Role::TorqueEnable, 0);
  }
  if (come != 0) {
    order();
  }
}

void FeetechFirmware::refresh() {
  const ServoSense sense = plant_.sense();
  memory_.set(Role::PresentPosition, static_cast<std::int64_t>(present(sense.position)));
  memory_.set_quantity(Role::PresentVelocity, sense.velocity / speed_unit());
  memory_.set_quantity(Role::PresentLoad, sense.reading.duty);
  memory_.set_quantity(Role::PresentCurrent, sense.reading.current);
  memory_.set_quantity(Role::PresentVoltage, sense.reading.voltage);
  memory_.set_quantity(Role::PresentTemperature, sense.reading.case_temperature);
  memory_.set(Role::Moving, is_moving() ? 1 : 0);
  memory_.set(Role::GoalEcho, value(Role::GoalPosition));
}

}  // namespace servosim::bus
