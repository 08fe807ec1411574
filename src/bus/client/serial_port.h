// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/scoped.h"
#include "bus/protocol/packet.h"

namespace servosim::bus {

/// A serial port as a client of a bus has it: a device such as /dev/ttyUSB0, the link of a pseudo
/// terminal, or a TCP port.
///
/// Threads: one at a time.
class SerialPort {
 public:
  /// @param place  a path, tcp:PORT for a port of this computer, or tcp:HOST:PORT
  /// @param baud  the speed [bit/s]; of TCP without effect
  /// @throws std::runtime_error that says what is wrong with `place`
  SerialPort(std::string place, double baud);

  const std::string& place() const { return place_; }
  double baud() const { return baud_; }
  /// Returns whether its speed has an effect: not that of TCP.
  bool has_speed() const { return is_device_; }
  /// Sets the speed without closing the port. @throws std::runtime_error
  void set_baud(double baud);
  /// Discards what has arrived and was not read.
  void discard();
  /// Sends all bytes. @throws std::runtime_error if the port is lost
  void send(std::span<const std::uint8_t> bytes);
  /// Returns whether the adapter hears what it sends. The first call finds it out with a byte that
  /// is no part of a packet. @throws std::runtime_error if the port is lost
  bool has_echo();
  /// Returns what the first call of has_echo() has found; nothing before.
  std::optional<bool> known_echo() const { return has_echo_; }
  /// Waits for bytes until `end` at the longest, and returns those that are there; none if the time
  /// is over. @throws std::runtime_error if the port is lost
  Octets receive(std::chrono::steady_clock::time_point end);

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void open_device();
  void connect(const std::string& address);

  std::string place_;
  double baud_;
  bool is_device_;
  std::optional<bool> has_echo_;
  Descriptor fd_;
};

}  // namespace servosim::bus
