// SPDX-License-Identifier: Apache-2.0
#define SERVOSIM_LANES 8
#include "physics/tree/lane_kernel.h"

namespace servosim {

extern const LaneKernel kAvx512Lanes;
const LaneKernel kAvx512Lanes = kThisKernel;

}  // namespace servosim
