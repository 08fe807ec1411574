// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/joint_drive.h"
#include "yarp/control_board/joint_encoder.h"
#include "yarp/control_board/joint_parameters.h"
#include "yarp/control_board/joint_references.h"
#include "yarp/control_board/joint_status.h"

namespace servosim::yarp {

/// What a joint's control law reads in one step.
struct LawInputs {
  const JointInfo& info;
  const JointStatus& status;
  const JointParameters& parameters;
  const JointReferences& references;
  const JointEncoder& encoder;
  const JointMeasurement& now;
  double h;  ///< duration of the step [s]
};

/// Returns the drive of the motor, whose efforts are not bounded by the motor's yet. It implements
/// figure 2 of "Control modes and interaction modes of YARPdev", version 1.1.
/// @param integral  ki·∫e of the active controller, which the law advances
JointDrive control_law(const LawInputs& in, double& integral);

}  // namespace servosim::yarp
