// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bus/servo/firmware.h"

namespace servosim::bus {

/// The firmware of the Dynamixel series without operating modes: AX, MX (1.0), XL-320.
///
/// Threads: one at a time, as its servo.
class LegacyFirmware final : public Firmware {
 public:
  using Firmware::Firmware;

  void start() override;
  void written(const RegisterRow& row, std::int64_t before) override;
  void refresh() override;
  std::uint8_t status_bits() const override;
  double baud() const override;

 private:
  enum class Motion { Joint, Wheel, MultiTurn, Torque };

  ServoOrder motion() const override;
  ErrorBits error_bits() const override;
  std::uint8_t lasting_bits() const override;
  bool is_locked(const RegisterRow& row) const override;
  ServoFault check_more(const RegisterRow& row, std::int64_t value) const override;
  bool is_overloaded(const ServoSense& sense) const override;
  double overload_time() const override { return choices_.firmware.overload_time; }
  void errors_changed(std::uint8_t before) override;

  // XL-320 has the packets of protocol 2.0.
  bool is_wide() const { return memory_.table().protocol->is_wide; }
  Motion kind() const;
  bool is_reverse() const;
  bool has_gap() const {
    return memory_.table().counts > 1024.0 && memory_.table().counts < 4096.0;
  }
  // The count of a position in the direction of the drive mode, with turns, and the reverse.
  double sensed(double position) const;
  double position_of_sensed(double sensed) const;
  // The same without turns, also where the sensor is blind.
  double in_turn(double sensed) const;
  double divider() const;
  double present(double position) const;
  double position_of(double count) const;
  void take_present_as_goal();
  void aim();

  double turns_ = 0.0;  // whole turns at the start
  double goal_ = 0.0;   // of the position [rad]
};

}  // namespace servosim::bus
