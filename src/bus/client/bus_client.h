// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bus/client/serial_port.h"
#include "bus/protocol/packet.h"
#include "bus/protocol/protocol.h"
#include "bus/protocol/request.h"

namespace servosim::bus {

/// A BusError is thrown when a servo does not answer as it should. what() names the servo and the
/// reason.
class BusError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A BusRefusal is thrown when a servo answers that it does not do what it is asked for.
class BusRefusal : public BusError {
 public:
  using BusError::BusError;
};

/// A servo that has answered a ping.
///
/// Threads: a plain value.
struct FoundServo {
  std::uint8_t id = 0;
  std::uint8_t status = 0;      ///< its error byte
  std::optional<int> model;     ///< its model number, if the ping has told it
  std::optional<int> firmware;  ///< its version, as a RegisterTable has it, if it is known
};

/// Sleeps until `end`, and calls `check` some times per second; what that throws ends the sleep.
void pause_until(std::chrono::steady_clock::time_point end, const std::function<void()>& check);

/// Exchanges packets with servos, simulated or real, in one protocol.
///
/// Threads: one at a time.
class BusClient {
 public:
  /// `port` must outlive this object.
  BusClient(SerialPort& port, const Protocol& protocol) : port_(&port), protocol_(&protocol) {}

  const Protocol& protocol() const { return *protocol_; }
  /// Returns the speed of the port [bit/s].
  double baud() const { return port_->baud(); }

  /// Sends a request, and returns the answers that arrive until there are `count` of them or the
  /// time is over: the time of all bytes on the line, the return delay and the latency of an
  /// adapter, as the clients of the makers wait.
  /// @param data  the number of bytes of parameters in each answer
  std::vector<BusPacket> exchange(const BusRequest& request, std::size_t count, std::size_t data);

  /// Returns the servo with an ID; nothing if none answers.
  std::optional<FoundServo> ping(std::uint8_t id);
  /// Returns all servos that answer one ping for all. Only a protocol with wide packets has it.
  std::vector<FoundServo> ping_all();
  /// Reads bytes of a servo's registers. @throws BusError
  Octets read(std::uint8_t id, std::uint16_t address, std::uint16_t count);
  /// Reads the same bytes of several servos at once; one entry for each ID, empty without an
  /// answer. A protocol without such an instruction takes several exchanges.
  std::vector<Octets> read_all(const std::vector<std::uint8_t>& ids, std::uint16_t address,
                               std::uint16_t count);
  /// Writes bytes, and waits for the answer, unless the servo's return level says that there is
  /// none.
  /// @throws BusError
  void write(std::uint8_t id, std::uint16_t address, const Octets& bytes, bool is_answered = true);
  /// Sets the speed of the port, as that of the servos has changed [bit/s].
  void set_baud(double baud) { port_->set_baud(baud); }

  /// Returns the bits of alarms in the last status of a servo: the alert of wide packets, otherwise
  /// those that the protocol has; 0 before its first status.
  std::uint8_t alarms(std::uint8_t id) const { return alarms_[id]; }
  /// Returns what the error byte of a status means, for people; empty for 0.
  std::string error_text(std::uint8_t error) const;

 private:
  double wait_for(const BusRequest& request, std::size_t sent, std::size_t count,
                  std::size_t data) const;
  bool is_as_sent(const BusPacket& sent, const BusPacket& packet) const;
  BusPacket answer_of(std::uint8_t id, const BusRequest& request, std::size_t data,
                      const std::string& what);

  SerialPort* port_;
  const Protocol* protocol_;
  std::array<std::uint8_t, 256> alarms_{};  // by ID
};

}  // namespace servosim::bus
