// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "servosim/srvp/frames.h"

namespace servosim::srvp {

/// Why a Client has failed, for people.
///
/// Threads: a plain value.
struct ClientError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// What a server answered to one query.
///
/// Threads: a plain value.
struct Reply {
  std::vector<Answer> answers;  ///< 1, or 2 to a Movement that the server found valid
  /// None of them is a NACK.
  bool ok() const;
};

/// A client of an SRVP server that waits for each answer. All functions throw ClientError when the
/// server cannot be reached, does not answer in time, or sends no valid answer; then the client is
/// unusable. A NACK is an answer. Values that no frame can have throw std::invalid_argument.
///
/// Threads: one at a time.
class Client {
 public:
  struct Options {
    std::string host = "127.0.0.1";  ///< an IPv4 number, or localhost
    std::uint16_t port = kDefaultPort;
    /// For each answer. A server waits for its MCUs, 10 s by default.
    std::chrono::milliseconds timeout{15'000};
    bool single_ack = false;  ///< the server sends one answer to a Movement, not two
    /// Time from the login to the first query. The login has no answer, and the platform's server
    /// takes the bytes of one receive call for one frame: both together would be none.
    std::chrono::milliseconds login_pause{300};
  };

  /// Connects and logs in.
  explicit Client(const Options& options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  Reply ask(const Query& query);

  Reply select(const std::string& mcu) { return ask(SelectMcu{mcu}); }
  /// To positions [degrees].
  Reply move(std::vector<Move> moves) {
    return ask(Movement{MoveForm::Position, std::move(moves)});
  }
  /// To PWM values 0..32766, for a DumbMCU.
  Reply move_pwm(std::vector<Move> moves) { return ask(Movement{MoveForm::Pwm, std::move(moves)}); }
  Reply info() { return ask(AskInfo()); }
  Reply set_delayed(bool delayed) {
    return ask(SetMode{delayed ? SetMode::kDelayed : SetMode::kRealTime});
  }
  Reply execute() { return ask(ExecuteAll()); }
  Reply upload(std::vector<PwmRange> ranges) { return ask(Upload{std::move(ranges)}); }
  Reply shut_down() { return ask(ShutDown()); }

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace servosim::srvp
