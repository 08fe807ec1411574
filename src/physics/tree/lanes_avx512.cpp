// SPDX-License-Identifier: Apache-2.0
#define SERVOSIM_LANES 8
#include "physics/tree/lane_kernel.h"
#include "physics/tree/wide_kernel.h"

// Compiled for AVX-512: eight trees at a time, and one tree with registers of four numbers.

namespace servosim {

extern const LaneKernel kAvx512Lanes;
const LaneKernel kAvx512Lanes = kThisKernel;
extern const LaneKernel kAvx512Single;
const LaneKernel kAvx512Single = kThisWideKernel;
extern const SolverKernel kAvx512Passes;
const SolverKernel kAvx512Passes = kThisPasses;
extern const ReadBodies kAvx512Read;
const ReadBodies kAvx512Read = read_bodies;
extern const MoveBodies kAvx512Move;
const MoveBodies kAvx512Move = move_bodies;

}  // namespace servosim
