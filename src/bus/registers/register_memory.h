// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bus/protocol/packet.h"
#include "bus/registers/register_table.h"

namespace servosim::bus {

/// The registers of one servo as bytes, with the bytes that indirect addresses mirror. It knows
/// nothing of who may write them.
///
/// Threads: one at a time.
class RegisterMemory {
 public:
  explicit RegisterMemory(RegisterTable table);
  RegisterMemory(const RegisterMemory&) = delete;
  RegisterMemory& operator=(const RegisterMemory&) = delete;

  const RegisterTable& table() const { return table_; }

  /// Returns the value of a register.
  std::int64_t value(const RegisterRow& row) const;
  void set(const RegisterRow& row, std::int64_t value);
  /// Returns the value of the register with a role, or another one where the model has none.
  std::int64_t value(RegisterRole role, std::int64_t otherwise = 0) const;
  /// Sets the register with a role; does nothing where the model has none.
  void set(RegisterRole role, std::int64_t value);
  /// Returns a value in SI units and °C.
  double quantity(RegisterRole role, double otherwise = 0.0) const;
  void set_quantity(RegisterRole role, double quantity);

  /// Returns the bytes from an address on, whatever they belong to; those of no register are 0.
  /// @return nothing if they are not all within the table
  std::optional<Octets> read(std::size_t address, std::size_t count) const;
  /// Returns the number that bytes are in this table's order.
  std::uint32_t number(std::span<const std::uint8_t> bytes) const;

  /// Sets bytes, whatever they belong to. All must be within the table.
  void put(std::size_t address, std::span<const std::uint8_t> bytes);

  const std::vector<RegisterRow>& rows() const { return table_.rows; }
  /// Returns the address that a byte stands for: itself, or what an indirect address says.
  std::size_t target_of(std::size_t address) const;
  /// Returns whether a byte mirrors what an indirect address says.
  bool is_mirror(std::size_t address) const;
  /// Returns the register that has a byte at an address; null for none.
  const RegisterRow* row_at(std::size_t address) const;
  /// Returns the block in which the entry at an address is; null for none.
  const IndirectBlock* entry_at(std::size_t address) const;
  /// Sets an entry of a block. @param address  of the entry
  void set_entry(std::size_t address, std::uint16_t target);

  /// Gives registers of some areas their initial values. Initial values that are those of other
  /// registers are set last.
  void reset(bool with_eeprom);
  /// Returns the bytes of what outlives a reboot, and sets them again.
  Octets kept() const;
  /// Returns such bytes with the present value of one register.
  Octets kept_with(Octets bytes, const RegisterRow& row) const;
  void keep(const Octets& bytes);

 private:
  bool is_kept(RegisterArea area) const { return area != RegisterArea::Ram; }

  RegisterTable table_;
  Octets bytes_;
  std::vector<const RegisterRow*> by_role_;
};

}  // namespace servosim::bus
