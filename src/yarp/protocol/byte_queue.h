// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace servosim::yarp {

/// Bytes received and not yet understood. Views into it hold until the next append().
class ByteQueue {
 public:
  void append(Bytes bytes) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(taken_));
    searched_ -= std::min(searched_, taken_);
    taken_ = 0;
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void clear() {
    bytes_.clear();
    taken_ = searched_ = 0;
  }
  Bytes bytes() const { return Bytes(bytes_).subspan(taken_); }
  std::size_t size() const { return bytes_.size() - taken_; }
  Bytes take(std::size_t size) {
    const Bytes taken = bytes().first(size);
    taken_ += size;
    return taken;
  }
  /// The next whole line, without its end: \n or \r\n. What was searched is not searched again.
  std::optional<std::string_view> take_line() {
    const std::string_view all = as_text(bytes_);
    const std::size_t end = all.find('\n', std::max(taken_, searched_));
    if (end == all.npos) {
      searched_ = all.size();
      return std::nullopt;
    }
    std::string_view line = all.substr(taken_, end - taken_);
    taken_ = end + 1;
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    return line;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t taken_ = 0;
  std::size_t searched_ = 0;  // no \n before it
};

}  // namespace servosim::yarp
