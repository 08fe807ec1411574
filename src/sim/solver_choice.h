// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/solver.h"

namespace servosim {

class Diagnostics;
struct Scene;

/// Adds an error if joints of a scene are coupled and the solver has no couplings.
void refuse_couplings(const Scene& scene, Solver solver, Diagnostics& diagnostics);

}  // namespace servosim
