// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/shortage.h"
#include "base/sockets.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/run_arguments.h"
#include "run/launch_plan.h"
#include "srvp/robot/mcu_run.h"
#include "srvp/robot/servo_map.h"

namespace servosim {

namespace {

using srvp::robot::McuRunExtension;
using srvp::robot::McuServo;
using srvp::robot::McuSetup;
using srvp::robot::ServoEntry;

struct SrvpArguments {
  std::vector<std::string> robots;  // ROBOT[=NAME]
  std::vector<std::string> maps;    // [ROBOT=]FILE
  std::string kind;                 // "smart", "dumb" or empty
  std::string server;               // HOST:PORT; if empty, the run has a server of its own
  int port = srvp::kDefaultPort;
  std::string bind = "127.0.0.1";
  std::string database;
  bool single_ack = false;
  bool lockstep = false;
};

std::vector<std::string_view> robot_names(Simulation& simulation) {
  std::vector<std::string_view> names;
  for (int r = 0; r < simulation.robots().size(); ++r) {
    names.push_back(simulation.robot(r).name());
  }
  return names;
}

std::optional<int> find_robot(Simulation& simulation, std::string_view name) {
  const auto names = robot_names(simulation);
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt
                              : std::optional(static_cast<int>(found - names.begin()));
}

// Splits ROBOT=NAME at the last '=', since the name of a robot may contain '=', too.
McuSetup setup_of(Simulation& simulation, const std::string& argument) {
  McuSetup setup;
  const std::size_t equals = argument.rfind('=');
  const std::string robot = argument.substr(0, equals);
  if (const auto whole = find_robot(simulation, argument)) {
    setup.robot = *whole;
    setup.name = argument;
  } else if (const auto part = find_robot(simulation, robot)) {
    setup.robot = *part;
    setup.name = argument.substr(equals + 1);
  } else {
    const auto names = robot_names(simulation);
    const std::string there =
        names.empty() ? "the world has none" : fmt::format("there is {}", fmt::join(names, ", "));
    throw InputError(fmt::format("--srvp: there is no robot '{}'{}; {}", printable(robot),
                                 did_you_mean(robot, names), there));
  }
  if (const std::string_view fault = srvp::name_error(setup.name); !fault.empty()) {
    throw InputError(
        fmt::format("--srvp: '{}' cannot be the name of an MCU: {}; choose another with "
                    "--srvp '{}=NAME'",
                    printable(setup.name), fault, printable(robot)));
  }
  return setup;
}

std::string position_text(const McuServo& servo, double joint_position) {
  return servo.type == JointType::Rotational
             ? fmt::format("{:.1f}°", joint_position * 180.0 / std::numbers::pi)
             : fmt::format("{:.4f} m", joint_position);
}

std::string servo_table(const McuSetup& setup) {
  TextTable table({{"id", true}, {"motor"}, {"at 0", true}, {"at 179", true}, {"PWM", true}});
  for (std::size_t id = 0; id < setup.servos.size(); ++id) {
    const McuServo& servo = setup.servos[id];
    table.add({std::to_string(id), printable(servo.name), position_text(servo, servo.at_0),
               position_text(servo, servo.at_179),
               fmt::format("{} ... {}", servo.pwm.min, servo.pwm.max)});
  }
  return table.text("  ");
}

int whole_number_of(const ConfigEntry& entry) {
  constexpr double kMaxNumber = 1e6;
  const double value = entry.number(entry.word());
  if (std::abs(value) > kMaxNumber || value != std::floor(value)) {
    entry.refuse(fmt::format("'{}' is not a whole number", printable(entry.text())));
  }
  return static_cast<int>(value);
}

const std::map<std::string, std::function<void(const ConfigEntry&, ServoEntry&)>> kServoKeys{
    {"motor", [](const auto& entry, auto& servo) { servo.motor = entry.text(); }},
    {"at_0", [](const auto& entry, auto& servo) { servo.at_0 = entry.number(entry.word()); }},
    {"at_179", [](const auto& entry, auto& servo) { servo.at_179 = entry.number(entry.word()); }},
    {"direction",
     [](const auto& entry, auto& servo) {
       servo.reverse = entry.choice(entry.word(), {"1", "-1"}) == 1;
     }},
    {"pwm_min", [](const auto& entry, auto& servo) { servo.pwm_min = whole_number_of(entry); }},
    {"pwm_max", [](const auto& entry, auto& servo) { servo.pwm_max = whole_number_of(entry); }}};

void set_value(const ConfigEntry& entry, const std::string& key, ServoEntry& servo) {
  const auto known = kServoKeys.find(key);
  if (known == kServoKeys.end()) {
    std::vector<std::string_view> names;
    for (const auto& each : kServoKeys) {
      names.push_back(each.first);
    }
    entry.refuse(fmt::format("there is no such key{}", did_you_mean(key, names)));
  }
  known->second(entry, servo);
}

// Reads a mapping file, which has a section `[ID]` for each servo, as docs/reference/srvp.md
// describes. @throws InputError that names the file, the servo and the key
std::vector<ServoEntry> read_servo_map(const std::string& path) {
  std::map<int, ServoEntry> servos;
  std::set<std::pair<int, std::string>> seen;
  for (const CLI::ConfigItem& item : read_config_file(path)) {
    const std::string section = fmt::format("{}", fmt::join(item.parents, "."));
    const ConfigEntry entry{
        fmt::format("{}: [{}] {}", printable(path), printable(section), printable(item.name)),
        item.inputs};
    int id = 0;
    if (!CLI::detail::lexical_cast(section, id)) {
      entry.refuse("the section of a servo is its id in brackets, such as [0]");
    }
    if (!seen.emplace(id, item.name).second) {
      entry.refuse("is given twice; remove one");
    }
    servos[id].id = id;
    set_value(entry, item.name, servos[id]);
  }
  std::vector<ServoEntry> list;
  for (const auto& [id, servo] : servos) {
    if (servo.motor.empty()) {
      throw InputError(fmt::format("{}: [{}] names no motor; add a line such as: motor = elbow",
                                   printable(path), id));
    }
    list.push_back(servo);
  }
  if (list.empty()) {
    throw InputError(
        fmt::format("{} has no servos; the section of each is its id in brackets, "
                    "such as [0]",
                    printable(path)));
  }
  return list;
}

class SrvpInterface final : public RemoteInterface {
 public:
  void add_options(CLI::App& command) override;
  bool enabled() const override { return !arguments_.robots.empty(); }
  bool in_real_time() const override { return !arguments_.lockstep; }
  std::unique_ptr<RunExtension> open(Simulation& simulation, Console& console) const override;

