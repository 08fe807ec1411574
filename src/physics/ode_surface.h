// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <array>
#include <string>
#include <vector>

namespace servosim {

struct ContactProperties;

/// How two materials touch, ready for ODE: made once per pair of materials, in that order.
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

/// The surface between a first geom of material `a` and a second one of material `b`.
Surface surface_between(const std::vector<ContactProperties>& all, const std::string& a,
                        const std::string& b);

/// Completes a contact of a directional surface: friction direction, friction and slip. Both geoms
/// carry a GeomInfo.
void set_directions(const Surface& surface, dGeomID a, dGeomID b, dContact& contact);

}  // namespace servosim
