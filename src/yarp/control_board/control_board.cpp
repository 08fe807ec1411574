// SPDX-License-Identifier: Apache-2.0
#include "yarp/control_board/control_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "scene/scene.h"
#include "servosim/yarp/control_board.h"
#include "servosim/yarp/vocabs.h"
#include "sim/driven_joints.h"
#include "sim/world_inspector.h"

// Implements the joints of a board, its step, modes and faults. commands.cpp and parameters.cpp
// have the other interfaces.

namespace servosim::yarp {

namespace {

JointInfo joint_info(const Motor& motor, const JointSpec& joint) {
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
  for (const DeviceNode* device : driven_joints(robot)) {
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
    start_joint(axis);
  }
}

void ControlBoard::Impl::add(Robot& robot, const JointConfig& joint) {
  Motor& motor = robot.motor(joint.motor);
  const DeviceNode& device =
      *std::find_if(robot.devices().begin(), robot.devices().end(),
                    [&motor](const DeviceNode& d) { return d.get<Motor>() == &motor; });
  if (device.joint < 0) {
    throw std::invalid_argument(
        fmt::format("board \"{}\": motor \"{}\" has no joint", config.name, joint.motor));
  }
  const double position = simulation.joint(device.joint).position();
  axes.push_back(
      {BoardJoint(joint,
                  joint_info(motor, WorldInspector(simulation).scene().joints[device.spec->joint]),
                  config, position),
       &motor,
       device.joint,
       {static_cast<int>(axes.size())},
       {},
       {}});
}

void ControlBoard::Impl::couple(const std::vector<int>& joints) {
  for (const int j : joints) {
    if (!has(j) || axes[j].coupled.size() > 1) {
      throw std::invalid_argument(fmt::format("board \"{}\": joint {} of a coupled set {}",
                                              config.name, j,
                                              has(j) ? "is in another one" : "is not there"));
    }
    axes[j].coupled = joints;
  }
}

JointMeasurement ControlBoard::Impl::measured(const Axis& axis) const {
  const JointReading reading = simulation.joint(axis.index).reading();
  return axis.joint.measured(reading.position, reading.velocity, reading.effort, simulation.time());
}

void ControlBoard::Impl::start_joint(Axis& axis) {
  axis.joint.status.set_interaction(VOCAB_IM_STIFF);
  axis.joint.fault_persists = false;
  axis.last_move_time = kNever;
  enter_mode(axis, !config.start_configured ? VOCAB_CM_NOT_CONFIGURED : config.start_mode);
}

void ControlBoard::Impl::enter_mode(Axis& axis, vocab32_t mode) {
  const bool possible = mode == VOCAB_CM_NOT_CONFIGURED || mode == VOCAB_CM_HW_FAULT ||
                        axis.joint.status.supports(mode);
  axis.joint.enter_mode(possible ? mode : VOCAB_CM_IDLE, measured(axis));
}

// Measures the joint, and handles faults and the end of a calibration.
void ControlBoard::Impl::update_status(int j) {
  Axis& axis = axes[j];
  axis.now = measured(axis);
  const JointFault found = axis.joint.check_faults(axis.now);
  if (found.code != 0) {
    set_fault(j, found.code, found.text);
  }
  if (axis.joint.status.mode() != VOCAB_CM_CALIBRATING) {
    return;
  }
  switch (axis.joint.calibration(axis.now)) {
    case BoardJoint::Calibration::Running:
      return;
    case BoardJoint::Calibration::TimedOut:
      return set_fault(j, kCalibrationFault, "its calibration took too long");
    case BoardJoint::Calibration::Done:
      enter_mode(axis, axis.joint.config.calibrated_mode);
      axis.joint.status.set_interaction(axis.joint.config.calibrated_interaction);
      axis.now = measured(axis);
  }
}

// If finite parameters still result in an infinite drive, the joint gets a fault and the simulation
// continues.
JointDrive ControlBoard::Impl::next_drive(int j) {
  const JointDrive drive = axes[j].joint.advance(axes[j].now, h);
  if (std::isfinite(drive.velocity + drive.max_force + drive.force + drive.softness)) {
    return drive;
  }
  set_fault(j, kLawFault, "its parameters and references are too large for its law");
  return {};
}

namespace {

// Removes quoted parts and the characters of numbers.
std::string without_values(std::string_view text) {
  std::string kept;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && std::string_view("0123456789+-.").find(c) == std::string_view::npos) {
      kept += c;
    }
  }
  return kept;
}

}  // namespace

