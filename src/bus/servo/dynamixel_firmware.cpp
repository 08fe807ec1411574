// SPDX-License-Identifier: Apache-2.0
#include "bus/servo/dynamixel_firmware.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace servosim::bus {

using Role = RegisterRole;

static constexpr double kInfinite = std::numeric_limits<double>::infinity();
// A share of 0 means no torque, and a window of current must not be 0.
static constexpr double kLeastOutput = 1e-9;
// The output is at its bound from this share of it on.
static constexpr double kAtBound = 0.98;
// Below it the current of the supply says nothing about that of the motor.
static constexpr double kLeastDuty = 1e-3;
// A bit of the register Drive Mode.
static constexpr std::int64_t kGoalSwitchesOn = 0x08;

double DynamixelFirmware::baud() const {
  const double kBauds[] = {
      9600, 57600, 115200, 1e6, 2e6, 3e6, 4e6, 4.5e6, choices_.registers.baud_code_8, 10.5e6};
  const auto code = static_cast<std::size_t>(value(Role::BaudRate));
  return code < std::size(kBauds) && kBauds[code] > 0.0 ? kBauds[code] : kBauds[1];
}

double DynamixelFirmware::homing() const {
  const auto offset = static_cast<double>(value(Role::HomingOffset));
  const double limit = memory_.table().homing_limit.value_or(kInfinite);
  const double most = mode() == kPosition ? limit : kInfinite;
  return std::clamp(offset, -most, most);
}

double DynamixelFirmware::present(double position) const {
  const double raw = raw_count(position);
  const double seen = is_reverse() ? 2.0 * memory_.table().zero - raw : raw;
  return seen - turns_ * memory_.table().counts + homing();
}

double DynamixelFirmware::position_of(double count) const {
  const double seen = count - homing() + turns_ * memory_.table().counts;
  return position_of_raw(is_reverse() ? 2.0 * memory_.table().zero - seen : seen);
}

void DynamixelFirmware::reset_turns() {
  const RegisterTable& table = memory_.table();
  const double raw = raw_count(plant_.sense().position);
  const double seen = is_reverse() ? 2.0 * table.zero - raw : raw;
  turns_ = std::floor((seen - (table.zero - table.counts / 2.0)) / table.counts);
}

void DynamixelFirmware::take_present_as_goal() {
  memory_.set(Role::GoalPosition, static_cast<std::int64_t>(present(plant_.sense().position)));
  begin_profile();
}

void DynamixelFirmware::start() {
  silence_ = 0.0;
  reset_turns();
  Firmware::start();
  if ((value(Role::StartupConfiguration) & 1) != 0) {
    memory_.set(Role::TorqueEnable, 1);
  }
  take_present_as_goal();
  order();
}

// Whatever switches the torque on.
void DynamixelFirmware::torque_comes_on() {
  silence_ = 0.0;
  if (mode() == kPosition) {
    reset_turns();
  }
}

// The time that a change of the velocity takes counts from the velocity at the write.
void DynamixelFirmware::begin_ramp() {
  const double acceleration = memory_.quantity(Role::ProfileAcceleration);
  ramp_ = kInfinite;
  if (acceleration > 0.0 && is_time_based()) {
    const double goal = direction() * memory_.quantity(Role::GoalVelocity);
    const double change = std::abs(goal - plant_.sense().target_rate);
    ramp_ = std::max(change, kLeastOutput) /
            (0.001 * static_cast<double>(value(Role::ProfileAcceleration)));
  } else if (acceleration > 0.0) {
    ramp_ = acceleration;
  }
}

// What a count of the goal current is of the motor's: by choice, the current of the supply is the
// duty times that of the motor.
double DynamixelFirmware::goal_current() const {
  const double asked = memory_.quantity(Role::GoalCurrent);
  if (!measures_supply() || !choices_.registers.goal_current_is_supply) {
    return asked;
  }
  const ServoReading reading = plant_.sense().reading;
  const double duty = std::abs(reading.duty);
  const double motor = std::abs(reading.current);
  if (duty < kLeastDuty || motor < kLeastDuty * std::abs(asked)) {
    return asked;
  }
  // The mean of the last current and of the one that this duty asks for settles at once.
  return std::copysign(std::max(std::sqrt(motor * std::abs(asked) / duty), std::abs(asked)), asked);
}

