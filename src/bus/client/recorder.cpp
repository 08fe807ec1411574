// SPDX-License-Identifier: Apache-2.0
#include "bus/client/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>

namespace servosim::bus {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr int kMaxMisses = 5;  // at most this many cycles in a row may have no answer

constexpr RegisterRole kMeasured[] = {
    RegisterRole::PresentPosition, RegisterRole::PresentVelocity, RegisterRole::PresentCurrent,
    RegisterRole::PresentPwm,      RegisterRole::PresentVoltage,  RegisterRole::PresentTemperature};

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// Writes a register, also when an answer gets lost. @return whether it was written
bool write_surely(RemoteServo& servo, const RegisterRow& row, std::int64_t value) {
  for (int i = 0; i < 3; ++i) {
    try {
      servo.write(row, value);
      return true;
    } catch (const std::runtime_error&) {  // once more
    }
  }
  return false;
}

// Switches the torque off and gives registers their values back, at the latest at the end of its
// life. A servo that does not answer cannot be told.
class Aftermath {
 public:
  explicit Aftermath(RemoteServo& servo) : servo_(servo) {}
  Aftermath(const Aftermath&) = delete;
  Aftermath& operator=(const Aftermath&) = delete;
  ~Aftermath() { finish(); }

  std::vector<RegisterValue>& changed() { return changed_; }
  // Returns the first register that could not get its value back; null for none.
  const RegisterRow* finish() {
    const RegisterRow* lost = nullptr;
    if (!std::exchange(is_finished_, true)) {
      write_surely(servo_, *servo_.table().find(RegisterRole::TorqueEnable), 0);
      for (auto each = changed_.rbegin(); each != changed_.rend(); ++each) {
        lost = write_surely(servo_, *each->row, each->value) ? lost : each->row;
      }
    }
    return lost;
  }

 private:
  RemoteServo& servo_;
  std::vector<RegisterValue> changed_;
  bool is_finished_ = false;
};

// What the register of the mode has where goals are positions.
std::int64_t position_mode(const RegisterTable& table, const RegisterRow& row) {
  constexpr std::int64_t kFeetech = 0;
  constexpr std::int64_t kDynamixel = 3;
  constexpr std::int64_t kXl320 = 2;
  if (table.protocol->is_feetech()) {
    return kFeetech;
  }
  return std::find(row.values.begin(), row.values.end(), kDynamixel) != row.values.end()
             ? kDynamixel
             : kXl320;
}

}  // namespace

ServoRecorder::ServoRecorder(RemoteServo& servo, const RecordOptions& options)
    : servo_(servo), options_(options) {
  const RegisterTable& table = servo.table();
  for (const RegisterRole needed :
       {RegisterRole::TorqueEnable, RegisterRole::GoalPosition, RegisterRole::PresentPosition}) {
    if (!table.has(needed)) {
      throw std::invalid_argument(fmt::format("{} has no position control", table.model));
    }
  }
  for (const RegisterRole role : kMeasured) {
    if (const RegisterRow* const row = table.find(role)) {
      measured_.push_back(row);
    }
  }
  const RegisterRow* const load = table.find(RegisterRole::PresentLoad);
  if (!table.has(RegisterRole::PresentPwm) && load != nullptr && load->unit.ends_with('%')) {
    measured_.push_back(load);
  }
  find_bounds();
  find_guards();
}

// Goals are within the limits of the servo and within the turn around the middle of its sensor.
void ServoRecorder::find_bounds() {
  const RegisterTable& table = servo_.table();
  const RegisterRow* const low = table.find(RegisterRole::MinPosition);
  const RegisterRow* const high = table.find(RegisterRole::MaxPosition);
  const RegisterRow* const torque = table.find(RegisterRole::TorqueControl);
  const std::int64_t lowest = low != nullptr ? servo_.read(*low) : 0;
  const std::int64_t highest = high != nullptr ? servo_.read(*high) : 0;
  const bool is_legacy = table.protocol == &kDynamixel1 || table.protocol == &kFeetechScs;
  if (is_legacy && low != nullptr && high != nullptr && lowest == highest) {
    throw std::invalid_argument(
        fmt::format("servo {} has no position control now, since both '{}' and '{}' are {}: please "
                    "write limits with `servosim bus write`",
                    servo_.id(), low->name, high->name, lowest));
  }
  if (torque != nullptr && servo_.read(*torque) != 0) {
    throw std::invalid_argument(fmt::format(
        "servo {} has no position control now, since '{}' is on", servo_.id(), torque->name));
  }
  least_ = std::llround(table.zero - table.counts / 2.0);
  most_ = std::llround(table.zero + table.counts / 2.0) - 1;
  zero_ = options_.zero ? *options_.zero : servo_.read(*table.find(RegisterRole::PresentPosition));
  if (low != nullptr && high != nullptr && lowest == 0 && highest == 0) {  // several turns of STS
    std::tie(least_, most_) = table.find(RegisterRole::GoalPosition)->room();
    return;
  }
  if (!options_.zero && table.protocol->is_wide) {  // a mode of several turns ends before it moves
    const auto turn = std::llround(table.counts);
    zero_ -= turn * static_cast<std::int64_t>(std::floor(static_cast<double>(zero_ - least_) /
                                                         static_cast<double>(turn)));
  }
  if (low != nullptr && high != nullptr) {
    least_ = std::max(least_, lowest);
    most_ = std::min(most_, highest);
  } else if (const auto& range = table.find(RegisterRole::GoalPosition)->range) {
    least_ = std::max(least_, range->first);
    most_ = std::min(most_, range->second);
  }
}

