// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "base/printable.h"
#include "base/shortage.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/gazebo_board.h"
#include "cli/output.h"
#include "cli/run_arguments.h"
#include "run/launch_plan.h"
#include "servosim/simulation.h"
#include "servosim/yarp/board_config.h"
#include "sim/driven_joints.h"
#include "yarp/protocol/bottle.h"
#include "yarp/server/yarp_run.h"

namespace servosim {

namespace {

using yarp::BoardConfig;
using yarp::JointConfig;
using yarp::server::SensorServer;
using yarp::server::YarpRunExtension;

constexpr double kUnlimited = 1e12;  // bound of a Pid that the file does not set

const Names kControlModes{"pos", "posd", "vel", "mix", "torq", "ipwm", "open", "icur", "idl"};
const Names kInteractions{"stif", "comp"};
// The names are in the order of yarp::Profile.
const Names kProfiles{"minimum_jerk", "trapezoid", "constant_speed"};

yarp::vocab32_t vocab(const ConfigEntry& entry, const std::string& word, const Names& names) {
  return yarp::createVocab32(names[entry.choice(word, names)]);
}

void read(const ConfigEntry& entry, double& to) { to = entry.number(entry.word()); }
void read(const ConfigEntry& entry, bool& to) {
  to = entry.choice(entry.word(), {"false", "true"}) == 1;
}
void read(const ConfigEntry& entry, std::string& to) { to = entry.text(); }
void read(const ConfigEntry& entry, yarp::Profile& to) {
  to = static_cast<yarp::Profile>(entry.choice(entry.word(), kProfiles));
}
void read(const ConfigEntry& entry, yarp::vocab32_t& to) {
  to = vocab(entry, entry.word(), kControlModes);
}
void read(const ConfigEntry& entry, std::vector<yarp::vocab32_t>& to) {
  to.clear();
  for (const std::string& word : entry.words) {
    to.push_back(vocab(entry, word, kControlModes));
  }
}

// Reads `kp 5 kd 0.1`. Other gains are 0, and other bounds unlimited.
void read(const ConfigEntry& entry, yarp::Pid& to) {
  static const std::map<std::string, double yarp::Pid::*, std::less<>> kParts{
      {"kp", &yarp::Pid::kp},
      {"kd", &yarp::Pid::kd},
      {"ki", &yarp::Pid::ki},
      {"max_int", &yarp::Pid::max_int},
      {"scale", &yarp::Pid::scale},
      {"max_output", &yarp::Pid::max_output},
      {"offset", &yarp::Pid::offset},
      {"stiction_up_val", &yarp::Pid::stiction_up_val},
      {"stiction_down_val", &yarp::Pid::stiction_down_val},
      {"kff", &yarp::Pid::kff}};
  Names names;
  for (const auto& part : kParts) {
    names.push_back(part.first);
  }
  if (entry.words.size() % 2 != 0) {
    entry.refuse(fmt::format("'{}' is not a list of names and numbers such as: kp 5 kd 0.1",
                             printable(entry.text())));
  }
  to = yarp::Pid{};
  to.max_int = to.max_output = kUnlimited;
  for (std::size_t i = 0; i < entry.words.size(); i += 2) {
    to.*kParts.at(names[entry.choice(entry.words[i], names)]) = entry.number(entry.words[i + 1]);
  }
}

void read(const ConfigEntry& entry, yarp::CalibrationParameters& to) {
  std::vector<double> numbers;
  for (const std::string& word : entry.words) {
    numbers.push_back(entry.number(word));
  }
  if (numbers.size() != 4 || numbers[0] < 0.0 || numbers[0] > 1e6 ||
      numbers[0] != std::floor(numbers[0])) {
    entry.refuse("a calibration is four numbers: its type, position, speed and zero");
  }
  to = {static_cast<unsigned>(numbers[0]), numbers[1], numbers[2], numbers[3]};
}

template <typename T>
void read(const ConfigEntry& entry, std::optional<T>& to) {
  read(entry, to.emplace());
}

template <typename Config, typename T>
std::function<void(const ConfigEntry&, Config&)> into(T Config::*member) {
  return [member](const ConfigEntry& entry, Config& config) { read(entry, config.*member); };
}

template <typename Config, typename Part, typename T>
std::function<void(const ConfigEntry&, Config&)> into(Part Config::*part, T Part::*member) {
  return [part, member](const ConfigEntry& entry, Config& config) {
    read(entry, config.*part.*member);
  };
}

template <typename Config>
using ConfigKeys =
    std::map<std::string, std::function<void(const ConfigEntry&, Config&)>, std::less<>>;

// These keys of a joint, and the keys of a board below, store their value in a configuration.
const ConfigKeys<JointConfig>& joint_keys() {
  static const ConfigKeys<JointConfig> kKeys{
      {"axis_name", into(&JointConfig::axis_name)},
      {"profile", into(&JointConfig::profile)},
      {"ref_speed", into(&JointConfig::ref_speed)},
      {"ref_acceleration", into(&JointConfig::ref_acceleration)},
      {"min_position", into(&JointConfig::min_position)},
      {"max_position", into(&JointConfig::max_position)},
      {"max_velocity", into(&JointConfig::max_velocity)},
      {"position_pid", into(&JointConfig::pids, &yarp::JointPids::position)},
      {"velocity_pid", into(&JointConfig::pids, &yarp::JointPids::velocity)},
      {"torque_pid", into(&JointConfig::pids, &yarp::JointPids::torque)},
      {"current_pid", into(&JointConfig::pids, &yarp::JointPids::current)},
      {"stiffness", into(&JointConfig::impedance, &yarp::JointImpedance::stiffness)},
      {"damping", into(&JointConfig::impedance, &yarp::JointImpedance::damping)},
      {"max_stiffness", into(&JointConfig::impedance, &yarp::JointImpedance::max_stiffness)},
      {"max_damping", into(&JointConfig::impedance, &yarp::JointImpedance::max_damping)},
      {"effort_per_percent", into(&JointConfig::effort_per_percent)},
      {"effort_per_ampere", into(&JointConfig::effort_per_ampere)},
      {"max_torque", into(&JointConfig::max_torque)},
      {"max_current", into(&JointConfig::max_current)},
      {"hard_limit_margin", into(&JointConfig::hard_limit_margin)},
      {"velocity_timeout", into(&JointConfig::velocity_timeout)},
      {"modes", into(&JointConfig::modes)},
      {"compliant", into(&JointConfig::compliant)},
      {"needs_calibration", into(&JointConfig::needs_calibration)},
      {"calibration", into(&JointConfig::calibration)},
      {"calibrated_mode", into(&JointConfig::calibrated_mode)},
      {"calibrated_interaction",
       [](const ConfigEntry& entry, JointConfig& joint) {
         joint.calibrated_interaction = vocab(entry, entry.word(), kInteractions);
       }},
      {"home_position", into(&JointConfig::home_position)},
      {"park_position", into(&JointConfig::park_position)},
      {"direct_velocity_pid", into(&JointConfig::pids, &yarp::JointPids::direct_velocity)}};
  return kKeys;
}

const ConfigKeys<BoardConfig>& board_keys() {
  static const ConfigKeys<BoardConfig> kKeys{
      {"start_configured", into(&BoardConfig::start_configured)},
      {"start_mode", into(&BoardConfig::start_mode)},
      {"configured_mode", into(&BoardConfig::configured_mode)},
      {"fault_on_invalid_mode", into(&BoardConfig::fault_on_invalid_mode)},
      {"fault_on_invalid_interaction", into(&BoardConfig::fault_on_invalid_interaction)},
      {"report_openloop", into(&BoardConfig::report_openloop)},
      {"calibration_timeout", into(&BoardConfig::calibration_timeout)},
      {"warning_period", into(&BoardConfig::warning_period)}};
  return kKeys;
}

using Board = yarp::server::YarpRunExtension::Board;

template <typename Config>
void add_names(const ConfigKeys<Config>& keys, Names& names) {
  for (const auto& key : keys) {
    names.push_back(key.first);
  }
}

/// The entries of a section by their keys. The section describes a board, or one of its joints.
using Section = std::map<std::string, ConfigEntry, std::less<>>;

/// A section of a board, and the sections of its joints by motor.
struct BoardSection {
  Section board;
  std::map<std::string, Section> joints;
};

class BoardFile {
 public:
  BoardFile(const std::string& path, Simulation& simulation)
      : path_(path), simulation_(simulation) {
    for (const CLI::ConfigItem& item : read_config_file(path)) {
      add(item);
    }
    if (parts_.empty()) {
      throw InputError(printable(path) +
                       " describes no board; write a section such as [left_arm], with the lines "
                       "robot = icub and name = /icub/left_arm");
    }
  }

