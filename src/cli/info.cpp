// SPDX-License-Identifier: Apache-2.0
#include "cli/info.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/printable.h"
#include "base/toml_error.h"
#include "cli/arguments.h"
#include "cli/bus_map_table.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/project_file.h"
#include "physics/physics_world.h"
#include "robots/robot_file.h"
#include "run/launch_plan.h"
#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"

namespace servosim {

WorldView::WorldView(const Simulation& simulation)
    : scene_(WorldInspector(simulation).scene()),
      bodies_(WorldInspector(simulation).bodies()),
      body_of_(scene_.solids.size(), -1),
      mobility_(scene_.solids.size(), Mobility::Static),
      below_(scene_.solids.size() + 1),
      world_pose_(scene_.solids.size()),
      islands_(WorldInspector(simulation).physics().islands_of_joints().value_or(SolverCounts{})) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    for (const RigidBody::Part& part : bodies_[b].parts) {
      body_of_[part.solid] = static_cast<int>(b);
    }
  }
  for (std::size_t s = 0; s < scene_.solids.size(); ++s) {
    const SolidSpec& solid = scene_.solids[s];
    const bool carried = solid.parent >= 0 && mobility_[solid.parent] != Mobility::Static;
    const bool drifts = solid.linear_velocity != Vec3{} || solid.angular_velocity != Vec3{};
    mobility_[s] = body_of_[s] >= 0                        ? Mobility::Dynamic
                   : solid.joint >= 0 || carried || drifts ? Mobility::Kinematic
                                                           : Mobility::Static;
    world_pose_[s] = solid.parent >= 0 ? world_pose_[solid.parent] * solid.pose : solid.pose;
    if (solid.joint < 0) {
      below_[static_cast<std::size_t>(solid.parent + 1)].solids.push_back(static_cast<int>(s));
    }
  }
  for (std::size_t j = 0; j < scene_.joints.size(); ++j) {
    const JointSpec& joint = scene_.joints[j];
    if (joint.axis_number == 0) {
      below_[static_cast<std::size_t>(joint.parent + 1)].joints.push_back(static_cast<int>(j));
    }
  }
}

std::vector<int> WorldView::bodies_of(int robot) const {
  std::vector<int> indices;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (scene_.solids[bodies_[b].owner()].robot == robot) {
      indices.push_back(static_cast<int>(b));
    }
  }
  return indices;
}

MassProperties WorldView::total_mass(int robot) const {
  const Pose frame = robot >= 0 ? inverse(world_pose_[scene_.robots[robot].solid]) : Pose{};
  MassProperties total;
  for (const int b : bodies_of(robot)) {
    total = total + placed(bodies_[b].mass, frame * world_pose_[bodies_[b].owner()]);
  }
  return total;
}

const char* name_of(BodyHold hold) {
  static constexpr const char* kNames[] = {"free", "joint", "parent", "world"};
  return kNames[static_cast<int>(hold)];
}

namespace {

// The rounding error of poses near 1 m; smaller values are shown as 0.
constexpr double kPoseNoise = 1e-12;
// The number of digits in tables; the JSON document has every digit.
constexpr int kTableDigits = 4;

std::string number(double value, double noise = kPoseNoise, int digits = 6) {
  return fmt::format("{:.{}g}", std::abs(value) < noise ? 0.0 : value, digits);
}

std::string vector(const Vec3& v, double noise = kPoseNoise, int digits = 6) {
  return fmt::format("{} {} {}", number(v.x, noise, digits), number(v.y, noise, digits),
                     number(v.z, noise, digits));
}

// Returns a text such as `1 body` or `2 bodies`.
std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// Joins the items so that lines break between them where possible.
std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += (text.empty() ? "" : ", ") + unbroken(item);
  }
  return text;
}

/// The units of a joint or motor of one type.
struct Units {
  std::string_view position, velocity, acceleration, effort, effort_name, spring, damping, inertia;
};

