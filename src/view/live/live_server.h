// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/sockets.h"
#include "view/live/live_stream.h"

namespace servosim {

struct LiveServerOptions {
  net::HostAddress address{};  ///< to listen on: not all of this machine
  std::string name{};          ///< by which watchers may name this machine, too; may be empty
  std::uint16_t port = 0;      ///< 0: any that is free
  std::string page{};          ///< HTML
};

/// The page and the stream of records over HTTP: docs/reference/live-view.md. One thread serves
/// all; nobody can hold up another, nor the end. Times and sizes are limited, and so is how many
/// there are: a new connection takes the place of the oldest that has not shown the token.
class LiveServer {
 public:
  /// What a request of control is answered with: nothing when it is done, else why it is not.
  using Answer = std::function<void(std::optional<std::string>)>;
  /// Called in the server's thread; must not wait. It may call `answer` later and in any thread,
  /// but not after the server's end.
  using Control = std::function<void(const std::string& body, Answer answer)>;

  /// Most connections that watch, and most that do not (yet).
  static constexpr std::size_t kMaxWatchers = 16;
  static constexpr std::size_t kMaxVisitors = 48;

  /// Listens from here on. `stream` must outlive it. `control`: empty where nobody may.
  /// @throws std::runtime_error if the address cannot be listened on
  LiveServer(LiveServerOptions options, LiveStream& stream, Control control);
  /// After LiveStream::end() watchers get what is left, as long as they take it, within a second.
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  /// With the token.
  std::string url() const;

 private:
  class Http;
  std::unique_ptr<Http> http_;
};

}  // namespace servosim
