// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/random.h"
#include "base/scoped.h"
#include "bus/serve/bus_port.h"
#include "bus/servo/servo_bus.h"
#include "bus/setup/bus_setup.h"

namespace servosim::bus {

class BusLine;

/// Finds lines in lock-step that let no time pass: their clients only sleep, or nobody has opened
/// them, which looks like a hang.
///
/// Threads: that of the lines.
class SilenceWatch {
 public:
  /// Watches one line more, which is in lock-step and must outlive it.
  void add(const BusLine& line) { lines_.push_back(&line); }
  /// Returns what to tell about the lines, once for each silence; empty for nothing.
  std::string warning();

 private:
  std::vector<const BusLine*> lines_;
  bool has_told_ = false;
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
  /// Sets what happens to bytes either way.
  void set_noise(const LineNoise& noise) { noise_ = noise; }
  /// Lets the random numbers of all noise begin with a seed.
  void set_seed(std::uint64_t seed) { random_ = Random(seed); }
  /// Returns the number of instructions so far.
  std::int64_t instructions() const { return instructions_; }
  /// Returns how long ago the last instruction has come, or before the first one how long the line
  /// is there [s].
  double silence() const;

 private:
  void receive(std::span<const std::uint8_t> bytes);
  void go_on();
  void forget_rest();
  void send_due();
  /// Lets the client wait, or go on.
  void hold(bool holds);
  void arm();
  Octets disturbed(std::span<const std::uint8_t> bytes, const LineNoise& noise);
  Octets disturbed(const BusReply& reply);

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
  net::Clock::time_point last_ = net::Clock::now();  // of an instruction, or when it was opened
  net::Clock::time_point heard_;                     // of bytes, in lock-step
  LineNoise noise_;
  Random random_{1};
  Descriptor timer_;  // of the kernel, since those of an event loop count in ms
  net::DescriptorWatch watch_;
  std::unique_ptr<BusPort> port_;  // ends first
};

}  // namespace servosim::bus
