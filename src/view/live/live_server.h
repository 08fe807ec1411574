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
  net::HostAddress address{};  ///< address to listen on; not all addresses of this machine
  std::string name{};  ///< an additional name of this machine that watchers may use; may be empty
  std::uint16_t port = 0;  ///< 0 means any free port
  std::string page{};      ///< HTML
};

/// Serves the page and the stream of records over HTTP: see docs/reference/live-view.md. One thread
/// serves all clients. No client can delay another one, nor the end. Times, sizes and the number of
/// clients are limited: a new connection takes the place of the oldest one that has not shown the
/// token.
class LiveServer {
 public:
  /// Receives the result of a control request: nothing if it is done, otherwise the reason why not.
  using Answer = std::function<void(std::optional<std::string>)>;
  /// Called in the server's thread; it must not wait. It may call `answer` later and in any thread,
  /// but not after the server was destroyed.
  using Control = std::function<void(const std::string& body, Answer answer)>;

  /// The most connections that watch, and the most that do not watch or do not watch yet.
  static constexpr std::size_t kMaxWatchers = 16;
  static constexpr std::size_t kMaxVisitors = 48;

  /// Starts listening. `stream` must outlive this object. An empty `control` means that nobody may
  /// control the run.
  /// @throws std::runtime_error if the address cannot be listened on
  LiveServer(LiveServerOptions options, LiveStream& stream, Control control);
  /// After LiveStream::end() watchers get what is left, as long as they read it within a second.
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  /// Returns the address with the token.
  std::string url() const;

 private:
  class Http;
  std::unique_ptr<Http> http_;
};

}  // namespace servosim
