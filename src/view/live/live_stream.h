// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

namespace servosim {

/// The records of a run for those who watch it. The run never waits: it keeps the last frames, and
/// who is slower than those leaves some out.
///
/// Threads: any, at the same time; a Watcher is of one thread at a time.
class LiveStream {
 public:
  /// How far somebody is.
  struct Watcher {
    std::uint64_t scene = 0;
    std::uint64_t status = 0;
    std::uint64_t frame = 0;  // the next
  };

  /// One frame as a record. `scene`: the record that comes before it; empty if it is the last one.
  void add_frame(std::string scene, std::string frame);
  /// The record of the run's status.
  void set_status(std::string status);
  /// No frame follows. `record`: the last one.
  void end(std::string record);

  /// Appends what is new for the watcher, or after `at_most` the status again. @returns false: that
  /// was the end
  bool wait(Watcher& watcher, std::string& out, std::chrono::milliseconds at_most);

 private:
  bool has_news(const Watcher& watcher) const;

  static constexpr std::size_t kFrames = 50;                      // that are kept
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;  // likewise, but for one

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string scene_;
  std::uint64_t scene_version_ = 0;
  std::string status_;
  std::uint64_t status_version_ = 0;
  std::deque<std::string> frames_;
  std::size_t bytes_ = 0;    // of frames_
  std::uint64_t first_ = 0;  // number of the first of them
  std::string end_;
};

}  // namespace servosim
