// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/sockets.h"
#include "servosim/srvp/frames.h"

namespace servosim::srvp {

/// Messages of a server for people. Nothing is formatted without a function that receives them.
class Log {
 public:
  using Report = std::function<void(const std::string&)>;

  Log(Report report, bool frames) : report_(std::move(report)), frames_(frames && report_) {}

  template <typename... Values>
  void operator()(fmt::format_string<Values...> format, Values&&... values) const {
    if (report_) {
      report_(fmt::format(format, std::forward<Values>(values)...));
    }
  }
  template <typename Frame>
  void received(std::string_view who, const Frame& frame) const {
    if (frames_) {
      report_(fmt::format("{} > {}", who, to_text(frame)));
    }
  }
  /// `note` is an explanation that is not in the frame.
  template <typename Frame>
  void sent(std::string_view who, const Frame& frame, std::string_view note = {}) const {
    if (frames_) {
      report_(fmt::format("{} < {}{}{}", who, to_text(frame), note.empty() ? "" : "  ", note));
    }
  }

 private:
  Report report_;
  bool frames_;
};

/// An accepted connection. Its handler changes when the other side has logged in.
///
/// Invariants: there always is a handler once one was set; after close() the handler receives
/// nothing.
class PeerConnection : public std::enable_shared_from_this<PeerConnection> {
 public:
  /// Handles the bytes of a connection. The kind of the other side determines the handler.
  class Handler {
   public:
    virtual ~Handler() = default;
    virtual void received(std::string_view bytes) = 0;
    /// The connection has ended. An empty `why` means that there was no error.
    virtual void closed(const std::string& why) = 0;
  };
  /// Called at the end, after the handler; the connection is destroyed later.
  using OnClosed = std::function<void(PeerConnection&)>;

  /// @throws std::system_error
  PeerConnection(net::EventLoop& loop, Descriptor socket, const net::Address& peer,
                 OnClosed on_closed);

  const std::string& peer() const { return peer_; }
  /// Replaces the handler. The previous one is destroyed when no function of the loop runs.
  void set_handler(std::shared_ptr<Handler> handler);
  void send(std::string_view frame) { stream_.send(as_bytes(frame)); }
  void set_reading(bool reading) { stream_.set_reading(reading); }
  /// Detects within seconds that the other side has disappeared.
  void enable_keepalive() {
    stream_.set_keepalive(std::chrono::seconds(1), std::chrono::seconds(1));
  }
  /// Closes after everything is sent.
  void finish() { stream_.finish(); }
  void close(const std::string& why);

 private:
  net::EventLoop& loop_;
  std::string peer_;
  OnClosed on_closed_;
  bool is_closed_ = false;
  std::shared_ptr<Handler> handler_;
  net::TcpStream stream_;
};

inline PeerConnection::PeerConnection(net::EventLoop& loop, Descriptor socket,
                                      const net::Address& peer, OnClosed on_closed)
    : loop_(loop),
      peer_(to_string(peer)),
      on_closed_(std::move(on_closed)),
      stream_(loop, std::move(socket),
              {{},
               [this](Bytes bytes) { handler_->received(as_text(bytes)); },
               [this](const std::string& why) { close(why); }}) {}

inline void PeerConnection::set_handler(std::shared_ptr<Handler> handler) {
  loop_.destroy_later(std::exchange(handler_, std::move(handler)));
}

inline void PeerConnection::close(const std::string& why) {
  if (std::exchange(is_closed_, true)) {
    return;
  }
  loop_.destroy_later(shared_from_this());
  stream_.close();
  handler_->closed(why);
  on_closed_(*this);
}

}  // namespace servosim::srvp
