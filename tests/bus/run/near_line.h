// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "bus/protocol/request.h"
#include "bus/run/bus_line.h"

namespace servosim::bus::test {

/// The port of a client in this process.
class NearPort final : public BusPort {
 public:
  explicit NearPort(Calls given) : calls(std::move(given)) {}
  void send(std::span<const std::uint8_t> bytes) override {
    sent.insert(sent.end(), bytes.begin(), bytes.end());
  }
  void set_reading(bool reading) override { reads = reading; }
  double baud() const override { return speed; }
  const std::string& address() const override { return name; }

  Calls calls;
  Octets sent;
  double speed = 57600.0;
  bool reads = true;
  std::string name = "near";
};

/// The line from such a port to servos, in steps of 1 ms.
struct NearLine {
  explicit NearLine(ServoBus& servos, const LineClock& clock = {true, 0.0})
      : bus(servos), line(loop, bus, clock, 0.001, [this](net::EventLoop&, BusPort::Calls calls) {
          auto made = std::make_unique<NearPort>(std::move(calls));
          port = made.get();
          return made;
        }) {}

  Octets bytes(const BusRequest& request) const {
    return encode(bus.protocol(), to_packet(bus.protocol(), request));
  }
  /// Sends a request in lock-step, as clients that first discard what has come, and returns the
  /// bytes that come at once.
  Octets ask(const BusRequest& request) {
    port->sent.clear();
    port->calls.flushed();
    port->calls.received(bytes(request));
    return port->sent;
  }
  /// Lets the time pass that exchanges have granted.
  void run() {
    while (line.grants_step()) {
      line.step();
    }
  }

  ServoBus& bus;
  net::EventLoop loop;
  NearPort* port = nullptr;
  BusLine line;
};

}  // namespace servosim::bus::test
