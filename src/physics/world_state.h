// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <array>

#include "physics/world.h"

namespace servosim {

/// All that changes of a body, to the last bit.
struct BodyState {
  BodyPlace place;
  std::array<dReal, 3> velocity;
  std::array<dReal, 3> spin;
  std::array<dReal, 3> force;  ///< for the next step
  std::array<dReal, 3> torque;
  double sleep_left;
  bool enabled;
};

BodyState state_of(const Body& body);
void set_state(Body& body, const BodyState& state);

}  // namespace servosim
