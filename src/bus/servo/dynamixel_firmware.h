// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "bus/servo/firmware.h"

namespace servosim::bus {

/// The firmware of the Dynamixel series with operating modes: X, MX (2.0), P.
///
/// Threads: one at a time, as its servo.
class DynamixelFirmware final : public Firmware {
 public:
  using Firmware::Firmware;

  void start() override;
  void written(const RegisterRow& row, std::int64_t before) override;
  void refresh() override;
  void step(double h) override;
  void heard() override { silence_ = 0.0; }
  bool clear_turns() override;
  std::uint8_t status_bits() const override { return errors_ != 0 ? 0x80 : 0; }
  double baud() const override;

 private:
  enum Mode { kCurrent = 0, kVelocity = 1, kPosition = 3, kExtended = 4, kBounded = 5, kPwm = 16 };

  ServoOrder motion() const override;
  std::optional<VelocityGains> velocity_gains() const;
  ErrorBits error_bits() const override { return {0x01, 0x04, 0x00, 0x20}; }
  std::uint8_t lasting_bits() const override { return 0xFF; }
  bool is_locked(const RegisterRow& row) const override;
  ServoFault check_more(const RegisterRow& row, std::int64_t value) const override;
  bool is_overloaded(const ServoSense& sense) const override;
  double overload_time() const override { return choices_.firmware.overload_time; }
  void errors_changed(std::uint8_t before) override;

  int mode() const { return static_cast<int>(value(RegisterRole::OperatingMode, kPosition)); }
  bool is_positioning() const { return mode() >= kPosition && mode() <= kBounded; }
  bool is_reverse() const { return (value(RegisterRole::DriveMode) & 1) != 0; }
  bool is_time_based() const { return (value(RegisterRole::DriveMode) & 4) != 0; }
  bool has_fired() const { return value(RegisterRole::BusWatchdog) < 0; }
  double direction() const { return is_reverse() ? -1.0 : 1.0; }
  double homing() const;
  double present(double position) const;
  double position_of(double count) const;
  void reset_turns();
  bool measures_supply() const { return memory_.table().has_supply_current; }
  double goal_current() const;
  void torque_comes_on();
  void begin_ramp();
  void take_present_as_goal();
  void begin_profile();
  void change_mode();
  void fire_watchdog();
  std::int64_t moving_status(const ServoSense& sense) const;

  double turns_ = 0.0;  // whole turns that the present position leaves out
  // The profile to the last goal has these numbers.
  double speed_ = 0.0;         // [rad/s]; infinite: a step
  double acceleration_ = 0.0;  // [rad/s²]; infinite: a rectangle
  double ramp_ = 0.0;          // of the velocity mode [rad/s²]; infinite: a step
  bool is_triangle_ = false;
  double silence_ = 0.0;  // since the last instruction [s]
};

}  // namespace servosim::bus
