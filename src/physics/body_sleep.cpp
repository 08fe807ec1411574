// SPDX-License-Identifier: Apache-2.0
// Decides when bodies sleep.
#include "physics/body_sleep.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "physics/bodies.h"
#include "physics/ode_library.h"

namespace servosim {

namespace {

// Returns the clock that Bodies has stored in the body.
SleepClock& clock_of(dBodyID body) { return *static_cast<SleepClock*>(dBodyGetData(body)); }

// Returns |v| ≤ threshold. NaN counts as below, and out_of_range() reports it.
bool is_below(const dReal* v, double threshold) {
  return !(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > threshold * threshold);
}

}  // namespace

// A clock at 0 means that fall_asleep() has disabled the body. A body that is disabled for another
// reason, such as one that the tree solver hides from ODE, stays disabled.
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

// This is a depth-first search along joints, of which contacts are some.
void wake_islands(std::vector<dBodyID> bodies) {
  std::unordered_set<dBodyID> known(bodies.begin(), bodies.end());
  while (!bodies.empty()) {
    const dBodyID body = bodies.back();
    bodies.pop_back();
    wake(body);
    for (int j = 0; j < dBodyGetNumJoints(body); ++j) {
      for (const int side : {0, 1}) {
        const dBodyID other = dJointGetBody(dBodyGetJoint(body, j), side);
        if (other != nullptr && known.insert(other).second) {
          bodies.push_back(other);
        }
      }
    }
  }
}

// The clock counts the time that remains, so a shorter SleepRule::time applies at once.
bool has_rested(dBodyID body, const SleepRule& rule, double h) {
  if (dBodyIsEnabled(body) == 0 || dBodyGetJoint(body, 0) == nullptr) {
    return false;
  }
  SleepClock& clock = clock_of(body);
  if (!is_below(dBodyGetLinearVel(body), rule.linear_threshold) ||
      !is_below(dBodyGetAngularVel(body), rule.angular_threshold)) {
    clock = {};
    return false;
  }
  const bool was_woken = std::isinf(clock.left);
  clock.left = std::min(clock.left, rule.time) - h;
  // A body that was woken takes at least one step, in which a motor may move it.
  if (was_woken && !(clock.left > 0.0)) {
    clock.left = std::numeric_limits<double>::min();
  }
  return !(clock.left > 0.0);
}

void fall_asleep(dBodyID body) {
  dBodyDisable(body);
  dBodySetLinearVel(body, 0.0, 0.0, 0.0);
  dBodySetAngularVel(body, 0.0, 0.0, 0.0);
}

// A step must not need memory, so the list gets all of it here.
BodySleep::BodySleep(const SleepRule& rule, double h, const std::vector<Body>& bodies,
                     std::size_t count)
    : rule_(rule), h_(h), bodies_(bodies) {
  if (rule_.time > 0.0) {
    rested_.reserve(count);
  }
}

// has_rested() advances the clocks, so it must be called once per step for every body, without an
// early exit.
bool BodySleep::look_for_rested() {
  for (const Body& body : bodies_) {
    if (has_rested(body.id, rule_, h_)) {
      rested_.push_back(body.id);
    }
  }
  return !rested_.empty();
}

// wake() sets a clock to infinity, so a body that was woken after find_rested() stays awake.
void BodySleep::let_fall_asleep() {
  for (const dBodyID body : rested_) {
    if (!(clock_of(body).left > 0.0)) {
      fall_asleep(body);
      may_sleep_ = true;
    }
  }
}

// Forces that joints added to a body in the step in which it fell asleep must not act when it
// wakes.
void BodySleep::drop_forces() {
  for (const dBodyID body : rested_) {
    if (dBodyIsEnabled(body) == 0) {
      dBodySetForce(body, 0.0, 0.0, 0.0);
      dBodySetTorque(body, 0.0, 0.0, 0.0);
    }
  }
  rested_.clear();
}

}  // namespace servosim
