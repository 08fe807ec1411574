// SPDX-License-Identifier: Apache-2.0
#include "srvp/robot/servo_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <stdexcept>

#include "base/text.h"
#include "scene/scene.h"
#include "servosim/servo_model.h"
#include "sim/driven_joints.h"
#include "sim/world_inspector.h"

namespace servosim::srvp::robot {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kPwmMaxPosition = 180.0;  // servo position at pwm_max, as a server computes it
constexpr double kPulseStep = 20000.0 / 32768.0;  // of PWM values: 15 bits of 20 ms [µs]
// The share of the range by which a position may exceed it, since numbers in a mapping file are
// rounded.
constexpr double kReachSlack = 1e-3;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

struct Chosen {
  const DeviceNode* device;
  ServoEntry entry;
};

std::vector<Chosen> all_motors(const Scene& scene, const Robot& robot) {
  std::vector<Chosen> all;
  for (const DeviceNode* device : driven_joints(robot)) {
    if (!is_endless_belt(scene, *device)) {  // a position of a servo has no meaning for it
      ServoEntry entry;
      entry.id = static_cast<int>(all.size());
      all.push_back({device, std::move(entry)});
    }
  }
  return all;
}

std::vector<Chosen> named_motors(const Scene& scene, const Robot& robot,
                                 const std::vector<ServoEntry>& entries) {
  std::vector<Chosen> named;
  for (const ServoEntry& entry : entries) {
    const DeviceNode* const device = robot.find(entry.motor);
    if (device == nullptr || !drives_joint(*device)) {
      std::vector<std::string_view> names;
      for (const Chosen& other : all_motors(scene, robot)) {
        names.push_back(other.device->name);
      }
      refuse(fmt::format("servo {}: robot '{}' has no motor '{}' that moves a joint{}", entry.id,
                         robot.name(), entry.motor, did_you_mean(entry.motor, names)));
    }
    named.push_back({device, entry});
  }
  return named;
}

// Uses the range of the motor, else the stops of its joint, else ±90°.
void take_range(McuServo& servo, const Motor& motor, const JointSpec& joint, int id) {
  if (const MotorLimits limits = motor.limits(); limits.has_range()) {
    servo.at_0 = limits.min_position;
    servo.at_179 = limits.max_position;
  } else if (joint.stops.min != joint.stops.max) {
    servo.at_0 = joint.stops.min;
    servo.at_179 = joint.stops.max;
  } else if (servo.type == JointType::Rotational) {
    servo.at_0 = -90.0 * kDegree;
    servo.at_179 = 90.0 * kDegree;
  } else {
    refuse(
        fmt::format("servo {}: nothing limits the linear motor '{}'; give it minPosition and "
                    "maxPosition, or at_0 and at_179 in a mapping file",
                    id, servo.name));
  }
}

// Limits the range to what a servo does at its pulses.
void limit_range(McuServo& servo, const ServoEntry& entry, const ServoPulses& pulses) {
  const auto [least, most] = std::minmax(pulses.low_position, pulses.high_position);
  const double slack = kReachSlack * (most - least);
  const double unit = servo.type == JointType::Rotational ? kDegree : 1.0;
  for (const auto& given : {entry.at_0, entry.at_179}) {
    if (given && (*given * unit < least - slack || *given * unit > most + slack)) {
      refuse(fmt::format("servo {}: {} is beyond the pulses of '{}' ({}), which are from {} to {}",
                         entry.id, *given, servo.name, servo.motor->servo().model()->name,
                         least / unit, most / unit));
    }
  }
  const auto [from, to] = std::minmax({servo.at_0, servo.at_179});
  if (from >= most || to <= least) {
    refuse(
        fmt::format("servo {}: the range of '{}' ({}), from {} to {}, is beyond its pulses, "
                    "which are from {} to {}",
                    entry.id, servo.name, servo.motor->servo().model()->name, from / unit,
                    to / unit, least / unit, most / unit));
  }
  servo.at_0 = std::clamp(servo.at_0, least, most);
  servo.at_179 = std::clamp(servo.at_179, least, most);
}

// Makes sure that the pulses of positions 0 and 179 are those of the servo.
void check_pulses(const McuServo& servo, const ServoEntry& entry, const ServoPulses& pulses) {
  if (!entry.pwm_min || !entry.pwm_max) {
    refuse(
        fmt::format("servo {}: '{}' ({}) takes pulses; give both pwm_min and pwm_max, or neither",
                    entry.id, servo.name, servo.motor->servo().model()->name));
  }
  const double slack = kPulseStep + kReachSlack * (pulses.high - pulses.low);
  const double last =
      servo.pwm.min + kMaxPosition / kPwmMaxPosition * (servo.pwm.max - servo.pwm.min);
  for (const double pwm : {double(servo.pwm.min), last}) {
    if (pwm * kPulseStep < pulses.low - slack || pwm * kPulseStep > pulses.high + slack) {
      refuse(fmt::format(
          "servo {}: pwm_min {} and pwm_max {} are beyond the pulses of '{}' ({}), which are from "
          "{:.0f} to {:.0f}",
          entry.id, servo.pwm.min, servo.pwm.max, servo.name, servo.motor->servo().model()->name,
          std::ceil(pulses.low / kPulseStep), std::floor(pulses.high / kPulseStep)));
    }
  }
}

// Lets the PWM values be the pulses of the motor. They give the positions, or follow from them.
void take_pulses(McuServo& servo, const ServoEntry& entry, const ServoPulses& pulses) {
  servo.takes_pulses = true;
  const auto pwm_of_position = [&](double position) {
    const double width = pulses.width_on_line(position);
    return static_cast<int>(std::lround(std::clamp(width / kPulseStep, -1.0, kMaxPwm + 1.0)));
  };
  const auto position_at = [&](int pwm) { return pulses.position_on_line(pwm * kPulseStep); };
  if (!entry.pwm_min && !entry.pwm_max) {
    limit_range(servo, entry, pulses);
    servo.pwm.min = pwm_of_position(servo.at_0);
    servo.pwm.max = pwm_of_position(servo.joint_position(kPwmMaxPosition));
  } else if (entry.at_0 || entry.at_179 || entry.reverse) {
    refuse(
        fmt::format("servo {}: the positions of '{}' ({}) follow from pwm_min and pwm_max; give "
                    "these without at_0, at_179 and direction, or only those",
                    entry.id, servo.name, servo.motor->servo().model()->name));
  } else {
    check_pulses(servo, entry, pulses);
  }
  servo.at_0 = position_at(servo.pwm.min);
  servo.at_179 =
      servo.at_0 + kMaxPosition / kPwmMaxPosition * (position_at(servo.pwm.max) - servo.at_0);
}

void take_entry(McuServo& servo, const ServoEntry& entry) {
  const double unit = servo.type == JointType::Rotational ? kDegree : 1.0;
  servo.at_0 = entry.at_0 ? *entry.at_0 * unit : servo.at_0;
  servo.at_179 = entry.at_179 ? *entry.at_179 * unit : servo.at_179;
  if (entry.reverse) {
    std::swap(servo.at_0, servo.at_179);
  }
  servo.pwm.min = entry.pwm_min.value_or(servo.pwm.min);
  servo.pwm.max = entry.pwm_max.value_or(servo.pwm.max);
  if (const ServoModel* const model = servo.motor->servo().model();
      model != nullptr && model->pulses.exist()) {
    take_pulses(servo, entry, model->pulses);
  }
  if (!std::isfinite(servo.at_179 - servo.at_0) || servo.at_0 == servo.at_179) {
    refuse(fmt::format("servo {}: at_0 and at_179 must be two different finite numbers", entry.id));
  }
  const auto [least, most] = std::minmax(servo.pwm.min, servo.pwm.max);
  if (least < 0 || least == most || most > kMaxPwm) {
    refuse(fmt::format("servo {}: pwm_min and pwm_max must be two different numbers of 0 ... {}",
                       entry.id, kMaxPwm));
  }
}

McuServo servo_of(const Simulation& simulation, const DeviceNode& device, const ServoEntry& entry) {
  McuServo servo;
  servo.name = device.name;
  servo.motor = device.get<Motor>();
  servo.joint = device.joint;
  servo.type = servo.motor->type();
  if (!entry.at_0 || !entry.at_179) {
    take_range(servo, *servo.motor, WorldInspector(simulation).scene().joints[device.spec->joint],
               entry.id);
  }
  take_entry(servo, entry);
  return servo;
}

void check_count(const Robot& robot, std::size_t count) {
  if (count == 0) {
    refuse(
        fmt::format("robot '{}' has no motor that moves a joint, so it is no MCU", robot.name()));
  }
  if (count > kMaxServos) {
    refuse(
        fmt::format("robot '{}' has {} motors, but an MCU {} servos at most; choose them in a "
                    "mapping file",
                    robot.name(), count, kMaxServos));
  }
}

}  // namespace

