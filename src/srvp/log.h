// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "servosim/srvp/frames.h"

namespace servosim::srvp {

/// What a server tells people; nothing, and no time for it, when nobody listens.
class Log {
 public:
  using Say = std::function<void(const std::string&)>;

  Log(Say say, bool frames) : say_(std::move(say)), frames_(frames && say_) {}

  template <typename... Values>
  void operator()(fmt::format_string<Values...> format, Values&&... values) const {
    if (say_) {
      say_(fmt::format(format, std::forward<Values>(values)...));
    }
  }
  template <typename Frame>
  void heard(std::string_view who, const Frame& frame) const {
    if (frames_) {
      say_(fmt::format("{} > {}", who, to_text(frame)));
    }
  }
  /// `note`: what the bytes do not say.
  template <typename Frame>
  void told(std::string_view who, const Frame& frame, std::string_view note = {}) const {
    if (frames_) {
      say_(fmt::format("{} < {}{}{}", who, to_text(frame), note.empty() ? "" : "  ", note));
    }
  }

 private:
  Say say_;
  bool frames_;
};

}  // namespace servosim::srvp
