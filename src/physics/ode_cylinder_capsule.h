// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include "physics/ode_contact_list.h"

namespace servosim {

/// Cylinder against capsule. Parallel: three points along the overlap. Crossing: one point with
/// half the depth. Across a cap: both ends of the overlap and its middle. Otherwise the closest
/// points of the capsule's axis and the cylinder. False if it has no answer: the capsule's axis
/// pierces the cylinder. See docs/deviations.md#contact-geometry.
bool collide_cylinder_capsule(dGeomID cylinder, dGeomID capsule, ContactList& contacts);

}  // namespace servosim
