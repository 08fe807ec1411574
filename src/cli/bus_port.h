// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bus/client/remote_servo.h"
#include "cli/arguments.h"
#include "run/console.h"

// What the commands `servosim bus ...` share that talk to servos.

namespace servosim {

/// Where a command finds its servos.
struct BusPortArguments {
  std::string place;
  double baud = 1000000.0;  // [bit/s]
  std::string protocol;     // empty: it is found
  std::string model;        // empty: it is found by its number
  std::string tables;       // a folder of RegisterTables; empty: none

  /// Returns the protocols that the servos may have.
  std::vector<const bus::Protocol*> protocols() const;
  /// @throws std::runtime_error
  bus::SerialPort open() const { return {place, baud}; }
};

/// Accepts a number from `least` to `most`.
CLI::Validator number_from_to(double least, double most);
/// Accepts a speed of a bus [bit/s].
CLI::Validator bus_speed();
/// Declares --tables.
void add_bus_tables(CLI::App& command, std::string& folder);
/// Declares PORT, --protocol, --tables and, for commands with one speed, --baud and --model.
void add_bus_port(CLI::App& command, BusPortArguments& arguments, bool has_one_speed);
/// Runs a command as run_writer() does. The first signal only ends its waiting, so that it can
/// leave servos as it should.
int run_bus_client(const std::function<void(Console&)>& command);
/// Returns the IDs of a text such as "1,4-9". @throws std::invalid_argument
std::vector<std::uint8_t> read_ids(const std::string& text);
/// Refuses a servo whose time is not that of this computer, for commands whose output has times.
/// @throws std::runtime_error, bus::BusError
void require_real_time(bus::RemoteServo& servo);

/// A servo that a command talks to.
class BusConnection {
 public:
  /// `port` must outlive this object. @throws bus::BusError if the servo does not answer,
  /// std::invalid_argument if its registers are not known
  BusConnection(bus::SerialPort& port, const BusPortArguments& arguments, int id);

  bus::RemoteServo& servo() { return *servo_; }

 private:
  std::optional<bus::BusClient> client_;
  std::optional<bus::RemoteServo> servo_;
};

}  // namespace servosim
