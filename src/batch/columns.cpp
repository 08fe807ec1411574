// SPDX-License-Identifier: Apache-2.0
#include "batch/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "devices/motor_in_lane.h"
#include "devices/unmeasured.h"
#include "physics/physics_world.h"
#include "servosim/servo_model.h"
#include "sim/report.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/tree.h"

namespace servosim {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct MeasureName {
  std::string_view name;
  Measure measure;
};
constexpr std::array<MeasureName, 3> kOfJoints{{{"position", Measure::Position},
                                                {"velocity", Measure::Velocity},
                                                {"effort", Measure::Effort}}};
constexpr std::array<MeasureName, 4> kOfServos{{{"current", Measure::Current},
                                                {"voltage", Measure::Voltage},
                                                {"duty", Measure::Duty},
                                                {"temperature", Measure::Temperature}}};
constexpr std::array<MeasureName, 4> kOfSolids{{{"pose", Measure::Pose},
                                                {"linear_velocity", Measure::LinearVelocity},
                                                {"angular_velocity", Measure::AngularVelocity},
                                                {"contact_force", Measure::ContactForce}}};
constexpr std::string_view kValue = "value";

struct PictureName {
  std::string_view name;
  PictureQuantity kind;
  std::string_view what;  // has such pictures
};
constexpr std::array<PictureName, 4> kOfPictures{
    {{"rgb", PictureQuantity::Rgb, "Camera"},
     {"segmentation", PictureQuantity::Segmentation, "Camera with Recognition.segmentation TRUE"},
     {"depth", PictureQuantity::Depth, "RangeFinder"},
     {"ranges", PictureQuantity::Ranges, "Lidar"}}};

struct CommandName {
  std::string_view name;
  Command command;
};
constexpr std::array<CommandName, 5> kCommands{{{"target_position", Command::Position},
                                                {"target_velocity", Command::Velocity},
                                                {"target_force", Command::Force},
                                                {"target_effort", Command::Force},
                                                {"servo_pulse", Command::ServoPulse}}};

template <typename Row>
const Row* find_row(std::span<const Row> rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [name](const Row& row) { return row.name == name; });
  return found != rows.end() ? &*found : nullptr;
}

// The two components of a pattern such as `arm/*.position`.
struct Pattern {
  std::string names;
  std::string quantity;
};

Pattern split(const std::string& pattern) {
  const std::size_t dot = pattern.rfind('.');
  return dot == std::string::npos ? Pattern{pattern, ""}
                                  : Pattern{pattern.substr(0, dot), pattern.substr(dot + 1)};
}

// An object of the world that columns can belong to.
struct Named {
  std::string name;
  std::string def;  // DEF name, if the object may be called by it
  int index = -1;
  int device = -1;
  std::size_t count = 1;  // number of values of a sensor
};

// All objects of one world that can be named.
class Names {
 public:
  explicit Names(const Simulation& world) : world_(world), inspector_(world) {
    for (const Joint joint : world.joints()) {
      if (const int index = inspector_.joint_in_scene(joint.index()); index >= 0) {
        joints_.push_back({joint.name(), "", index, -1, 1});
      }
    }
    const wbt::Tree tree(inspector_.world_file());
    const std::vector<std::string> solids = body_names(inspector_.scene());
    for (int s = 0; s < static_cast<int>(solids.size()); ++s) {
      const wbt::TreeEntry* entry = tree.find(inspector_.scene().solids[s].node);
      solids_.push_back({solids[s], entry != nullptr ? entry->node->def : "", s, -1, 1});
    }
    for (int r = 0; r < world.robots().size(); ++r) {
      add_sensors(world.robots()[r], r);
    }
  }

  const std::vector<Named>& joints() const { return joints_; }
  const std::vector<Named>& solids() const { return solids_; }
  const std::vector<Named>& sensors() const { return sensors_; }
  // The devices with pictures of a kind.
  std::vector<Named> eyes(PictureQuantity kind) const {
    std::vector<Named> found;
    for (int r = 0; r < world_.robots().size(); ++r) {
      add_eyes(world_.robots()[r], r, kind, found);
    }
    return found;
  }
  std::vector<Named> motors() const {
    return joints_with([](const Motor*) { return true; });
  }
  std::vector<Named> servos() const {
    return joints_with([](const Motor* motor) { return motor->servo().model() != nullptr; });
  }
  std::vector<Named> pulse_servos() const {
    return joints_with([](const Motor* motor) {
      return motor->servo().model() != nullptr && motor->servo().model()->pulses.exist();
    });
  }

