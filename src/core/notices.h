// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <utility>

namespace servosim {

/// Where a running simulation sends what a person should know, such as a clamped command.
class Notices {
 public:
  using Sink = std::function<void(std::string_view)>;
  /// Without a sink, messages go to stderr, each as `Warning: message`.
  explicit Notices(Sink sink = {});
  void say(std::string_view message) { sink_(message); }

 private:
  Sink sink_;
};

}  // namespace servosim
