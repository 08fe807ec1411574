// SPDX-License-Identifier: Apache-2.0
#include "board/control_board_impl.h"
#include "servosim/yarp/board_readings.h"

namespace servosim::yarp {

// Each joint is measured once.
void ControlBoard::read(BoardReadings& all) const {
  for (auto* values : {&all.encoders, &all.encoder_speeds, &all.encoder_accelerations, &all.torques,
                       &all.duty_cycles, &all.currents}) {
    values->resize(axes());
  }
  for (std::size_t j = 0; j < axes(); ++j) {
    const BoardJoint& joint = impl_->axes[j].joint;
    const Measured now = impl_->measured(impl_->axes[j]);
    all.encoders[j] = now.position;
    all.encoder_speeds[j] = now.velocity;
    all.encoder_accelerations[j] = joint.acceleration_at(now);
    all.torques[j] = now.torque;
    all.duty_cycles[j] = joint.duty_cycle_at(now);
    all.currents[j] = joint.current_at(now);
  }
  for (auto* modes : {&all.control_modes, &all.interaction_modes}) {
    modes->resize(axes());
  }
  getControlModes(ModeResults(all.control_modes));
  getInteractionModes(ModeResults(all.interaction_modes));
}

}  // namespace servosim::yarp
