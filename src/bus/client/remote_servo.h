// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bus/client/bus_client.h"
#include "bus/registers/register_tables.h"

namespace servosim::bus {

/// A register of a servo and what it has.
///
/// Threads: a plain value.
struct RegisterValue {
  const RegisterRow* row = nullptr;  ///< of the table that it was read with
  std::int64_t value = 0;            ///< [counts]
};

/// A servo at the other end of a bus, with the registers of its model by name.
///
/// Threads: one at a time, with its client.
class RemoteServo {
 public:
  /// @param client  must outlive this object
  /// @param table  of its model
  RemoteServo(BusClient& client, std::uint8_t id, RegisterTable table);

  std::uint8_t id() const { return id_; }
  const RegisterTable& table() const { return table_; }
  BusClient& client() { return *client_; }
  /// Finds a register by its maker's name; case does not matter, and _ is a blank.
  /// @throws std::invalid_argument with the nearest names
  const RegisterRow& row(std::string_view name) const;

  /// Returns what is wrong with it by its last status, and what ends that, as one line for people;
  /// empty if nothing is. Of some servos it reads a register.
  std::string alarm();
  /// Returns whether it answers reads, as far as its return level is known.
  bool answers_reads() const { return answers_reads_; }
  /// Reads these registers, in as few exchanges as their addresses allow. @throws BusError
  std::vector<RegisterValue> read(const std::vector<const RegisterRow*>& rows);
  std::int64_t read(const RegisterRow& row);
  /// Writes a register; after a new ID it talks to that one. A servo whose return level is lower
  /// does not answer, so that a refusal is not seen.
  /// @throws BusError, std::invalid_argument if it cannot be written or has no room for the value
  void write(const RegisterRow& row, std::int64_t value);

 private:
  std::vector<RegisterValue> read_together(std::span<const RegisterRow* const> rows,
                                           std::uint16_t begin, std::uint16_t count);
  bool reads_that_writes_are_answered();

  BusClient* client_;
  std::uint8_t id_;
  RegisterTable table_;
  bool answers_reads_ = true;
  std::optional<bool> answers_writes_;  // by its return level; nothing: not read yet
};

/// A value as its maker counts it.
///
/// Threads: a plain value.
struct MakersQuantity {
  std::string number;  ///< with all digits, such as "45.8"
  std::string unit;    ///< such as "rpm"
};

/// Returns a value in the maker's unit; nothing for a register without one.
std::optional<MakersQuantity> makers_quantity(const RegisterRow& row, std::int64_t value);

/// A servo on a port, and the protocol that it speaks.
///
/// Threads: a plain value.
struct IdentifiedServo {
  const Protocol* protocol = nullptr;
  FoundServo found;
  std::string model;  ///< a name of the tables; empty if its number is not known
};

/// Asks a servo for its model number and firmware version, which pings of some protocols do not
/// tell. The protocols with narrow packets have the same ping; the place of the model number tells
/// which one the servo has.
/// @param protocols  those that it may have
/// @return nothing if it does not answer
std::optional<IdentifiedServo> identify(SerialPort& port, std::uint8_t id,
                                        const std::vector<const Protocol*>& protocols,
                                        const RegisterTables& tables = {});
/// Does the same for a servo that has answered a ping in `protocol`.
IdentifiedServo identify(SerialPort& port, const FoundServo& found, const Protocol& protocol,
                         const std::vector<const Protocol*>& protocols,
                         const RegisterTables& tables = {});

}  // namespace servosim::bus
