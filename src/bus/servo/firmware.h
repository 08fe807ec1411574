// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "bus/registers/register_memory.h"
#include "bus/servo/servo_plant.h"
#include "bus/setup/bus_choices.h"

namespace servosim::bus {

/// Why a servo does not do what an instruction asks.
///
/// Threads: a plain value.
enum class ServoFault : std::uint8_t {
  None,
  ResultFail,   ///< it cannot be done now
  Instruction,  ///< there is no such instruction, or nothing is registered
  Checksum,
  DataRange,   ///< a value outside of its range
  DataLength,  ///< less data than the register has bytes
  DataLimit,   ///< a value beyond the one of a limit register
  Access,      ///< a register that cannot be written, or not now
};

/// What the registers of a servo mean: which values they take, what they make the motor do, and
/// what it tells them. Families of servos differ in this; the instructions are the same.
///
/// Threads: one at a time, as its servo.
class Firmware {
 public:
  /// All arguments must outlive it.
  Firmware(RegisterMemory& memory, ServoPlant& plant, const BusChoices& choices)
      : memory_(memory), plant_(plant), choices_(choices) {}
  Firmware(const Firmware&) = delete;
  Firmware& operator=(const Firmware&) = delete;
  virtual ~Firmware() = default;

  /// Begins as after power has come: registers of RAM have their initial values already.
  virtual void start();
  /// Returns why a register cannot get a value; None if it can.
  ServoFault check(const RegisterRow& row, std::int64_t value) const;
  /// Acts on a register that has got a value. @param before  its value before
  virtual void written(const RegisterRow& row, std::int64_t before) = 0;
  /// Sets the registers of what is measured.
  virtual void refresh() = 0;
  /// Tells the plant what the registers mean.
  void order();
  /// Watches errors and limits, after a step of `h` [s].
  virtual void step(double h);
  /// Notes that an instruction has arrived.
  virtual void heard() {}
  /// Forgets the turns of a multi-turn servo. @return false while it moves
  virtual bool clear_turns() { return false; }
  /// Makes a count the present position. @return false if the servo cannot
  virtual bool calibrate([[maybe_unused]] std::int64_t count) { return false; }
  /// Returns whether writes to EEPROM persist.
  virtual bool keeps_writes() const { return true; }
  /// Returns the bits of errors that every status has: those of its error byte, or the alert.
  virtual std::uint8_t status_bits() const = 0;
  /// Returns its speed on the line [bit/s].
  virtual double baud() const = 0;
  /// Ends the torque, whatever the registers say, until the next order().
  void release();
  /// Returns the voltage of its supply [V].
  double supply() const { return plant_.sense().reading.voltage; }
  void clear_errors();
  bool is_on() const { return memory_.value(RegisterRole::TorqueEnable) == 1; }
  bool is_moving() const;

 protected:
  /// Which bits of errors the family has; 0: none.
  struct ErrorBits {
    std::uint8_t voltage;
    std::uint8_t heat;
    std::uint8_t current;
    std::uint8_t overload;
  };

  virtual ServoOrder motion() const = 0;
  virtual ErrorBits error_bits() const = 0;
  /// Returns the bits that stay when their reason has gone.
  virtual std::uint8_t lasting_bits() const = 0;
  /// Returns whether a register cannot be written now.
  virtual bool is_locked(const RegisterRow& row) const = 0;
  /// Returns what else is wrong with a value that is in its range.
  virtual ServoFault check_more(const RegisterRow& row, std::int64_t value) const = 0;
  /// Returns whether the servo is at its greatest output without effect, or above its load.
  virtual bool is_overloaded(const ServoSense& sense) const = 0;
  virtual double overload_time() const = 0;
  /// Acts on an overload that has lasted for its time, each time anew.
  virtual void overloaded([[maybe_unused]] const ServoSense& sense) {}
  /// Acts on errors that have come or gone.
  virtual void errors_changed(std::uint8_t before) = 0;

  std::int64_t value(RegisterRole role, std::int64_t otherwise = 0) const {
    return memory_.value(role, otherwise);
  }
  /// Returns radians per count of the position.
  double count() const;
  /// Returns the limits of duty and current, gains, and the shape of the loop.
  ServoOrder limited_order() const;
  /// Returns what the registers of dead zones, compliance and punch add to the numbers of the
  /// model.
  LoopShape loop_shape() const;
  /// Returns the position of the shaft in counts from its zero, without turns and offsets [counts].
  double raw_count(double position) const;
  double position_of_raw(double raw) const;
  void watch(double h);

  RegisterMemory& memory_;
  ServoPlant& plant_;
  const BusChoices& choices_;
  std::uint8_t errors_ = 0;    // latched
  double overload_ = 0.0;      // how long it has lasted [s]
  double over_current_ = 0.0;  // [s]
  double time_ = 0.0;          // since the start [s]
};

/// Makes the firmware of a table.
std::unique_ptr<Firmware> make_firmware(RegisterMemory& memory, ServoPlant& plant,
                                        const BusChoices& choices);

}  // namespace servosim::bus