  std::vector<Board> boards() const {
    std::vector<Board> boards;
    for (const auto& [name, part] : parts_) {
      boards.push_back(board(name, part));
    }
    return boards;
  }

 private:
  void add(const CLI::ConfigItem& item);
  Board board(const std::string& section, const BoardSection& part) const;
  std::string robot(const std::string& section, const BoardSection& part) const;
  Names joints(const BoardSection& part, const std::string& robot) const;
  void read_joints(const std::string& section, const BoardSection& part, Board& board) const;
  void read_groups(const BoardSection& part, BoardConfig& config) const;
  std::string place(const std::string& section, const std::string& key) const {
    return fmt::format("{}: [{}] {}", printable(path_), printable(section), printable(key));
  }

  std::string path_;
  Simulation& simulation_;
  std::map<std::string, BoardSection> parts_;
};

const Names kPlainKeys{"robot", "name", "joints", "period", "coupled"};

void BoardFile::add(const CLI::ConfigItem& item) {
  if (item.parents.empty()) {
    throw InputError(
        fmt::format("{}: '{}' is before the first section; begin the file with one such as "
                    "[left_arm]",
                    printable(path_), printable(item.name)));
  }
  BoardSection& part = parts_[item.parents.front()];
  const std::string motor =
      fmt::format("{}", fmt::join(item.parents.begin() + 1, item.parents.end(), "."));
  Names names;
  add_names(joint_keys(), names);
  if (motor.empty()) {
    add_names(board_keys(), names);
    names.insert(names.end(), kPlainKeys.begin(), kPlainKeys.end());
  }
  ConfigEntry entry{place(item.parents.front() + (motor.empty() ? "" : '.' + motor), item.name),
                    item.inputs};
  if (std::find(names.begin(), names.end(), item.name) == names.end()) {
    entry.refuse(fmt::format("there is no such key{}",
                             did_you_mean(item.name, {names.begin(), names.end()})));
  }
  Section& section = motor.empty() ? part.board : part.joints[motor];
  if (!section.emplace(item.name, entry).second) {
    entry.refuse("is given twice; remove one");
  }
}

std::string BoardFile::robot(const std::string& section, const BoardSection& part) const {
  if (const auto given = part.board.find("robot"); given != part.board.end()) {
    return given->second.text();
  }
  if (simulation_.robots().size() != 1) {
    throw InputError(place(section, "robot") + ": the world has several robots; name one");
  }
  return simulation_.robot(0).name();
}

Names BoardFile::joints(const BoardSection& part, const std::string& robot) const {
  if (const auto given = part.board.find("joints"); given != part.board.end()) {
    return given->second.words;
  }
  Names names;
  for (const DeviceNode* device : driven_joints(simulation_.robot(robot))) {
    names.push_back(device->name);
  }
  return names;
}

Board BoardFile::board(const std::string& section, const BoardSection& part) const {
  Board board;
  board.robot = robot(section, part);
  board.port = fmt::format("/{}/{}", board.robot, section);
  for (const auto& [key, entry] : part.board) {
    if (key == "name") {
      board.port = entry.text();
    } else if (key == "period") {
      board.period = entry.number(entry.word());
      if (!(board.period > 0.0 && board.period <= 1e6)) {
        entry.refuse("it must be a number of seconds > 0");
      }
    } else if (const auto known = board_keys().find(key); known != board_keys().end()) {
      known->second(entry, board.config);
    }
  }
  read_joints(section, part, board);
  read_groups(part, board.config);
  return board;
}

// Values in the board's section apply to all joints that do not set their own.
void BoardFile::read_joints(const std::string& section, const BoardSection& part,
                            Board& board) const {
  for (const std::string& motor : joints(part, board.robot)) {
    JointConfig& joint = board.config.joints.emplace_back();
    joint.motor = motor;
    const auto own = part.joints.find(motor);
    for (const auto& [key, set] : joint_keys()) {
      if (const auto common = part.board.find(key); common != part.board.end()) {
        set(common->second, joint);
      }
      if (own != part.joints.end() && own->second.count(key) > 0) {
        set(own->second.find(key)->second, joint);
      }
    }
  }
  std::vector<std::string_view> motors;
  for (const JointConfig& joint : board.config.joints) {
    motors.push_back(joint.motor);
  }
  for (const auto& own : part.joints) {
    if (std::find(motors.begin(), motors.end(), own.first) == motors.end()) {
      throw InputError(
          fmt::format("{}: [{}.{}] is about no joint of the board{}; its joints are {}",
                      printable(path_), printable(section), printable(own.first),
                      did_you_mean(own.first, motors), fmt::join(motors, ", ")));
    }
  }
}

// Reads groups such as (shoulder_pitch shoulder_roll) (wrist_pitch wrist_yaw).
void BoardFile::read_groups(const BoardSection& part, BoardConfig& config) const {
  const auto given = part.board.find("coupled");
  if (given == part.board.end()) {
    return;
  }
  const ConfigEntry& entry = given->second;
  Names motors;
  for (const JointConfig& joint : config.joints) {
    motors.push_back(joint.motor);
  }
  const auto groups = yarp::parse_bottle(entry.text());
  if (const auto* const bottle = std::get_if<yarp::Bottle>(&groups)) {
    for (const yarp::BottleValue& value : bottle->items) {
      const yarp::Bottle* const group = yarp::as_list(value);
      std::vector<int>& joints = config.coupled.emplace_back();
      for (std::size_t i = 0; group != nullptr && i < group->size(); ++i) {
        const std::string* const name = yarp::as_string(group->items[i]);
        joints.push_back(static_cast<int>(entry.choice(name != nullptr ? *name : "", motors)));
      }
    }
  }
  const auto lonely = [](const auto& joints) { return joints.size() < 2; };
  if (config.coupled.empty() || std::any_of(config.coupled.begin(), config.coupled.end(), lonely)) {
    entry.refuse(
        fmt::format("'{}' is not a list of groups such as (shoulder_pitch shoulder_roll) "
                    "(wrist_pitch wrist_yaw)",
                    printable(entry.text())));
  }
}

// Returns the control boards that a file for --yarp-config describes; docs/reference/yarp.md lists
// its keys.
// @throws InputError that names the file, the section and the key
std::vector<Board> read_yarp_config(const std::string& argument, Simulation& simulation,
                                    Console& console) {
  const std::size_t equals = argument.rfind("=/");
  std::error_code error;
  const bool has_port = equals != argument.npos && !std::filesystem::exists(argument, error);
  const std::string path = has_port ? argument.substr(0, equals) : argument;
  if (is_gazebo_board(path)) {
    GazeboBoard read =
        read_gazebo_board(path, has_port ? argument.substr(equals + 1) : "", simulation);
    for (const std::string& warning : read.warnings) {
      console.warn(printable(warning));
    }
    return {std::move(read.board)};
  }
  if (has_port) {
    throw InputError(fmt::format(
        "{0} names the ports of its boards itself; write --yarp-config {0}", printable(path)));
  }
  return BoardFile(path, simulation).boards();
}

// Reads ROBOT=/PORT or ROBOT=/PORT:DEVICE,DEVICE...
struct PortArgument {
  std::string robot;
  std::string port;
  Names devices;
};
PortArgument port_argument(const std::string& option, const std::string& argument,
                           const std::string& example, const char* devices) {
  const std::size_t equals = argument.find("=/");
  if (equals == argument.npos || equals == 0) {
    throw InputError(
        fmt::format("{0} needs ROBOT=/PORT, as {1}, or ROBOT=/PORT:{2},{2}...; not '{3}'", option,
                    example, devices, printable(argument)));
  }
  const std::size_t colon = argument.find(':', equals);
  PortArgument parts{argument.substr(0, equals),
                     argument.substr(equals + 1, colon - std::min(colon, equals + 1)),
                     {}};
  for (std::size_t begin = colon; begin != argument.npos;) {
    const std::size_t end = argument.find(',', begin + 1);
    parts.devices.push_back(argument.substr(begin + 1, end - begin - 1));
    begin = end;
  }
  return parts;
}

YarpRunExtension::Board board_of(const std::string& argument) {
  const PortArgument parts = port_argument("--yarp", argument, "icub=/icub/left_arm", "MOTOR");
  YarpRunExtension::Board board;
  board.robot = parts.robot;
  board.port = parts.port;
  for (const std::string& motor : parts.devices) {
    board.config.joints.emplace_back().motor = motor;
  }
  return board;
}

SensorServer::Options sensors_of(const std::string& argument, std::optional<double> period) {
  const PortArgument parts =
      port_argument("--yarp-mas", argument, "icub=/icub/inertials", "DEVICE");
  SensorServer::Options options;
  options.robot = parts.robot;
  options.name = parts.port;
  options.devices = parts.devices;
  options.period = period.value_or(options.period);
  return options;
}

std::uint32_t ip_of(const std::string& option, const std::string& text) {
  const auto address = net::find_address(text, 0);
  if (!address) {
    throw InputError(fmt::format("{} '{}' is not an IPv4 address", option, printable(text)));
  }
  return address->ip;
}

class YarpInterface : public RemoteInterface {
 public:
  void add_options(CLI::App& command) override;
  bool enabled() const override {
    return !boards_.empty() || !configs_.empty() || !own_server_.empty() || !server_.empty() ||
           !listen_.empty() || !announce_.empty() || !generation_.empty() || !clock_.empty() ||
           !sensors_.empty() || sensor_period_;
  }
  void check_worlds(const std::vector<std::string>& worlds) const override;
  std::unique_ptr<RunExtension> open(Simulation& simulation, Console& console) const override;