 private:
  // The joints whose motor is a chosen one.
  template <typename Choose>
  std::vector<Named> joints_with(const Choose& choose) const {
    std::vector<Named> found;
    std::copy_if(joints_.begin(), joints_.end(), std::back_inserter(found), [&](const Named& each) {
      const Motor* const motor = inspector_.motor_of(each.index);
      return motor != nullptr && choose(motor);
    });
    return found;
  }
  void add_sensors(const Robot& robot, int index) {
    for (int d = 0; d < static_cast<int>(robot.devices().size()); ++d) {
      const DeviceNode& node = robot.devices()[d];
      if (const Device* const sensor = node.sensor()) {
        sensors_.push_back({robot.name() + '/' + node.name, "", index, d, sensor->values().size()});
      }
    }
  }

  // A second device of the same name has a number, since pictures are found by their names. All
  // devices with pictures count, whatever they show, as in Simulation.picture_sensors of Python.
  static void add_eyes(const Robot& robot, int index, PictureQuantity kind,
                       std::vector<Named>& found) {
    std::map<std::string, int> counts;
    for (int d = 0; d < static_cast<int>(robot.devices().size()); ++d) {
      const DeviceNode& node = robot.devices()[d];
      if (!takes_pictures(node)) {
        continue;
      }
      const std::string name = robot.name() + '/' + node.name;
      const int count = ++counts[name];
      if (picture_sensor(node, kind) != nullptr) {
        found.push_back({count == 1 ? name : fmt::format("{} #{}", name, count), "", index, d, 0});
      }
    }
  }

  const Simulation& world_;
  const WorldInspector inspector_;
  std::vector<Named> joints_;
  std::vector<Named> solids_;
  std::vector<Named> sensors_;
};

std::vector<Named> matching(const std::vector<Named>& things, const std::string& glob,
                            const std::string& pattern, std::string_view what) {
  std::vector<Named> found;
  std::vector<std::string> names;
  for (const Named& thing : things) {
    names.push_back(thing.name);
    if (name_matches(thing.name, glob) || (!thing.def.empty() && name_matches(thing.def, glob))) {
      found.push_back(thing);
    }
  }
  if (found.empty()) {
    throw std::invalid_argument(
        fmt::format("\"{}\": no {} is called \"{}\"{}", pattern, what, glob,
                    names.empty() ? "; there is none" : nearest_names(glob, names)));
  }
  return found;
}

template <typename Rows>
std::string names_in(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("{}.{}", text.empty() ? "" : ", ", row.name);
  }
  return text;
}

// Returns "; did you mean 'pivot.position'?" for a pattern whose quantity is none of `quantities`.
std::string meant(const std::string& pattern, const std::vector<std::string_view>& quantities) {
  std::vector<std::string> all;
  for (const std::string_view quantity : quantities) {
    all.push_back(fmt::format("{}.{}", split(pattern).names, quantity));
  }
  return did_you_mean(pattern, {all.begin(), all.end()});
}

template <typename... Rows>
std::vector<std::string_view> quantities_of(const Rows&... rows) {
  std::vector<std::string_view> all;
  (std::ranges::transform(rows, std::back_inserter(all), [](const auto& row) { return row.name; }),
   ...);
  return all;
}

std::vector<std::string> parts_of(Measure measure, std::size_t count) {
  switch (measure) {
    case Measure::Pose:
      return {".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"};
    case Measure::LinearVelocity:
    case Measure::AngularVelocity:
    case Measure::ContactForce:
      return {".x", ".y", ".z"};
    case Measure::Value:
      break;
    default:
      return {""};
  }
  if (count == 1) {
    return {""};
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < count; ++i) {
    parts.push_back(fmt::format("[{}]", i));
  }
  return parts;
}

void add_observation(Columns& columns, const Named& thing, Measure measure,
                     const std::string& quantity) {
  const std::vector<std::string> parts = parts_of(measure, thing.count);
  columns.observed.push_back({measure, thing.index, thing.device, parts.size()});
  for (const std::string& part : parts) {
    columns.observation_names.push_back(thing.name + '.' + quantity + part);
  }
}