void ControlBoard::Impl::warn(int j, const Warning& of, std::string_view text) {
  const double now = simulation.time();
  // A client may use any number of words; beyond this number all texts are one kind.
  constexpr std::size_t kMostKinds = 100;
  auto& kinds = has(j) ? axes[j].warnings : other_warnings;
  WarningKey key{of, without_values(text)};
  if (kinds.size() >= kMostKinds && !kinds.contains(key)) {
    key.second.clear();
  }
  WarningLimit& warnings = kinds[key];
  // Time goes back if a simulation is restored.
  if (now < warnings.until && now >= warnings.until - config.warning_period) {
    ++warnings.hidden;
    return;
  }
  const std::string who =
      has(j) ? fmt::format(", joint {} \"{}\"", j, axes[j].joint.info.motor) : "";
  const std::string more =
      warnings.hidden > 0 ? fmt::format(" (and {} more since the last message)", warnings.hidden)
                          : "";
  notices.report(fmt::format("board \"{}\"{}: {}{}", config.name, who, text, more));
  warnings = {now + config.warning_period, 0};
}

bool ControlBoard::Impl::check_index(int j) {
  if (!has(j)) {
    warn(j, {"joint", Status::OutOfRange},
         fmt::format("there is no joint {}; it has {}", j, axes.size()));
  }
  return has(j);
}

ReturnValue ControlBoard::Impl::refuse(int j, std::string_view what, Status status,
                                       std::string_view why) {
  warn(j, {what, status}, fmt::format("{} is refused: {}", what, why));
  return {status};
}

ReturnValue ControlBoard::Impl::refuse_number(int j, const char* what, double value) {
  return refuse(j, what, Status::BadValue,
                std::isfinite(value) ? fmt::format("{} is too large", value)
                                     : fmt::format("{} is no finite number", value));
}

ControlBoard::ControlBoard(Simulation& simulation, std::string_view robot, BoardConfig config)
    : impl_(std::make_unique<Impl>(simulation, robot, std::move(config))) {}
ControlBoard::ControlBoard(ControlBoard&&) noexcept = default;
ControlBoard& ControlBoard::operator=(ControlBoard&&) noexcept = default;
ControlBoard::~ControlBoard() = default;

void ControlBoard::before_step() {
  for (int j = 0; j < static_cast<int>(impl_->axes.size()); ++j) {
    impl_->update_status(j);
  }
  for (int j = 0; j < static_cast<int>(impl_->axes.size()); ++j) {
    impl_->axes[j].motor->drive(impl_->next_drive(j));
  }
}

void ControlBoard::reset() {
  for (Impl::Axis& axis : impl_->axes) {
    impl_->start_joint(axis);
  }
}

const std::string& ControlBoard::name() const { return impl_->config.name; }
std::size_t ControlBoard::axes() const { return impl_->axes.size(); }

// This function measures each joint only once.
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

// IControlMode, IInteractionMode, IJointFault

namespace {

vocab32_t without_alias(vocab32_t mode) { return mode == VOCAB_CM_OPENLOOP ? VOCAB_CM_PWM : mode; }

}  // namespace

std::string ControlBoard::Impl::why_no_mode(const BoardJoint& joint, vocab32_t wanted,
                                            Status status) const {
  const std::string named = "\"" + to_string(wanted) + "\"";
  if (status == Status::BadValue) {
    return named + " is no mode that can be set";
  }
  if (status == Status::NotAvailable) {
    return fmt::format("this joint has no {}", named);
  }
  switch (joint.status.mode()) {
    case VOCAB_CM_HW_FAULT:
      return wanted == VOCAB_CM_FORCE_IDLE
                 ? fmt::format("the cause of its hardware fault persists: {}", joint.fault_message)
                 : fmt::format(
                       "{} has to wait: it has a hardware fault, which \"fidl\" resets ({})", named,
                       joint.fault_message);
    case VOCAB_CM_CALIBRATING:
      return named + " has to wait: it is being calibrated";
    default:
      return named + " has to wait: it is not configured or calibrated yet";
  }
}

