// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "net/reactor.h"
#include "unit/yarp_conversation.h"
#include "yarp/datagram.h"
#include "yarp/name_server.h"
#include "yarp/port.h"

namespace servosim::yarp {

inline constexpr std::chrono::seconds kPatience{20};  // the machine may be busy

/// Asks until it is so, or for kPatience.
inline bool becomes(const std::function<bool()>& so) {
  const auto end = net::Clock::now() + kPatience;
  while (!so()) {
    if (net::Clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// A client that knows nothing: a socket that waits.
class RawClient {
 public:
  explicit RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{std::chrono::seconds(kPatience).count(), 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    in.sin_port = htons(static_cast<std::uint16_t>(port));
    connected_ = ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&in), sizeof in) == 0;
  }
  bool connected() const { return connected_; }
  bool send(std::string_view bytes) {
    return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  /// Exactly so many bytes, or what came before the end.
  std::string receive(std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < size) {
      const ssize_t n = ::recv(socket_.get(), bytes.data() + have, size - have, 0);
      if (n <= 0) {
        break;
      }
      have += static_cast<std::size_t>(n);
    }
    return bytes.substr(0, have);
  }
  std::string receive_line() {
    std::string line;
    for (std::string c = receive(1); !c.empty(); c = receive(1)) {
      line += c;
      if (c == "\n") {
        break;
      }
    }
    return line;
  }
  /// What comes until the other side closes.
  std::string receive_all() {
    std::string all;
    for (std::string c = receive(1); !c.empty(); c = receive(1)) {
      all += c;
    }
    return all;
  }
  void close() { socket_.reset(); }
  int fd() const { return socket_.get(); }

 private:
  Descriptor socket_;
  bool connected_ = false;
};

inline std::string ack() { return hex("59 41 00 00 00 00 52 50"); }
inline std::string answer(Carrier carrier, int number, std::string_view sender) {
  Writer writer;
  encode_answer(writer, carrier, number, sender);
  return text_of(writer);
}
inline Bottle bottle(std::string_view text) { return std::get<Bottle>(parse_bottle(text)); }
inline MessageHead asking() { return {PortCommand::Data, true, {}}; }
inline MessageHead telling() { return {PortCommand::Data, false, {}}; }

/// A port of its own thread that says back what it hears, "echo" first, and keeps what was said.
class EchoPort {
 public:
  explicit EchoPort(PortOptions options = {"/echo"}, int name_server = 0) {
    thread_.call([&] {
      if (name_server > 0) {
        names_ = std::make_unique<NameClient>(
            thread_.reactor(),
            net::Address{INADDR_LOOPBACK, static_cast<std::uint16_t>(name_server)});
      }
      port_ = std::make_unique<Port>(
          thread_.reactor(), std::move(options), names_.get(),
          [this](Request request, Respond respond) { hear(std::move(request), respond); },
          [this](const std::string& what) { keep(said_, what); });
    });
  }
  ~EchoPort() { thread_.stop(); }

  int number() const { return port_->contact().port; }
  net::ReactorThread& thread() { return thread_; }
  Port& port() { return *port_; }
  NameClient* names() { return names_.get(); }
  std::size_t inputs() {
    std::size_t count = 0;
    thread_.call([&] { count = port_->input_count(); });
    return count;
  }
  std::size_t outputs() {
    std::size_t count = 0;
    thread_.call([&] { count = port_->output_count(); });
    return count;
  }
  void publish(const std::string& text, std::int32_t sequence = 1) {
    thread_.call([&] {
      Writer writer;
      encode_bottle(writer, bottle(text), Generation::V3);
      port_->publish(writer.bytes(), {sequence, 0.5});
    });
  }
  std::vector<std::string> heard() { return copy(heard_); }
  std::vector<std::string> said() { return copy(said_); }
  /// Requests are not answered while it is set.
  std::atomic<bool> mute{false};

 private:
  void hear(Request request, const Respond& respond) {
    keep(heard_, request.sender + " " + to_text(request.body));
    if (!mute) {
      request.body.items.insert(request.body.items.begin(), Value(std::string("echo")));
      respond(std::move(request.body));
    }
  }
  void keep(std::vector<std::string>& in, const std::string& what) {
    const std::lock_guard lock(mutex_);
    in.push_back(what);
  }
  std::vector<std::string> copy(const std::vector<std::string>& from) {
    const std::lock_guard lock(mutex_);
    return from;
  }

  std::mutex mutex_;
  std::vector<std::string> heard_;
  std::vector<std::string> said_;
  net::ReactorThread thread_;
  std::unique_ptr<NameClient> names_;
  std::unique_ptr<Port> port_;
};

}  // namespace servosim::yarp
