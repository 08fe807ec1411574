// SPDX-License-Identifier: Apache-2.0
#define SERVOSIM_LANES 2
#include "physics/tree/joint_lane_kernel.h"

namespace servosim {

extern const JointLaneKernel kSse2JointLanes;
const JointLaneKernel kSse2JointLanes = kTheseJointLanes;

}  // namespace servosim
