// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include "physics/ode_contact_list.h"

namespace servosim {

/// Box on box by the axis of least overlap, with the contacts, their order and the preference of
/// faces over edges of stock ODE, which Webots shares, but also for boxes of nearly equal attitude:
/// there stock ODE finds nothing, or a wrong normal, depending on the rounding of the attitudes:
/// docs/deviations.md#contact-geometry.
void collide_box_box(dGeomID first, dGeomID second, ContactList& contacts);

}  // namespace servosim
