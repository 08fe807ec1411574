// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/raw_client.h"
#include "servosim/srvp/frames.h"
#include "srvp/server/server.h"

namespace servosim::srvp {

using net::becomes;

/// Returns the bytes of a text in the form of to_text(), with "<2>" for the count, too.
inline std::string bytes(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '<') {
      const std::size_t end = text.find('>', at);
      out += static_cast<char>(std::stoi(std::string(text.substr(at + 1, end - at - 1))));
      at = end;
    } else {
      out += text[at];
    }
  }
  return out;
}

/// Is the inverse of bytes(), except that digits and signs may be data.
inline std::string shown(std::string_view bytes) { return legible(bytes); }

/// The query in the example of the original description of SRVP, and the message to its MCU.
inline const std::string kSeedQuery = bytes("!s-SRVP-<2>-<9>:<13>-<7>:<18>-e!");
inline const std::string kSeedOrder = bytes("-m-<2>-<9>:<13>-<7>:<18>-!");
inline const std::string kSeedWrongQuery = bytes("!s-SRVP-<1>-<3>:<187>-e!");
inline const std::string kAck = encode(ack());

inline McuDescription smart(std::string name, std::size_t servos, std::uint8_t position = 90) {
  return {std::move(name), McuKind::Smart, servos, std::vector<std::uint8_t>(servos, position)};
}
inline McuDescription dumb(std::string name, std::size_t servos) {
  return {std::move(name), McuKind::Dumb, servos, {}};
}

/// A server in its own thread, at a free port.
class TestServer {
 public:
  explicit TestServer(ServerOptions options = {}) {
    options.listen.port = 0;
    thread_.call([&] {
      server_ = std::make_unique<Server>(thread_.loop(), std::move(options),
                                         [this](const std::string& line) {
                                           const std::lock_guard lock(mutex_);
                                           log_ += line + '\n';
                                         });
    });
  }
  ~TestServer() {
    thread_.call([this] { server_.reset(); });
  }

  std::uint16_t port() const { return server_->address().port; }
  void add(const McuDescription& description, LocalMcu& mcu) {
    thread_.call([&] { server_->add(description, mcu); });
  }
  void remove(const std::string& name) {
    thread_.call([&] { server_->remove(name); });
  }
  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  bool logs(const std::string& text) {
    return becomes([&] { return log().find(text) != std::string::npos; });
  }

 private:
  std::mutex mutex_;
  std::string log_;
  net::EventLoopThread thread_;
  std::unique_ptr<Server> server_;
};

/// A socket that speaks SRVP byte by byte.
class RawPeer : public net::RawClient {
 public:
  using RawClient::RawClient;

  /// Returns the bytes that have come when `answers` control frames are complete.
  std::string ask(const std::string& query, int answers = 1) {
    send(query);
    return receive(kAck.size() * static_cast<std::size_t>(answers));
  }
  std::string ask(const Query& query, int answers = 1) { return ask(encode(query), answers); }
};

/// A peer that has logged in as a client.
class RawUser : public RawPeer {
 public:
  explicit RawUser(const TestServer& server, const std::string& mcu = {})
      : RawUser(server.port(), mcu) {}
  explicit RawUser(int port, const std::string& mcu = {}) : RawPeer(port) {
    send(encode(Login(ClientLogin())));
    if (!mcu.empty()) {
      EXPECT_EQ(ask(SelectMcu{mcu}), kAck) << mcu;
    }
  }
};

/// A peer that has logged in as an MCU. The server has confirmed it.
class RawMcu : public RawPeer {
 public:
  RawMcu(TestServer& server, const McuDescription& description) : RawPeer(server.port()) {
    const std::string line = "MCU " + description.name + " has logged in";
    const auto count = [&server, &line] {
      std::size_t lines = 0;
      const std::string log = server.log();
      for (std::size_t at = log.find(line); at != log.npos; at = log.find(line, at + 1)) {
        ++lines;
      }
      return lines;
    };
    const std::size_t before = count();
    send(encode(Login(description)));
    EXPECT_TRUE(becomes([&] { return count() > before; })) << server.log();
  }
  /// Returns whether exactly these bytes come next.
  bool hears(const std::string& order) { return receive(order.size()) == order; }
  bool hears(const McuOrder& order) { return hears(encode(order)); }
};

/// Executes each command at once.
class NullMcu : public LocalMcu {
 public:
  void perform(McuOrder order, Respond respond) override {
    {
      const std::lock_guard lock(mutex_);
      orders_.push_back(std::move(order));
    }
    respond(answer);
  }
  std::vector<McuOrder> orders() {
    const std::lock_guard lock(mutex_);
    return orders_;
  }
  Control answer = ack();

 private:
  std::mutex mutex_;
  std::vector<McuOrder> orders_;
};

inline std::string refusal(Nack why) { return encode(nack(why)); }
inline Movement to_positions(std::vector<Move> moves) {
  return {MoveForm::Position, std::move(moves)};
}
inline Movement to_pwm(std::vector<Move> moves) { return {MoveForm::Pwm, std::move(moves)}; }

}  // namespace servosim::srvp