// Both profiles end at the goal with these numbers, whether it moves or not.
void DynamixelFirmware::begin_profile() {
  speed_ = acceleration_ = kInfinite;
  is_triangle_ = false;
  const auto velocity = static_cast<double>(value(Role::ProfileVelocity));
  const auto acceleration = static_cast<double>(value(Role::ProfileAcceleration));
  const ServoSense sense = plant_.sense();
  const double from = is_on() ? sense.reading.target : sense.position;
  const double way = std::abs(position_of(static_cast<double>(value(Role::GoalPosition))) - from);
  if (velocity <= 0.0) {
    return;
  }
  if (is_time_based()) {
    const double whole = 0.001 * velocity;
    const double rise = std::min(0.001 * acceleration, 0.5 * whole);
    speed_ = std::max(way / (whole - rise), 1e-9);
    acceleration_ = rise > 0.0 ? speed_ / rise : kInfinite;
    is_triangle_ = rise > 0.0 && rise >= 0.5 * whole;
    return;
  }
  speed_ = std::min(memory_.quantity(Role::ProfileVelocity),
                    memory_.quantity(Role::VelocityLimit, kInfinite));
  if (acceleration > 0.0) {
    acceleration_ = std::min(memory_.quantity(Role::ProfileAcceleration),
                             memory_.quantity(Role::AccelerationLimit, kInfinite));
    is_triangle_ = way < speed_ * speed_ / acceleration_;
  }
}

// By its manual the PWM is P/128 times the error of the velocity, and I/65536 times the sum of the
// errors, in the units of both registers.
std::optional<VelocityGains> DynamixelFirmware::velocity_gains() const {
  const RegisterRow* const velocity = memory_.table().find(Role::GoalVelocity);
  const RegisterRow* const pwm = memory_.table().find(Role::GoalPwm);
  const RegisterRow* const gain = memory_.table().find(Role::VelocityI);
  if (choices_.firmware.velocity_period <= 0.0 || velocity == nullptr || pwm == nullptr ||
      gain == nullptr || !gain->initial) {  // without them nobody knows what such a servo does
    return std::nullopt;
  }
  const double unit = pwm->scale / velocity->scale;
  return VelocityGains{static_cast<double>(value(Role::VelocityP)) / 128.0 * unit,
                       static_cast<double>(value(Role::VelocityI)) / 65536.0 * unit /
                           choices_.firmware.velocity_period};
}

ServoOrder DynamixelFirmware::motion() const {
  ServoOrder order = limited_order();
  const double sign = direction();
  const double current = goal_current();
  const double limit = memory_.quantity(Role::PwmLimit, 1.0);
  order.share = std::clamp(std::abs(memory_.quantity(Role::GoalPwm, 1.0)), kLeastOutput,
                           std::max(limit, kLeastOutput));
  switch (mode()) {
    case kCurrent:
      order.mode = ServoOrder::Mode::Current;
      order.value = sign * current;
      order.max_current = std::max(memory_.quantity(Role::CurrentLimit, kInfinite), kLeastOutput);
      break;
    case kVelocity:
      order.mode = ServoOrder::Mode::Velocity;
      order.value = sign * memory_.quantity(Role::GoalVelocity);
      order.acceleration = ramp_;
      order.velocity_gains = velocity_gains();
      break;
    case kPwm:
      order.mode = ServoOrder::Mode::Duty;
      order.value = sign * memory_.quantity(Role::GoalPwm);
      order.share = std::max(limit, kLeastOutput);
      break;
    default:
      order.value = position_of(static_cast<double>(value(Role::GoalPosition)));
      order.speed = speed_;
      order.acceleration = acceleration_;
      if (mode() == kBounded) {
        order.max_current = std::max(std::abs(current), kLeastOutput);
      }
  }
  if (!is_on()) {
    order.share = 0.0;
  }
  return order;
}