 private:
  void add_server_options(CLI::App& command, CLI::Option* robots);
  std::vector<McuSetup> setups(Simulation& simulation) const;
  std::string map_file_of(Simulation& simulation, int robot) const;
  void check_maps(Simulation& simulation, const std::vector<McuSetup>& setups) const;
  McuRunExtension::Server server(const Console& console) const;
  void print_servos(Simulation& simulation, const std::vector<McuSetup>& setups,
                    const McuRunExtension& extension, Console& console) const;

  SrvpArguments arguments_;
};

void SrvpInterface::add_options(CLI::App& command) {
  CLI::Option* const robots = add_repeatable(
      command, "--srvp", arguments_.robots,
      "Make a robot an MCU of an SRVP server, of this program unless --srvp-server is given");
  robots->type_name("ROBOT[=NAME]");
  add_repeatable(command, "--srvp-map", arguments_.maps,
                 "Which motor is which servo, and how it turns")
      ->type_name("[ROBOT=]FILE")
      ->needs(robots);
  add_choice(command, "--srvp-kind", arguments_.kind, {"smart", "dumb"},
             "Accepts positions (smart, the default), or PWM values only")
      ->needs(robots);
  command
      .add_flag("--srvp-lockstep", arguments_.lockstep,
                "Let time pass only while a movement is performed, as fast as possible")
      ->needs(robots);
  add_server_options(command, robots);
}

void SrvpInterface::add_server_options(CLI::App& command, CLI::Option* robots) {
  CLI::Option* const server = command
                                  .add_option("--srvp-server", arguments_.server,
                                              "Log in to this server, instead of being one")
                                  ->type_name("HOST:PORT")
                                  ->needs(robots);
  const auto own = [&](CLI::Option* option) { return option->needs(robots)->excludes(server); };
  own(command.add_option("--srvp-port", arguments_.port, "Port of the server; 0: any; 54817"))
      ->type_name("N")
      ->check(number_between(0, 65535, "port"));
  own(command.add_option("--srvp-bind", arguments_.bind,
                         "IPv4 number the server listens at; 127.0.0.1"))
      ->type_name("HOST");
  own(command.add_option("--srvp-database", arguments_.database,
                         "MCUs that the server knows, kept from run to run"))
      ->type_name("FILE");
  own(command.add_flag("--srvp-single-ack", arguments_.single_ack,
                       "One answer to a movement, when it has ended: for clients of the platform "
                       "before 2025-06-13 only"));
}

std::unique_ptr<RunExtension> SrvpInterface::open(Simulation& simulation, Console& console) const {
  const std::vector<McuSetup> robots = setups(simulation);
  const auto say = [&console](const std::string& message) { console.log(LogLevel::Info, message); };
  const McuRunExtension::Report reporter =
      console.wants(LogLevel::Info) ? say : McuRunExtension::Report();
  try {
    auto extension = std::make_unique<McuRunExtension>(simulation, robots, server(console),
                                                       arguments_.lockstep, reporter);
    print_servos(simulation, robots, *extension, console);
    if (const auto address = extension->address()) {
      console.warn(net::exposure_warning("SRVP clients and MCUs", *address, "--srvp-bind"));
    }
    return extension;
  } catch (const std::system_error& error) {
    rethrow_if_short(error);
    throw std::runtime_error(
        fmt::format("{}. If another server uses the port, choose a different one with --srvp-port",
                    error.what()));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("--srvp: {}", error.what()));
  }
}

std::vector<McuSetup> SrvpInterface::setups(Simulation& simulation) const {
  std::vector<McuSetup> setups;
  for (const std::string& argument : arguments_.robots) {
    McuSetup setup = setup_of(simulation, argument);
    setup.kind = arguments_.kind == "dumb" ? srvp::McuKind::Dumb : srvp::McuKind::Smart;
    for (const McuSetup& other : setups) {
      if (other.robot == setup.robot || other.name == setup.name) {
        throw InputError(fmt::format("--srvp: '{}' and '{}' are the same {}", printable(other.name),
                                     printable(argument),
                                     other.robot == setup.robot ? "robot" : "MCU"));
      }
    }
    const std::string file = map_file_of(simulation, setup.robot);
    try {
      setup.servos =
          srvp::robot::map_servos(simulation, simulation.robot(setup.robot),
                                  file.empty() ? std::vector<ServoEntry>() : read_servo_map(file));
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("{}{}", file.empty() ? "" : file + ": ", error.what()));
    }
    setups.push_back(std::move(setup));
  }
  check_maps(simulation, setups);
  return setups;
}

