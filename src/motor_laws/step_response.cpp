// SPDX-License-Identifier: Apache-2.0
#include "motor_laws/step_response.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace servosim {
namespace {

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeastOvershoot = 1e-3;  // share of the way; less is noise of the last digits

}  // namespace

double StepMarks::rise_time() const { return at_10 && at_90 ? at_90->time - at_10->time : kNever; }

double StepMarks::overshoot() const { return peak ? (peak->position - to) / (to - from) : 0.0; }

double StepMarks::settling_time() const { return settled ? settled->time - begin : kNever; }

std::string StepMarks::text() const {
  std::string text = at_10 && at_90 ? fmt::format("rise {:.3g} s", rise_time()) : "does not rise";
  text += fmt::format(", overshoot {:.2g} %", 100.0 * overshoot());
  return text +
         (settled ? fmt::format(", settled in {:.3g} s", settling_time()) : ", does not settle");
}

// The last digits of a target may change by rounding. Such a change does not end the search.
void StepResponse::add(double time, double position, double target) {
  const Row row{time, position, target};
  if (!any_) {
    // The joint is assumed to be at the position of its first row before that row.
    last_ = from_start_ ? Row{0.0, position, position} : row;
    any_ = true;
  }
  if (over_ || std::isnan(position)) {
    return;
  }
  if (!marks_) {
    begin(row);
  }
  if (marks_ && !(std::abs(target - marks_->to) <= 1e-9 * std::abs(marks_->to) + 1e-12)) {
    over_ = true;
  } else if (marks_) {
    follow(row);
  }
  last_ = row;
}

void StepResponse::begin(const Row& row) {
  // A step begins when a target appears or jumps. The command came before the time step that ends
  // at this row, so the marks begin at the last row.
  const double before = std::isnan(last_.target) ? last_.position : last_.target;
  if (std::abs(row.target - before) >= least_ && std::abs(row.target - last_.position) >= least_) {
    marks_ = StepMarks{last_.time, last_.position, row.target, {}, {}, {}, {}};
  }
}

double StepResponse::share_of(double position) const {
  return (position - marks_->from) / (marks_->to - marks_->from);
}

// The position is interpolated linearly between the two rows.
StepMarks::Point StepResponse::crossing(double share, const Row& row) const {
  const double before = share_of(last_.position);
  const double part = (share - before) / (share_of(row.position) - before);
  return {last_.time + part * (row.time - last_.time),
          last_.position + part * (row.position - last_.position)};
}

// A position that leaves the band again is not settled, so that mark is removed.
void StepResponse::follow(const Row& row) {
  const double share = share_of(row.position);
  if (!marks_->at_10 && share >= 0.1) {
    marks_->at_10 = crossing(0.1, row);
  }
  if (!marks_->at_90 && share >= 0.9) {
    marks_->at_90 = crossing(0.9, row);
  }
  if (share > 1.0 + kLeastOvershoot &&
      (!marks_->peak || share > share_of(marks_->peak->position))) {
    marks_->peak = {row.time, row.position};
  }
  if (std::abs(share - 1.0) > band_) {
    marks_->settled.reset();
  } else if (!marks_->settled) {
    marks_->settled = {row.time, row.position};
  }
}

}  // namespace servosim
