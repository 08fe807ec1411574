// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bus/protocol/packet.h"
#include "bus/protocol/protocol.h"
#include "bus/servo/servo.h"
#include "bus/setup/bus_choices.h"

namespace servosim::bus {

/// Bytes that servos write, as one piece.
///
/// Threads: a plain value.
struct BusReply {
  double at = 0.0;  ///< when its last byte has arrived [s]
  Octets bytes;
  LineNoise noise;  ///< of the servo that sends it; of several, of the first one
};

/// A half-duplex line with servos of one protocol: bytes of a client in, replies with the times at
/// which they arrive out. It has no clock: all times are those of the caller, on any clock that
/// does not go back.
///
/// A byte takes 10/baud. A servo whose register has another baud rate hears nothing. Each answers
/// after its return delay; of an instruction for several servos one after the other.
///
/// Threads: one at a time.
class ServoBus {
 public:
  /// `choices` must outlive it.
  ServoBus(const Protocol& protocol, const BusChoices& choices)
      : protocol_(&protocol), choices_(choices), reader_(protocol, BusSide::Servo) {}

  const Protocol& protocol() const { return *protocol_; }
  /// Adds a servo. Its protocol must be that of the bus.
  BusServo& add(std::unique_ptr<BusServo> servo);
  const std::vector<std::unique_ptr<BusServo>>& servos() const { return servos_; }

  /// Takes bytes that a client has written at `now`.
  /// @param now  [s]
  /// @param baud  of the client [bit/s]; 0: not known, so that all servos hear it
  /// @param replies  get those to all packets that are whole, in the order of their times
  /// @return the number of instructions among them
  int receive(std::span<const std::uint8_t> bytes, double now, double baud,
              std::vector<BusReply>& replies);
  /// Returns when the line is free: all bytes and replies so far have arrived [s].
  double free_at() const { return free_at_; }
  /// Drops what was to arrive after `now`: the client has discarded its input [s].
  void flush(double now);
  /// Forgets the part of a packet that has arrived: the rest of it does not come.
  void forget() { reader_.forget(); }
  /// Lets time pass for the servos, after their plants have made a step of `h` [s].
  void step(double h);

 private:
  // An answer of one servo, which the line makes a reply of.
  void reply(const BusServo& servo, std::uint8_t id, double baud, double delay,
             const ServoAnswer& answer);
  void reply_bytes(const BusServo& servo, double baud, double delay, Octets bytes);
  bool hears(const BusServo& servo, double baud) const;
  BusServo* find(std::uint8_t id, double baud);
  void obey(const ReadPacket& received, double baud);
  void obey_all(const BusRequest& request, double baud);
  void ping_all(double baud);
  void read_several(const BusRequest& request, double baud);
  void write_several(const BusRequest& request, double baud);

  const Protocol* protocol_;
  const BusChoices& choices_;
  PacketReader reader_;
  std::vector<std::unique_ptr<BusServo>> servos_;
  std::vector<BusReply>* replies_ = nullptr;  // during receive()
  std::size_t received_ = 0;                  // bytes so far
  double free_at_ = 0.0;
  double last_byte_ = -1e300;  // when the last byte of the client had arrived
};

}  // namespace servosim::bus
