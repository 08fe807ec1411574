// SPDX-License-Identifier: Apache-2.0
#include "mcu/servo_movement.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace servosim::mcu {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Times are sums of steps: a period must not take one step more because of the last bit.
bool passed(double since, double period, double now) { return now - since >= period - kTimeSlack; }

}  // namespace

ServoMovement::ServoMovement(const std::vector<Goal>& goals, double now) : start_(now) {
  for (const Goal& goal : goals) {
    ways_.push_back({goal, kNever, now, kNever});
  }
}

ServoMovement::State ServoMovement::look(std::span<const double> positions, double now) {
  bool moving = false;
  bool all_arrived = true;
  for (Way& way : ways_) {
    follow(way, positions[way.goal.servo], now);
    moving = moving || (!way.arrived && !passed(way.nearer_since, kPatience, now));
    all_arrived = all_arrived && way.arrived;
  }
  return all_arrived                                ? State::Done
         : moving && !passed(start_, kTimeOut, now) ? State::OnTheWay
                                                    : State::Failed;
}

void ServoMovement::follow(Way& way, double position, double now) {
  const double distance = std::abs(position - way.goal.target);
  if (distance <= kTolerance) {
    way.near_since = std::min(way.near_since, now);
    way.nearer_since = now;
  } else {
    way.near_since = kNever;
  }
  if (distance <= way.nearest - kProgress) {
    way.nearest = distance;
    way.nearer_since = now;
  }
  way.arrived = passed(way.near_since, kRest, now);
}

}  // namespace servosim::mcu
