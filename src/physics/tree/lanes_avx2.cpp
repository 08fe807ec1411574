// SPDX-License-Identifier: Apache-2.0
#define SERVOSIM_LANES 4
#include "physics/tree/lane_kernel.h"
#include "physics/tree/wide_kernel.h"

// Compiled for AVX2: four trees at a time, and one tree with registers of four numbers.

namespace servosim {

extern const LaneKernel kAvx2Lanes;
const LaneKernel kAvx2Lanes = kThisKernel;
extern const LaneKernel kAvx2Single;
const LaneKernel kAvx2Single = kThisWideKernel;
extern const SolverKernel kAvx2Passes;
const SolverKernel kAvx2Passes = kThisPasses;
extern const ReadBodies kAvx2Read;
const ReadBodies kAvx2Read = read_bodies;
extern const MoveBodies kAvx2Move;
const MoveBodies kAvx2Move = move_bodies;

}  // namespace servosim
