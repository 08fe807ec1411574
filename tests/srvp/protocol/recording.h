// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "srvp/server/support.h"

// The messages of the platform's own programs: the head of tests/data/peers/srvp.txt explains its
// lines.

namespace servosim::srvp {

/// A message and its answers in one exchange.
struct Exchange {
  std::string said;                   ///< sent by the side that connected
  std::optional<std::string> answer;  ///< the answer of the recorded server
  std::optional<std::string> ours;    ///< the answer of servosim's server, if it differs
  std::string to_catch_up;            ///< a query that servosim's server gets afterwards
};

struct RecordedConnection {
  std::string title;
  std::vector<Exchange> exchanges;
};

/// Reads all connections. The first is the MCU's: `said` has its answers, and `answer` has the
/// order before each.
inline std::vector<RecordedConnection> read_recording() {
  std::ifstream file(std::string(SERVOSIM_TEST_DIR) + "/data/peers/srvp.txt");
  std::vector<RecordedConnection> connections;
  for (std::string line; std::getline(file, line);) {
    const std::string text = line.size() > 2 ? line.substr(2) : std::string();
    if (line[0] == '=') {
      connections.push_back({text, {}});
      continue;
    }
    if (line[0] == '#') {
      continue;
    }
    auto& exchanges = connections.back().exchanges;
    if (line[0] == '>') {
      if (exchanges.empty() || exchanges.back().answer) {
        exchanges.emplace_back();
      }
      exchanges.back().said += bytes(text);
    } else if (line[0] == '<') {
      exchanges.back().answer = bytes(text);
    } else if (line[0] == '~') {
      exchanges.back().ours = bytes(text);
    } else {
      exchanges.back().to_catch_up = bytes(text);
    }
  }
  return connections;
}

/// Returns all frames of one kind in a stream. Anything else in it fails the test.
template <typename Frame>
std::vector<Frame> frames_of(const std::string& stream) {
  FrameReader<Frame> reader;
  reader.feed(stream);
  std::vector<Frame> frames;
  for (auto event = reader.next(); event.index() != 0; event = reader.next()) {
    if (const auto* frame = std::get_if<Frame>(&event)) {
      frames.push_back(*frame);
    } else {
      ADD_FAILURE() << shown(stream) << ": " << std::get<BadFrame>(event).why;
    }
  }
  EXPECT_EQ(reader.waiting(), 0u) << shown(stream);
  return frames;
}

/// A server that repeats what was recorded: it waits for `said` byte for byte and then sends the
/// answer in one piece. It accepts one connection.
class RecordedServer {
 public:
  explicit RecordedServer(std::vector<Exchange> exchanges)
      : exchanges_(std::move(exchanges)),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof in;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&in), size), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&in), &size);
    port_ = ntohs(in.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~RecordedServer() { join(); }

  std::uint16_t port() const { return port_; }
  /// Returns whether everything was sent and answered.
  bool is_done() const { return done_; }
  void join() {
    if (thread_.joinable()) {
      thread_.join();
    }
  }

 private:
  void serve() {
    const timeval timeout{std::chrono::seconds(net::kTestTimeout).count(), 0};
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    const Descriptor socket(::accept(listener_.get(), nullptr, nullptr));
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    for (const Exchange& exchange : exchanges_) {
      std::string said(exchange.said.size(), '\0');
      const ssize_t got = ::recv(socket.get(), said.data(), said.size(), MSG_WAITALL);
      said.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      EXPECT_EQ(shown(said), shown(exchange.said));
      if (exchange.answer && said == exchange.said) {
        ::send(socket.get(), exchange.answer->data(), exchange.answer->size(), MSG_NOSIGNAL);
      } else if (exchange.answer) {
        return;
      }
    }
    done_ = true;
  }

  std::vector<Exchange> exchanges_;
  Descriptor listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace servosim::srvp
