// SPDX-License-Identifier: Apache-2.0
#include "yarp/control_board/control_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "scene/scene.h"
#include "servosim/yarp/control_board.h"
#include "servosim/yarp/vocabs.h"
#include "sim/driven_joints.h"

// A board's joints and its step. The interfaces are in the other files.

namespace servosim::yarp {

namespace {

JointInfo facts_of(const Motor& motor, const JointSpec& joint) {
  const bool motor_limits = motor.min_position() < motor.max_position();
  return {motor.name(),
          motor.type() == JointType::Rotational,
          joint.backlash == 0.0,
          motor.max_force(),
          motor.max_velocity(),
          motor_limits ? motor.min_position() : joint.min_stop,
          motor_limits ? motor.max_position() : joint.max_stop};
}

std::vector<JointConfig> all_joints(const Robot& robot) {
  std::vector<JointConfig> joints;
  for (const Device* device : driven_joints(robot)) {
    joints.emplace_back().motor = device->name;
  }
  return joints;
}

}  // namespace

ControlBoard::Impl::Impl(Simulation& the_simulation, std::string_view robot_name,
                         BoardConfig the_config)
    : simulation(the_simulation),
      config(std::move(the_config)),
      notices(config.notice),
      h(the_simulation.basic_time_step_ms() / 1000.0) {
  Robot& robot = simulation.robot(robot_name);
  if (config.joints.empty()) {
    config.joints = all_joints(robot);
  }
  check(config);
  axes.reserve(config.joints.size());
  for (const JointConfig& joint : config.joints) {
    add(robot, joint);
  }
  for (const std::vector<int>& set : config.coupled) {
    couple(set);
  }
  for (Axis& axis : axes) {
    start(axis);
  }
}

void ControlBoard::Impl::add(Robot& robot, const JointConfig& joint) {
  Motor& motor = robot.motor(joint.motor);
  const Device& device =
      *std::find_if(robot.devices().begin(), robot.devices().end(),
                    [&motor](const Device& d) { return d.motor.get() == &motor; });
  if (device.joint < 0) {
    throw std::invalid_argument(
        fmt::format("board \"{}\": motor \"{}\" has no joint", config.name, joint.motor));
  }
  const double position = simulation.joint(device.joint).position;
  axes.push_back({BoardJoint(joint, facts_of(motor, simulation.scene().joints[device.spec->joint]),
                             config, position),
                  &motor,
                  device.joint,
                  {static_cast<int>(axes.size())},
                  {},
                  {}});
}

void ControlBoard::Impl::couple(const std::vector<int>& joints) {
  for (const int j : joints) {
    if (!has(j) || axes[j].bound.size() > 1) {
      throw std::invalid_argument(fmt::format("board \"{}\": joint {} of a coupled set {}",
                                              config.name, j,
                                              has(j) ? "is in another one" : "is not there"));
    }
    axes[j].bound = joints;
  }
}

JointMeasurement ControlBoard::Impl::measured(const Axis& axis) const {
  const JointReading reading = simulation.joint(axis.index);
  return axis.joint.measured(reading.position, reading.velocity, reading.effort, simulation.time());
}

void ControlBoard::Impl::start(Axis& axis) {
  axis.joint.status.interact(VOCAB_IM_STIFF);
  axis.joint.broken = false;
  axis.moved_at = kNever;
  enter(axis, !config.start_configured ? VOCAB_CM_NOT_CONFIGURED : config.start_mode);
}

void ControlBoard::Impl::enter(Axis& axis, vocab32_t mode) {
  const bool possible =
      mode == VOCAB_CM_NOT_CONFIGURED || mode == VOCAB_CM_HW_FAULT || axis.joint.status.can(mode);
  axis.joint.enter(possible ? mode : VOCAB_CM_IDLE, measured(axis));
}

// Looks for faults and for the end of a calibration.
void ControlBoard::Impl::watch(int j) {
  Axis& axis = axes[j];
  axis.now = measured(axis);
  const Fault found = axis.joint.look(axis.now);
  if (found.code != 0) {
    fault(j, found.code, found.text);
  }
  if (axis.joint.status.mode() != VOCAB_CM_CALIBRATING) {
    return;
  }
  switch (axis.joint.calibration(axis.now)) {
    case BoardJoint::Calibration::Running:
      return;
    case BoardJoint::Calibration::TimedOut:
      return fault(j, kCalibrationFault, "its calibration took too long");
    case BoardJoint::Calibration::Done:
      enter(axis, axis.joint.config.calibrated_mode);
      axis.joint.status.interact(axis.joint.config.calibrated_interaction);
      axis.now = measured(axis);
  }
}

// Should bounded numbers make an unbounded one all the same, it costs the joint, not the
// simulation.
JointDrive ControlBoard::Impl::drive(int j) {
  const JointDrive drive = axes[j].joint.advance(axes[j].now, h);
  if (std::isfinite(drive.velocity + drive.max_force + drive.force + drive.softness)) {
    return drive;
  }
  fault(j, kLawFault, "its parameters and references are too large for its law");
  return {};
}

void ControlBoard::Impl::warn(int j, Warning kind, std::string_view text) {
  const double now = simulation.time();
  Quiet& quiet = has(j) ? axes[j].quiet[kind] : stranger;
  // Time runs backwards when a simulation is restored.
  if (now < quiet.until && now >= quiet.until - config.warning_period) {
    ++quiet.hidden;
    return;
  }
  const std::string who =
      has(j) ? fmt::format(", joint {} \"{}\"", j, axes[j].joint.facts.motor) : "";
  const std::string more =
      quiet.hidden > 0 ? fmt::format(" (and {} more since the last message)", quiet.hidden) : "";
  notices.say(fmt::format("board \"{}\"{}: {}{}", config.name, who, text, more));
  quiet = {now + config.warning_period, 0};
}

bool ControlBoard::Impl::known(int j) {
  if (!has(j)) {
    warn(j, kIgnored, fmt::format("there is no joint {}; it has {}", j, axes.size()));
  }
  return has(j);
}

ControlBoard::ControlBoard(Simulation& simulation, std::string_view robot, BoardConfig config)
    : impl_(std::make_unique<Impl>(simulation, robot, std::move(config))) {}
ControlBoard::ControlBoard(ControlBoard&&) noexcept = default;
ControlBoard& ControlBoard::operator=(ControlBoard&&) noexcept = default;
ControlBoard::~ControlBoard() = default;

void ControlBoard::before_step() {
  for (int j = 0; j < static_cast<int>(impl_->axes.size()); ++j) {
    impl_->watch(j);
  }
  for (int j = 0; j < static_cast<int>(impl_->axes.size()); ++j) {
    impl_->axes[j].motor->drive(impl_->drive(j));
  }
}

void ControlBoard::reset() {
  for (Impl::Axis& axis : impl_->axes) {
    impl_->start(axis);
  }
}

const std::string& ControlBoard::name() const { return impl_->config.name; }
std::size_t ControlBoard::axes() const { return impl_->axes.size(); }

// Each joint is measured once.
void ControlBoard::read(BoardReadings& all) const {
  for (auto* values : {&all.encoders, &all.encoder_speeds, &all.encoder_accelerations, &all.torques,
                       &all.duty_cycles, &all.currents}) {
    values->resize(axes());
  }
  for (std::size_t j = 0; j < axes(); ++j) {
    const BoardJoint& joint = impl_->axes[j].joint;
    const JointMeasurement now = impl_->measured(impl_->axes[j]);
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

// IControlMode, IInteractionMode, IJointFault: what a joint is in, and what takes it out.

namespace {

vocab32_t same_as(vocab32_t mode) { return mode == VOCAB_CM_OPENLOOP ? VOCAB_CM_PWM : mode; }

}  // namespace

// Coupled joints change together or not at all.
ReturnValue ControlBoard::Impl::set_mode(int j, vocab32_t wanted) {
  const vocab32_t mode = same_as(wanted);
  for (const int k : axes[j].bound) {
    const BoardJoint& joint = axes[k].joint;
    const bool persists = joint.broken || joint.wrong(measured(axes[k])).code != 0;
    const JointStatus::Answer answer = joint.status.ask_mode(mode, persists);
    if (!answer.result) {
      if (answer.next == VOCAB_CM_HW_FAULT && joint.status.mode() != VOCAB_CM_HW_FAULT) {
        fault(k, kModeFault,
              fmt::format("control mode \"{}\" is not one of its own", to_string(wanted)));
      }
      return answer.result;
    }
  }
  for (const int k : axes[j].bound) {
    const vocab32_t next = axes[k].joint.status.ask_mode(mode, false).next;
    if (next != axes[k].joint.status.mode()) {
      enter(axes[k], next);
    }
  }
  return {};
}

ReturnValue ControlBoard::Impl::set_interaction(int j, vocab32_t mode) {
  for (const int k : axes[j].bound) {
    const JointStatus& status = axes[k].joint.status;
    const JointStatus::Answer answer = status.ask_interaction(mode);
    if (!answer.result) {
      if (answer.next != status.mode()) {
        fault(k, kInteractionFault, "it cannot be compliant");
      }
      return answer.result;
    }
  }
  for (const int k : axes[j].bound) {
    axes[k].joint.interact(mode, measured(axes[k]));
  }
  return {};
}

void ControlBoard::Impl::fault(int j, int code, const std::string& message) {
  for (const int k : axes[j].bound) {
    axes[k].joint.fault_code = code;
    axes[k].joint.fault_message = message;
    enter(axes[k], VOCAB_CM_HW_FAULT);
  }
  warn(j, kFaulted, fmt::format("hardware fault {}: {}", code, message));
}

ReturnValue ControlBoard::setControlMode(int j, vocab32_t mode) {
  if (!impl_->known(j)) {
    return {Status::OutOfRange};
  }
  if (mode != VOCAB_CM_IMPEDANCE_POS && mode != VOCAB_CM_IMPEDANCE_VEL) {
    return impl_->set_mode(j, mode);
  }
  impl_->warn(j, Impl::kDeprecated,
              fmt::format("control mode \"{}\" is deprecated; set the mode and the interaction "
                          "mode \"comp\"",
                          to_string(mode)));
  const vocab32_t plain = mode == VOCAB_CM_IMPEDANCE_POS ? VOCAB_CM_POSITION : VOCAB_CM_VELOCITY;
  const ReturnValue result = impl_->set_mode(j, plain);
  return result ? impl_->set_interaction(j, VOCAB_IM_COMPLIANT) : result;
}

ReturnValue ControlBoard::getControlMode(int j, vocab32_t* mode) const {
  return impl_->read(j, mode, [this](const BoardJoint& joint) {
    return joint.status.mode() == VOCAB_CM_PWM && impl_->config.report_openloop
               ? VOCAB_CM_OPENLOOP
               : joint.status.mode();
  });
}

ReturnValue ControlBoard::getAvailableControlModes(int j, std::vector<vocab32_t>* modes) const {
  return impl_->read(j, modes, [](const BoardJoint& joint) { return joint.status.available(); });
}

ReturnValue ControlBoard::setInteractionMode(int j, vocab32_t mode) {
  return impl_->known(j) ? impl_->set_interaction(j, mode) : ReturnValue{Status::OutOfRange};
}

ReturnValue ControlBoard::getInteractionMode(int j, vocab32_t* mode) const {
  return impl_->read(j, mode, [](const BoardJoint& joint) { return joint.status.interaction(); });
}

ReturnValue ControlBoard::getLastJointFault(int j, int* code, std::string* message) const {
  return impl_->read(j, code, [&](const BoardJoint& joint) {
    *message = joint.fault_message;
    return joint.fault_code;
  });
}

ReturnValue ControlBoard::raise_fault(int j, int code, std::string message, bool persists) {
  if (!impl_->known(j)) {
    return {Status::OutOfRange};
  }
  BoardJoint& joint = impl_->axes[j].joint;
  if (joint.status.mode() == VOCAB_CM_NOT_CONFIGURED) {
    return {Status::Refused};
  }
  joint.broken = persists;
  impl_->fault(j, code, message);
  return {};
}

ReturnValue ControlBoard::mend(int j) {
  return impl_->write(j, {}, [](BoardJoint& joint) { joint.broken = false; });
}

std::string to_string(vocab32_t vocab) {
  std::string code;
  for (auto rest = static_cast<std::uint32_t>(vocab); (rest & 0xff) != 0; rest >>= 8) {
    code += static_cast<char>(rest & 0xff);
  }
  return code;
}

}  // namespace servosim::yarp
