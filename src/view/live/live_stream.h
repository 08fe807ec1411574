// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace servosim {

/// The records of a run for its watchers. The run never waits for them: it keeps only the last
/// frames, and a slow watcher misses some.
///
/// Threads: any, at the same time; a Watcher is used by one thread at a time.
class LiveStream {
 public:
  /// One or several whole records, which all watchers share.
  using Records = std::shared_ptr<const std::string>;
  /// The position of a watcher in the stream.
  struct Watcher {
    std::uint64_t scene = 0;
    std::uint64_t status = 0;
    std::uint64_t frame = 0;  // number of the next frame
    bool has_ended = false;
  };

  /// Adds one frame as a record. `scene` is the record that precedes it; empty if the scene has not
  /// changed.
  void add_frame(std::string scene, std::string frame);
  /// Sets the record of the run's status.
  void set_status(std::string status);
  /// Ends the frames. `record` is the last one.
  void end(std::string record);

  /// Sets the function that is called after each change, in the thread that makes the change; it
  /// must not wait. After on_change() returns, the previous function neither runs nor starts.
  void on_change(std::function<void()> call);

  /// Sets whether anybody watches.
  void set_watched(bool watched) { is_watched_ = watched; }
  bool is_watched() const { return is_watched_; }

  /// Returns what is new for the watcher, in the order of the stream.
  std::vector<Records> take(Watcher& watcher);
  Records status() const;

 private:
  void tell();

  static constexpr std::size_t kFrames = 50;  // the most frames that are kept
  // Their largest total size, unless there is only one.
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;

  std::atomic<bool> is_watched_ = false;
  std::mutex call_mutex_;  // guards call_; never locked while mutex_ is locked
  std::function<void()> call_;
  mutable std::mutex mutex_;  // guards everything that follows
  Records scene_;
  std::uint64_t scene_version_ = 0;
  Records status_;
  std::uint64_t status_version_ = 0;
  std::deque<Records> frames_;
  std::size_t bytes_ = 0;    // total size of frames_
  std::uint64_t first_ = 0;  // number of the first frame in frames_
  Records end_;
};

}  // namespace servosim
