// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/ending.h"

#include <atomic>

#include "base/printable.h"

namespace servosim {
namespace {

std::atomic<ReportEnding*> the_report{nullptr};

}  // namespace

bool reports_endings() { return the_report.load() != nullptr; }

void conclude(const Ending& ending) noexcept {
  if (ReportEnding* const report = the_report.load()) {
    try {
      report(static_cast<int>(ending.kind()), printable_lines(ending.what()).c_str());
    } catch (const std::exception&) {
      report(static_cast<int>(ending.kind()), "out of memory");
    }
    return;
  }
  if (*ending.what() != '\0') {
    print_to_stderr("Error", ending.what(), ending.function());
  }
  std::exit(ending.exit_status());
}

}  // namespace servosim

__attribute__((visibility("default"))) void servosim_report_endings(
    servosim::ReportEnding* report) {
  servosim::the_report.store(report);
}
