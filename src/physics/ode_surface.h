// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <array>

namespace servosim {

struct ContactProperties;

/// How two materials touch, ready for ODE: made once per pair that ContactProperties name, and
/// order.
struct Surface {
  /// A coefficient along and across the friction direction of the first surface: its own part, and
  /// what the second one adds by the angle between the two directions.
  struct Directional {
    std::array<double, 2> fixed{};
    std::array<double, 2> turned{};
    bool by_angle = false;
  };

  dSurfaceParameters parameters{};  ///< complete unless `directional`
  int max_joints = 10;
  bool directional = false;
  bool first_is_second = false;  ///< the contact's first geom has ContactProperties.material2
  Directional friction;
  Directional slip;
  std::array<double, 2> rotation{};  ///< of material1 and material2 [rad]
};

/// The surface of two materials that `p` names; `first_is_second`: see Surface.
Surface surface_of(const ContactProperties& p, bool first_is_second);

/// Completes a contact of a directional surface: friction direction, friction and slip. Both geoms
/// carry a GeomInfo.
void set_directions(const Surface& surface, dGeomID a, dGeomID b, dContact& contact);

/// Lets the surfaces of Tracks run, of one geom or both. After set_directions().
void set_belt_motion(dGeomID a, dGeomID b, dContact& contact);

}  // namespace servosim
