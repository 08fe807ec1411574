// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <span>

#include "base/scoped.h"
#include "fetch/program/download_message.h"

namespace servosim::fetch {

/// Downloads files by the program downloader, which is started with the first one and ends with
/// this.
class Downloads {
 public:
  /// What takes an answer; each may throw, which ends it.
  struct Sink {
    std::function<void(const DownloadHead&)> begin;
    std::function<void(Bytes)> add;
    std::function<void()> wait;  ///< called some times a second while nothing comes
  };

  Downloads() = default;
  ~Downloads() { stop(); }
  Downloads(const Downloads&) = delete;
  Downloads& operator=(const Downloads&) = delete;

  /// Waits for the end of one answer, at most a few seconds longer than the request says.
  /// @throws std::system_error if the program cannot be started, and what `sink` throws
  DownloadEnd get(const DownloadRequest& request, const Sink& sink);

 private:
  void start();
  void stop();
  bool send(Bytes bytes);
  bool read(std::byte* to, std::size_t size, std::int64_t deadline_ms, const Sink& sink);
  DownloadEnd receive(const DownloadRequest& request, const Sink& sink);
  DownloadEnd lost(bool too_late);

  Descriptor requests_;
  Descriptor answers_;
  pid_t pid_ = 0;
};

}  // namespace servosim::fetch