// The result is empty if there is none.
std::string SrvpInterface::map_file_of(Simulation& simulation, int robot) const {
  for (const std::string& argument : arguments_.maps) {
    const std::size_t equals = argument.find('=');
    const auto named = equals == std::string::npos
                           ? std::nullopt
                           : find_robot(simulation, argument.substr(0, equals));
    if (named ? *named == robot : arguments_.robots.size() == 1) {
      return named ? argument.substr(equals + 1) : argument;
    }
  }
  return {};
}

void SrvpInterface::check_maps(Simulation& simulation, const std::vector<McuSetup>& setups) const {
  const auto mapped = std::count_if(setups.begin(), setups.end(), [&](const McuSetup& setup) {
    return !map_file_of(simulation, setup.robot).empty();
  });
  if (static_cast<std::size_t>(mapped) != arguments_.maps.size()) {
    throw InputError("--srvp-map: one file for each robot of --srvp at most, as ROBOT=FILE");
  }
}

McuRunExtension::Server SrvpInterface::server(const Console& console) const {
  if (!arguments_.server.empty()) {
    const auto address = net::find_address(arguments_.server);
    if (!address) {
      throw InputError(
          fmt::format("--srvp-server: '{}' is not an IPv4 address and port, such as "
                      "127.0.0.1:54817",
                      printable(arguments_.server)));
    }
    return *address;
  }
  const auto listen = net::find_address(arguments_.bind, arguments_.port);
  if (!listen) {
    throw InputError(
        fmt::format("--srvp-bind: '{}' is not an IPv4 address", printable(arguments_.bind)));
  }
  srvp::ServerOptions options;
  options.listen = *listen;
  options.database = arguments_.database;
  options.single_ack = arguments_.single_ack;
  options.log_frames = console.wants(LogLevel::Debug);
  options.max_connections = std::min(options.max_connections, net::max_connections());
  return options;
}

void SrvpInterface::print_servos(Simulation& simulation, const std::vector<McuSetup>& setups,
                                 const McuRunExtension& extension, Console& console) const {
  if (!console.wants(LogLevel::Info)) {
    return;
  }
  std::string text;
  for (const McuSetup& setup : setups) {
    text += fmt::format("MCU '{}': robot '{}', {}, {} servos\n{}", printable(setup.name),
                        printable(simulation.robot(setup.robot).name()),
                        setup.kind == srvp::McuKind::Smart ? "smart" : "dumb", setup.servos.size(),
                        servo_table(setup));
  }
  if (const auto address = extension.address()) {
    text += fmt::format("SRVP server at {}\n", net::to_string(*address));
  }
  console.print(text);
}

}  // namespace

std::unique_ptr<RemoteInterface> srvp_interface() { return std::make_unique<SrvpInterface>(); }

}  // namespace servosim
