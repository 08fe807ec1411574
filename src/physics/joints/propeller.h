// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include "physics/state.h"
#include "servosim/math.h"

namespace servosim {

struct PropellerSpec;

/// A Propeller on a body: puts thrust and the counter-torque on it before each step.
class OdePropeller {
 public:
  /// `in_body`: the frame of the propeller's Solid in that of the body.
  OdePropeller(const PropellerSpec& spec, dBodyID body, const Pose& in_body, PropellerState& state);

  void before_step();

 private:
  const PropellerSpec* spec_;
  dBodyID body_;
  Vec3 axis_;    // in the body's frame
  Vec3 center_;  // likewise, from its centre of mass [m]
  PropellerState* state_;
};

}  // namespace servosim
