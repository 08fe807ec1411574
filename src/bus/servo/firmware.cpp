// SPDX-License-Identifier: Apache-2.0
#include "bus/servo/firmware.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "bus/servo/dynamixel_firmware.h"
#include "bus/servo/feetech_firmware.h"
#include "bus/servo/legacy_firmware.h"

namespace servosim::bus {

using Role = RegisterRole;

double Firmware::count() const { return 2.0 * std::numbers::pi / memory_.table().counts; }

double Firmware::raw_count(double position) const {
  return std::round(position / count() + memory_.table().zero);
}

double Firmware::position_of_raw(double raw) const {
  return (raw - memory_.table().zero) * count();
}

void Firmware::start() {
  errors_ = 0;
  overload_ = over_current_ = time_ = 0.0;
  refresh();
  memory_.set(Role::GoalPosition, value(Role::PresentPosition));
  order();
}

ServoFault Firmware::check(const RegisterRow& row, std::int64_t value) const {
  if (!row.is_writable || is_locked(row)) {
    return ServoFault::Access;
  }
  const bool is_listed = row.values.empty() ||
                         std::find(row.values.begin(), row.values.end(), value) != row.values.end();
  const bool is_in_range = !row.range || (row.range->first <= value && value <= row.range->second);
  if (!is_listed || !is_in_range) {
    return ServoFault::DataRange;
  }
  if (row.limit != Role::None && std::abs(value) > memory_.value(row.limit, std::abs(value))) {
    return ServoFault::DataLimit;
  }
  return check_more(row, value);
}

void Firmware::order() {
  ServoOrder order = motion();
  order.is_protected = true;
  plant_.obey(order);
}

void Firmware::release() {
  ServoOrder order = motion();
  order.is_protected = true;
  order.share = 0.0;
  plant_.obey(order);
}

ServoOrder Firmware::limited_order() const {
  ServoOrder order;
  order.speed = order.acceleration = std::numeric_limits<double>::infinity();
  order.gains = plant_.own_gains();
  if (memory_.table().has(Role::PositionP)) {
    order.gains = {static_cast<double>(value(Role::PositionP)),
                   static_cast<double>(value(Role::PositionI)),
                   static_cast<double>(value(Role::PositionD))};
  }
  order.shape = loop_shape();
  return order;
}

// The numbers of a model are those of a servo whose registers have their initial values.
LoopShape Firmware::loop_shape() const {
  const auto change = [this](Role role) {
    const RegisterRow* const row = memory_.table().find(role);
    return row != nullptr && row->initial
               ? static_cast<double>(memory_.value(*row) - *row->initial) * row->scale
               : 0.0;
  };
  // A slope has 2, 4, ... or 128 counts: the greatest of these that is not above the register.
  const auto slope_change = [this](Role role) {
    const RegisterRow* const row = memory_.table().find(role);
    const auto width = [this](std::int64_t value) {
      const auto bits =
          std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 2)));
      return static_cast<double>(bits) * count();
    };
    return row != nullptr && row->initial ? width(memory_.value(*row)) - width(*row->initial) : 0.0;
  };
  LoopShape shape;
  shape.dead_zone[0] = change(Role::DeadZoneCw);
  shape.dead_zone[1] = change(Role::DeadZoneCcw);
  shape.compliance_slope[0] = slope_change(Role::ComplianceSlopeCw);
  shape.compliance_slope[1] = slope_change(Role::ComplianceSlopeCcw);
  shape.punch = change(Role::Punch);
  return shape;
}

bool Firmware::is_moving() const {
  const ServoSense sense = plant_.sense();
  const double least = memory_.quantity(Role::MovingThreshold, 4.0 * count());
  return std::abs(sense.velocity) > least || (is_on() && sense.target_rate != 0.0);
}

void Firmware::clear_errors() {
  const std::uint8_t before = std::exchange(errors_, std::uint8_t{0});
  overload_ = over_current_ = 0.0;
  errors_changed(before);
}

void Firmware::step(double h) {
  time_ += h;
  watch(h);
}

void Firmware::watch(double h) {
  const ServoSense sense = plant_.sense();
  const ErrorBits bits = error_bits();
  const double infinite = std::numeric_limits<double>::infinity();
  const auto limit = [&](Role role) {
    const double most = memory_.quantity(role, 0.0);
    return most > 0.0 ? most : infinite;
  };
  std::uint8_t now = 0;
  if (sense.reading.case_temperature > limit(Role::TemperatureLimit)) {
    now |= bits.heat;
  }
  // Half of a count is the rounding of the register that clients see.
  if (sense.reading.voltage > limit(Role::MaxVoltage) + 0.05 ||
      sense.reading.voltage < memory_.quantity(Role::MinVoltage, 0.0) - 0.05) {
    now |= bits.voltage;
  }
  overload_ = is_on() && is_overloaded(sense) ? overload_ + h : 0.0;
  if (overload_ > 0.0 && overload_ >= overload_time()) {
    now |= bits.overload;
    overloaded(sense);
  }
  const bool is_over_current = std::abs(sense.reading.current) > limit(Role::ProtectionCurrent);
  over_current_ = is_on() && is_over_current ? over_current_ + h : 0.0;
  if (over_current_ > 0.0 && over_current_ >= memory_.quantity(Role::OverCurrentTime)) {
    now |= bits.current;
  }
  now |= errors_ & lasting_bits();
  if (now != errors_) {
    const std::uint8_t before = std::exchange(errors_, now);
    errors_changed(before);
  }
}

std::unique_ptr<Firmware> make_firmware(RegisterMemory& memory, ServoPlant& plant,
                                        const BusChoices& choices) {
  const RegisterTable& table = memory.table();
  if (table.protocol->is_feetech()) {
    return std::make_unique<FeetechFirmware>(memory, plant, choices);
  }
  if (table.protocol == &kDynamixel1 || !table.has(Role::GoalPwm)) {
    return std::make_unique<LegacyFirmware>(memory, plant, choices);
  }
  return std::make_unique<DynamixelFirmware>(memory, plant, choices);
}

}  // namespace servosim::bus
