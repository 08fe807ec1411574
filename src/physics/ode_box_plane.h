// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include "physics/ode_contact_list.h"

namespace servosim {

/// Box on plane as in Webots from R2025a on: every corner below the plane, the deepest first. Stock
/// ODE, and Webots before, keep four: docs/deviations.md#contact-geometry.
void collide_box_plane(dGeomID box, dGeomID plane, ContactList& contacts);

}  // namespace servosim
