// SPDX-License-Identifier: Apache-2.0
#define SERVOSIM_LANES 2
#include "physics/tree/lane_kernel.h"

namespace servosim {

extern const LaneKernel kSse2Lanes;
const LaneKernel kSse2Lanes = kThisKernel;

}  // namespace servosim
