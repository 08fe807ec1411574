// SPDX-License-Identifier: Apache-2.0
#include "base/socket_stream.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <exception>
#include <system_error>
#include <vector>

namespace servosim::net {

namespace {

// As much as is read of one connection before it is the next one's turn.
constexpr std::size_t kReadAtOnce = 1u << 16;

std::string error_text(int error) { return std::generic_category().message(error); }
bool would_wait(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Stream::Stream(EventLoop& loop, Descriptor socket, Calls calls)
    : socket_(std::move(socket)), calls_(std::move(calls)) {
  tune_connection(socket_);
  watch_ = std::make_unique<Watch>(loop, socket_.get(), EPOLLIN,
                                   [this](std::uint32_t events) { on_events(events); });
}

Stream::Stream(EventLoop& loop, const Address& remote, Calls calls)
    : Stream(loop, dialling_socket(remote), std::move(calls)) {
  connecting_ = true;
  update_events();
}

void Stream::on_events(std::uint32_t events) {
  try {
    if (connecting_) {
      if (!connect_result()) {
        return;
      }
    } else if ((events & EPOLLOUT) != 0) {
      flush();
    }
    if (is_open() && reading_ && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
      read_some();
    } else if (is_open() && (events & (EPOLLHUP | EPOLLERR)) != 0) {
      fail("the other side is gone");
    }
  } catch (const std::exception& error) {  // such as no memory: costs this connection only
    fail(error.what());
  }
}

// Whether it is connected.
bool Stream::connect_result() {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
    error = errno;
  }
  connecting_ = false;
  if (error != 0) {
    fail(error_text(error));
    return false;
  }
  update_events();
  calls_.connected();
  return true;
}

void Stream::read_some() {
  // Not an array: what a loaded library may have of its own in each thread is little.
  static thread_local std::vector<std::byte> buffer(kReadAtOnce);
  const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (size > 0) {
    calls_.received(Bytes(buffer).first(static_cast<std::size_t>(size)));
  } else if (size == 0) {
    fail("the other side has closed the connection");
  } else if (!would_wait(errno)) {
    fail(error_text(errno));
  }
}

void Stream::send(Bytes bytes) {
  if (!is_open() || finishing_) {
    return;
  }
  if (unsent() + bytes.size() > kMaxUnsent) {
    return fail("the other side does not read");
  }
  unsent_.insert(unsent_.end(), bytes.begin(), bytes.end());
  flush();
}

void Stream::flush() {
  while (!connecting_ && unsent() > 0) {
    // Not write(): SIGPIPE belongs to the program that we may be a library of.
    const ssize_t size = ::send(socket_.get(), unsent_.data() + sent_, unsent(), MSG_NOSIGNAL);
    if (size < 0) {
      if (!would_wait(errno)) {
        return fail(error_text(errno));
      }
      break;
    }
    sent_ += static_cast<std::size_t>(size);
  }
  if (unsent() == 0 || sent_ > kReadAtOnce) {
    unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(sent_));
    sent_ = 0;
  }
  if (finishing_ && unsent() == 0) {
    return fail("");
  }
  update_events();
}

void Stream::set_reading(bool reading) {
  reading_ = reading;
  update_events();
}

void Stream::finish() {
  reading_ = false;
  finishing_ = true;
  if (is_open()) {
    flush();
  }
}

void Stream::close() {
  watch_.reset();
  socket_.reset();
}

void Stream::fail(const std::string& why) {
  if (is_open()) {
    close();
    calls_.closed(why);
  }
}

void Stream::update_events() {
  if (is_open()) {
    watch_->set_events((reading_ && !connecting_ ? EPOLLIN : 0u) |
                       (connecting_ || unsent() > 0 ? EPOLLOUT : 0u));
  }
}

}  // namespace servosim::net
