// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/scoped.h"

namespace servosim {

/// Messages over a connected stream socket. Each one is a length of four bytes, little-endian, and
/// that many bytes. The object owns the socket.
class MessageStream {
 public:
  enum class Status : std::uint8_t {
    Message,  ///< message() is new
    Nothing,  ///< none arrived within the time
    Closed,   ///< the other side is gone
    Garbage,  ///< a length that is too long; the stream cannot go on
  };

  /// With `spin`, receive() polls for about 50 µs before it sleeps. That is fast if the other side
  /// has a core of its own, and wasteful if not.
  explicit MessageStream(int fd, bool spin = false);
  MessageStream(MessageStream&& other) noexcept;
  MessageStream& operator=(MessageStream&& other) noexcept;
  ~MessageStream();

  int fd() const { return fd_; }
  void set_spin(bool spin) { spin_ = spin; }
  /// Sets the longest message to receive [bytes]; kMaxMessage at first.
  void set_longest_message(std::size_t size) { longest_message_ = size; }

  /// The other side may take descriptors that come with a message. The stream must be local.
  void accept_descriptors() { accepts_descriptors_ = true; }
  /// The descriptors that have come since the last call, in their order.
  std::vector<Descriptor> take_descriptors() { return std::exchange(descriptors_, {}); }

  /// @param descriptors  these come with the message; at most kMostDescriptors, over a local stream
  /// @returns false if the other side is gone, if the message is longer than kMaxAnswer, or if it
  /// was not taken
  ///   within `timeout_ms` (negative: no limit). The stream cannot be used after that.
  bool send(std::span<const std::byte> message, int timeout_ms = -1,
            std::span<const Descriptor> descriptors = {});
  static constexpr std::size_t kMostDescriptors = 64;
  /// Whether both ends are on one machine.
  bool is_local() const;

  /// Takes the next message if it is already there. It never waits.
  Status try_receive();
  /// Waits for the next message, at most `timeout_ms` (negative: no limit).
  Status receive(int timeout_ms = -1);
  /// The number of received bytes that were not handed out.
  std::size_t pending() const { return end_ - begin_; }
  /// The size of the buffer for messages [bytes].
  std::size_t memory() const { return buffer_.size(); }
  /// The last message received, without its length. It is valid until the next receive.
  std::span<const std::byte> message() const { return message_; }

 private:
  Status take_message();
  ssize_t receive_some(std::span<std::byte> into);
  bool send_all(std::span<const std::byte> bytes, int timeout_ms);

  int fd_ = -1;
  bool spin_ = false;
  bool accepts_descriptors_ = false;
  std::vector<Descriptor> descriptors_;
  std::size_t longest_message_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;  // the first byte that was not handed out
  std::size_t end_ = 0;    // the end of what was received
  std::span<const std::byte> message_;
};

}  // namespace servosim
