// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/report_once.h"

namespace servosim {

/// Reports messages of instances, each text once, whichever instance it comes from and whichever
/// numbers it has. Numbers in quotes or after a letter or a colon belong to names and locations, so
/// they count as text.
///
/// Threads: several may report at once; a mutex orders them.
class SharedNotices {
 public:
  explicit SharedNotices(Notices to) : to_(std::move(to)) {}
  void report(std::string_view text) { once(text, &Notices::report); }
  void remark(std::string_view text) { once(text, &Notices::remark); }

 private:
  void once(std::string_view text, void (Notices::*give)(std::string_view));

  std::mutex mutex_;
  Notices to_;
  ReportOnce<std::string> reported_;  // keys are texts without numbers
};

}  // namespace servosim
