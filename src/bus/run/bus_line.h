// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/scoped.h"
#include "bus/serve/bus_port.h"
#include "bus/servo/servo_bus.h"

namespace servosim::bus {

/// What lets time pass on a bus.
///
/// Threads: a plain value.
struct LineClock {
  /// Only exchanges let simulated time pass: each as long as its bytes and its delays take on the
  /// line. Otherwise the wall clock does.
  bool is_lockstep = false;
  double cycle = 0.0;  ///< an exchange in lock-step takes at least this long [s]; 0: one step
};

/// What goes wrong on a line.
///
/// Threads: a plain value.
struct LineNoise {
  double lost = 0.0;    ///< the probability that a byte is lost, either way
  double turned = 0.0;  ///< the probability that a bit of a byte is turned, either way
};

/// The line between the port that a client opens and the servos: it has the time that bytes take.
///
/// With the wall clock a reply is sent when its last byte would have arrived. In lock-step it is
/// sent at once, and the next instruction waits until the time of the exchange has been simulated;
/// so what a client reads does not depend on how fast anything runs.
///
/// A client that sends faster than the line carries bytes waits, as at a real port.
///
/// Threads: that of its event loop, which is that of the simulation.
class BusLine {
 public:
  /// Opens the port of the line. @throws what the function throws
  using OpenPort = std::function<std::unique_ptr<BusPort>(net::EventLoop&, BusPort::Calls)>;

  /// All arguments but the clock and `open` must outlive it.
  /// @param h  the step of the simulation [s]
  BusLine(net::EventLoop& loop, ServoBus& bus, const LineClock& clock, double h,
          const OpenPort& open);

  const std::string& address() const { return port_->address(); }
  /// Returns whether the simulation may take a step.
  bool grants_step() const { return !clock_.is_lockstep || owed_ >= 0.5 * h_; }
  /// Lets a step of the simulation pass for the servos, whose plants have made it.
  void step();
  void set_noise(const LineNoise& noise) { noise_ = noise; }
  /// Returns the number of instructions so far, and how long ago the last one came [s]; infinite
  /// before the first one.
  std::int64_t instructions() const { return instructions_; }
  double silence() const;

 private:
  void receive(std::span<const std::uint8_t> bytes);
  void go_on();
  void send_due();
  /// Lets the client wait, or go on.
  void hold(bool holds);
  void arm();
  Octets disturbed(std::span<const std::uint8_t> bytes);

  ServoBus& bus_;
  LineClock clock_;
  double h_;
  std::deque<BusReply> pending_;      // by time, with the wall clock
  std::deque<std::uint8_t> waiting_;  // in lock-step, for the time of the exchange before
  std::vector<BusReply> replies_;     // only memory
  bool holds_ = false;                // whether the client waits
  double owed_ = 0.0;                 // simulated time that exchanges have let pass [s]
  double passed_ = 0.0;               // in lock-step, time of the bus [s]
  std::int64_t instructions_ = 0;
  std::optional<net::Clock::time_point> last_;
  LineNoise noise_;
  std::mt19937 random_{1};
  Descriptor timer_;  // of the kernel, since those of an event loop count in ms
  net::DescriptorWatch watch_;
  std::unique_ptr<BusPort> port_;  // ends first
};

}  // namespace servosim::bus
