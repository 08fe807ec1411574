// SPDX-License-Identifier: Apache-2.0
#define SERVOSIM_LANES 8
#include "physics/tree/joint_lane_kernel.h"

namespace servosim {

extern const JointLaneKernel kAvx512JointLanes;
const JointLaneKernel kAvx512JointLanes = kTheseJointLanes;

}  // namespace servosim
