// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bus/client/remote_servo.h"
#include "bus/client/test_trajectory.h"

namespace servosim::bus {

/// How a servo is moved and watched while its log is recorded.
///
/// Threads: a plain value.
struct RecordOptions {
  double rate = 200.0;    ///< rows per second, if the bus is fast enough [Hz]; > 0
  double scale = 1.0;     ///< of all goals; > 0
  double approach = 1.5;  ///< how long the way to 0 takes before a trajectory [s]; > 0
  int direction = 1;      ///< 1, or -1 where a growing count lowers the angle
  /// The P gain, as its register has it; nothing: the one that it has.
  std::optional<std::int64_t> gain;
  /// The count at which the pendulum hangs; nothing: that of its present position.
  std::optional<std::int64_t> zero;
  double max_temperature = 60.0;  ///< beyond it the torque is switched off [°C]
  std::optional<double>
      min_voltage;  ///< below it, the same; nothing: the limit of its register [V]
  std::optional<double>
      max_voltage;  ///< above it, the same; nothing: the limit of its register [V]
};

/// A row of a log. What a servo does not measure is not there.
///
/// Threads: a plain value.
struct RecordedRow {
  double time = 0.0;                  ///< in the middle of the exchange [s]
  double goal = 0.0;                  ///< [rad]
  double position = 0.0;              ///< [rad]
  std::optional<double> velocity;     ///< [rad/s]
  std::optional<double> current;      ///< of the motor, or of its supply [A]
  std::optional<double> duty;         ///< from -1 to 1
  std::optional<double> voltage;      ///< [V]
  std::optional<double> temperature;  ///< [°C]
  bool is_on = true;
};

/// What was recorded of one trajectory.
///
/// Threads: a plain value.
struct RecordedLog {
  std::vector<RecordedRow> rows;
  std::optional<std::int64_t> gain;  ///< that it had
  std::string stopped_by;            ///< why it ended early; empty if it did not
  bool has_supply_current = false;   ///< the servo measures it in place of the motor's
};

/// Moves a servo that turns a pendulum, and measures it.
///
/// Whatever ends a recording, the torque is off afterwards: the load then falls. Registers of
/// EEPROM that it had to change then have their values of before.
///
/// Threads: one at a time, with its servo.
class ServoRecorder {
 public:
  /// Looks at the servo, and changes nothing. `servo` must outlive this object.
  /// @throws std::invalid_argument if it has no position control, or turns as a wheel
  ServoRecorder(RemoteServo& servo, const RecordOptions& options);

  /// Returns the count that a goal becomes [rad].
  std::int64_t count_of(double goal) const;
  /// Returns why a trajectory cannot be recorded; empty if it can.
  std::string refusal(const TestTrajectory& trajectory) const;
  /// Goes to 0, and records a trajectory.
  /// @param check  called in each cycle; what it throws ends the recording
  /// @throws BusError if the servo does not answer several times in a row, or if a register of
  /// EEPROM cannot get its value back
  RecordedLog record(const TestTrajectory& trajectory, const std::function<void()>& check);

 private:
  void find_bounds();
  void find_guards();
  void prepare(std::vector<RegisterValue>& changed);
  void run(const TestTrajectory& trajectory, const std::function<void()>& check, RecordedLog& log);
  void obey(const TrajectoryPoint& point, bool& is_on);
  RecordedRow measure() const;
  void set(RegisterRole role, std::int64_t value, std::vector<RegisterValue>& changed);
  std::string guard(const RecordedRow& row) const;

  RemoteServo& servo_;
  RecordOptions options_;
  std::vector<const RegisterRow*> measured_;
  std::int64_t zero_ = 0;
  std::int64_t least_ = 0;  // of goals [counts]
  std::int64_t most_ = 0;
  double min_voltage_ = 0.0;
  double max_voltage_ = 0.0;
};

/// Returns a log as CSV that `servosim fit` reads.
/// @param header  lines `# key = value` without their `# `
std::string csv_text(const RecordedLog& log, const std::vector<std::string>& header);

}  // namespace servosim::bus
