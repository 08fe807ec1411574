// SPDX-License-Identifier: Apache-2.0
#include "bus/servo/legacy_firmware.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace servosim::bus {

using Role = RegisterRole;

// A shaft that is slower does not move, for its overload [rad/s].
static constexpr double kStill = 0.05;
// The counts that a sensor of 300° has.
static constexpr double kSensorCounts = 1024.0;
// A bit of the register Drive Mode, of MX-106.
static constexpr std::int64_t kReverse = 0x01;

double LegacyFirmware::baud() const {
  const std::int64_t code = value(Role::BaudRate);
  if (is_wide()) {
    constexpr double kBauds[] = {9600, 57600, 115200, 1e6};
    return kBauds[std::clamp<std::int64_t>(code, 0, 3)];
  }
  switch (code) {
    case 250:
      return 2.25e6;
    case 251:
      return 2.5e6;
    case 252:
      return 3e6;
    default:
      return 2e6 / (static_cast<double>(code) + 1.0);
  }
}

LegacyFirmware::Motion LegacyFirmware::kind() const {
  if (value(Role::TorqueControl) == 1) {
    return Motion::Torque;
  }
  if (is_wide()) {
    return value(Role::OperatingMode) == 1 ? Motion::Wheel : Motion::Joint;
  }
  const std::int64_t low = value(Role::MinPosition);
  const std::int64_t high = value(Role::MaxPosition);
  if (low == 0 && high == 0) {
    return Motion::Wheel;
  }
  return low == 4095 && high == 4095 ? Motion::MultiTurn : Motion::Joint;
}

bool LegacyFirmware::is_reverse() const { return (value(Role::DriveMode) & kReverse) != 0; }

double LegacyFirmware::sensed(double position) const {
  const double raw = raw_count(position);
  return is_reverse() ? 2.0 * memory_.table().zero - raw : raw;
}

double LegacyFirmware::position_of_sensed(double sensed) const {
  return position_of_raw(is_reverse() ? 2.0 * memory_.table().zero - sensed : sensed);
}

double LegacyFirmware::divider() const {
  return std::max<double>(1.0, static_cast<double>(value(Role::ResolutionDivider, 1)));
}

double LegacyFirmware::in_turn(double sensed) const {
  const double counts = memory_.table().counts;
  // The sensor of AX and XL-320 sees 300° of a turn, whose rest is half at each end.
  const double rest = has_gap() ? 0.5 * (counts - kSensorCounts) : 0.0;
  return sensed - counts * std::floor((sensed + rest) / counts);
}

double LegacyFirmware::present(double position) const {
  const double seen = sensed(position);
  if (kind() == Motion::MultiTurn) {
    return std::trunc((seen - turns_ * memory_.table().counts) / divider()) +
           static_cast<double>(value(Role::HomingOffset));
  }
  return has_gap() ? std::clamp(in_turn(seen), 0.0, kSensorCounts - 1.0) : in_turn(seen);
}

double LegacyFirmware::position_of(double count) const {
  if (kind() == Motion::MultiTurn) {
    return position_of_sensed((count - static_cast<double>(value(Role::HomingOffset))) * divider() +
                              turns_ * memory_.table().counts);
  }
  // The goal is in the turn in which the shaft is.
  const double seen = sensed(plant_.sense().position);
  return position_of_sensed(count + seen - in_turn(seen));
}

void LegacyFirmware::take_present_as_goal() {
  goal_ = plant_.sense().position;
  memory_.set(Role::GoalPosition, static_cast<std::int64_t>(present(goal_)));
}

void LegacyFirmware::aim() { goal_ = position_of(static_cast<double>(value(Role::GoalPosition))); }

void LegacyFirmware::start() {
  turns_ = std::floor(sensed(plant_.sense().position) / memory_.table().counts);
  goal_ = plant_.sense().position;
  Firmware::start();
}

ServoOrder LegacyFirmware::motion() const {
  ServoOrder order = limited_order();
  order.share = is_on() ? memory_.quantity(Role::TorqueLimit, 1.0) : 0.0;
  const double sign = is_reverse() ? -1.0 : 1.0;
  const double acceleration = memory_.quantity(Role::ProfileAcceleration);
  if (acceleration > 0.0) {
    order.acceleration = acceleration;
  }
  switch (kind()) {
    case Motion::Wheel:
      order.mode = ServoOrder::Mode::Velocity;
      order.value = sign * memory_.quantity(Role::GoalVelocity);
      break;
    case Motion::Torque:
      order.mode = ServoOrder::Mode::Current;
      order.value = sign * memory_.quantity(Role::GoalCurrent);
      break;
    default: {
      order.value = goal_;
      const double speed = std::abs(memory_.quantity(Role::GoalVelocity));
      if (speed > 0.0) {
        order.speed = speed;
      }
    }
  }
  return order;
}

