// SPDX-License-Identifier: Apache-2.0
#include "controller_api/protocol/stream.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/sent_descriptors.h"
#include "controller_api/protocol/protocol.h"

namespace servosim {

namespace {

using Clock = std::chrono::steady_clock;

// It is longer than a round trip between two running processes. A sleep costs about as much.
constexpr std::chrono::microseconds kSpinTime{50};
constexpr std::size_t kReadChunk = 64u << 10;

// Waits until `fd` can be read (POLLIN) or written (POLLOUT). @returns false after `timeout_ms`
bool wait_for(int fd, short events, int timeout_ms) {
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(std::max(0, timeout_ms));
  int left = timeout_ms;
  while (true) {
    pollfd entry{fd, events, 0};
    const int ready = poll(&entry, 1, left);
    if (ready > 0 || (ready < 0 && errno != EINTR)) {
      return true;  // after an error the caller's read or write fails
    }
    if (ready == 0) {
      return false;
    }
    if (timeout_ms >= 0) {
      const auto rest = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
      left = static_cast<int>(std::max<decltype(rest)>(0, rest));
    }
  }
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

MessageStream::MessageStream(int fd, bool spin)
    : fd_(fd), spin_(spin), longest_message_(kMaxMessage), buffer_(kReadChunk) {}

MessageStream::MessageStream(MessageStream&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      spin_(other.spin_),
      accepts_descriptors_(other.accepts_descriptors_),
      descriptors_(std::move(other.descriptors_)),
      longest_message_(other.longest_message_),
      buffer_(std::move(other.buffer_)),
      begin_(std::exchange(other.begin_, 0)),
      end_(std::exchange(other.end_, 0)),
      message_(std::exchange(other.message_, {})) {}

MessageStream& MessageStream::operator=(MessageStream&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(spin_, other.spin_);
  std::swap(accepts_descriptors_, other.accepts_descriptors_);
  std::swap(descriptors_, other.descriptors_);
  std::swap(longest_message_, other.longest_message_);
  std::swap(buffer_, other.buffer_);
  std::swap(begin_, other.begin_);
  std::swap(end_, other.end_);
  std::swap(message_, other.message_);
  return *this;
}

MessageStream::~MessageStream() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

bool MessageStream::is_local() const {
  int domain = 0;
  socklen_t size = sizeof domain;
  return getsockopt(fd_, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

bool MessageStream::send(std::span<const std::byte> message, int timeout_ms,
                         std::span<const Descriptor> descriptors) {
  if (message.size() > kMaxAnswer || descriptors.size() > kMostDescriptors) {
    return false;
  }
  std::uint32_t length = static_cast<std::uint32_t>(message.size());
  std::array<iovec, 2> parts{
      iovec{&length, sizeof length},
      iovec{const_cast<std::byte*>(message.data()), message.size()},
  };
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  static_assert(kMostDescriptors <= SentDescriptors::kMost);
  SentDescriptors control;
  control.attach(descriptors, header);
  // The usual message fits into the socket's buffer at once. Descriptors come with its first byte.
  ssize_t sent = sendmsg(fd_, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && !descriptors.empty() && (would_block() || errno == EINTR)) {
    if (!wait_for(fd_, POLLOUT, timeout_ms)) {
      return false;
    }
    sent = sendmsg(fd_, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  if (sent < 0 && !would_block() && errno != EINTR) {
    return false;
  }
  const std::size_t done = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  const auto length_bytes = std::as_bytes(std::span(&length, 1));
  if (done < sizeof length && !send_all(length_bytes.subspan(done), timeout_ms)) {
    return false;
  }
  return send_all(message.subspan(done > sizeof length ? done - sizeof length : 0), timeout_ms);
}

bool MessageStream::send_all(std::span<const std::byte> bytes, int timeout_ms) {
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(std::max(0, timeout_ms));
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (would_block()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
      if (!wait_for(fd_, POLLOUT, timeout_ms < 0 ? -1 : std::max(0, static_cast<int>(left)))) {
        return false;
      }
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

// Hands out the next whole message of the buffer. If it is not whole, makes room for the rest of
// it.
MessageStream::Status MessageStream::take_message() {
  std::uint32_t length = 0;
  if (end_ - begin_ >= sizeof length) {
    std::memcpy(&length, buffer_.data() + begin_, sizeof length);
    if (length > longest_message_) {
      return Status::Garbage;
    }
    if (end_ - begin_ - sizeof length >= length) {
      message_ = {buffer_.data() + begin_ + sizeof length, length};
      begin_ += sizeof length + length;
      return Status::Message;
    }
  }
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() == end_) {
    // The buffer grows with the bytes that have arrived, not with the length that the message
    // claims.
    buffer_.resize(buffer_.size() * 2);
  }
  return Status::Nothing;
}

// Descriptors that come to a stream which does not accept them are closed by the system.
ssize_t MessageStream::receive_some(std::span<std::byte> into) {
  if (!accepts_descriptors_) {
    return recv(fd_, into.data(), into.size(), MSG_DONTWAIT);
  }
  iovec part{into.data(), into.size()};
  SentDescriptors control;
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  control.make_room(header);
  const ssize_t got = recvmsg(fd_, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got >= 0) {
    SentDescriptors::take(header, descriptors_);
  }
  return got;
}

MessageStream::Status MessageStream::try_receive() {
  message_ = {};
  while (true) {
    const Status status = take_message();
    if (status != Status::Nothing) {
      return status;
    }
    const ssize_t got = receive_some(std::span(buffer_).subspan(end_));
    if (got > 0) {
      end_ += static_cast<std::size_t>(got);
    } else if (got == 0) {
      return Status::Closed;
    } else if (would_block()) {
      return Status::Nothing;
    } else if (errno != EINTR) {
      return Status::Closed;
    }
  }
}

MessageStream::Status MessageStream::receive(int timeout_ms) {
  Status status = try_receive();
  if (spin_ && status == Status::Nothing) {
    const Clock::time_point end = Clock::now() + kSpinTime;
    while (status == Status::Nothing && Clock::now() < end) {
      sched_yield();  // the system may have put the other side on the same core
      status = try_receive();
    }
  }
  while (status == Status::Nothing && wait_for(fd_, POLLIN, timeout_ms)) {
    status = try_receive();
  }
  return status;
}

}  // namespace servosim
