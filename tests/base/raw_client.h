// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/event_loop.h"
#include "base/scoped.h"
#include "base/sockets.h"

namespace servosim::net {

inline constexpr std::chrono::seconds kTestTimeout{20};  // the machine may be busy

/// Polls a condition until it is true, for at most kTestTimeout.
inline bool becomes(const std::function<bool()>& condition) {
  const auto end = net::Clock::now() + kTestTimeout;
  while (!condition()) {
    if (net::Clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// A client without a protocol, with a blocking socket.
class RawClient {
 public:
  explicit RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    limit_time();
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    in.sin_port = htons(static_cast<std::uint16_t>(port));
    connected_ = ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&in), sizeof in) == 0;
  }
  /// Takes a socket that was accepted.
  explicit RawClient(Descriptor socket)
      : socket_(std::move(socket)), connected_(socket_.get() >= 0) {
    limit_time();
  }
  bool connected() const { return connected_; }
  bool send(std::string_view bytes) {
    return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  /// Returns `size` bytes, or fewer at the end of the stream.
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
  /// Returns all bytes until the other side closes.
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
  void limit_time() {
    const timeval limit{std::chrono::seconds(kTestTimeout).count(), 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }

  Descriptor socket_;
  bool connected_ = false;
};

/// Listens at a free port of this machine.
class RawListener {
 public:
  int port() const { return local_address(socket_).port; }
  int fd() const { return socket_.get(); }
  /// Returns the next connection. After kTestTimeout it returns a client that is not connected().
  RawClient accept() {
    pollfd dialled{socket_.get(), POLLIN, 0};
    ::poll(&dialled, 1, static_cast<int>(std::chrono::milliseconds(kTestTimeout).count()));
    return RawClient(Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
  }

 private:
  Descriptor socket_ = listening_socket({INADDR_LOOPBACK, 0});
};

}  // namespace servosim::net
