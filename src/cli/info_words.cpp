// SPDX-License-Identifier: Apache-2.0
#include "cli/info_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/text_table.h"

namespace servosim {
namespace {

// A list that is broken between items where possible.
std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += (text.empty() ? "" : ", ") + unbroken(item);
  }
  return text;
}

/// Units of what a joint or motor of a type has to do with.
struct Units {
  std::string_view position, velocity, acceleration, effort, effort_name, spring, damping;
};

const Units& units_of(JointType type) {
  static constexpr Units kTurns{"rad", "rad/s", "rad/s²", "N·m", "torque", "N·m/rad", "N·m·s/rad"};
  static constexpr Units kSlides{"m", "m/s", "m/s²", "N", "force", "N/m", "N·s/m"};
  return type == JointType::Rotational ? kTurns : kSlides;
}

std::string limit(std::string_view name, double value, std::string_view unit) {
  return std::isfinite(value) ? fmt::format("{} {} {}", name, number(value), unit)
                              : fmt::format("{} unlimited", name);
}

std::string range(std::string_view name, double low, double high, std::string_view unit) {
  return low == high ? fmt::format("no {}", name)
                     : fmt::format("{} {} to {} {}", name, number(low), number(high), unit);
}

std::string motor_text(const MotorSpec& motor) {
  const Units& u = units_of(motor.type);
  std::vector<std::string> items{
      range("position limits", motor.min_position, motor.max_position, u.position),
      limit("velocity", motor.max_velocity, u.velocity),
      limit(u.effort_name, motor.max_force, u.effort)};
  if (motor.available_force != motor.max_force) {
    items.push_back(limit("at start", motor.available_force, u.effort));
  }
  if (motor.acceleration >= 0.0) {
    items.push_back(limit("acceleration", motor.acceleration, u.acceleration));
  }
  items.push_back(fmt::format("PID {} {} {}", number(motor.gains.p), number(motor.gains.i),
                              number(motor.gains.d)));
  if (motor.multiplier != 1.0) {
    items.push_back("multiplier " + number(motor.multiplier));
  }
  if (motor.coupling > 0) {
    items.push_back(fmt::format("coupled in group {}", motor.coupling));
  }
  if (!motor.muscles.empty()) {
    items.push_back(counted(motor.muscles.size(), "muscle", "muscles"));
  }
  return listed(items);
}

std::string sensor_text(const SensorSpec& sensor) {
  const std::string_view unit = units_of(sensor.type).position;
  return listed(
      {sensor.resolution > 0.0 ? limit("resolution", sensor.resolution, unit) : "no resolution",
       sensor.noise > 0.0 ? limit("noise", sensor.noise, unit) : "no noise"});
}

void add_suspension(const SuspensionSpec& suspension, std::vector<std::string>& items) {
  if (suspension.gives_way()) {
    items.push_back(fmt::format("suspension along {}: spring {} N/m, damping {} N·s/m",
                                vector(suspension.axis), number(suspension.spring_constant),
                                number(suspension.damping_constant)));
  }
}

}  // namespace

std::string number(double value, double noise, int digits) {
  return fmt::format("{:.{}g}", std::abs(value) < noise ? 0.0 : value, digits);
}

std::string vector(const Vec3& v, double noise, int digits) {
  return fmt::format("{} {} {}", number(v.x, noise, digits), number(v.y, noise, digits),
                     number(v.z, noise, digits));
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

const char* name_of(JointKind kind) {
  static constexpr const char* kNames[] = {"hinge", "slider", "hinge2", "ball"};
  return kNames[static_cast<int>(kind)];
}

const char* name_of(BodyHold hold) {
  static constexpr const char* kNames[] = {"free", "joint", "parent", "world"};
  return kNames[static_cast<int>(hold)];
}

std::string device_text(const DeviceSpec& device) {
  if (device.motor) {
    return motor_text(*device.motor);
  }
  return device.sensor         ? sensor_text(*device.sensor)
         : device.brake        ? "adds damping on command"
         : device.emitter      ? "sends packets"
         : device.receiver     ? "hears packets when enabled"
         : device.solid_sensor ? "measures when enabled"
         : device.led          ? "lights its lights on command"
         : device.connector
             ? (device.connector->type == ConnectorType::Vacuum ? "holds what it touches on command"
                                                                : "holds another one on command")
             : "not simulated";
}

std::string joint_text(const JointSpec& joint) {
  const Units& u = units_of(joint.type);
  std::vector<std::string> items{"axis " + vector(joint.axis)};
  if (joint.kind != JointKind::Slider && joint.axis_number == 0) {
    items.push_back("anchor " + vector(joint.anchor) + " m");
  }
  items.push_back(range("stops", joint.min_stop, joint.max_stop, u.position));
  const auto add_unless_zero = [&](std::string_view name, double value, std::string_view unit) {
    if (value != 0.0) {
      items.push_back(limit(name, value, unit));
    }
  };
  add_unless_zero("starts at", joint.position, u.position);
  add_unless_zero("spring", joint.spring_constant, u.spring);
  add_unless_zero("damping", joint.damping_constant, u.damping);
  add_unless_zero("friction", joint.static_friction, u.effort);
  add_unless_zero("backlash", joint.backlash, u.position);
  if (joint.stop_erp >= 0.0) {
    items.push_back("stop ERP " + number(joint.stop_erp));
  }
  if (joint.stop_cfm >= 0.0) {
    items.push_back("stop CFM " + number(joint.stop_cfm));
  }
  add_suspension(joint.suspension, items);
  const std::string axis =
      axis_count(joint.kind) > 1 ? fmt::format(" axis {}", joint.axis_number + 1) : std::string();
  return fmt::format("{}{} {}: {}", name_of(joint.kind), axis, in_quotes(joint.name),
                     listed(items));
}

std::string battery_text(const RobotSpec& robot) {
  if (robot.battery.empty() || robot.battery.front() < 0.0) {
    return "none";
  }
  return fmt::format("{} of {} J, charges at {} W, the CPU takes {} W", number(robot.battery[0]),
                     number(robot.battery[1]), number(robot.battery[2]),
                     number(robot.cpu_consumption));
}

std::string inertia_text(const Mat3& i) {
  const double noise = 1e-12 * (i(0, 0) + i(1, 1) + i(2, 2));  // rounding of turned tensors
  const Vec3 products{i(0, 1), i(0, 2), i(1, 2)};
  const double largest =
      std::max({std::abs(products.x), std::abs(products.y), std::abs(products.z)});
  const std::string moments = vector({i(0, 0), i(1, 1), i(2, 2)}, 0.0, kTableDigits);
  return largest < noise ? moments : moments + '\n' + vector(products, noise, kTableDigits);
}

}  // namespace servosim
