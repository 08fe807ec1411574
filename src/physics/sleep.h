// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <limits>

namespace servosim {

/// When bodies at rest fall asleep: WorldInfo's physicsDisable fields. The rule and its arithmetic
/// are those of ODE's automatic disabling, whose clocks cannot be read and so not be saved.
struct SleepRule {
  double time = 1.0;               ///< [s] below both thresholds; <= 0: never
  double linear_threshold = 0.01;  ///< [m/s]
  double angular_threshold = 0.01;
};

/// Seconds of rest until a body falls asleep; more than SleepRule::time counts as that. Kept as
/// the user data of every body.
struct SleepClock {
  double left = std::numeric_limits<double>::infinity();
};

/// Wakes a body, if it sleeps by let_rest(), and lets its clock start anew.
void wake(dBodyID body);

/// True if one of the bodies of a joint is awake; `parent` may be null. On sleeping bodies ODE
/// would pile forces up until they wake.
bool is_awake(dBodyID child, dBodyID parent);

/// For each body before each step: one that has rested long enough stops and is disabled; true if
/// it just was. As in ODE, a body without any joint or contact stays awake, and awake neighbours
/// wake it again in the step.
bool let_rest(dBodyID body, const SleepRule& rule, double h);

}  // namespace servosim