// Coupled joints change their mode together or not at all.
ReturnValue ControlBoard::Impl::set_mode(int j, vocab32_t wanted) {
  const vocab32_t mode = without_alias(wanted);
  for (const int k : axes[j].coupled) {
    const BoardJoint& joint = axes[k].joint;
    const bool persists = joint.fault_persists || joint.find_fault(measured(axes[k])).code != 0;
    const JointStatus::ModeChange answer = joint.status.request_mode(mode, persists);
    if (!answer.result) {
      if (answer.next == VOCAB_CM_HW_FAULT && joint.status.mode() != VOCAB_CM_HW_FAULT) {
        set_fault(k, kModeFault,
                  fmt::format("control mode \"{}\" is not one of its own", to_string(wanted)));
        return answer.result;
      }
      return refuse(k, "setControlMode", answer.result.status,
                    why_no_mode(joint, wanted, answer.result.status));
    }
  }
  for (const int k : axes[j].coupled) {
    const vocab32_t next = axes[k].joint.status.request_mode(mode, false).next;
    if (next != axes[k].joint.status.mode()) {
      enter_mode(axes[k], next);
    }
  }
  return {};
}

ReturnValue ControlBoard::Impl::set_interaction(int j, vocab32_t mode) {
  for (const int k : axes[j].coupled) {
    const JointStatus& status = axes[k].joint.status;
    const JointStatus::ModeChange answer = status.request_interaction(mode);
    if (!answer.result) {
      if (answer.next != status.mode()) {
        set_fault(k, kInteractionFault, "it cannot be compliant");
        return answer.result;
      }
      return refuse(k, "setInteractionMode", answer.result.status,
                    why_no_mode(axes[k].joint, mode, answer.result.status));
    }
  }
  for (const int k : axes[j].coupled) {
    axes[k].joint.set_interaction(mode, measured(axes[k]));
  }
  return {};
}

void ControlBoard::Impl::set_fault(int j, int code, const std::string& message) {
  for (const int k : axes[j].coupled) {
    axes[k].joint.fault_code = code;
    axes[k].joint.fault_message = message;
    enter_mode(axes[k], VOCAB_CM_HW_FAULT);
  }
  warn(j, {"fault", Status::Ok}, fmt::format("hardware fault {}: {}", code, message));
}

ReturnValue ControlBoard::setControlMode(int j, vocab32_t mode) {
  if (!impl_->check_index(j)) {
    return {Status::OutOfRange};
  }
  if (mode != VOCAB_CM_IMPEDANCE_POS && mode != VOCAB_CM_IMPEDANCE_VEL) {
    return impl_->set_mode(j, mode);
  }
  impl_->warn(j, {"setControlMode", Status::Ok},
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
  return impl_->read(j, modes,
                     [](const BoardJoint& joint) { return joint.status.requestable_modes(); });
}

ReturnValue ControlBoard::setInteractionMode(int j, vocab32_t mode) {
  return impl_->check_index(j) ? impl_->set_interaction(j, mode) : ReturnValue{Status::OutOfRange};
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
  if (!impl_->check_index(j)) {
    return {Status::OutOfRange};
  }
  BoardJoint& joint = impl_->axes[j].joint;
  if (joint.status.mode() == VOCAB_CM_NOT_CONFIGURED) {
    return impl_->refuse(j, "raise_fault", Status::Refused, "it is not configured yet");
  }
  joint.fault_persists = persists;
  impl_->set_fault(j, code, message);
  return {};
}

ReturnValue ControlBoard::clear_fault_cause(int j) {
  return impl_->write(j, "clear_fault_cause", {},
                      [](BoardJoint& joint) { joint.fault_persists = false; });
}

std::string to_string(vocab32_t vocab) {
  std::string code;
  for (auto rest = static_cast<std::uint32_t>(vocab); (rest & 0xff) != 0; rest >>= 8) {
    code += static_cast<char>(rest & 0xff);
  }
  return code;
}

}  // namespace servosim::yarp
