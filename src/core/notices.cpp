// SPDX-License-Identifier: Apache-2.0
#include "core/notices.h"

#include <cstdio>

namespace servosim {

Notices::Notices(Sink sink) : sink_(std::move(sink)) {
  if (!sink_) {
    sink_ = [](std::string_view message) {
      std::fprintf(stderr, "Warning: %.*s\n", static_cast<int>(message.size()), message.data());
    };
  }
}

}  // namespace servosim
