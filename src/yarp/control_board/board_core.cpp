// SPDX-License-Identifier: Apache-2.0
#include "yarp/control_board/board_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "scene/scene.h"
#include "sim/driven_joints.h"
#include "sim/world_inspector.h"

namespace servosim::yarp {

namespace {

JointInfo joint_info(const Motor& motor, const JointSpec& joint) {
  const MotorLimits limits = motor.limits();
  const bool motor_limits = limits.min_position < limits.max_position;
  return {motor.name(),
          motor.type() == JointType::Rotational,
          joint.backlash == 0.0,
          limits.max_force,
          limits.max_velocity,
          motor_limits ? limits.min_position : joint.stops.min,
          motor_limits ? limits.max_position : joint.stops.max};
}

// Returns the configuration with its joints: without any it has all motors of the robot.
BoardConfig completed(BoardConfig config, const Robot& robot) {
  if (config.joints.empty()) {
    for (const DeviceNode* device : driven_joints(robot)) {
      config.joints.emplace_back().motor = device->name;
    }
  }
  check(config);
  return config;
}

// Returns why the joint does not accept the mode.
std::string why_no_mode(const BoardJoint& joint, vocab32_t wanted, Status status) {
  const std::string named = "\"" + to_string(wanted) + "\"";
  if (status == Status::BadValue) {
    return named + " is no mode that can be set";
  }
  if (status == Status::NotAvailable) {
    return fmt::format("this joint has no {}", named);
  }
  const vocab32_t mode = joint.status.mode();
  const std::string& fault = joint.last_fault.message;
  if (mode == VOCAB_CM_HW_FAULT && wanted == VOCAB_CM_FORCE_IDLE) {
    return "the cause of its hardware fault persists: " + fault;
  }
  return named + " has to wait: " +
         (mode == VOCAB_CM_HW_FAULT
              ? "it has a hardware fault, which \"fidl\" resets (" + fault + ")"
          : mode == VOCAB_CM_CALIBRATING ? "it is being calibrated"
                                         : "it is not configured or calibrated yet");
}

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

void BoardNotices::warn(double time, int j, std::string_view motor, const Cause& cause,
                        std::string_view text) {
  // A client may use any number of words; beyond this number all texts are one kind.
  constexpr std::size_t kMostKinds = 100;
  auto& kinds = kinds_[j];
  Kind kind{cause, without_values(text)};
  if (kinds.size() >= kMostKinds && !kinds.contains(kind)) {
    kind.second.clear();
  }
  Limit& limit = kinds[kind];
  // Time goes back if a simulation is restored.
  if (time < limit.until && time >= limit.until - period_) {
    ++limit.hidden;
    return;
  }
  const std::string who = j >= 0 ? fmt::format(", joint {} \"{}\"", j, motor) : "";
  const std::string more =
      limit.hidden > 0 ? fmt::format(" (and {} more since the last message)", limit.hidden) : "";
  notices_.report(fmt::format("board \"{}\"{}: {}{}", board_, who, text, more));
  limit = {time + period_, 0};
}

BoardCore::BoardCore(Simulation& simulation, std::string_view robot_name, BoardConfig config)
    : simulation_(simulation),
      config_(completed(std::move(config), simulation.robot(robot_name))),
      notices_(config_) {
  axes_.reserve(config_.joints.size());
  for (const JointConfig& joint : config_.joints) {
    add(simulation.robot(robot_name), joint);
  }
  for (const std::vector<int>& set : config_.coupled) {
    couple(set);
  }
  reset();
}

void BoardCore::add(Robot& robot, const JointConfig& joint) {
  Motor& motor = robot.motor(joint.motor);
  const DeviceNode& device =
      *std::find_if(robot.devices().begin(), robot.devices().end(),
                    [&motor](const DeviceNode& d) { return d.get<Motor>() == &motor; });
  if (device.joint < 0) {
    throw std::invalid_argument(
        fmt::format("board \"{}\": motor \"{}\" has no joint", config_.name, joint.motor));
  }
  const double position = simulation_.joint(device.joint).position();
  const JointSpec& spec = WorldInspector(simulation_).scene().joints[device.spec->joint];
  const int number = static_cast<int>(axes_.size());
  axes_.push_back({BoardJoint(joint, joint_info(motor, spec), config_, position),
                   &motor,
                   number,
                   device.joint,
                   {number},
                   {}});
}

void BoardCore::couple(const std::vector<int>& joints) {
  for (const int j : joints) {
    if (!has(j) || axes_[j].coupled.size() > 1) {
      throw std::invalid_argument(fmt::format("board \"{}\": joint {} of a coupled set {}",
                                              config_.name, j,
                                              has(j) ? "is in another one" : "is not there"));
    }
    axes_[j].coupled = joints;
  }
}

JointMeasurement BoardCore::measured(const BoardAxis& axis) const {
  const JointReading reading = simulation_.joint(axis.index).reading();
  return axis.joint.measured(reading.position, reading.velocity, reading.effort, time());
}

vocab32_t BoardCore::reported_mode(const BoardJoint& joint) const {
  const vocab32_t mode = joint.status.mode();
  return mode == VOCAB_CM_PWM && config_.report_openloop ? VOCAB_CM_OPENLOOP : mode;
}

void BoardCore::reset() {
  for (BoardAxis& axis : axes_) {
    axis.joint.status.set_interaction(VOCAB_IM_STIFF);
    axis.joint.last_fault.persists = false;
    axis.last_move_time = BoardAxis::kNever;
    enter_mode(axis, config_.start_configured ? config_.start_mode : VOCAB_CM_NOT_CONFIGURED);
  }
}

void BoardCore::enter_mode(BoardAxis& axis, vocab32_t mode) {
  const bool possible = mode == VOCAB_CM_NOT_CONFIGURED || mode == VOCAB_CM_HW_FAULT ||
                        axis.joint.status.supports(mode);
  axis.joint.enter_mode(possible ? mode : VOCAB_CM_IDLE, measured(axis));
}

void BoardCore::before_step() {
  for (BoardAxis& axis : axes_) {
    update_status(axis);
  }
  for (BoardAxis& axis : axes_) {
    axis.motor->drive(next_drive(axis));
  }
}

// Measures the joint, and handles faults and the end of a calibration.
void BoardCore::update_status(BoardAxis& axis) {
  axis.now = measured(axis);
  const JointFault found = axis.joint.check_faults(axis.now);
  if (found.code != 0) {
    set_fault(axis.number, found.code, found.text);
  }
  if (axis.joint.status.mode() != VOCAB_CM_CALIBRATING) {
    return;
  }
  const BoardJoint::Calibration calibration = axis.joint.calibration(axis.now);
  if (calibration == BoardJoint::Calibration::TimedOut) {
    set_fault(axis.number, kCalibrationFault, "its calibration took too long");
  } else if (calibration == BoardJoint::Calibration::Done) {
    enter_mode(axis, axis.joint.parameters.config.calibrated_mode);
    axis.joint.status.set_interaction(axis.joint.parameters.config.calibrated_interaction);
    axis.now = measured(axis);
  }
}

// If finite parameters still result in an infinite drive, the joint gets a fault and the simulation
// continues.
JointDrive BoardCore::next_drive(BoardAxis& axis) {
  const double h = simulation_.basic_time_step_ms() / 1000.0;
  const JointDrive drive = axis.joint.advance(axis.now, h);
  if (std::isfinite(drive.velocity + drive.max_force + drive.force + drive.softness)) {
    return drive;
  }
  set_fault(axis.number, kLawFault, "its parameters and references are too large for its law");
  return {};
}

ReturnValue BoardCore::set_mode(int j, vocab32_t wanted) {
  const vocab32_t mode = wanted == VOCAB_CM_OPENLOOP ? VOCAB_CM_PWM : wanted;
  for (const int k : axes_[j].coupled) {
    const BoardJoint& joint = axes_[k].joint;
    const bool persists =
        joint.last_fault.persists || joint.find_fault(measured(axes_[k])).code != 0;
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
  for (const int k : axes_[j].coupled) {
    const vocab32_t next = axes_[k].joint.status.request_mode(mode, false).next;
    if (next != axes_[k].joint.status.mode()) {
      enter_mode(axes_[k], next);
    }
  }
  return {};
}

ReturnValue BoardCore::set_interaction(int j, vocab32_t mode) {
  for (const int k : axes_[j].coupled) {
    const JointStatus& status = axes_[k].joint.status;
    const JointStatus::ModeChange answer = status.request_interaction(mode);
    if (!answer.result) {
      if (answer.next != status.mode()) {
        set_fault(k, kInteractionFault, "it cannot be compliant");
        return answer.result;
      }
      return refuse(k, "setInteractionMode", answer.result.status,
                    why_no_mode(axes_[k].joint, mode, answer.result.status));
    }
  }
  for (const int k : axes_[j].coupled) {
    axes_[k].joint.set_interaction(mode, measured(axes_[k]));
  }
  return {};
}

void BoardCore::set_fault(int j, int code, const std::string& message) {
  for (const int k : axes_[j].coupled) {
    LastFault& fault = axes_[k].joint.last_fault;
    fault.code = code;
    fault.message = message;
    enter_mode(axes_[k], VOCAB_CM_HW_FAULT);
  }
  warn(j, {"fault", Status::Ok}, fmt::format("hardware fault {}: {}", code, message));
}

void BoardCore::set_received(BoardAxis& axis, bool JointParameters::Received::*parameter, bool is) {
  JointParameters::Received& received = axis.joint.parameters.received;
  received.*parameter |= is;
  if (axis.joint.status.mode() == VOCAB_CM_NOT_CONFIGURED && received.pid && received.limits &&
      received.current && !axis.joint.parameters.config.needs_calibration) {
    enter_mode(axis, config_.configured_mode);
  }
}

void BoardCore::warn(int j, const BoardNotices::Cause& cause, std::string_view text) {
  const bool known = has(j);
  const std::string_view motor = known ? axes_[j].joint.info.motor : std::string_view();
  notices_.warn(time(), known ? j : -1, motor, cause, text);
}

bool BoardCore::check_index(int j) {
  if (!has(j)) {
    warn(j, {"joint", Status::OutOfRange},
         fmt::format("there is no joint {}; it has {}", j, axes_.size()));
  }
  return has(j);
}

ReturnValue BoardCore::refuse(int j, std::string_view what, Status status, std::string_view why) {
  warn(j, {what, status}, fmt::format("{} is refused: {}", what, why));
  return {status};
}

ReturnValue BoardCore::check_numbers(int j, std::string_view what,
                                     std::initializer_list<double> numbers) {
  for (const double number : numbers) {
    if (!is_possible(number)) {
      return refuse(j, what, Status::BadValue,
                    std::isfinite(number) ? fmt::format("{} is too large", number)
                                          : fmt::format("{} is no finite number", number));
    }
  }
  return {};
}

}  // namespace servosim::yarp
