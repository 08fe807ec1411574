// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include "physics/ode_contact_list.h"

namespace servosim {

/// Cylinder on an ElevationGrid: the rim points of the cylinder on a plane, for the plane of each
/// triangle and where they stand over that triangle; before them the tops of the ground that are
/// inside the cylinder. docs/deviations.md#contact-geometry. The grid's geom carries a GeomInfo.
void collide_cylinder_grid(dGeomID cylinder, dGeomID grid, ContactList& contacts);

}  // namespace servosim
