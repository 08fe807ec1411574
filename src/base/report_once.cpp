// SPDX-License-Identifier: Apache-2.0
#include "base/report_once.h"

#include "base/printable.h"

namespace servosim {

Notices::Notices(Sink sink) : sink_(std::move(sink)) {
  if (!sink_) {
    sink_ = [](std::string_view message) { print_to_stderr("Warning", message); };
  }
}

}  // namespace servosim
