// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/event_loop.h"

namespace servosim::bus {

/// Behind the path of a link, this is the path of its control socket.
inline constexpr const char* kControlSuffix = ".control";

/// A Unix socket that takes lines, and answers each with a line.
///
/// Threads: that of its event loop.
class ControlPort {
 public:
  /// Returns the answer to a line, without a line break. It must not throw.
  using Answer = std::function<std::string(std::string_view line)>;
  /// The most bytes of a line.
  static constexpr std::size_t kMaxLine = 4096;

  ControlPort() = default;
  ControlPort(const ControlPort&) = delete;
  ControlPort& operator=(const ControlPort&) = delete;
  virtual ~ControlPort() = default;

  virtual const std::string& path() const = 0;
};

/// Listens at a path that only its user can open, and removes it at the end. What exists there is
/// replaced only if it is a socket at which nobody listens.
/// @throws std::runtime_error if there is something else, std::system_error if the system refuses
std::unique_ptr<ControlPort> open_control(net::EventLoop& loop, const std::string& path,
                                          ControlPort::Answer answer);
/// Sends a line to a control socket, and returns its answer, for which it waits for 10 s at most.
/// @throws std::runtime_error if nobody listens there, or answers
std::string ask_control(const std::string& path, std::string_view line);

}  // namespace servosim::bus
