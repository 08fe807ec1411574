// SPDX-License-Identifier: Apache-2.0
#include "base/listener.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

namespace servosim::net {

namespace {

constexpr int kAcceptAtOnce = 16;  // before it is others' turn
constexpr std::chrono::milliseconds kPause{100};

}  // namespace

Listener::Listener(EventLoop& loop, const Address& local, Accepted accepted)
    : socket_(listening_socket(local)),
      address_(local_address(socket_)),
      accepted_(std::move(accepted)),
      pause_(loop),
      watch_(loop, socket_.get(), EPOLLIN, [this](std::uint32_t) { accept_some(); }) {}

void Listener::accept_some() {
  for (int i = 0; i < kAcceptAtOnce; ++i) {
    sockaddr_in in{};
    socklen_t size = sizeof in;
    Descriptor socket(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&in), &size,
                                SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        // Whoever dials waits; asking again at once would take the whole processor.
        watch_.set_events(0);
        pause_.start(kPause, [this] { watch_.set_events(EPOLLIN); });
      }
      return;
    }
    try {
      accepted_(std::move(socket), {ntohl(in.sin_addr.s_addr), ntohs(in.sin_port)});
    } catch (const std::exception&) {  // no memory or descriptors: that connection is closed
    }
  }
}

namespace {

constexpr rlim_t kOthers = 64;  // files of a database and its journal, logs, pipes

void check_limits(int result) {
  if (result != 0) {
    throw std::system_error(errno, std::generic_category(), "getrlimit");
  }
}

}  // namespace

std::size_t most_connections() {
  rlimit files{};
  check_limits(::getrlimit(RLIMIT_NOFILE, &files));
  if (files.rlim_cur < files.rlim_max) {
    const rlimit raised{files.rlim_max, files.rlim_max};
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &raised));  // else there are fewer
    check_limits(::getrlimit(RLIMIT_NOFILE, &files));
  }
  return static_cast<std::size_t>(files.rlim_cur - std::min(files.rlim_cur - 1, kOthers));
}

}  // namespace servosim::net
