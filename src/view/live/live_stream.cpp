// SPDX-License-Identifier: Apache-2.0
#include "view/live/live_stream.h"

#include <algorithm>
#include <utility>

namespace servosim {

namespace {

LiveStream::Records records_of(std::string bytes) {
  return std::make_shared<const std::string>(std::move(bytes));
}

}  // namespace

void LiveStream::add_frame(std::string scene, std::string frame) {
  {
    const std::lock_guard lock(mutex_);
    if (!scene.empty()) {
      scene_ = records_of(std::move(scene));
      ++scene_version_;
      first_ += frames_.size();  // they belong to the previous scene
      frames_.clear();
      bytes_ = 0;
    }
    bytes_ += frame.size();
    frames_.push_back(records_of(std::move(frame)));
    while (frames_.size() > kFrames || (bytes_ > kMaxBytes && frames_.size() > 1)) {
      bytes_ -= frames_.front()->size();
      frames_.pop_front();
      ++first_;
    }
  }
  tell();
}

void LiveStream::set_status(std::string status) {
  {
    const std::lock_guard lock(mutex_);
    status_ = records_of(std::move(status));
    ++status_version_;
  }
  tell();
}

void LiveStream::end(std::string record) {
  {
    const std::lock_guard lock(mutex_);
    end_ = records_of(std::move(record));
  }
  tell();
}

void LiveStream::on_change(std::function<void()> call) {
  const std::lock_guard lock(call_mutex_);
  call_ = std::move(call);
}

void LiveStream::tell() {
  const std::lock_guard lock(call_mutex_);
  if (call_) {
    call_();
  }
}

std::vector<LiveStream::Records> LiveStream::take(Watcher& watcher) {
  const std::lock_guard lock(mutex_);
  std::vector<Records> news;
  if (std::exchange(watcher.status, status_version_) != status_version_) {
    news.push_back(status_);
  }
  if (std::exchange(watcher.scene, scene_version_) != scene_version_) {
    news.push_back(scene_);
    watcher.frame = first_;
  }
  watcher.frame = std::max(watcher.frame, first_);
  for (; watcher.frame < first_ + frames_.size(); ++watcher.frame) {
    news.push_back(frames_[watcher.frame - first_]);
  }
  if (end_ != nullptr && !std::exchange(watcher.has_ended, true)) {
    news.push_back(end_);
  }
  return news;
}

LiveStream::Records LiveStream::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

}  // namespace servosim
