// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace servosim {

/// The records of a run for those who watch it. The run never waits: it keeps the last frames, and
/// who is slower than those leaves some out.
///
/// Threads: any, at the same time; a Watcher is of one thread at a time.
class LiveStream {
 public:
  /// One or more whole records, which all watchers share.
  using Records = std::shared_ptr<const std::string>;
  /// How far somebody is.
  struct Watcher {
    std::uint64_t scene = 0;
    std::uint64_t status = 0;
    std::uint64_t frame = 0;  // the next
    bool has_ended = false;
  };

  /// One frame as a record. `scene`: the record that comes before it; empty if it is the last one.
  void add_frame(std::string scene, std::string frame);
  /// The record of the run's status.
  void set_status(std::string status);
  /// No frame follows. `record`: the last one.
  void end(std::string record);

  /// `call` is called after each change, in the thread that makes it, and must not wait. After
  /// this call none of the former function runs or begins.
  void on_change(std::function<void()> call);

  /// What is new for the watcher, in its order.
  std::vector<Records> take(Watcher& watcher);
  Records status() const;

 private:
  void tell();

  static constexpr std::size_t kFrames = 50;                      // that are kept
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;  // likewise, but for one

  std::mutex call_mutex_;  // of call_; never taken within the other
  std::function<void()> call_;
  mutable std::mutex mutex_;  // of what follows
  Records scene_;
  std::uint64_t scene_version_ = 0;
  Records status_;
  std::uint64_t status_version_ = 0;
  std::deque<Records> frames_;
  std::size_t bytes_ = 0;    // of frames_
  std::uint64_t first_ = 0;  // number of the first of them
  Records end_;
};

}  // namespace servosim
