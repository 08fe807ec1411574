// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "convert/placing.h"
#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// A boundingObject as it stands below a frame that is placed so.
wbt::NodePtr placed_shapes(const Placing& placing, const wbt::NodePtr& bounding_object);

/// Makes every boundingObject of an older version what present Webots allows: a shape, a Pose with
/// one shape, or a Group of these.
void flatten_bounding_objects(wbt::WorldFile& world);

/// Leaves out, with a warning, what Webots allows in no boundingObject: it touches nothing.
void drop_what_touches_nothing(wbt::WorldFile& world, Diagnostics& diagnostics);

}  // namespace servosim