double McuServo::joint_position(double position) const {
  return at_0 + position / kMaxPosition * (at_179 - at_0);
}

bool McuServo::reaches(double position) const {
  const double slack = kReachSlack * std::abs(at_179 - at_0);
  const double target = joint_position(position);
  const MotorLimits limits = motor->limits();
  return !limits.has_range() ||
         (target >= limits.min_position - slack && target <= limits.max_position + slack);
}

double McuServo::rest_zone() const {
  const ServoModel* const servo = motor->servo().model();
  if (!takes_pulses || servo == nullptr || !servo->pulses.exist()) {
    return 0.0;
  }
  const ServoPulses& pulses = servo->pulses;
  const double step = pulses.position_on_line(kPulseStep) - pulses.position_on_line(0.0);
  const double zone = servo->firmware.dead_zone + std::abs(step);
  return zone / std::abs(at_179 - at_0) * kMaxPosition;
}

void McuServo::move_to(double position) const {
  // A supervisor may have given the motor another servo.
  const ServoModel* const servo = motor->servo().model();
  if (takes_pulses && servo != nullptr && servo->pulses.exist()) {
    const double pulse = pwm.min + position / kPwmMaxPosition * (pwm.max - pwm.min);
    // The pulses of the ends are up to a step beyond those of the servo.
    motor->set_servo_pulse(
        std::clamp(std::round(pulse) * kPulseStep, servo->pulses.low, servo->pulses.high));
    return;
  }
  const double multiplier = motor->limits().multiplier;
  motor->set_position(joint_position(position) / (multiplier == 0.0 ? 1.0 : multiplier));
}

