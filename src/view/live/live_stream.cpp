// SPDX-License-Identifier: Apache-2.0
#include "view/live/live_stream.h"

#include <algorithm>
#include <utility>

namespace servosim {

void LiveStream::add_frame(std::string scene, std::string frame) {
  {
    const std::lock_guard lock(mutex_);
    if (!scene.empty()) {
      scene_ = std::move(scene);
      ++scene_version_;
      first_ += frames_.size();  // they are of the scene before
      frames_.clear();
      bytes_ = 0;
    }
    bytes_ += frame.size();
    frames_.push_back(std::move(frame));
    while (frames_.size() > kFrames || (bytes_ > kMaxBytes && frames_.size() > 1)) {
      bytes_ -= frames_.front().size();
      frames_.pop_front();
      ++first_;
    }
  }
  changed_.notify_all();
}

void LiveStream::set_status(std::string status) {
  {
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
    ++status_version_;
  }
  changed_.notify_all();
}

void LiveStream::end(std::string record) {
  {
    const std::lock_guard lock(mutex_);
    end_ = std::move(record);
  }
  changed_.notify_all();
}

bool LiveStream::has_news(const Watcher& watcher) const {
  return watcher.scene != scene_version_ || watcher.status != status_version_ ||
         watcher.frame < first_ + frames_.size() || !end_.empty();
}

bool LiveStream::wait(Watcher& watcher, std::string& out, std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, at_most, [&] { return has_news(watcher); })) {
    out += status_;
    return true;
  }
  if (std::exchange(watcher.status, status_version_) != status_version_) {
    out += status_;
  }
  if (std::exchange(watcher.scene, scene_version_) != scene_version_) {
    out += scene_;
    watcher.frame = first_;
  }
  watcher.frame = std::max(watcher.frame, first_);
  for (; watcher.frame < first_ + frames_.size(); ++watcher.frame) {
    out += frames_[watcher.frame - first_];
  }
  out += end_;
  return end_.empty();
}

}  // namespace servosim
