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
constexpr double kApproach = 1.5;          // the way to 0 before a trajectory takes this time [s]
constexpr int kMaxMisses = 5;              // at most this many cycles in a row may have no answer
constexpr std::int64_t kPositionMode = 3;  // of Dynamixel's register "Operating Mode"

constexpr RegisterRole kMeasured[] = {
    RegisterRole::PresentPosition, RegisterRole::PresentVelocity, RegisterRole::PresentCurrent,
    RegisterRole::PresentPwm,      RegisterRole::PresentVoltage,  RegisterRole::PresentTemperature};

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// Switches the torque off at the end of its life. A servo that does not answer cannot be told.
class TorqueOff {
 public:
  explicit TorqueOff(RemoteServo& servo) : servo_(servo) {}
  TorqueOff(const TorqueOff&) = delete;
  TorqueOff& operator=(const TorqueOff&) = delete;
  ~TorqueOff() {
    for (int i = 0; i < 3; ++i) {
      try {
        servo_.write(*servo_.table().find(RegisterRole::TorqueEnable), 0);
        return;
      } catch (const std::runtime_error&) {  // once more
      }
    }
  }

 private:
  RemoteServo& servo_;
};

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
  zero_ = options.zero ? *options.zero : servo.read(*table.find(RegisterRole::PresentPosition));
  const auto limit = [&](const std::optional<double>& chosen, RegisterRole role, double otherwise) {
    const RegisterRow* const row = table.find(role);
    return chosen           ? *chosen
           : row != nullptr ? static_cast<double>(servo.read(*row)) * row->scale
                            : otherwise;
  };
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  min_voltage_ = limit(options.min_voltage, RegisterRole::MinVoltage, 0.0);
  max_voltage_ = limit(options.max_voltage, RegisterRole::MaxVoltage, kInfinite);
}

std::int64_t ServoRecorder::count_of(double goal) const {
  const double counts = servo_.table().counts;
  return zero_ + std::llround(options_.direction * options_.scale * goal * counts / kTurn);
}

std::string ServoRecorder::refusal(const TestTrajectory& trajectory) const {
  const GoalRange range = goal_range(trajectory);
  const RegisterRow& row = *servo_.table().find(RegisterRole::GoalPosition);
  std::int64_t least = 0;
  std::int64_t most = static_cast<std::int64_t>(servo_.table().counts) - 1;
  if (row.range) {
    std::tie(least, most) = *row.range;
    least = std::max<std::int64_t>(least, 0);
    most = std::min(most, static_cast<std::int64_t>(servo_.table().counts) - 1);
  }
  for (const double goal : {range.least, range.greatest}) {
    if (const std::int64_t count = count_of(goal); count < least || count > most) {
      return fmt::format(
          "{} needs the count {}, and the servo goes from {} to {}: mount the horn so that the "
          "pendulum hangs near {}, or use --scale",
          trajectory.name, count, least, most, (least + most) / 2);
    }
  }
  return {};
}

void ServoRecorder::set(RegisterRole role, std::int64_t value) {
  if (const RegisterRow* const row = servo_.table().find(role);
      row != nullptr && servo_.read(*row) != value) {
    servo_.write(*row, value);
  }
}

RecordedRow ServoRecorder::measure(const std::vector<const RegisterRow*>& rows) const {
  RecordedRow measured;
  const double per_count = kTurn / servo_.table().counts;
  for (const auto& [row, value] : servo_.read(rows)) {
    const double quantity = static_cast<double>(value - row->zero) * row->scale;
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
  const RegisterTable& table = servo_.table();
  std::vector<const RegisterRow*> rows;
  for (const RegisterRole role : kMeasured) {
    if (const RegisterRow* const row = table.find(role); row != nullptr) {
      rows.push_back(row);
    }
  }
  RecordedLog log;
  log.stopped_by = guard(measure(rows));
  if (!log.stopped_by.empty()) {
    return log;
  }
  const TorqueOff off_at_end(servo_);
  set(RegisterRole::TorqueEnable, 0);  // many registers cannot be written while it is on
  if (table.family.rfind("STS", 0) != 0 && table.family.rfind("SCS", 0) != 0) {
    set(RegisterRole::OperatingMode, kPositionMode);
  } else {
    set(RegisterRole::OperatingMode, 0);
  }
  set(RegisterRole::ProfileAcceleration, 0);  // without a profile the goals are those of the log
  set(RegisterRole::ProfileVelocity, 0);
  const RegisterRow* const gain = table.find(RegisterRole::PositionP);
  if (options_.gain) {
    if (gain == nullptr) {
      throw std::invalid_argument(fmt::format("{} has no P gain", table.model));
    }
    set(RegisterRole::PositionP, *options_.gain);
  }
  log.gain = gain != nullptr ? std::optional(servo_.read(*gain)) : std::nullopt;

  const RegisterRow& goal_row = *table.find(RegisterRole::GoalPosition);
  const RegisterRow& on_row = *table.find(RegisterRole::TorqueEnable);
  const double start = measure(rows).position;
  bool is_on = false;
  int misses = 0;
  const auto period = std::chrono::duration_cast<SteadyClock::duration>(
      std::chrono::duration<double>(1.0 / options_.rate));
  auto next = SteadyClock::now();
  const auto begin = next;
  while (true) {
    check();
    const double time = seconds_since(begin) - kApproach;
    if (time > trajectory.duration) {
      return log;
    }
    TrajectoryPoint point = trajectory.at(std::max(0.0, time));
    if (time < 0.0) {  // from where it hangs to 0
      point = {-time / kApproach * start / options_.scale, true};
    }
    try {
      servo_.write(goal_row, count_of(point.goal));
      if (point.is_on != is_on) {
        servo_.write(on_row, point.is_on ? 1 : 0);
        is_on = point.is_on;
      }
      const double asked = seconds_since(begin);
      RecordedRow row = measure(rows);
      const double answered = seconds_since(begin);
      misses = 0;
      log.stopped_by = guard(row);
      if (!log.stopped_by.empty()) {
        return log;
      }
      if (time >= 0.0) {
        row.time = 0.5 * (asked + answered) - kApproach;
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
    std::this_thread::sleep_until(next);
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
       {Column{"velocity", &RecordedRow::velocity}, Column{"current", &RecordedRow::current},
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