double McuServo::position(double joint_position) const {
  return (joint_position - at_0) / (at_179 - at_0) * kMaxPosition;
}

std::optional<double> McuServo::position_of_pwm(int value) const {
  if (value < std::min(pwm.min, pwm.max) || value > std::max(pwm.min, pwm.max)) {
    return std::nullopt;
  }
  return std::min(kPwmMaxPosition * (value - pwm.min) / (pwm.max - pwm.min), double{kMaxPosition});
}

std::vector<McuServo> map_servos(const Simulation& simulation, const Robot& robot,
                                 const std::vector<ServoEntry>& entries) {
  const std::vector<Chosen> chosen =
      entries.empty() ? all_motors(WorldInspector(simulation).scene(), robot)
                      : named_motors(WorldInspector(simulation).scene(), robot, entries);
  check_count(robot, chosen.size());
  std::vector<McuServo> servos(chosen.size());
  std::set<int> joints;
  for (const auto& [device, entry] : chosen) {
    if (entry.id < 0 || entry.id >= static_cast<int>(chosen.size())) {
      refuse(fmt::format("servo {}: the ids of {} servos are 0 ... {}", entry.id, chosen.size(),
                         chosen.size() - 1));
    }
    McuServo& servo = servos[static_cast<std::size_t>(entry.id)];
    if (servo.motor != nullptr) {
      refuse(fmt::format("servo {} is there twice", entry.id));
    }
    servo = servo_of(simulation, *device, entry);
    if (!joints.insert(servo.joint).second) {
      refuse(fmt::format("servo {}: the joint of motor '{}' is another servo already", entry.id,
                         servo.name));
    }
  }
  return servos;
}

}  // namespace servosim::srvp::robot
