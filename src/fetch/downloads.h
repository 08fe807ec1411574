// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <span>

#include "base/scoped.h"
#include "fetch/program/download_message.h"

namespace servosim::fetch {

/// Downloads files with the program downloader. The first download starts the program; the
/// destructor ends it.
class Downloads {
 public:
  /// Receives an answer. Each function may throw, which ends the download.
  struct Sink {
    std::function<void(const DownloadHead&)> begin;
    std::function<void(Bytes)> add;
    std::function<void()> wait;  ///< called a few times per second while no data arrive
  };

  Downloads() = default;
  ~Downloads() { stop(); }
  Downloads(const Downloads&) = delete;
  Downloads& operator=(const Downloads&) = delete;

  /// Waits until the answer is complete, at most a few seconds longer than the request allows.
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
