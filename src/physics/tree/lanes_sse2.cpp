// SPDX-License-Identifier: Apache-2.0
#define SERVOSIM_LANES 2
#include "physics/tree/lane_kernel.h"

// Compiled for any processor: two trees at a time. A register of two numbers gains nothing for a
// single tree.

namespace servosim {

extern const LaneKernel kSse2Lanes;
const LaneKernel kSse2Lanes = kThisKernel;

}  // namespace servosim
