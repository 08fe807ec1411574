// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bus/servo/firmware.h"

namespace servosim::bus {

/// The firmware of Feetech's STS, SMS and SCS series.
///
/// Threads: one at a time, as its servo.
class FeetechFirmware final : public Firmware {
 public:
  using Firmware::Firmware;

  void start() override;
  void written(const RegisterRow& row, std::int64_t before) override;
  void refresh() override;
  bool clear_turns() override;
  bool calibrate(std::int64_t count) override;
  /// Locked registers act, and are lost without power.
  bool keeps_writes() const override { return value(RegisterRole::Lock) == 0; }
  std::uint8_t status_bits() const override { return errors_; }
  double baud() const override;

 private:
  enum class Motion { Position, MultiTurn, Velocity, Pwm, Relative };

  ServoOrder motion() const override;
  ErrorBits error_bits() const override { return {0x01, 0x04, 0x08, 0x20}; }
  std::uint8_t lasting_bits() const override { return 0x28; }
  bool is_locked([[maybe_unused]] const RegisterRow& row) const override { return false; }
  ServoFault check_more([[maybe_unused]] const RegisterRow& row,
                        [[maybe_unused]] std::int64_t value) const override {
    return ServoFault::None;
  }
  bool is_overloaded(const ServoSense& sense) const override;
  double overload_time() const override;
  void overloaded(const ServoSense& sense) override;
  void errors_changed(std::uint8_t before) override;

  bool is_scs() const { return memory_.table().protocol == &kFeetechScs; }
  Motion kind() const;
  bool is_single_turn() const;
  double present(double position) const;
  double position_of(double count) const;
  void begin_motion();
  void plan_time();
  void take_present_as_goal();
  double signed_output() const;
  // Returns how many of its table's units one count of a speed is.
  double speed_unit() const;

  double turns_ = 0.0;          // whole turns at the start
  double goal_ = 0.0;           // of the position, without turns [rad]
  double speed_ = 0.0;          // of a motion by time [rad/s]; 0: by the register
  double overload_side_ = 0.0;  // the direction in which it is too weak; 0: its torque is whole
};

}  // namespace servosim::bus
