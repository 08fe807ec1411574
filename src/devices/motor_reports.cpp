// SPDX-License-Identifier: Apache-2.0
#include "devices/motor_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/report_once.h"
#include "scene/scene.h"

namespace servosim {

std::string MotorReports::subject() const {
  return fmt::format("robot \"{}\", motor \"{}\"", owner_, spec_->name);
}

void MotorReports::once(Kind kind, std::string_view what) {
  if ((reported_ & kind) == 0) {
    reported_ |= kind;
    notices_.report(fmt::format("{}: {}", subject(), what));
  }
}

void MotorReports::replaced(Kind kind, const char* what, double asked, double used) {
  const bool differs = std::abs(asked - used) > 1e-12 * std::max(1.0, std::abs(used));
  if ((reported_ & kind) == 0 && differs) {
    once(kind, fmt::format("{} {} replaced by {} (reported once)", what, asked, used));
  }
}

}  // namespace servosim