bool DynamixelFirmware::is_locked(const RegisterRow& row) const {
  return row.area == RegisterArea::Eeprom && is_on();
}

ServoFault DynamixelFirmware::check_more(const RegisterRow& row, std::int64_t asked) const {
  switch (row.role) {
    case Role::GoalPosition:
      if (!has_fired() && mode() == kPosition &&
          (asked < value(Role::MinPosition) || asked > value(Role::MaxPosition))) {
        return choices_.registers.goal_outside_is_range ? ServoFault::DataRange
                                                        : ServoFault::DataLimit;
      }
      [[fallthrough]];
    case Role::GoalPwm:
    case Role::GoalCurrent:
    case Role::GoalVelocity:
      return has_fired() ? ServoFault::DataRange : ServoFault::None;
    case Role::BusWatchdog:
      return has_fired() && asked != 0 ? ServoFault::DataRange : ServoFault::None;
    default:
      return ServoFault::None;
  }
}

void DynamixelFirmware::change_mode() {
  for (const RegisterRow& row : memory_.rows()) {
    switch (row.role) {
      case Role::PositionP:
      case Role::PositionI:
      case Role::PositionD:
      case Role::VelocityP:
      case Role::VelocityI:
      case Role::Feedforward1:
      case Role::Feedforward2:
        memory_.set(row, row.initial.value_or(0));
        break;
      case Role::ProfileVelocity:
      case Role::ProfileAcceleration:
      case Role::GoalVelocity:
        memory_.set(row, 0);
        break;
      default:
        break;
    }
  }
  memory_.set(Role::GoalPwm, value(Role::PwmLimit));
  memory_.set(Role::GoalCurrent, value(Role::CurrentLimit));
  if (mode() == kPosition) {
    reset_turns();
  }
  take_present_as_goal();
  begin_ramp();
}

void DynamixelFirmware::written(const RegisterRow& row, std::int64_t before) {
  switch (row.role) {
    case Role::OperatingMode:
      change_mode();
      break;
    case Role::PwmLimit:
      memory_.set(Role::GoalPwm, value(Role::PwmLimit));
      break;
    case Role::CurrentLimit:
      memory_.set(Role::GoalCurrent, value(Role::CurrentLimit));
      break;
    case Role::TorqueEnable:
      if ((errors_ & value(Role::Shutdown)) != 0) {
        memory_.set(row, 0);
      } else if (before == 0 && is_on()) {
        torque_comes_on();
        if (!choices_.firmware.keeps_goal) {
          take_present_as_goal();
        }
      }
      break;
    case Role::GoalPosition:
    case Role::GoalVelocity:
    case Role::GoalPwm:
    case Role::GoalCurrent:
      if (!is_on() && (value(Role::DriveMode) & kGoalSwitchesOn) != 0 &&
          (errors_ & value(Role::Shutdown)) == 0) {
        memory_.set(Role::TorqueEnable, 1);
        torque_comes_on();
      }
      if (row.role == Role::GoalVelocity) {
        begin_ramp();
      }
      if (row.role == Role::GoalPosition) {
        begin_profile();
      }
      break;
    case Role::ProfileVelocity:
    case Role::ProfileAcceleration:
      begin_profile();
      begin_ramp();
      break;
    default:
      break;
  }
}

bool DynamixelFirmware::clear_turns() {
  if (is_moving()) {
    return false;
  }
  reset_turns();
  take_present_as_goal();
  return true;
}