 private:
  YarpRunExtension::Options options(Simulation& simulation, Console& console) const;
  void add_addresses(YarpRunExtension::Options& options) const;

  std::vector<std::string> boards_;
  std::vector<std::string> configs_;
  std::vector<std::string> sensors_;
  std::optional<double> sensor_period_;  // [s]; at least 0.001
  std::string clock_;                    // name of the port of the time; empty if there is none
  std::string own_server_;               // port of an own name server; empty if there is none
  std::string server_;
  std::string listen_;
  std::string announce_;
  std::string generation_;  // "3", "4" or empty
};

void YarpInterface::add_options(CLI::App& command) {
  add_repeatable(command, "--yarp", boards_,
                 "Serve a robot as the YARP control board PORT, with these motors or all")
      ->type_name("ROBOT=/PORT[:MOTORS]");
  add_repeatable(
      command, "--yarp-config", configs_,
      "The same for each section of a file, or for a file of gazebo-yarp-plugins' board, as "
      "PORT if one is given")
      ->type_name("FILE.ini[=/PORT]");
  add_repeatable(
      command, "--yarp-mas", sensors_,
      "Serve sensors of a robot, these or all, as a YARP server of multiple analog sensors")
      ->type_name("ROBOT=/PORT[:DEVICES]");
  command
      .add_option("--yarp-mas-period", sensor_period_,
                  "Simulated seconds between two of their messages; default 0.01")
      ->type_name("S")
      ->check(positive_number(1e6));
  command.add_flag(
      "--yarp-clock{/clock}", clock_,
      "Give the time at /clock, for programs with YARP_CLOCK, and take requests to pause, "
      "step and reset at /clock/rpc; --yarp-clock=NAME: at NAME");
  CLI::Option* const own = command.add_flag(
      "--yarp-nameserver{10000}", own_server_,
      "Be the name server too, at port 10000; --yarp-nameserver=N: at port N, 0 is any");
  own->check(number_between(0, 65535, "port"));
  command
      .add_option("--yarp-register", server_,
                  "Name server to register with, instead of the one yarp.conf names")
      ->type_name("HOST:PORT")
      ->excludes(own);
  command
      .add_option("--yarp-listen", listen_, "Address to listen at, 0.0.0.0: all; default 127.0.0.1")
      ->type_name("ADDRESS");
  command
      .add_option("--yarp-announce", announce_,
                  "Address that is registered for others to connect to")
      ->type_name("ADDRESS");
  add_choice(command, "--yarp-generation", generation_, {"3", "4"},
             "Protocol of YARP 3 (default) or YARP 4");
}

// Without '=' a port number or the name of a port is parsed as the name of a world.
void YarpInterface::check_worlds(const std::vector<std::string>& worlds) const {
  for (const std::string& world : worlds) {
    if (!clock_.empty() && world.starts_with('/') && !std::filesystem::exists(world)) {
      throw InputError(
          fmt::format("'{0}' is given as a world, and does not exist; for the name of the clock "
                      "write --yarp-clock={0}",
                      printable(world)));
    }
    if (!own_server_.empty() && world.find_first_not_of("0123456789") == world.npos) {
      throw InputError(
          fmt::format("'{0}' is given as a world; for the port of the name server write "
                      "--yarp-nameserver={0}",
                      world));
    }
  }
}

std::unique_ptr<RunExtension> YarpInterface::open(Simulation& simulation, Console& console) const {
  try {
    auto extension = std::make_unique<YarpRunExtension>(
        simulation, options(simulation, console), [&console](const std::string& message) {
          console.log(LogLevel::Warning, printable(message));
        });
    for (const std::string& line : extension->summary()) {
      console.log(LogLevel::Info, line);
    }
    if (!listen_.empty()) {
      console.warn(net::exposure_warning("YARP clients", {ip_of("--yarp-listen", listen_), 0},
                                         "--yarp-listen"));
    }
    return extension;
  } catch (const std::system_error& error) {
    rethrow_if_short(error);
    throw InputError(fmt::format(
        "{}. The address must be one of this computer. If another name server uses the port, "
        "choose a "
        "different one with --yarp-nameserver=N, or that server with --yarp-register HOST:PORT",
        error.what()));
  } catch (const std::logic_error& error) {  // an invalid board
    throw InputError(error.what());
  }
}

YarpRunExtension::Options YarpInterface::options(Simulation& simulation, Console& console) const {
  YarpRunExtension::Options options;
  for (const std::string& argument : boards_) {
    options.boards.push_back(board_of(argument));
  }
  for (const std::string& config : configs_) {
    const auto more = read_yarp_config(config, simulation, console);
    options.boards.insert(options.boards.end(), more.begin(), more.end());
  }
  options.clock = clock_;
  for (const std::string& argument : sensors_) {
    options.sensors.push_back(sensors_of(argument, sensor_period_));
  }
  if (sensor_period_ && sensors_.empty()) {
    throw InputError("--yarp-mas-period needs sensors; name them with --yarp-mas ROBOT=/PORT");
  }
  if (options.boards.empty() && options.clock.empty() && options.sensors.empty()) {
    throw InputError(
        "nothing is served; name a board with --yarp ROBOT=/PORT or --yarp-config FILE, sensors "
        "with "
        "--yarp-mas ROBOT=/PORT, or give the time with --yarp-clock");
  }
  options.generation = generation_ == "4" ? yarp::Generation::V4 : yarp::Generation::V3;
  if (!own_server_.empty()) {
    options.node.own_name_server = std::stoi(own_server_);
  }
  options.node.name_server = server_;
  add_addresses(options);
  return options;
}

// Other computers cannot connect to 0.0.0.0.
void YarpInterface::add_addresses(YarpRunExtension::Options& options) const {
  if (!listen_.empty()) {
    options.listen.ip = options.node.own_ip = ip_of("--yarp-listen", listen_);
  }
  if (!announce_.empty()) {
    options.node.announced_ip = ip_of("--yarp-announce", announce_);
  } else if (options.listen.ip == INADDR_ANY) {
    const auto own = net::own_address();
    if (!own) {
      throw InputError(
          "--yarp-listen 0.0.0.0: this computer has no address that others can connect to; give "
          "one with --yarp-announce");
    }
    options.node.announced_ip = own->ip;
  }
}

}  // namespace

std::unique_ptr<RemoteInterface> yarp_interface() { return std::make_unique<YarpInterface>(); }

}  // namespace servosim