bool LegacyFirmware::is_locked(const RegisterRow& row) const {
  return row.area == RegisterArea::Eeprom && (is_wide() ? is_on() : value(Role::Lock) == 1);
}

ServoFault LegacyFirmware::check_more(const RegisterRow& row, std::int64_t asked) const {
  if (row.role == Role::Lock && asked == 0 && value(Role::Lock) == 1) {
    return ServoFault::DataRange;  // only without power
  }
  if (row.role == Role::GoalPosition && kind() == Motion::Joint &&
      (asked < value(Role::MinPosition) || asked > value(Role::MaxPosition))) {
    return ServoFault::DataLimit;
  }
  return ServoFault::None;
}

void LegacyFirmware::written(const RegisterRow& row, std::int64_t before) {
  const bool may_be_on = !is_wide() || (errors_ & value(Role::Shutdown)) == 0;
  switch (row.role) {
    case Role::TorqueEnable:
      if (!may_be_on) {
        memory_.set(row, 0);
      } else if (before == 0 && is_on()) {
        choices_.firmware.keeps_goal ? aim() : take_present_as_goal();
      }
      break;
    case Role::GoalPosition:
      if (!is_wide() && choices_.firmware.goal_switches_on) {
        memory_.set(Role::TorqueEnable, 1);
      }
      aim();
      break;
    case Role::DriveMode:
      take_present_as_goal();
      break;
    case Role::MinPosition:
    case Role::MaxPosition:
    case Role::HomingOffset:
    case Role::ResolutionDivider:
    case Role::OperatingMode:
    case Role::TorqueControl:
      aim();  // these change what a goal means
      break;
    case Role::TorqueLimit:
      if (is_wide() || errors_ == 0) {
        break;
      }
      if (choices_.firmware.torque_limit_revives) {
        clear_errors();  // what lasts comes again with the next step
      } else if ((errors_ & value(Role::Shutdown)) != 0) {
        memory_.set(row, 0);
      }
      break;
    default:
      break;
  }
}

Firmware::ErrorBits LegacyFirmware::error_bits() const {
  return is_wide() ? ErrorBits{0x04, 0x02, 0x00, 0x01} : ErrorBits{0x01, 0x04, 0x00, 0x20};
}

std::uint8_t LegacyFirmware::lasting_bits() const { return is_wide() ? 0xFF : 0x20; }

std::uint8_t LegacyFirmware::status_bits() const {
  return is_wide() ? (errors_ != 0 ? 0x80 : 0) : errors_;
}

bool LegacyFirmware::is_overloaded(const ServoSense& sense) const {
  const double share = memory_.quantity(Role::TorqueLimit, 1.0);
  return kind() != Motion::Torque && share > 0.0 && std::abs(sense.velocity) < kStill &&
         std::abs(sense.reading.duty) >= 0.98 * share * plant_.max_duty();
}

void LegacyFirmware::errors_changed(std::uint8_t before) {
  memory_.set(Role::HardwareError, errors_);
  const auto come = static_cast<std::uint8_t>(errors_ & ~before);
  if ((come & value(Role::Shutdown)) == 0) {
    return;
  }
  if (is_wide()) {
    memory_.set(Role::TorqueEnable, 0);
  } else {
    memory_.set(Role::TorqueLimit, 0);
  }
  order();
}

void LegacyFirmware::refresh() {
  const ServoSense sense = plant_.sense();
  const double sign = is_reverse() ? -1.0 : 1.0;
  memory_.set(Role::PresentPosition, static_cast<std::int64_t>(present(sense.position)));
  memory_.set_quantity(Role::PresentVelocity, sign * sense.velocity);
  memory_.set_quantity(Role::PresentLoad, sign * sense.reading.duty);
  memory_.set_quantity(Role::PresentCurrent, sign * sense.reading.current);
  memory_.set_quantity(Role::PresentVoltage, sense.reading.voltage);
  memory_.set_quantity(Role::PresentTemperature, sense.reading.case_temperature);
  memory_.set(Role::Moving, is_moving() ? 1 : 0);
  memory_.set(Role::RealtimeTick, static_cast<std::int64_t>(std::fmod(1000.0 * time_, 32768.0)));
}

}  // namespace servosim::bus
