// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

namespace servosim {

/// Cylinder on plane as in Webots: up to four rim points per cap while the cylinder stands within
/// 18.4° of upright, the deepest one beyond. Stock ODE keeps one point per cap from 0.45 mrad on,
/// so that a can never comes to rest: docs/deviations.md#contact-geometry. A dColliderFn.
int collide_cylinder_plane(dGeomID cylinder, dGeomID plane, int flags, dContactGeom* contacts,
                           int stride);

}  // namespace servosim
