// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/control_board.h"

#include "yarp/control_board/board_core.h"

namespace servosim::yarp {

ControlBoard::ControlBoard(Simulation& simulation, std::string_view robot, BoardConfig config)
    : core_(std::make_unique<BoardCore>(simulation, robot, std::move(config))) {}
ControlBoard::ControlBoard(ControlBoard&&) noexcept = default;
ControlBoard& ControlBoard::operator=(ControlBoard&&) noexcept = default;
ControlBoard::~ControlBoard() = default;

void ControlBoard::before_step() { core_->before_step(); }
void ControlBoard::reset() { core_->reset(); }
const std::string& ControlBoard::name() const { return core_->name(); }
std::size_t ControlBoard::axes() const { return core_->axes().size(); }

// This function measures each joint only once.
void ControlBoard::read(BoardReadings& all) const {
  for (auto* values : {&all.encoders, &all.encoder_speeds, &all.encoder_accelerations, &all.torques,
                       &all.duty_cycles, &all.currents}) {
    values->resize(axes());
  }
  for (auto* modes : {&all.control_modes, &all.interaction_modes}) {
    modes->resize(axes());
  }
  for (const BoardAxis& axis : std::as_const(*core_).axes()) {
    const BoardJoint& joint = axis.joint;
    const JointMeasurement now = core_->measured(axis);
    const auto j = static_cast<std::size_t>(axis.number);
    all.encoders[j] = now.position;
    all.encoder_speeds[j] = now.velocity;
    all.encoder_accelerations[j] = joint.encoder.acceleration_at(now);
    all.torques[j] = now.torque;
    all.duty_cycles[j] = joint.duty_cycle_at(now);
    all.currents[j] = joint.current_at(now);
    all.control_modes[j] = core_->reported_mode(joint);
    all.interaction_modes[j] = joint.status.interaction();
  }
}

std::string to_string(vocab32_t vocab) {
  std::string code;
  for (auto rest = static_cast<std::uint32_t>(vocab); (rest & 0xff) != 0; rest >>= 8) {
    code += static_cast<char>(rest & 0xff);
  }
  return code;
}

}  // namespace servosim::yarp
