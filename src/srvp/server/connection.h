// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/socket_stream.h"
#include "servosim/srvp/frames.h"

namespace servosim::srvp {

/// What a server tells people; nothing, and no time for it, when nobody listens.
class Log {
 public:
  using Say = std::function<void(const std::string&)>;

  Log(Say say, bool frames) : say_(std::move(say)), frames_(frames && say_) {}

  template <typename... Values>
  void operator()(fmt::format_string<Values...> format, Values&&... values) const {
    if (say_) {
      say_(fmt::format(format, std::forward<Values>(values)...));
    }
  }
  template <typename Frame>
  void heard(std::string_view who, const Frame& frame) const {
    if (frames_) {
      say_(fmt::format("{} > {}", who, to_text(frame)));
    }
  }
  /// `note`: what the bytes do not say.
  template <typename Frame>
  void told(std::string_view who, const Frame& frame, std::string_view note = {}) const {
    if (frames_) {
      say_(fmt::format("{} < {}{}{}", who, to_text(frame), note.empty() ? "" : "  ", note));
    }
  }

 private:
  Say say_;
  bool frames_;
};

/// An accepted connection, whoever turns out to be at its other end.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// Who is at the other end.
  class Party {
   public:
    virtual ~Party() = default;
    virtual void heard(std::string_view bytes) = 0;
    /// At the end. "" why: as it should be.
    virtual void gone(const std::string& why) = 0;
  };
  /// Told at the end, last of all; nobody needs to keep it then.
  using Ended = std::function<void(Connection&)>;

  /// @throws std::system_error
  Connection(net::EventLoop& loop, Descriptor socket, const net::Address& peer, Ended ended);

  const std::string& peer() const { return peer_; }
  /// Who is told from now on. The one before stays until nothing is being called any more.
  void become(std::shared_ptr<Party> party);
  void send(std::string_view frame) { stream_.send(as_bytes(frame)); }
  void set_reading(bool reading) { stream_.set_reading(reading); }
  /// Whether the other side is still there is asked early.
  void watch_closely() { stream_.set_keepalive(std::chrono::seconds(1), std::chrono::seconds(1)); }
  /// Closes when all is sent.
  void finish() { stream_.finish(); }
  void end(const std::string& why);

 private:
  net::EventLoop& loop_;
  std::string peer_;
  Ended ended_;
  bool is_over_ = false;
  std::shared_ptr<Party> party_;
  net::Stream stream_;
};

inline Connection::Connection(net::EventLoop& loop, Descriptor socket, const net::Address& peer,
                              Ended ended)
    : loop_(loop),
      peer_(to_string(peer)),
      ended_(std::move(ended)),
      stream_(loop, std::move(socket),
              {{},
               [this](Bytes bytes) { party_->heard(as_text(bytes)); },
               [this](const std::string& why) { end(why); }}) {}

inline void Connection::become(std::shared_ptr<Party> party) {
  loop_.bury(std::exchange(party_, std::move(party)));
}

inline void Connection::end(const std::string& why) {
  if (std::exchange(is_over_, true)) {
    return;
  }
  loop_.bury(shared_from_this());
  stream_.close();
  party_->gone(why);
  ended_(*this);
}

}  // namespace servosim::srvp
