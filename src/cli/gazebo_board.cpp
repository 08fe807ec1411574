// SPDX-License-Identifier: Apache-2.0
#include "cli/gazebo_board.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>

#include "base/files.h"
#include "base/printable.h"
#include "cli/output.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "servosim/robot.h"
#include "sim/driven_joints.h"
#include "yarp/protocol/property_file.h"

namespace servosim {

namespace {

using yarp::Bottle;
using yarp::JointConfig;
using yarp::PropertyEntry;
using yarp::PropertyFile;
using yarp::PropertyGroup;
using yarp::PropertyVariables;

constexpr double kPerRadian = std::numbers::pi / 180.0;  // a gain per rad in one per deg
constexpr double kNoBound = 1e12;

[[noreturn]] void refuse_entry(const PropertyEntry& entry, const std::string& why) {
  throw InputError(fmt::format("{}: {}: {}", printable(entry.place), printable(entry.key), why));
}

// The values of a key, as a list in parentheses or bare.
const Bottle& list_of(const PropertyEntry& entry) {
  const Bottle* const list =
      entry.values.size() == 1 ? yarp::as_list(entry.values.items.front()) : nullptr;
  return list != nullptr ? *list : entry.values;
}

std::vector<std::string> words_of(const PropertyEntry& entry) {
  std::vector<std::string> words;
  for (const yarp::BottleValue& value : list_of(entry).items) {
    const std::string* const text = yarp::as_string(value);
    words.push_back(text != nullptr ? *text : to_text(Bottle{{value}}));
  }
  return words;
}

std::string word_of(const PropertyEntry& entry) {
  const std::vector<std::string> words = words_of(entry);
  if (words.size() != 1) {
    refuse_entry(entry, "it needs one value");
  }
  return words.front();
}

double number_of(const PropertyEntry& entry, const yarp::BottleValue& value) {
  const std::optional<double> number = yarp::as_number(value);
  if (!number || !std::isfinite(*number)) {
    refuse_entry(entry, fmt::format("'{}' is no number", printable(to_text(Bottle{{value}}))));
  }
  return *number;
}

/// Reads the file of a board, and remembers which keys it has used.
class GazeboFile {
 public:
  GazeboFile(const std::string& path, const std::string& robot) : path_(path) {
    auto read =
        yarp::read_property_file(path, PropertyVariables{{"gazeboYarpPluginsRobotName", robot}});
    if (const auto* const error = std::get_if<ProtocolError>(&read)) {
      throw InputError(printable(error->text));
    }
    file_ = std::move(std::get<PropertyFile>(read));
    // The keys of a network count as keys before any group.
    if (const PropertyEntry* const networks = find(group("WRAPPER"), "networks")) {
      const std::vector<std::string> names = words_of(*networks);
      if (names.size() != 1) {
        refuse_entry(*networks,
                     fmt::format("{} networks; servosim reads files of one network, with "
                                 "a board each",
                                 names.size()));
      }
      network_ = names.front();
      if (group(network_) == nullptr) {
        refuse_entry(*networks, fmt::format("there is no group [{}]", printable(network_)));
      }
    }
  }

