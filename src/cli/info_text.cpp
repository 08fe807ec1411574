// SPDX-License-Identifier: Apache-2.0
#include "cli/info_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/printable.h"
#include "cli/output.h"
#include "scene/scene.h"

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

namespace {

const char* yes_or_no(bool yes) { return yes ? "yes" : "no"; }

constexpr std::string_view kFork = "├─ ";
constexpr std::string_view kCorner = "└─ ";
constexpr std::string_view kBar = "│  ";
constexpr std::string_view kNoBar = "   ";

class InfoText {
 public:
  InfoText(const WorldView& view, const std::string& path)
      : view_(view), scene_(view.scene()), path_(path) {}

  std::string text() {
    head();
    for (std::size_t r = 0; r < scene_.robots.size(); ++r) {
      robot(static_cast<int>(r));
    }
    if (!solids_outside().empty() || !view_.joints_below(-1).empty()) {
      heading("Outside every robot");
      branch(-1, "  ");
      bodies(-1);
    }
    return text_;
  }

 private:
  void line(std::string_view text) { (text_ += text) += '\n'; }

  void heading(std::string_view text) {
    line("");
    for (const std::string& part : wrapped(text, kTextWidth)) {
      line(part);
    }
  }

  // `label`  value, wrapped beside the label
  void item(std::string_view label, std::string_view value) {
    constexpr std::size_t kLabelWidth = 17;
    std::string front = "  " + padded(label, kLabelWidth);
    for (const std::string& part : wrapped(value, kTextWidth - kLabelWidth - 2)) {
      line(front + part);
      front.assign(kLabelWidth + 2, ' ');
    }
  }

  // Robots at the top have their own section.
  std::vector<int> solids_outside() const {
    std::vector<int> solids;
    for (const int s : view_.solids_below(-1)) {
      if (view_.robot_of(s) < 0) {
        solids.push_back(s);
      }
    }
    return solids;
  }

  void head();
  void robot(int index);
  void devices(const RobotSpec& robot);
  std::string short_name(int joint) const;
  std::string place_of(const DeviceSpec& device) const;
  void branch(int solid, const std::string& indent);
  void joint_branch(int joint, const std::string& indent, bool last);
  void solid_branch(int solid, const std::string& indent, bool last);
  void tree_line(const std::string& indent, std::string_view mark, const std::string& text);
  std::string solid_line(int solid) const;
  // A robot's is the one it has everywhere, which no other has.
  const std::string& name_of_solid(int solid) const {
    const int robot = view_.robot_of(solid);
    return robot >= 0 && scene_.robots[robot].solid == solid ? scene_.robots[robot].name
                                                             : scene_.solids[solid].name;
  }
  std::string solid_name(int solid) const {
    return std::string(scene_.solids[solid].node_type) + ' ' + in_quotes(name_of_solid(solid));
  }
  void bodies(int robot);