// A picture that several patterns match is taken once.
void add_pictures(Columns& columns, const Names& names, const PictureName& row,
                  const std::string& pattern) {
  for (const Named& eye : matching(names.eyes(row.kind), split(pattern).names, pattern, row.what)) {
    const std::string name = fmt::format("{}.{}", eye.name, row.name);
    if (std::ranges::find(columns.pictures, name, &ObservedPicture::name) ==
        columns.pictures.end()) {
      columns.pictures.push_back({row.kind, eye.index, eye.device, name});
    }
  }
}

void add_observations(Columns& columns, const Names& names, const std::string& pattern) {
  if (pattern == "time") {
    columns.observed.push_back({});
    columns.observation_names.push_back(pattern);
    return;
  }
  const auto [glob, quantity] = split(pattern);
  const auto add_all = [&, &g = glob, &q = quantity](const std::vector<Named>& things,
                                                     Measure measure, std::string_view what) {
    for (const Named& thing : matching(things, g, pattern, what)) {
      add_observation(columns, thing, measure, q);
    }
  };
  if (const auto* of_joints = find_row<MeasureName>(kOfJoints, quantity)) {
    add_all(names.joints(), of_joints->measure, "joint");
  } else if (const auto* of_servos = find_row<MeasureName>(kOfServos, quantity)) {
    add_all(names.servos(), of_servos->measure, "joint with a real servo");
  } else if (const auto* of_solids = find_row<MeasureName>(kOfSolids, quantity)) {
    add_all(names.solids(), of_solids->measure, "Solid");
  } else if (quantity == kValue) {
    add_all(names.sensors(), Measure::Value, "sensor");
  } else if (const auto* of_pictures = find_row<PictureName>(kOfPictures, quantity)) {
    add_pictures(columns, names, *of_pictures, pattern);
  } else {
    std::vector<std::string_view> all = quantities_of(kOfJoints, kOfServos, kOfSolids, kOfPictures);
    all.push_back(kValue);
    throw std::invalid_argument(fmt::format(
        "\"{}\" names nothing that can be observed: it is time, a joint with {}, a "
        "joint with a real servo with {}, a Solid with {}, a sensor with .{}, a Camera with "
        ".rgb or .segmentation, a RangeFinder with .depth, or a Lidar with .ranges{}",
        pattern, names_in(kOfJoints), names_in(kOfServos), names_in(kOfSolids), kValue,
        meant(pattern, all)));
  }
}

void add_actions(Columns& columns, const Simulation& world, const Names& names,
                 const std::string& pattern) {
  const auto [glob, quantity] = split(pattern);
  const auto* row = find_row<CommandName>(kCommands, quantity);
  if (row == nullptr) {
    throw std::invalid_argument(fmt::format("\"{}\" is no action: it is a joint with {}{}", pattern,
                                            names_in(kCommands),
                                            meant(pattern, quantities_of(kCommands))));
  }
  const std::vector<Named> chosen =
      row->command == Command::ServoPulse
          ? matching(names.pulse_servos(), glob, pattern, "joint with a servo that takes pulses")
          : matching(names.motors(), glob, pattern, "joint with a motor");
  for (const Named& joint : chosen) {
    const CommandLimits limits =
        limits_of(row->command, *WorldInspector(world).motor_of(joint.index));
    columns.actions.push_back({row->command, joint.index, false});
    columns.action_names.push_back(joint.name + '.' + quantity);
    columns.action_low.push_back(limits.low);
    columns.action_high.push_back(limits.high);
  }
}

// Checks which commands each joint gets.
void check_actions(Columns& columns) {
  std::map<int, std::set<Command>> of_joint;
  for (std::size_t i = 0; i < columns.actions.size(); ++i) {
    const ActionColumn& action = columns.actions[i];
    if (!of_joint[action.joint].insert(action.command).second) {
      throw std::invalid_argument(
          fmt::format("\"{}\" is chosen twice among the actions", columns.action_names[i]));
    }
  }
  for (std::size_t i = 0; i < columns.actions.size(); ++i) {
    ActionColumn& action = columns.actions[i];
    const std::set<Command>& all = of_joint[action.joint];
    if (all.contains(Command::Force) && all.size() > 1) {
      throw std::invalid_argument(
          fmt::format("\"{}\": a motor in force control has neither a target position nor a target "
                      "velocity nor a pulse; choose one of them",
                      columns.action_names[i]));
    }
    if (all.contains(Command::ServoPulse) && all.contains(Command::Position)) {
      throw std::invalid_argument(fmt::format(
          "\"{}\": a pulse is a target position; choose one of them", columns.action_names[i]));
    }
    action.in_position_control =
        all.contains(Command::Position) || all.contains(Command::ServoPulse);
  }
}