// A limit of 0 is none.
void ServoRecorder::find_guards() {
  const auto limit = [&](const std::optional<double>& chosen, RegisterRole role, double otherwise) {
    const RegisterRow* const row = servo_.table().find(role);
    const double read =
        !chosen && row != nullptr ? static_cast<double>(servo_.read(*row)) * row->scale : 0.0;
    return chosen ? *chosen : read > 0.0 ? read : otherwise;
  };
  min_voltage_ = limit(options_.min_voltage, RegisterRole::MinVoltage, 0.0);
  max_voltage_ = limit(options_.max_voltage, RegisterRole::MaxVoltage,
                       std::numeric_limits<double>::infinity());
}

std::int64_t ServoRecorder::count_of(double goal) const {
  const double counts = servo_.table().counts;
  return zero_ + std::llround(options_.direction * options_.scale * goal * counts / kTurn);
}

std::string ServoRecorder::refusal(const TestTrajectory& trajectory) const {
  const GoalRange range = goal_range(trajectory);
  for (const double goal : {range.least, range.greatest}) {
    if (const std::int64_t count = count_of(goal); count < least_ || count > most_) {
      return fmt::format(
          "{} needs the count {}, and the servo goes from {} to {}: mount the horn so that the "
          "pendulum hangs near {}, or use --scale",
          trajectory.name, count, least_, most_, least_ + (most_ - least_) / 2);
    }
  }
  return {};
}

void ServoRecorder::set(RegisterRole role, std::int64_t value,
                        std::vector<RegisterValue>& changed) {
  const RegisterRow* const row = servo_.table().find(role);
  if (row == nullptr) {
    return;
  }
  const std::int64_t before = servo_.read(*row);
  if (before == value) {
    return;
  }
  if (row->area == RegisterArea::Eeprom) {
    changed.push_back({row, before});
  }
  servo_.write(*row, value);
}

RecordedRow ServoRecorder::measure() const {
  RecordedRow measured;
  const double per_count = kTurn / servo_.table().counts;
  for (const auto& [row, value] : servo_.read(measured_)) {
    const double quantity = static_cast<double>(value) * row->scale;
    switch (row->role) {
      case RegisterRole::PresentPosition:
        measured.position = options_.direction * static_cast<double>(value - zero_) * per_count;
        break;
      case RegisterRole::PresentVelocity:
        measured.velocity = options_.direction * quantity;
        break;
      case RegisterRole::PresentCurrent:
        measured.current = options_.direction * quantity;
        break;
      case RegisterRole::PresentPwm:
      case RegisterRole::PresentLoad:
        measured.duty = options_.direction * quantity;
        break;
      case RegisterRole::PresentVoltage:
        measured.voltage = quantity;
        break;
      case RegisterRole::PresentTemperature:
        measured.temperature = quantity;
        break;
      default:
        break;
    }
  }
  return measured;
}

std::string ServoRecorder::guard(const RecordedRow& row) const {
  if (row.temperature && *row.temperature > options_.max_temperature) {
    return fmt::format("its temperature is {} °C, above {} °C", *row.temperature,
                       options_.max_temperature);
  }
  if (row.voltage && (*row.voltage < min_voltage_ || *row.voltage > max_voltage_)) {
    return fmt::format("its voltage is {} V, not from {} to {} V", *row.voltage, min_voltage_,
                       max_voltage_);
  }
  return {};
}

RecordedLog ServoRecorder::record(const TestTrajectory& trajectory,
                                  const std::function<void()>& check) {
  RecordedLog log;
  log.has_supply_current = servo_.table().has_supply_current;
  log.stopped_by = guard(measure());
  if (!log.stopped_by.empty()) {
    return log;
  }
  Aftermath aftermath(servo_);
  prepare(aftermath.changed());
  const RegisterRow* const gain = servo_.table().find(RegisterRole::PositionP);
  log.gain = gain != nullptr ? std::optional(servo_.read(*gain)) : std::nullopt;
  run(trajectory, check, log);
  if (const RegisterRow* const lost = aftermath.finish()) {
    throw BusError(
        fmt::format("servo {} does not take its value of before in '{}'", servo_.id(), lost->name));
  }
  return log;
}

