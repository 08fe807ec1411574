// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/simulation.h"

namespace servosim {

struct MuscleSpec;

/// A muscle whose endpoint stands at `endpoint` in the parent Solid's frame.
MuscleReading read_muscle(const MuscleSpec& muscle, const Pose& endpoint, double status);

}  // namespace servosim