void DynamixelFirmware::fire_watchdog() {
  memory_.set(Role::BusWatchdog, -1);
  memory_.set(Role::ProfileVelocity, 0);
  memory_.set(Role::ProfileAcceleration, 0);
  memory_.set(Role::GoalVelocity, 0);
  if (mode() == kCurrent) {
    memory_.set(Role::GoalCurrent, 0);
  }
  if (mode() == kPwm) {
    memory_.set(Role::GoalPwm, 0);
  }
  take_present_as_goal();
  order();
}

void DynamixelFirmware::step(double h) {
  Firmware::step(h);
  silence_ += h;
  if (choices_.registers.goal_current_is_supply && measures_supply() && is_on()) {
    order();  // its bound follows the duty
  }
  const double patience = memory_.quantity(Role::BusWatchdog);
  if (patience > 0.0 && is_on() && silence_ > patience) {
    fire_watchdog();
  }
}

bool DynamixelFirmware::is_overloaded(const ServoSense& sense) const {
  const ServoOrder order = motion();
  const bool is_still = std::abs(sense.velocity) <= memory_.quantity(Role::MovingThreshold);
  const bool is_full = std::abs(sense.reading.duty) >= kAtBound * order.share * plant_.max_duty() ||
                       std::abs(sense.reading.current) >= kAtBound * order.max_current;
  // What is asked for in these modes is the output itself.
  return is_still && is_full && order.mode != ServoOrder::Mode::Duty &&
         order.mode != ServoOrder::Mode::Current;
}

void DynamixelFirmware::errors_changed([[maybe_unused]] std::uint8_t before) {
  memory_.set(Role::HardwareError, errors_);
  if ((errors_ & value(Role::Shutdown)) != 0 && is_on()) {
    memory_.set(Role::TorqueEnable, 0);
    order();
  }
}

std::int64_t DynamixelFirmware::moving_status(const ServoSense& sense) const {
  if (!is_positioning()) {
    return 0;
  }
  const double seen = present(sense.position);
  const double planned = present(sense.reading.target);
  const auto goal = static_cast<double>(value(Role::GoalPosition));
  const bool is_short = memory_.table().has_short_moving_status;
  const bool is_ongoing = is_on() && speed_ < kInfinite && planned != goal;
  std::int64_t status = 0;
  if (is_ongoing) {
    status |= acceleration_ == kInfinite ? 0x10 : is_triangle_ && !is_short ? 0x20 : 0x30;
    status |= is_short ? 0 : 0x02;
  }
  if (!is_short && is_on() && std::abs(seen - planned) > choices_.firmware.following_error) {
    status |= 0x08;
  }
  if (!is_ongoing && std::abs(seen - goal) <= choices_.firmware.in_position) {
    status |= 0x01;
  }
  return status;
}

void DynamixelFirmware::refresh() {
  const ServoSense sense = plant_.sense();
  const ServoReading& reading = sense.reading;
  const double sign = direction();
  memory_.set_quantity(Role::PresentPwm, sign * reading.duty);
  memory_.set_quantity(Role::PresentLoad, sign * reading.duty);
  // What a drive takes from its supply is the duty's share of the motor's current. The register has
  // the direction of the torque.
  const double share = measures_supply() ? std::abs(reading.duty) : 1.0;
  memory_.set_quantity(Role::PresentCurrent, sign * share * reading.current);
  memory_.set_quantity(Role::PresentVelocity, sign * sense.velocity);
  memory_.set_quantity(Role::VelocityTrajectory, sign * sense.target_rate);
  memory_.set(Role::PresentPosition, static_cast<std::int64_t>(present(sense.position)));
  memory_.set(Role::PositionTrajectory, static_cast<std::int64_t>(present(reading.target)));
  memory_.set_quantity(Role::PresentVoltage, reading.voltage);
  memory_.set_quantity(Role::PresentTemperature, reading.case_temperature);
  memory_.set(Role::RealtimeTick, static_cast<std::int64_t>(std::fmod(1000.0 * time_, 32768.0)));
  memory_.set(Role::Moving, is_moving() ? 1 : 0);
  memory_.set(Role::MovingStatus, moving_status(sense));
}

}  // namespace servosim::bus