const Units& units_of(JointType type) {
  static constexpr Units kTurns{"rad",    "rad/s",   "rad/s²",    "N·m",
                                "torque", "N·m/rad", "N·m·s/rad", "kg·m²"};
  static constexpr Units kSlides{"m", "m/s", "m/s²", "N", "force", "N/m", "N·s/m", "kg"};
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
  if (motor.servo != nullptr) {
    items.push_back("servo " + printable(motor.servo_choice));
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
  if (suspension.is_elastic()) {
    items.push_back(fmt::format("suspension along {}: spring {} N/m, damping {} N·s/m",
                                vector(suspension.axis), number(suspension.spring_constant),
                                number(suspension.damping_constant)));
  }
}

std::string device_text(const DeviceSpec& device) {
  if (device.motor) {
    return motor_text(*device.motor);
  }
  return device.sensor     ? sensor_text(*device.sensor)
         : device.brake    ? "adds damping on command"
         : device.emitter  ? "sends packets"
         : device.receiver ? "receives packets when enabled"
         : device.body_sensor || device.ranging || device.camera || device.radar
             ? "measures when enabled"
         : device.led ? "switches its lights on command"
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
  items.push_back(range("stops", joint.stops.min, joint.stops.max, u.position));
  const auto add_unless_zero = [&](std::string_view name, double value, std::string_view unit) {
    if (value != 0.0) {
      items.push_back(limit(name, value, unit));
    }
  };
  add_unless_zero("starts at", joint.position, u.position);
  add_unless_zero("spring", joint.spring.constant, u.spring);
  add_unless_zero("spring reference", joint.spring.reference, u.position);
  add_unless_zero("damping", joint.damping_constant, u.damping);
  add_unless_zero("friction", joint.static_friction, u.effort);
  add_unless_zero("armature", joint.armature, u.inertia);
  add_unless_zero("backlash", joint.backlash, u.position);
  if (joint.stops.erp >= 0.0) {
    items.push_back("stop ERP " + number(joint.stops.erp));
  }
  if (joint.stops.cfm >= 0.0) {
    items.push_back("stop CFM " + number(joint.stops.cfm));
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

// Returns the moments and, unless they are 0, a second line with the products [kg·m²].
std::string inertia_text(const Mat3& i) {
  const double noise = 1e-12 * (i(0, 0) + i(1, 1) + i(2, 2));  // rounding of rotated tensors
  const Vec3 products{i(0, 1), i(0, 2), i(1, 2)};
  const double largest =
      std::max({std::abs(products.x), std::abs(products.y), std::abs(products.z)});
  const std::string moments = vector({i(0, 0), i(1, 1), i(2, 2)}, 0.0, kTableDigits);
  return largest < noise ? moments : moments + '\n' + vector(products, noise, kTableDigits);
}

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
    add_head();
    for (std::size_t r = 0; r < scene_.robots.size(); ++r) {
      add_robot(static_cast<int>(r));
    }
    if (!solids_outside().empty() || !view_.joints_below(-1).empty()) {
      add_heading("Outside every robot");
      add_branch(-1, "  ");
      add_bodies(-1);
    }
    return text_;
  }

 private:
  void add_line(std::string_view text) { (text_ += text) += '\n'; }

  void add_heading(std::string_view text) {
    add_line("");
    for (const std::string& part : wrapped(text, kTextWidth)) {
      add_line(part);
    }
  }

  // Adds a label and its value, which is wrapped in the column next to the label.
  void add_item(std::string_view label, std::string_view value) {
    constexpr std::size_t kLabelWidth = 17;
    std::string front = "  " + padded(label, kLabelWidth);
    for (const std::string& part : wrapped(value, kTextWidth - kLabelWidth - 2)) {
      add_line(front + part);
      front.assign(kLabelWidth + 2, ' ');
    }
  }

  // Robots at the top level have their own section and are left out.
  std::vector<int> solids_outside() const {
    std::vector<int> solids;
    for (const int s : view_.solids_below(-1)) {
      if (view_.robot_of(s) < 0) {
        solids.push_back(s);
      }
    }
    return solids;
  }

  void add_head();
  void add_robot(int index);
  void add_devices(const RobotSpec& robot);
  std::string short_name(int joint) const;
  std::string place_of(const DeviceSpec& device) const;
  void add_branch(int solid, const std::string& indent);
  void add_joint_branch(int joint, const std::string& indent, bool last);
  void add_solid_branch(int solid, const std::string& indent, bool last);
  void add_tree_line(const std::string& indent, std::string_view mark, const std::string& text);
  std::string solid_line(int solid) const;
  // Returns the unique name if the Solid is a Robot.
  const std::string& name_of_solid(int solid) const {
    const int robot = view_.robot_of(solid);
    return robot >= 0 && scene_.robots[robot].solid == solid ? scene_.robots[robot].name
                                                             : scene_.solids[solid].name;
  }
  std::string solid_name(int solid) const {
    return std::string(scene_.solids[solid].node_type) + ' ' + in_quotes(name_of_solid(solid));
  }
  void add_bodies(int robot);

  const WorldView& view_;
  const Scene& scene_;
  const std::string& path_;
  std::string text_;
  int robot_ = -1;  // the robot whose tree is being drawn
};

// Describes which solver solves the islands of joints while nothing touches.
std::string solver_text(const SolverCounts& islands) {
  std::string text;
  const auto add = [&](const char* solver, std::size_t count, const std::string& why) {
    if (count > 0) {
      text += fmt::format("{}{} for {}{}", text.empty() ? "" : ", ", solver,
                          counted(count, "island of joints", "islands of joints"), why);
    }
  };
  add("tree", islands.tree, "");
  for (std::size_t i = 0; i < kOdeReasons; ++i) {
    add("ODE", islands.ode[i], fmt::format(" ({})", to_string(OdeReason(i))));
  }
  return text;
}

void InfoText::add_head() {
  const WorldSettings& w = scene_.world;
  add_line(printable(path_));
  if (!w.title.empty()) {
    add_item("title", in_quotes(w.title));
  }
  add_item("version", scene_.version);
  add_item("basic time step", number(w.basic_time_step_ms) + " ms");
  add_item("gravity", vector(w.gravity) + " m/s²");
  add_item("coordinates",
           w.coordinate_system.empty() ? "by gravity (before R2020b)" : w.coordinate_system);
  double mass = 0.0;
  for (const RigidBody& body : view_.bodies()) {
    mass += body.mass.mass;
  }
  add_item("contents",
           fmt::format("{}, {}, {}, {} of {} kg", counted(scene_.robots.size(), "robot", "robots"),
                       counted(scene_.joints.size(), "joint axis", "joint axes"),
                       counted(scene_.solids.size(), "Solid", "Solids"),
                       counted(view_.bodies().size(), "body", "bodies"), number(mass)));
  if (view_.islands().any()) {
    add_item("solver", solver_text(view_.islands()));
  }
}

void InfoText::add_robot(int index) {
  const RobotSpec& robot = scene_.robots[index];
  add_heading("Robot " + in_quotes(robot.name));
  if (!robot.model.empty()) {
    add_item("model", in_quotes(robot.model));
  }
  std::string controller = robot.controller.empty() ? "none" : in_quotes(robot.controller);
  for (const std::string& argument : robot.controller_args) {
    controller += ' ' + in_quotes(argument);
  }
  add_item("controller", controller);
  add_item("supervisor", yes_or_no(robot.supervisor));
  add_item("synchronization", yes_or_no(robot.synchronization));
  add_item("self-collision", yes_or_no(robot.self_collision));
  add_item("battery", battery_text(robot));
  const MassProperties total = view_.total_mass(index);
  add_item("mass", total.mass > 0.0
                       ? fmt::format("{} kg, centre of mass at {} m of the Robot's frame",
                                     number(total.mass), vector(total.center))
                       : "none");
  add_devices(robot);
  robot_ = index;
  add_line("");
  add_tree_line("  ", "", solid_line(robot.solid));
  add_branch(robot.solid, "  ");
  robot_ = -1;
  add_bodies(index);
}

// Returns the name of a joint without the name of its robot, which may itself contain a slash.
std::string InfoText::short_name(int joint) const {
  const JointSpec& spec = scene_.joints[joint];
  const std::string front = (spec.robot < 0 ? "world" : scene_.robots[spec.robot].name) + '/';
  const std::string_view name = spec.name;
  return printable(name.starts_with(front) ? name.substr(front.size()) : name);
}

std::string InfoText::place_of(const DeviceSpec& device) const {
  return device.joint >= 0 ? short_name(device.joint) : device.propeller >= 0 ? "a propeller" : "-";
}

void InfoText::add_devices(const RobotSpec& robot) {
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

// Adds a node of the tree, wrapped. `mark` precedes the text in the first line. Deep levels are not
// indented further, but numbered.
void InfoText::add_tree_line(const std::string& indent, std::string_view mark,
                             const std::string& text) {
  constexpr std::size_t kMaxIndent = 48;
  const std::size_t depth = display_width(indent);
  const std::string front = depth <= kMaxIndent ? indent : fmt::format("  [level {}] ", depth / 3);
  bool begun = false;
  for (const std::string& part :
       wrapped(text, kTextWidth - display_width(front) - display_width(kCorner) - 2)) {
    add_line(front +
             (!begun                          ? std::string(mark)
              : mark == kFork || mark == kBar ? "│    "
                                              : "     ") +
             part);
    begun = true;
  }
}

// Adds a Solid with all nodes below it. A Robot inside another one has a section of its own.
void InfoText::add_solid_branch(int solid, const std::string& indent, bool last) {
  const bool elsewhere = view_.robot_of(solid) != robot_;
  add_tree_line(indent, last ? kCorner : kFork,
                elsewhere ? solid_name(solid) + ": a robot of its own" : solid_line(solid));
  if (!elsewhere) {
    add_branch(solid, indent + std::string(last ? kNoBar : kBar));
  }
}

// Adds everything directly below a Solid, or below the world for -1.
void InfoText::add_branch(int solid, const std::string& indent) {
  const std::vector<int> solids = solid < 0 ? solids_outside() : view_.solids_below(solid);
  const std::vector<int>& joints = view_.joints_below(solid);
  for (std::size_t i = 0; i < solids.size(); ++i) {
    add_solid_branch(solids[i], indent, i + 1 == solids.size() && joints.empty());
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    add_joint_branch(joints[i], indent, i + 1 == joints.size());
  }
}

void InfoText::add_joint_branch(int joint, const std::string& indent, bool last) {
  for (const JointSpec& axis : axes_of(scene_, joint)) {
    const std::string_view next = last ? kNoBar : kBar;
    add_tree_line(indent, axis.axis_number > 0 ? next : last ? kCorner : kFork, joint_text(axis));
  }
  const JointSpec& spec = scene_.joints[joint];
  const std::string below = indent + std::string(last ? kNoBar : kBar);
  if (spec.reference) {
    add_tree_line(below, kCorner,
                  spec.child >= 0 ? "closes a loop with " + solid_name(spec.child)
                                  : "ends in the static environment");
  } else if (spec.belt) {
    add_tree_line(below, kCorner, "moves the surface of " + solid_name(spec.parent));
  } else if (spec.child < 0) {
    add_tree_line(below, kCorner, "no endPoint: moves nothing");
  } else {
    add_solid_branch(spec.child, below, true);
  }
}

void InfoText::add_bodies(int robot) {
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

namespace {

constexpr const char* kInfoHelp = R"(
Loads the world without running it, so masses and limits are those a run uses. Of each robot it
prints the devices by tag, the joint tree and the bodies: Solids that move as one are one body.
Errors and warnings go to standard error. docs/reference/info-json.md describes the JSON document.

Exit codes: 0 done; 1 the output cannot be written; 2 the world cannot be simulated (with --json the
document then holds the diagnostics only).

Examples:
  servosim info worlds/arm.wbt
  servosim info --json worlds/arm.wbt | jq '.joints[] | {name, min_stop, max_stop}'
  servosim info --json worlds/arm.wbt | jq '.robots[] | {name, mass}'
)";

struct InfoArguments {
  std::string world;
  std::vector<std::string> proto_paths;
  std::vector<std::string> servo_paths;
  std::vector<std::string> assets;
  SettingArguments settings;
  RobotFileOptions robot_file;
  bool json = false;
  bool verbose = false;
};

/// The buses that the project of a world describes.
struct DescribedBuses {
  std::vector<bus::BusSetup> setups;
  std::vector<bus::BusMap> maps;

  /// A bus that cannot be served is an error.
  void find(Simulation& simulation) { maps = bus::map_buses(simulation, setups); }
  std::string text(const Scene& scene) const {
    std::string text;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      text += '\n' + bus_map_text(setups[i], maps[i], scene);
    }
    return text;
  }
  nlohmann::ordered_json json() const {
    auto list = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < maps.size(); ++i) {
      list.push_back(bus_map_json(setups[i], maps[i]));
    }
    return list;
  }
};

int info(const InfoArguments& arguments) {
  Console console;
  LoadOptions options;
  options.notice = [&console](std::string_view text) { console.log(LogLevel::Warning, text); };
  std::optional<Simulation> simulation;
  std::vector<Diagnostic> diagnostics;
  DescribedBuses buses;
  try {
    const ProjectFile project = ProjectFile::of_world(arguments.world);
    options.proto_paths = project.values_unless(arguments.proto_paths, "proto_path");
    options.servo_paths = arguments.servo_paths;
    options.assets = project.values_unless(arguments.assets, "assets");
    options.settings = arguments.settings.read();
    options.robot_file = arguments.robot_file;
    simulation.emplace(load(arguments.world, options));
    diagnostics = simulation->diagnostics();
    buses.setups = bus_setups_of_world(arguments.world);
    buses.find(*simulation);
  } catch (const LoadError& error) {
    diagnostics = error.list();
  } catch (const TomlError& error) {  // a bus
    diagnostics = {{error.path, error.line, error.column, Severity::Error, error.reason}};
    simulation.reset();
  } catch (const std::invalid_argument& error) {  // a bus
    diagnostics = {{arguments.world, 0, 0, Severity::Error, error.what()}};
    simulation.reset();
  } catch (const ProjectFileError& error) {
    diagnostics = {error.fault()};
  } catch (const InputError& error) {  // standard input cannot be read
    diagnostics = {{arguments.world, 0, 0, Severity::Error, error.what()}};
  }
  print_diagnostics(diagnostics, arguments.verbose, console);
  std::optional<WorldView> view;
  if (simulation) {
    view.emplace(*simulation);
  }
  if (arguments.json) {
    console.write(STDOUT_FILENO, json_text(info_json(view ? &*view : nullptr, arguments.world,
                                                     diagnostics, buses.json())));
  } else if (view) {
    console.print(info_text(*view, arguments.world) + buses.text(view->scene()) +
                  (robots::is_robot_file(arguments.world) ? robot_file_text(*simulation) : ""));
  }
  if (!view) {
    return kExitBadInput;
  }
  return console.output_lost() ? kExitFailed : kExitOk;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("info", "Show the robots, devices, joints and masses of a world");
  const auto arguments = std::make_shared<InfoArguments>();
  command->callback([&action, arguments] { action = [arguments] { return info(*arguments); }; });
  command->footer(kInfoHelp);
  command
      ->add_option("WORLD", arguments->world,
                   "World file (.wbt) or robot (.urdf, .sdf, .xml); -: standard input")
      ->required();
  command->add_flag("--json", arguments->json, "One JSON document instead of tables");
  add_proto_path(*command, arguments->proto_paths);
  add_servo_path(*command, arguments->servo_paths);
  add_settings(*command, arguments->settings);
  add_robot_file(*command, arguments->robot_file);
  add_verbose(*command, arguments->verbose);
  add_assets(*command, arguments->assets);
}

}  // namespace servosim