void put(const Vec3& v, double* row) {
  row[0] = v.x;
  row[1] = v.y;
  row[2] = v.z;
}

// Writes the position and the quaternion with w >= 0.
void put(const Pose& pose, double* row) {
  put(pose.translation, row);
  const AxisAngle turn = axis_angle(pose.rotation);
  put(std::sin(turn.angle / 2.0) * turn.axis, row + 3);
  row[6] = std::cos(turn.angle / 2.0);
}

Vec3 contact_force(const PhysicsWorld& physics, int solid) {
  Vec3 sum;
  for (const ContactForce& contact : physics.contacts().forces()) {
    if (contact.solid == solid) {
      sum = sum + contact.force;
    } else if (contact.other == solid) {
      sum = sum - contact.force;
    }
  }
  return sum;
}

double servo_number(const Motor& motor, Measure measure) {
  // An edit of the tree may have made it a motor as in Webots; a parameter, which is a number,
  // cannot.
  const ServoReading reading = motor.servo().reading().value_or(unmeasured_servo());
  switch (measure) {
    case Measure::Current:
      return reading.current;
    case Measure::Voltage:
      return reading.voltage;
    case Measure::Duty:
      return reading.duty;
    default:
      return reading.temperature;
  }
}

Device& sensor_of(const Simulation& simulation, const ObservedColumns& columns) {
  return *simulation.robots()[columns.index].devices()[columns.device].sensor();
}

// A motor in a lane is no servo.
const ServoModel* servo_of(const Motor& motor) { return motor.servo().model(); }
const ServoModel* servo_of(const MotorInLane& /*motor*/) { return nullptr; }
void set_pulse(Motor& motor, double width) { motor.set_servo_pulse(width); }
void set_pulse(MotorInLane& /*motor*/, double /*width*/) {}

template <typename AnyMotor>
CommandLimits limits_of_any(Command command, const AnyMotor& motor) {
  const MotorLimits node = motor.limits();
  const double multiplier = node.multiplier;
  CommandLimits limits{-kInfinity, kInfinity};
  if (command == Command::ServoPulse) {
    const ServoModel* const servo = servo_of(motor);
    if (servo == nullptr || !node.has_range()) {
      return servo != nullptr ? CommandLimits{servo->pulses.low, servo->pulses.high} : limits;
    }
    const auto [low, high] = std::minmax(
        {servo->pulses.width_of(node.min_position), servo->pulses.width_of(node.max_position)});
    return {low, high};
  }
  if (command != Command::Position) {
    const double most = command == Command::Velocity
                            ? node.max_velocity
                            : std::max(0.0, motor.targets().available_force);
    limits = {-most, most};
  } else if (node.has_range()) {
    limits = {node.min_position, node.max_position};
  }
  if (multiplier == 0.0) {
    return {-kInfinity, kInfinity};
  }
  limits = {limits.low / multiplier, limits.high / multiplier};
  return multiplier > 0.0 ? limits : CommandLimits{limits.high, limits.low};
}

template <typename AnyMotor>
void give(const ActionColumn& action, AnyMotor& motor, double value) {
  const CommandLimits limits = limits_of_any(action.command, motor);
  switch (action.command) {
    case Command::Position:
      motor.set_position(std::isinf(value) ? value : std::clamp(value, limits.low, limits.high));
      return;
    case Command::Velocity:
      if (!action.in_position_control &&
          (!std::isinf(motor.targets().position) || motor.targets().force_control ||
           motor.targets().driven)) {
        motor.set_position(kInfinity);
      }
      motor.set_velocity(std::clamp(value, limits.low, limits.high));
      return;
    case Command::Force:
      motor.set_force(std::clamp(value, limits.low, limits.high));
      return;
    case Command::ServoPulse:
      set_pulse(motor, std::clamp(value, limits.low, limits.high));
  }
}

}  // namespace

CommandLimits limits_of(Command command, const Motor& motor) {
  return limits_of_any(command, motor);
}

