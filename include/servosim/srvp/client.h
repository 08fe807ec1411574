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

/// Why a Client has failed, as a text for people.
///
/// Threads: a plain value.
struct ClientError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// What a server has answered to one query.
///
/// Threads: a plain value.
struct Reply {
  /// One answer, or two to a Movement that the server has found valid.
  std::vector<Answer> answers;
  /// Whether none of them is a NACK.
  bool ok() const;
};

/// A client of an SRVP server. It waits for each answer. A NACK is an answer.
///
/// All functions throw ClientError when the server cannot be reached, does not answer in time, or
/// sends no valid answer; after that the client cannot be used. Values that no frame can have throw
/// std::invalid_argument, and nothing is sent then.
///
/// Threads: one at a time.
class Client {
 public:
  struct Options {
    /// An IPv4 address as numbers, or "localhost".
    std::string host = "127.0.0.1";
    /// The TCP port.
    std::uint16_t port = kDefaultPort;
    /// How long it waits for each answer. A server waits for its MCUs in turn, 10 s by default.
    std::chrono::milliseconds timeout{15'000};
    /// Whether the server sends one answer to a Movement instead of two.
    bool single_ack = false;
    /// The time from the login to the first query. The login has no answer, and the server of the
    /// platform takes the bytes of one receive call for one frame: both frames together would be
    /// none.
    std::chrono::milliseconds login_pause{300};
  };

  /// Connects and logs in, and waits for the pause after the login. @throws ClientError
  explicit Client(const Options& options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// Sends a query, and waits for its answer.
  Reply ask(const Query& query);

  /// Chooses the MCU of the queries that follow.
  Reply select(const std::string& mcu) { return ask(SelectMcu{mcu}); }
  /// Moves servos of a SmartMCU to positions [degrees], 0 to 179.
  Reply move(std::vector<Move> moves) {
    return ask(Movement{MoveForm::Position, std::move(moves)});
  }
  /// Moves servos of a DumbMCU to PWM values, 0 to 32766.
  Reply move_pwm(std::vector<Move> moves) { return ask(Movement{MoveForm::Pwm, std::move(moves)}); }
  /// Asks for the positions of the servos: the answer is an McuInfo or a NACK.
  Reply info() { return ask(AskInfo()); }
  /// Whether moves are stored until execute(), or done at once.
  Reply set_delayed(bool delayed) {
    return ask(SetMode{delayed ? SetMode::kDelayed : SetMode::kRealTime});
  }
  /// Does the stored moves.
  Reply execute() { return ask(ExecuteAll()); }
  /// Calibrates the servos of the MCU, in the order of their numbers.
  Reply upload(std::vector<PwmRange> ranges) { return ask(Upload{std::move(ranges)}); }
  /// Stops the server.
  Reply shut_down() { return ask(ShutDown()); }

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace servosim::srvp
