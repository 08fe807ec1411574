// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/scoped.h"
#include "controller_api/protocol/extern_entry.h"
#include "run/launch_plan.h"
#include "run/output_pump.h"
#include "run/process.h"

namespace servosim {

/// The program of a hosted controller, which the run has started, with what it has printed last.
/// The program may start another one that connects in its place.
class HostedProgram {
 public:
  using Clock = std::chrono::steady_clock;

  /// @throws InputError if it cannot be started, Shortage
  explicit HostedProgram(const PlannedController& plan);
  HostedProgram(HostedProgram&&) = delete;
  HostedProgram& operator=(HostedProgram&&) = delete;

  ControllerProcess& process() { return *process_; }
  const ControllerProcess& process() const { return *process_; }
  /// Returns the folder in which it was started.
  const std::string& folder() const { return folder_; }
  Clock::time_point started_at() const { return started_at_; }

  /// Sets its standard output and error, whose last lines tell why it has ended.
  void watch_output(std::array<std::shared_ptr<LastLine>, 2> outputs) {
    outputs_ = std::move(outputs);
  }
  /// Returns why it has failed, if its last line tells; otherwise an empty text.
  std::string describe_failure() const;
  /// Returns, of a signal that has ended it, what it printed last, and where its core file is.
  std::string describe_crash(int wait_status) const;

  /// Returns whether a program that it starts may still connect in its place.
  bool may_be_replaced() const { return fallback_socket_.has_value(); }
  /// Returns the connection of such a program; none if nobody has connected.
  Descriptor accept_replacement() { return fallback_socket_->accept(); }
  void refuse_replacement() { fallback_socket_.reset(); }

 private:
  std::string last_line() const;

  std::string folder_;
  std::optional<FallbackSocket> fallback_socket_;  // exists until the hello
  std::optional<ControllerProcess> process_;       // not empty
  std::array<std::shared_ptr<LastLine>, 2> outputs_;
  Clock::time_point started_at_;
};

}  // namespace servosim
