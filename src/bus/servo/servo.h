// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "bus/protocol/request.h"
#include "bus/registers/register_memory.h"
#include "bus/servo/firmware.h"
#include "bus/servo/servo_plant.h"
#include "bus/setup/bus_choices.h"

namespace servosim::bus {

/// The answer of a servo, without the packet.
///
/// Threads: a plain value.
struct ServoAnswer {
  std::uint8_t error = 0;
  Octets parameters;
};

/// What happens to bytes on their way.
///
/// Threads: a plain value.
struct LineNoise {
  double lost = 0.0;    ///< the probability that a byte is lost
  double turned = 0.0;  ///< the probability that a bit of a byte is turned
};

/// One servo on a bus: it obeys instructions. It has no clock and no line of its own: its owner
/// says when time has passed, and sends its answers.
///
/// Threads: one at a time, as its bus.
class BusServo {
 public:
  /// `plant` and `choices` must outlive it. Power comes on now.
  BusServo(RegisterTable table, ServoPlant& plant, const BusChoices& choices);

  const RegisterTable& table() const { return memory_.table(); }
  std::uint8_t id() const;
  double baud() const { return firmware_->baud(); }
  /// Returns how long it waits before it answers [s].
  double return_delay() const;
  /// Returns whether it obeys a packet with this ID, which is not that of all.
  bool obeys(std::uint8_t id) const;

  /// Obeys an instruction that is for it alone or for all, except those for several servos.
  /// @return its answer; nothing where it is silent
  std::optional<ServoAnswer> obey(const BusRequest& request);
  /// Reads for an instruction for several servos. @return nothing where it is silent
  std::optional<ServoAnswer> read(std::uint16_t address, std::uint16_t count);
  /// Writes for an instruction for several servos, which nobody answers.
  /// @param id  that the instruction has for it: its own or the secondary one
  void write(std::uint8_t asked, std::uint16_t address, std::span<const std::uint8_t> data);
  /// Returns whether it has an instruction that reads several servos. Its protocol has it.
  bool has_reads_of_several(Instruction instruction) const;
  /// Answers a packet with a wrong checksum or an unknown instruction.
  std::optional<ServoAnswer> answer_fault(ServoFault fault);
  /// Notes that an instruction for it has arrived.
  void heard() { firmware_->heard(); }

  /// Lets time pass: its plant has made a step of `h` [s]. While its supply has too little voltage,
  /// it is as without power, and restarts afterwards.
  void step(double h);
  /// Turns the power off and on again.
  void restart();
  /// Returns whether it is connected and has started.
  bool is_present() const { return !is_gone_ && has_power_ && silent_for_ <= 0.0; }
  /// Sets how it is connected: whether it is off the line, and what happens to the bytes that it
  /// sends. It moves on.
  void set_connection(bool is_gone, const LineNoise& noise) {
    is_gone_ = is_gone;
    noise_ = noise;
  }
  const LineNoise& noise() const { return noise_; }

  /// Returns what it keeps without power, which always has the same size, and sets it; the servo
  /// then restarts.
  Octets kept() const;
  void keep(const Octets& bytes);
  /// Returns the value of a register, after what is measured has been read.
  std::int64_t value(const RegisterRow& row);
  /// Sets a register without asking whether a client could, such as its ID. It persists.
  void set(const RegisterRow& row, std::int64_t value);

 private:
  // How registers are written: a secondary ID reaches no EEPROM, and a check changes nothing.
  struct WriteMode {
    bool only_ram = false;
    bool only_checks = false;
  };

  std::int64_t return_level() const;
  std::optional<ServoAnswer> answer(ServoFault fault, std::int64_t level, bool reads = false,
                                    Octets data = {});
  std::optional<ServoAnswer> ping();
  ServoFault execute(const BusRequest& request, bool is_secondary);
  ServoFault write_registers(std::size_t address, std::span<const std::uint8_t> data,
                             bool only_ram);
  ServoFault write_all(std::size_t address, std::span<const std::uint8_t> data, WriteMode mode);
  bool is_whole(std::size_t address, std::size_t end, std::size_t size) const;
  ServoFault write_register(const RegisterRow& row, std::span<const std::uint8_t> bytes,
                            WriteMode mode);
  ServoFault write_entry(const IndirectBlock& block, std::size_t address,
                         std::span<const std::uint8_t> bytes, WriteMode mode);
  ServoFault act();
  void begin(bool restores_ram);
  Octets backed_up() const;
  void restore(bool only_ram);
  ServoFault factory_reset(const BusRequest& request);
  ServoFault clear(const Octets& parameters);
  ServoFault back_up(const Octets& parameters);
  ServoFault calibrate(const Octets& parameters);
  void store(const RegisterRow& row);
  std::uint8_t error_byte(ServoFault fault) const;
  bool is_feetech() const;

  RegisterMemory memory_;
  const BusChoices& choices_;
  std::unique_ptr<Firmware> firmware_;
  std::optional<RegisterAccess> registered_;
  bool is_registered_secondary_ = false;
  Octets kept_;                 // what is stored without power
  std::optional<Octets> copy_;  // of the registers, by the instruction Backup
  double silent_for_ = 0.0;     // [s]
  bool is_gone_ = false;
  bool has_power_ = true;
  LineNoise noise_;
};

}  // namespace servosim::bus