  const std::string& path() const { return path_; }
  const std::string& network() const { return network_; }
  /// Returns null if there is none.
  const PropertyGroup* group(std::string_view name) {
    const PropertyGroup* const found = file_.group(name);
    if (found != nullptr) {
      used_groups_.insert(found->name);
    }
    return found;
  }
  /// Returns null if there is none. Of several the last one counts.
  const PropertyEntry* find(const PropertyGroup* in, std::string_view key) {
    const PropertyEntry* const found = in != nullptr ? in->find(key) : nullptr;
    if (found != nullptr) {
      used_.insert({in->name, found->key});
    }
    return found;
  }
  /// Finds a key of the board itself.
  const PropertyEntry* find(std::string_view key) {
    const PropertyEntry* const found = network_.empty() ? nullptr : find(group(network_), key);
    return found != nullptr ? found : find(&file_.top, key);
  }
  const PropertyEntry& needed(const PropertyGroup& in, std::string_view key) {
    const PropertyEntry* const found = find(&in, key);
    if (found == nullptr) {
      throw InputError(fmt::format("{}: the group [{}] lacks {}", printable(path_), in.name, key));
    }
    return *found;
  }
  /// Returns a number for each of `count` joints.
  static std::vector<double> numbers(const PropertyEntry& entry, std::size_t count) {
    std::vector<double> numbers;
    for (const yarp::BottleValue& value : list_of(entry).items) {
      numbers.push_back(number_of(entry, value));
    }
    if (numbers.size() != count) {
      refuse_entry(entry, fmt::format("{} values for {} joints", numbers.size(), count));
    }
    return numbers;
  }
  /// Returns what was not used, for people: "initialConfiguration, [ROS]".
  std::string unused() const {
    std::vector<std::string> names;
    const auto add = [&](const PropertyGroup& in, const std::string& before) {
      std::set<std::string> keys;
      for (const PropertyEntry& entry : in.entries) {
        if (!used_.contains({in.name, entry.key}) && keys.insert(entry.key).second) {
          names.push_back(before + entry.key);
        }
      }
    };
    add(file_.top, "");
    for (const PropertyGroup& in : file_.groups) {
      if (used_groups_.contains(in.name)) {
        add(in, fmt::format("[{}] ", in.name));
      } else {
        names.push_back(fmt::format("[{}]", in.name));
      }
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

 private:
  std::string path_;
  PropertyFile file_;
  std::string network_;
  std::set<std::string> used_groups_;
  std::set<std::pair<std::string, std::string>> used_;  // group and key
};

class GazeboBoardReader {
 public:
  GazeboBoardReader(GazeboFile& file, const std::string& robot) : file_(file) {
    result_.board.robot = robot;
  }

  /// A name in the file is the end of a motor's name; the first such motor counts.
  /// @throws InputError if the robot lacks one
  void find_joints(Simulation& simulation) {
    const PropertyEntry* const names = file_.find("jointNames");
    if (names == nullptr) {
      throw InputError(printable(file_.path()) + ": jointNames is missing");
    }
    std::vector<std::string> motors;
    for (const DeviceNode* const device : driven_joints(simulation.robot(result_.board.robot))) {
      motors.push_back(device->name);
      is_revolute_of_.emplace_back(device->name,
                                   device->get<Motor>()->type() == JointType::Rotational);
    }
    for (const std::string& name : words_of(*names)) {
      auto motor = std::find(motors.begin(), motors.end(), name);
      if (motor == motors.end()) {
        motor = std::find_if(motors.begin(), motors.end(), [&](const std::string& candidate) {
          return candidate.ends_with(name);
        });
      }
      if (motor == motors.end()) {
        refuse_entry(*names,
                     fmt::format("robot '{}' has no motor '{}'; its motors are {}",
                                 result_.board.robot, printable(name), fmt::join(motors, ", ")));
      }
      JointConfig& joint = joints().emplace_back();
      joint.motor = *motor;
      joint.axis_name = name;
      joint.velocity_timeout = 0.2;  // as in Gazebo
      is_revolute_.push_back(
          is_revolute_of_[static_cast<std::size_t>(motor - motors.begin())].second);
    }
    if (joints().empty()) {
      refuse_entry(*names, "there are no names");
    }
  }
  GazeboBoard read(const std::string& port) {
    read_coupling();
    read_place(port);
    read_trajectories();
    read_limits();
    read_positions();
    read_velocities();
    read_impedances();
    read_rest();
    if (const std::string unused = file_.unused(); !unused.empty()) {
      result_.warnings.push_back(fmt::format("{}: these have no effect: {}", file_.path(), unused));
    }
    return std::move(result_);
  }

 private:
  std::size_t count() const { return joints().size(); }
  std::vector<JointConfig>& joints() { return result_.board.config.joints; }
  const std::vector<JointConfig>& joints() const { return result_.board.config.joints; }

  void read_coupling() {
    const PropertyGroup* const coupling = file_.group("COUPLING");
    file_.group("COUPLING_PARAMS");
    if (coupling == nullptr || coupling->entries.empty()) {
      return;
    }
    const PropertyEntry& first = coupling->entries.front();
    if (first.key == "none") {
      return;
    }
    refuse_entry(first,
                 "this coupling is not served; without the group [COUPLING] the joints are served "
                 "one by one");
  }

  void read_place(const std::string& port) {
    const PropertyGroup* const wrapper = file_.group("WRAPPER");
    const PropertyEntry* const device = file_.find("yarpDeviceName");
    static_cast<void>(file_.find("disableImplicitNetworkWrapper"));
    static_cast<void>(file_.find("device"));
    result_.board.port = port;
    if (const PropertyEntry* const name = file_.find(wrapper, "name"); name && port.empty()) {
      result_.board.port = word_of(*name);
    } else if (port.empty()) {
      constexpr std::string_view kEnding = "_hardware_device";
      std::string its = device != nullptr ? word_of(*device) : "board";
      if (its.ends_with(kEnding)) {
        its.resize(its.size() - kEnding.size());
      }
      result_.board.port = fmt::format("/{}/{}", result_.board.robot, its);
    }
    if (wrapper == nullptr) {
      result_.board.period = 0.01;  // that of the robots whose files these are
      return;
    }
    const PropertyEntry* const type = file_.find(wrapper, "device");
    if (const PropertyEntry* const period = file_.find(wrapper, "period")) {
      const bool in_ms = type != nullptr && word_of(*type) == "controlboardwrapper2";
      const double seconds = GazeboFile::numbers(*period, 1)[0] * (in_ms ? 1e-3 : 1.0);
      if (!(seconds > 0.0 && seconds <= 1e6)) {
        refuse_entry(*period, "it must be above 0");
      }
      result_.board.period = seconds;
    }
    static_cast<void>(file_.find(wrapper, "joints"));
    if (const PropertyEntry* const range = file_.find(wrapper, file_.network())) {
      const std::vector<double> ends = GazeboFile::numbers(*range, 4);
      const double last = static_cast<double>(count()) - 1.0;
      if (ends[0] != 0.0 || ends[2] != 0.0 || ends[1] != last || ends[3] != last) {
        refuse_entry(*range,
                     fmt::format("only (0 {0} 0 {0}), all joints in their order, is served", last));
      }
    }
  }

  // Calls set(joint, value) with the value of each joint.
  template <typename Set>
  void for_joints(const PropertyEntry* entry, const Set& set) {
    if (entry == nullptr) {
      return;
    }
    const std::vector<double> numbers = GazeboFile::numbers(*entry, count());
    for (std::size_t i = 0; i < count(); ++i) {
      set(joints()[i], numbers[i]);
    }
  }
  std::optional<double> board_number(std::string_view key) {
    const PropertyEntry* const entry = file_.find(key);
    return entry != nullptr ? std::optional(GazeboFile::numbers(*entry, 1)[0]) : std::nullopt;
  }

  void read_trajectories() {
    const PropertyGroup* const group = file_.group("TRAJECTORY_GENERATION");
    if (const PropertyEntry* const type = file_.find(group, "trajectory_type")) {
      const std::string word = word_of(*type);
      const auto profile = word == "minimum_jerk"     ? yarp::Profile::MinimumJerk
                           : word == "constant_speed" ? yarp::Profile::ConstantSpeed
                                                      : yarp::Profile::Trapezoid;
      if (profile == yarp::Profile::Trapezoid && word != "trapezoidal_speed") {
        refuse_entry(*type, "it is minimum_jerk, constant_speed or trapezoidal_speed");
      }
      for (JointConfig& joint : joints()) {
        joint.profile = profile;
      }
    }
    for_joints(file_.find(group, "refSpeed"),
               [](JointConfig& joint, double speed) { joint.ref_speed = speed; });
    for_joints(file_.find(group, "refAcceleration"),
               [](JointConfig& joint, double a) { joint.ref_acceleration = a; });
  }

  void read_limits() {
    const PropertyGroup* const group = file_.group("LIMITS");
    if (group == nullptr) {
      return;
    }
    const PropertyEntry& lowest = file_.needed(*group, "jntPosMin");
    for_joints(&lowest, [](JointConfig& joint, double x) { joint.min_position = x; });
    for_joints(&file_.needed(*group, "jntPosMax"), [&](JointConfig& joint, double x) {
      if (x < *joint.min_position) {
        refuse_entry(lowest, fmt::format("joint {} has {:g}, above its jntPosMax {:g}",
                                         joint.axis_name, *joint.min_position, x));
      }
      joint.max_position = x;
    });
    for_joints(file_.find(group, "jntVelMax"), [](JointConfig& joint, double x) {
      joint.max_velocity = x;
      joint.ref_speed = joint.ref_speed ? std::min(*joint.ref_speed, x) : joint.ref_speed;
    });
  }

  // Returns for each joint the factor from gains of a group to those per deg.
  std::vector<double> factors(const PropertyGroup& group) {
    const PropertyEntry& units = file_.needed(group, "controlUnits");
    const std::string word = word_of(units);
    if (word != "metric_units" && word != "si_units") {
      refuse_entry(units, "it is metric_units, per degree, or si_units, per radian");
    }
    std::vector<double> factors;
    for (const bool revolute : is_revolute_) {
      factors.push_back(revolute && word == "si_units" ? kPerRadian : 1.0);
    }
    return factors;
  }

  std::vector<yarp::Pid> pids(const PropertyGroup& group) {
    std::vector<yarp::Pid> pids(count());
    const std::vector<double> factor = factors(group);
    const auto read = [&](const char* key, const auto& set) {
      const std::vector<double> numbers = GazeboFile::numbers(file_.needed(group, key), count());
      for (std::size_t i = 0; i < count(); ++i) {
        set(pids[i], numbers[i], factor[i]);
      }
    };
    read("kp", [](yarp::Pid& pid, double x, double f) { pid.kp = x * f; });
    read("kd", [](yarp::Pid& pid, double x, double f) { pid.kd = x * f; });
    read("ki", [](yarp::Pid& pid, double x, double f) { pid.ki = x * f; });
    read("maxInt", [](yarp::Pid& pid, double x, double) { pid.max_int = x; });
    read("maxOutput", [](yarp::Pid& pid, double x, double) { pid.max_output = x; });
    // The shift divides the gains and not the bound of the integral.
    read("shift", [](yarp::Pid& pid, double x, double) {
      pid.scale = x;
      pid.max_int *= std::exp2(x);
    });
    for (const char* const unused : {"ko", "stictionUp", "stictionDwn"}) {
      static_cast<void>(file_.find(&group, unused));  // Gazebo's board has no use for them
    }
    return pids;
  }

  // Reads Pid0 P D I maxInt maxOutput, per radian.
  std::optional<std::vector<yarp::Pid>> old_pids(const char* name) {
    const PropertyGroup* const group = file_.group(name);
    if (group == nullptr) {
      return std::nullopt;
    }
    std::vector<yarp::Pid> pids(count());
    for (std::size_t i = 0; i < count(); ++i) {
      const PropertyEntry& entry = file_.needed(*group, fmt::format("Pid{}", i));
      std::vector<double> numbers;
      for (const yarp::BottleValue& value : list_of(entry).items) {
        numbers.push_back(number_of(entry, value));
      }
      if (numbers.size() < 3) {
        refuse_entry(entry, "it needs P, D and I");
      }
      numbers.resize(std::max<std::size_t>(numbers.size(), 5), kNoBound);
      const double f = is_revolute_[i] ? kPerRadian : 1.0;
      pids[i].kp = numbers[0] * f;
      pids[i].kd = numbers[1] * f;
      pids[i].ki = numbers[2] * f;
      pids[i].max_int = numbers[3];
      pids[i].max_output = numbers[4];
    }
    return pids;
  }

  void read_positions() {
    const PropertyGroup* const group = file_.group("POSITION_CONTROL");
    std::optional<std::vector<yarp::Pid>> read;
    if (group != nullptr) {
      const PropertyEntry& law = file_.needed(*group, "controlLaw");
      if (word_of(law) != "joint_pid_gazebo_v1") {
        refuse_entry(law, "it is joint_pid_gazebo_v1");
      }
      read = pids(*group);
    } else {
      read = old_pids("GAZEBO_PIDS");
    }
    for (std::size_t i = 0; read && i < count(); ++i) {
      joints()[i].pids.position = (*read)[i];
    }
  }

  void read_velocities() {
    const PropertyGroup* const group = file_.group("VELOCITY_CONTROL");
    std::optional<std::vector<yarp::Pid>> read;
    bool is_direct = true;  // as in Gazebo without the group
    if (group != nullptr) {
      const PropertyEntry& type = file_.needed(*group, "velocityControlImplementationType");
      const std::string word = word_of(type);
      is_direct = word == "direct_velocity_pid";
      if (is_direct) {
        read = pids(*group);
      } else if (word != "integrator_and_position_pid") {
        refuse_entry(type, "it is direct_velocity_pid or integrator_and_position_pid");
      }
      for (const PropertyEntry& entry : group->entries) {
        static_cast<void>(file_.find(group, entry.key));  // the other type needs no gains
      }
    } else {
      read = old_pids("GAZEBO_VELOCITY_PIDS");
    }
    for (std::size_t i = 0; i < count(); ++i) {
      joints()[i].pids.direct_velocity = is_direct;
      if (read) {
        joints()[i].pids.velocity = (*read)[i];
      }
    }
  }

  void read_impedances() {
    const PropertyGroup* const group = file_.group("IMPEDANCE_CONTROL");
    if (group != nullptr) {
      static_cast<void>(file_.needed(*group, "controlLaw"));
      const std::vector<double> factor = factors(*group);
      const auto stiffness = GazeboFile::numbers(file_.needed(*group, "stiffness"), count());
      const auto damping = GazeboFile::numbers(file_.needed(*group, "damping"), count());
      for (std::size_t i = 0; i < count(); ++i) {
        joints()[i].impedance.stiffness = stiffness[i] * factor[i];
        joints()[i].impedance.damping = damping[i] * factor[i];
      }
    } else if (const auto read = old_pids("GAZEBO_IMPEDANCE_POSITION_PIDS")) {
      for (std::size_t i = 0; i < count(); ++i) {
        joints()[i].impedance.stiffness = (*read)[i].kp;
        joints()[i].impedance.damping = (*read)[i].kd;
      }
    }
    for_joints(file_.find("max_stiffness"),
               [](JointConfig& joint, double x) { joint.impedance.max_stiffness = x; });
    for_joints(file_.find("max_damping"),
               [](JointConfig& joint, double x) { joint.impedance.max_damping = x; });
  }

  void read_rest() {
    const PropertyGroup* const simulation = file_.group("SIMULATION");
    for_joints(file_.find(simulation, "kPWM"), [](JointConfig& joint, double x) {
      joint.effort_per_percent = joint.effort_per_ampere = x;
    });
    for_joints(file_.find("max_torques"),
               [](JointConfig& joint, double x) { joint.max_torque = x; });
    for (const char* const unused : {"positionToleranceLinear", "positionToleranceRevolute"}) {
      static_cast<void>(file_.find(unused));  // Gazebo's board has no use for them
    }
  }

  GazeboFile& file_;
  GazeboBoard result_;
  std::vector<std::pair<std::string, bool>> is_revolute_of_;  // by motor of the robot
  std::vector<bool> is_revolute_;                             // by joint of the board
};

}  // namespace

bool is_gazebo_board(const std::string& path) {
  const auto text = read_file(path);
  if (std::holds_alternative<FileError>(text)) {
    return false;
  }
  std::istringstream lines(std::get<std::string>(text));
  std::string group;
  for (std::string line; std::getline(lines, line);) {
    std::string word;
    std::istringstream(line) >> word;
    if (word.starts_with("[include")) {
      return true;  // the other form includes nothing
    }
    if (word.starts_with('[')) {
      group = word;
    }
    word.resize(std::min(word.find('='), word.size()));
    if ((group.empty() && (word == "jointNames" || word == "yarpDeviceName")) ||
        (group == "[WRAPPER]" && word == "networks")) {
      return true;
    }
  }
  return false;
}

GazeboBoard read_gazebo_board(const std::string& path, const std::string& port,
                              Simulation& simulation) {
  std::optional<InputError> why;
  for (const Robot& robot : simulation.robots()) {
    GazeboFile file(path, robot.name());
    GazeboBoardReader reader(file, robot.name());
    try {
      reader.find_joints(simulation);
    } catch (const InputError& error) {
      why = why ? why : std::optional(error);
      continue;
    }
    return reader.read(port);
  }
  if (why) {
    throw *why;
  }
  throw InputError("the world has no robot for " + printable(path));
}

}  // namespace servosim