// Without a profile the goals are those of the log.
void ServoRecorder::prepare(std::vector<RegisterValue>& changed) {
  const RegisterTable& table = servo_.table();
  // Many registers cannot be written while the torque is on.
  set(RegisterRole::TorqueEnable, 0, changed);
  if (const RegisterRow* const mode = table.find(RegisterRole::OperatingMode)) {
    set(RegisterRole::OperatingMode, position_mode(table, *mode), changed);
  }
  set(RegisterRole::ProfileAcceleration, 0, changed);
  set(RegisterRole::ProfileVelocity, 0, changed);
  if (!table.has(RegisterRole::ProfileVelocity)) {
    set(RegisterRole::GoalVelocity, 0, changed);  // the greatest speed
  }
  if (table.protocol->is_feetech()) {
    set(RegisterRole::GoalTime, 0, changed);
  }
  if (options_.gain) {
    if (!table.has(RegisterRole::PositionP)) {
      throw std::invalid_argument(fmt::format("{} has no P gain", table.model));
    }
    set(RegisterRole::PositionP, *options_.gain, changed);
  }
}

// A goal without torque is not written, since some servos switch their torque on with it. Before
// the torque comes on the goal is where it is, so that it does not go to an older one.
void ServoRecorder::obey(const TrajectoryPoint& point, bool& is_on) {
  const RegisterRow& torque = *servo_.table().find(RegisterRole::TorqueEnable);
  const RegisterRow& goal = *servo_.table().find(RegisterRole::GoalPosition);
  if (point.is_on) {
    servo_.write(goal, count_of(point.goal));
  }
  if (point.is_on != is_on) {
    servo_.write(torque, point.is_on ? 1 : 0);
    is_on = point.is_on;
    if (is_on) {
      servo_.write(goal, count_of(point.goal));
    }
  }
}

void ServoRecorder::run(const TestTrajectory& trajectory, const std::function<void()>& check,
                        RecordedLog& log) {
  const double start = measure().position;
  const double approach = options_.approach;
  bool is_on = false;
  int misses = 0;
  const auto period = std::chrono::duration_cast<SteadyClock::duration>(
      std::chrono::duration<double>(1.0 / options_.rate));
  auto next = SteadyClock::now();
  const auto begin = next;
  for (double time = -approach; time <= trajectory.duration;
       time = seconds_since(begin) - approach) {
    check();
    TrajectoryPoint point = trajectory.at(std::max(0.0, time));
    if (time < 0.0) {  // from where it hangs to 0
      point = {-time / approach * start / options_.scale, true};
    }
    try {
      obey(point, is_on);
      const double asked = seconds_since(begin);
      RecordedRow row = measure();
      misses = 0;
      log.stopped_by = guard(row);
      if (!log.stopped_by.empty()) {
        return;
      }
      if (time >= 0.0) {
        row.time = 0.5 * (asked + seconds_since(begin)) - approach;
        row.goal = options_.scale * point.goal;
        row.is_on = point.is_on;
        log.rows.push_back(row);
      }
    } catch (const BusError&) {
      if (++misses > kMaxMisses) {
        throw;
      }
    }
    next = std::max(next + period, SteadyClock::now());
    pause_until(next, check);
  }
}

std::string csv_text(const RecordedLog& log, const std::vector<std::string>& header) {
  std::string text;
  for (const std::string& line : header) {
    text += fmt::format("# {}\n", line);
  }
  if (log.rows.empty()) {
    return text;
  }
  // A servo measures the same in all rows.
  const RecordedRow& first = log.rows[0];
  struct Column {
    const char* name;
    std::optional<double> RecordedRow::*value;
  };
  std::vector<Column> columns;
  for (const Column& each :
       {Column{"velocity", &RecordedRow::velocity},
        Column{log.has_supply_current ? "supply_current" : "current", &RecordedRow::current},
        Column{"duty", &RecordedRow::duty}, Column{"voltage", &RecordedRow::voltage},
        Column{"temperature", &RecordedRow::temperature}}) {
    if (first.*each.value) {
      columns.push_back(each);
    }
  }
  text += "time,goal,position";
  for (const Column& each : columns) {
    text += fmt::format(",{}", each.name);
  }
  text += ",torque\n";
  for (const RecordedRow& row : log.rows) {
    text += fmt::format("{:.6f},{:.6f},{:.6f}", row.time, row.goal, row.position);
    for (const Column& each : columns) {
      text += fmt::format(",{:.6g}", (row.*each.value).value_or(0.0));
    }
    text += fmt::format(",{}\n", row.is_on ? 1 : 0);
  }
  return text;
}

}  // namespace servosim::bus
