// SPDX-License-Identifier: Apache-2.0
#include "physics/sleep.h"

#include <algorithm>

#include "physics/ode_library.h"

namespace servosim {

namespace {

SleepClock& clock_of(dBodyID body) { return *static_cast<SleepClock*>(dBodyGetData(body)); }

bool is_below(const dReal* v, double threshold) {
  return !(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > threshold * threshold);
}

}  // namespace

void wake(dBodyID body) {
  SleepClock& clock = clock_of(body);
  if (clock.left <= 0.0) {
    dBodyEnable(body);
  }
  clock = {};
}

bool is_awake(dBodyID child, dBodyID parent) {
  return dBodyIsEnabled(child) != 0 || (parent != nullptr && dBodyIsEnabled(parent) != 0);
}

bool let_rest(dBodyID body, const SleepRule& rule, double h) {
  if (dBodyIsEnabled(body) == 0 || dBodyGetJoint(body, 0) == nullptr) {
    return false;
  }
  SleepClock& clock = clock_of(body);
  if (!is_below(dBodyGetLinearVel(body), rule.linear_threshold) ||
      !is_below(dBodyGetAngularVel(body), rule.angular_threshold)) {
    clock = {};
    return false;
  }
  clock.left = std::min(clock.left, rule.time) - h;
  if (clock.left > 0.0) {
    return false;
  }
  dBodyDisable(body);
  dBodySetLinearVel(body, 0.0, 0.0, 0.0);
  dBodySetAngularVel(body, 0.0, 0.0, 0.0);
  return true;
}

}  // namespace servosim