Columns find_columns(const Simulation& world, const std::vector<std::string>& observe,
                     const std::vector<std::string>& act) {
  const Names names(world);
  Columns columns;
  for (const std::string& pattern : observe) {
    add_observations(columns, names, pattern);
  }
  for (const std::string& pattern : act) {
    add_actions(columns, world, names, pattern);
  }
  check_actions(columns);
  return columns;
}

std::vector<bool> columns_of(const Simulation& world, const Columns& columns,
                             const std::string& pattern) {
  Columns wanted;
  add_observations(wanted, Names(world), pattern);
  if (!wanted.pictures.empty()) {
    throw std::invalid_argument(
        fmt::format("\"{}\" is a picture, which gets no noise of a batch: the field `noise` of its "
                    "sensor gives it some",
                    pattern));
  }
  const std::set<std::string> names(wanted.observation_names.begin(),
                                    wanted.observation_names.end());
  std::vector<bool> chosen;
  for (const std::string& name : columns.observation_names) {
    chosen.push_back(names.contains(name));
  }
  if (std::find(chosen.begin(), chosen.end(), true) == chosen.end()) {
    throw std::invalid_argument(
        fmt::format("\"{}\" is not among the observations: choose it by bind() first", pattern));
  }
  return chosen;
}

bool has_contact_forces(const Columns& columns) {
  return std::any_of(columns.observed.begin(), columns.observed.end(),
                     [](const ObservedColumns& c) { return c.measure == Measure::ContactForce; });
}

namespace {

double now_ms(const Simulation& simulation) {
  return static_cast<double>(simulation.step_count()) * simulation.basic_time_step_ms();
}

}  // namespace

// Enables the sensors as if this had been done one period ago, so that they measure now.
void start_sensors(Simulation& simulation, const Columns& columns, int period_ms) {
  const double now = now_ms(simulation);
  for (const ObservedColumns& some : columns.observed) {
    if (some.measure == Measure::Value) {
      Device& sensor = sensor_of(simulation, some);
      sensor.enable(period_ms, now - period_ms);
      sensor.after_step(now);
    }
  }
}

void observe(const Simulation& simulation, std::span<const ObservedColumns> observed, double* row) {
  const WorldInspector inspector(simulation);
  const PhysicsWorld& physics = inspector.physics();
  for (const ObservedColumns& columns : observed) {
    const int index = columns.index;
    switch (columns.measure) {
      case Measure::Position:
        *row = physics.joint_position(index);
        break;
      case Measure::Velocity:
        *row = physics.joint_velocity(index);
        break;
      case Measure::Effort:
        physics.joints().measure(index);
        *row = physics.joints()[index].effort;
        break;
      case Measure::Current:
      case Measure::Voltage:
      case Measure::Duty:
      case Measure::Temperature:
        *row = servo_number(*inspector.motor_of(index), columns.measure);
        break;
      case Measure::Pose:
        put(physics.solid_pose(index), row);
        break;
      case Measure::LinearVelocity:
        put(simulation.solid(index).velocity().linear, row);
        break;
      case Measure::AngularVelocity:
        put(simulation.solid(index).velocity().angular, row);
        break;
      case Measure::ContactForce:
        put(contact_force(physics, index), row);
        break;
      case Measure::Value:
        std::ranges::copy(sensor_of(simulation, columns).values(), row);
        break;
      case Measure::Time:
        *row = simulation.time();
        break;
    }
    row += columns.count;
  }
}

namespace {

// Returns 1 if the command was NaN and therefore not given, else 0.
template <typename AnyMotor>
std::uint32_t command_any(AnyMotor& motor, const ActionColumn& action, double value) {
  if (std::isnan(value)) {
    return 1;
  }
  give(action, motor, value);
  return 0;
}

}  // namespace

std::uint32_t command(Simulation& simulation, std::span<const ActionColumn> actions,
                      const double* row) {
  std::uint32_t refused = 0;
  for (const ActionColumn& action : actions) {
    Motor* const motor = WorldControl(simulation).motor_of(action.joint);
    SERVOSIM_ASSERT(motor != nullptr, "joint {} has no motor", action.joint);
    refused += command_any(*motor, action, *row++);
  }
  return refused;
}

std::uint32_t command(MotorInLane& motor, const ActionColumn& action, double value) {
  return command_any(motor, action, value);
}

}  // namespace servosim