  const WorldView& view_;
  const Scene& scene_;
  const std::string& path_;
  std::string text_;
  int robot_ = -1;  // whose tree is being drawn
};

void InfoText::head() {
  const WorldSettings& w = scene_.world;
  line(printable(path_));
  if (!w.title.empty()) {
    item("title", in_quotes(w.title));
  }
  item("version", scene_.version);
  item("basic time step", number(w.basic_time_step_ms) + " ms");
  item("gravity", vector(w.gravity) + " m/s²");
  item("coordinates",
       w.coordinate_system.empty() ? "as gravity says (before R2020b)" : w.coordinate_system);
  double mass = 0.0;
  for (const RigidBody& body : view_.bodies()) {
    mass += body.mass.mass;
  }
  item("contents",
       fmt::format("{}, {}, {}, {} of {} kg", counted(scene_.robots.size(), "robot", "robots"),
                   counted(scene_.joints.size(), "joint axis", "joint axes"),
                   counted(scene_.solids.size(), "Solid", "Solids"),
                   counted(view_.bodies().size(), "body", "bodies"), number(mass)));
}

void InfoText::robot(int index) {
  const RobotSpec& robot = scene_.robots[index];
  heading("Robot " + in_quotes(robot.name));
  if (!robot.model.empty()) {
    item("model", in_quotes(robot.model));
  }
  std::string controller = robot.controller.empty() ? "none" : in_quotes(robot.controller);
  for (const std::string& argument : robot.controller_args) {
    controller += ' ' + in_quotes(argument);
  }
  item("controller", controller);
  item("supervisor", yes_or_no(robot.supervisor));
  item("synchronization", yes_or_no(robot.synchronization));
  item("self-collision", yes_or_no(robot.self_collision));
  item("battery", battery_text(robot));
  const MassProperties total = view_.total_mass(index);
  item("mass", total.mass > 0.0 ? fmt::format("{} kg, centre of mass at {} m of the Robot's frame",
                                              number(total.mass), vector(total.center))
                                : "none");
  devices(robot);
  robot_ = index;
  line("");
  tree_line("  ", "", solid_line(robot.solid));
  branch(robot.solid, "  ");
  robot_ = -1;
  bodies(index);
}

// The name of a joint without that of the robot, which may itself have a slash.
std::string InfoText::short_name(int joint) const {
  const JointSpec& spec = scene_.joints[joint];
  const std::string front = (spec.robot < 0 ? "world" : scene_.robots[spec.robot].name) + '/';
  const std::string_view name = spec.name;
  return printable(name.starts_with(front) ? name.substr(front.size()) : name);
}

std::string InfoText::place_of(const DeviceSpec& device) const {
  return device.joint >= 0 ? short_name(device.joint) : device.propeller >= 0 ? "a propeller" : "-";
}

void InfoText::devices(const RobotSpec& robot) {
  TextTable table({{"tag", true}, {"device"}, {"type"}, {"acts on"}, {"limits and settings"}});
  for (std::size_t d = 0; d < robot.devices.size(); ++d) {
    const DeviceSpec& device = robot.devices[d];
    table.add({fmt::format("{}", d + 1), printable(device.name), device.node_type, place_of(device),
               device_text(device)});
  }
  text_ += '\n';
  text_ += table.empty() ? "  No devices\n" : table.text("  ");
}

std::string InfoText::solid_line(int solid) const {
  const std::string name = solid_name(solid);
  if (const int b = view_.body_of(solid); b >= 0) {
    const RigidBody& body = view_.bodies()[b];
    return body.owner() == solid
               ? fmt::format("{}: {} kg", name, number(body.mass.mass))
               : fmt::format("{}: part of the body of {}", name, solid_name(body.owner()));
  }
  return name +
         (view_.mobility(solid) == Mobility::Static ? ": static" : ": no Physics, moved along");
}

// A line of the tree, wrapped below itself. `mark` is what stands before the text in its first
// line. Below some levels the lines go no further to the right, and tell their level instead.
void InfoText::tree_line(const std::string& indent, std::string_view mark,
                         const std::string& text) {
  constexpr std::size_t kDeepest = 48;
  const std::size_t depth = display_width(indent);
  const std::string front = depth <= kDeepest ? indent : fmt::format("  [level {}] ", depth / 3);
  bool begun = false;
  for (const std::string& part :
       wrapped(text, kTextWidth - display_width(front) - display_width(kCorner) - 2)) {
    line(front +
         (!begun                          ? std::string(mark)
          : mark == kFork || mark == kBar ? "│    "
                                          : "     ") +
         part);
    begun = true;
  }
}

// A Solid with all below it. A robot inside another one has a section of its own.
void InfoText::solid_branch(int solid, const std::string& indent, bool last) {
  const bool elsewhere = view_.robot_of(solid) != robot_;
  tree_line(indent, last ? kCorner : kFork,
            elsewhere ? solid_name(solid) + ": a robot of its own" : solid_line(solid));
  if (!elsewhere) {
    branch(solid, indent + std::string(last ? kNoBar : kBar));
  }
}

// Everything right below a Solid, or below the world for -1.
void InfoText::branch(int solid, const std::string& indent) {
  const std::vector<int> solids = solid < 0 ? solids_outside() : view_.solids_below(solid);
  const std::vector<int>& joints = view_.joints_below(solid);
  for (std::size_t i = 0; i < solids.size(); ++i) {
    solid_branch(solids[i], indent, i + 1 == solids.size() && joints.empty());
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    joint_branch(joints[i], indent, i + 1 == joints.size());
  }
}

void InfoText::joint_branch(int joint, const std::string& indent, bool last) {
  for (const JointSpec& axis : axes_of(scene_, joint)) {
    const std::string_view next = last ? kNoBar : kBar;
    tree_line(indent, axis.axis_number > 0 ? next : last ? kCorner : kFork, joint_text(axis));
  }
  const JointSpec& spec = scene_.joints[joint];
  const std::string below = indent + std::string(last ? kNoBar : kBar);
  if (spec.reference) {
    tree_line(below, kCorner,
              spec.child >= 0 ? "closes a loop with " + solid_name(spec.child)
                              : "ends in the static environment");
  } else if (spec.belt) {
    tree_line(below, kCorner, "moves the surface of " + solid_name(spec.parent));
  } else if (spec.child < 0) {
    tree_line(below, kCorner, "no endPoint: moves nothing");
  } else {
    solid_branch(spec.child, below, true);
  }
}

void InfoText::bodies(int robot) {
  TextTable table({{"body"},
                   {"mass kg", true},
                   {"centre of mass m"},
                   {"inertia kg·m²: xx yy zz\nthen, if any, xy xz yz"},
                   {"hold"}});
  for (const int b : view_.bodies_of(robot)) {
    const RigidBody& body = view_.bodies()[b];
    std::string names = in_quotes(name_of_solid(body.owner()));
    for (std::size_t p = 1; p < body.parts.size(); ++p) {
      names += "\n+ " + in_quotes(name_of_solid(body.parts[p].solid));
    }
    table.add({names, number(body.mass.mass, 0.0, kTableDigits),
               vector(body.mass.center, kPoseNoise, kTableDigits), inertia_text(body.mass.inertia),
               name_of(body_hold(scene_, body.owner()))});
  }
  if (!table.empty()) {
    text_ += '\n' + table.text("  ");
  } else if (robot >= 0) {
    text_ += "\n  No bodies: no Solid of the robot has Physics\n";
  }
}

}  // namespace

std::string info_text(const WorldView& view, const std::string& path) {
  return InfoText(view, path).text();
}

}  // namespace servosim
