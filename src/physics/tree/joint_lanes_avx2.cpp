// SPDX-License-Identifier: Apache-2.0
#define SERVOSIM_LANES 4
#include "physics/tree/joint_lane_kernel.h"

namespace servosim {

extern const JointLaneKernel kAvx2JointLanes;
const JointLaneKernel kAvx2JointLanes = kTheseJointLanes;

}  // namespace servosim
