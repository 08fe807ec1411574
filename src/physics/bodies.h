// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "physics/mass.h"
#include "servosim/diagnostics.h"
#include "servosim/math.h"

namespace servosim {

struct Scene;

/// What moves as one piece: a Solid with Physics and the dynamic Solids merged into it.
struct RigidBody {
  struct Part {
    int solid;
    Pose in_owner;  ///< where the Solid stands in the frame of the body's first
    double mass;    ///< its own [kg]
    Vec3 center;    ///< of that, in its own frame [m]
  };
  std::vector<Part> parts;  ///< the Solid that owns the body and gives its axes comes first
  MassProperties mass;      ///< of all parts, in the owner's frame

  int owner() const { return parts.front().solid; }
};

/// The bodies of a scene, weighed, in the order of their owners. The masses are acceptable to ODE;
/// what had to be replaced for that is reported.
std::vector<RigidBody> weigh_bodies(const Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
