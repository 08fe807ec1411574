// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "view/live/live_stream.h"

namespace servosim {

struct LiveServerOptions {
  std::string address = "127.0.0.1";  ///< to listen on
  std::uint16_t port = 0;             ///< 0: any that is free
  std::string page;                   ///< HTML
};

/// The page and the stream of records over HTTP: docs/reference/live-view.md. Each watcher has a
/// thread; one that takes nothing is disconnected.
class LiveServer {
 public:
  /// What a request of control is answered with: nothing when it is done, else why it is not.
  /// Called in threads of the server; may wait.
  using Control = std::function<std::optional<std::string>(const std::string& body)>;

  /// Listens from here on. `stream` must outlive it. `control`: empty where nobody may.
  /// @throws std::runtime_error if the address cannot be listened on
  LiveServer(LiveServerOptions options, LiveStream& stream, Control control);
  /// After LiveStream::end() watchers get what is left, within a second.
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
