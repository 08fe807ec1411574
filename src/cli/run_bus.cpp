// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/shortage.h"
#include "base/text.h"
#include "base/toml_error.h"
#include "bus/run/bus_run.h"
#include "cli/arguments.h"
#include "cli/bus_map_table.h"
#include "cli/bus_port.h"
#include "cli/output.h"
#include "cli/project_file.h"
#include "cli/run_arguments.h"
#include "run/launch_plan.h"
#include "scene/scene.h"
#include "sim/world_inspector.h"

namespace servosim {

namespace {

using Json = nlohmann::ordered_json;

using bus::BusSetup;

class BusInterface final : public RemoteInterface {
 public:
  void add_options(CLI::App& command) override;
  bool enabled() const override {
    return !names_.empty() || !of_project_.empty() || lockstep_ || control_ || !choices_.empty() ||
           !tables_.empty();
  }
  std::vector<std::string> read_project(const std::string& world, bool is_alone) override;
  bool in_real_time() const override;
  std::unique_ptr<RunExtension> open(Simulation& simulation, Console& console) const override;

 private:
  std::vector<BusSetup> setups() const;
  BusSetup setup_of(const std::string& argument) const;

  std::vector<std::string> names_;  // NAME[=LINK|=tcp:N]
  std::vector<std::string> choices_;
  std::string tables_;  // empty: those of the project
  bool lockstep_ = false;
  bool control_ = false;
  bool opens_none_ = false;
  std::string folder_;  // for what the buses of the project have in the file system
  std::vector<BusSetup> of_project_;
};

void BusInterface::add_options(CLI::App& command) {
  CLI::Option* const names = add_repeatable(
      command, "--bus", names_,
      "Serve the motors with servo models as servos of a bus that clients open at LINK, or NAME");
  names->type_name("NAME[=LINK|=tcp:N]");
  command.add_flag("--bus-lockstep", lockstep_,
                   "Let time pass only with exchanges on buses, as fast as possible");
  command.add_flag("--bus-control", control_,
                   "Take faults of each bus by a socket at LINK.control, or NAME.control");
  add_repeatable(command, "--bus-choice", choices_,
                 "What buses do where no source says it for certain")
      ->type_name("CHOICE=VALUE");
  add_bus_tables(command, tables_);
  command.add_flag(kNoBusesOption, opens_none_)->group("");
  command.add_option(kBusFolderOption, folder_)->group("");
}

std::vector<std::string> BusInterface::read_project(const std::string& world, bool is_alone) {
  of_project_ = bus_setups_of_world(world);
  std::vector<std::string> warnings;
  for (BusSetup& setup : of_project_) {
    if (opens_none_ || !is_alone) {
      warnings.push_back(fmt::format(
          "bus '{}' of the project is not opened: only `servosim run` of one world, and "
          "`servosim test`, open it",
          printable(setup.name)));
    }
    if (!folder_.empty()) {
      const std::string place = folder_ + '/' + setup.name;
      setup.place = setup.place.port ? bus::BusPlace{{}, 0} : bus::BusPlace{place, {}};
      setup.control = setup.control.empty() ? "" : place + bus::kControlSuffix;
      setup.writes_kept = false;
    }
  }
  if (!warnings.empty()) {
    of_project_.clear();
  }
  return warnings;
}

bool BusInterface::in_real_time() const {
  return !lockstep_ && std::none_of(of_project_.begin(), of_project_.end(),
                                    [](const auto& each) { return each.clock.is_lockstep; });
}

BusSetup BusInterface::setup_of(const std::string& argument) const {
  const std::size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const auto known = std::find_if(of_project_.begin(), of_project_.end(),
                                  [&](const BusSetup& each) { return each.name == name; });
  BusSetup setup = known != of_project_.end() ? *known : BusSetup();
  setup.name = name;
  if (name.empty() || name.find('/') != std::string::npos) {
    throw InputError(fmt::format("--bus: '{}' must begin with the name of a bus, without '/'",
                                 printable(argument)));
  }
  if (equals == std::string::npos) {
    return setup;
  }
  setup.place = bus::read_bus_place(argument.substr(equals + 1));
  return setup;
}

std::vector<BusSetup> BusInterface::setups() const {
  std::vector<BusSetup> setups;
  for (const std::string& argument : names_) {
    setups.push_back(setup_of(argument));
  }
  for (const BusSetup& each : of_project_) {
    const auto is_same = [&](const BusSetup& other) { return other.name == each.name; };
    if (std::none_of(setups.begin(), setups.end(), is_same)) {
      setups.push_back(each);
    }
  }
  if (setups.empty()) {
    throw InputError(
        "--bus-lockstep, --bus-control, --bus-choice and --tables need a bus: --bus NAME, or "
        "[[bus]] in servosim.toml");
  }
  for (BusSetup& setup : setups) {
    const auto is_same = [&](const BusSetup& other) { return other.name == setup.name; };
    if (std::count_if(setups.begin(), setups.end(), is_same) > 1) {
      throw InputError(fmt::format("--bus: '{}' is given twice", printable(setup.name)));
    }
    setup.clock.is_lockstep = setup.clock.is_lockstep || lockstep_;
    setup.tables = tables_.empty() ? setup.tables : tables_;
    if (control_ && setup.control.empty()) {
      const bool has_link = !setup.place.port && !setup.place.link.empty();
      setup.control = (has_link ? setup.place.link : setup.name) + bus::kControlSuffix;
    }
    for (const std::string& choice : choices_) {
      set_choice(setup.choices, choice);
    }
  }
  return setups;
}

// Controllers find the place of the bus `arm` in the variable SERVOSIM_BUS_ARM.
void tell_controllers(const std::string& bus, const std::string& address) {
  std::string variable = "SERVOSIM_BUS_";
  for (const char c : bus) {
    const bool is_of_name = std::isalnum(static_cast<unsigned char>(c)) != 0;
    variable += is_of_name ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : '_';
  }
  const std::string place =
      address.starts_with("tcp:") ? address : std::filesystem::absolute(address).string();
  if (::setenv(variable.c_str(), place.c_str(), 1) != 0) {
    throw std::bad_alloc();
  }
}

std::unique_ptr<RunExtension> BusInterface::open(Simulation& simulation, Console& console) const {
  std::vector<BusSetup> buses;
  std::vector<bus::BusMap> maps;
  try {
    buses = setups();
    check_together(buses);
    maps = map_buses(simulation, buses);
  } catch (const TomlError& error) {
    throw InputError(error.what());
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("--bus: {}", error.what()));
  }
  std::string tables;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < buses.size(); ++i) {
    names.push_back(buses[i].name);
    tables += bus_map_text(buses[i], maps[i], WorldInspector(simulation).scene());
  }
  try {
    auto extension = std::make_unique<bus::BusRunExtension>(
        simulation, std::move(buses), std::move(maps),
        [&console](const std::string& message) { console.log(LogLevel::Warning, message); });
    for (std::size_t i = 0; i < names.size(); ++i) {
      tell_controllers(names[i], extension->addresses()[i]);
    }
    if (console.wants(LogLevel::Info)) {
      for (const std::string& path : extension->controls()) {
        tables += fmt::format("faults at {}\n", printable(path));
      }
      for (const std::string& address : extension->addresses()) {
        tables += fmt::format("bus at {}\n", printable(address));
      }
      console.print(tables);
    }
    return extension;
  } catch (const std::system_error& error) {
    rethrow_if_short(error);
    throw InputError(fmt::format("--bus: {}", error.what()));
  } catch (const std::runtime_error& error) {
    rethrow_if_short(error);
    throw InputError(fmt::format("--bus: {}", error.what()));
  }
}

}  // namespace

std::vector<BusSetup> bus_setups_of_world(const std::string& world) {
  const ProjectFile project = ProjectFile::of_world(world);
  try {
    return project.path().empty() ? std::vector<BusSetup>() : bus::read_bus_file(project.path());
  } catch (const TomlError& error) {
    throw InputError(error.what());
  }
}

std::string bus_map_text(const BusSetup& setup, const bus::BusMap& map, const Scene& scene) {
  std::string text = fmt::format("bus '{}' at {}: {}, {}{}\n", printable(setup.name),
                                 printable(bus::place_of(setup)), map.protocol->title,
                                 counted(map.servos.size(), "servo"),
                                 setup.clock.is_lockstep ? ", in lock-step" : "");
  std::vector<TextTable::Column> columns{
      {"id", true},        {"motor"},          {"joint"},
      {"model"},           {"firmware", true}, {"bit/s", true},
      {"direction", true}, {"zero", true},     {"secondary id", true}};
  const bool has_like = std::any_of(map.servos.begin(), map.servos.end(),
                                    [](const auto& servo) { return !servo.table.like.empty(); });
  if (has_like) {
    columns.push_back({"like"});
  }
  TextTable table(columns);
  for (const bus::MappedServo& servo : map.servos) {
    const int secondary_id = bus::secondary_id_of(servo);
    std::vector<std::string> cells{std::to_string(servo.id),
                                   printable(servo.name),
                                   printable(scene.joints[servo.joint].name),
                                   servo.table.model,
                                   firmware_text(servo.table.firmware, *servo.table.protocol),
                                   fmt::format("{:.0f}", bus::baud_of(servo, setup.choices)),
                                   fmt::format("{:g}", servo.mounting.direction),
                                   fmt::format("{:g}", servo.mounting.zero),
                                   secondary_id >= 0 ? std::to_string(secondary_id) : "-"};
    if (has_like) {
      cells.push_back(servo.table.like);
    }
    table.add(std::move(cells));
  }
  // Files and programs get each servo on one line.
  constexpr std::size_t kEndless = 100000;
  text += table.text("  ", ::isatty(STDOUT_FILENO) != 0 ? kTextWidth : kEndless);
  for (const std::string& why : map.left_out) {
    text += fmt::format("  not on it: {}\n", printable(why));
  }
  return text;
}

nlohmann::ordered_json firmware_json(int firmware, const bus::Protocol& protocol) {
  return protocol.is_feetech() ? nlohmann::ordered_json(firmware_text(firmware, protocol))
                               : nlohmann::ordered_json(firmware);
}

nlohmann::ordered_json bus_map_json(const BusSetup& setup, const bus::BusMap& map) {
  Json json{{"name", setup.name},
            {"place", bus::place_of(setup)},
            {"protocol", map.protocol->name},
            {"clock", setup.clock.is_lockstep ? "bus" : "wall"},
            {"control", setup.control.empty() ? Json() : Json(setup.control)},
            {"servos", Json::array()},
            {"left_out", map.left_out}};
  for (const bus::MappedServo& servo : map.servos) {
    const int secondary_id = bus::secondary_id_of(servo);
    json["servos"].push_back({{"id", servo.id},
                              {"motor", servo.name},
                              {"joint", servo.joint},
                              {"model", servo.table.model},
                              {"like", servo.table.like.empty() ? Json() : Json(servo.table.like)},
                              {"firmware", firmware_json(servo.table.firmware, *map.protocol)},
                              {"baud", bus::baud_of(servo, setup.choices)},
                              {"direction", servo.mounting.direction},
                              {"zero", servo.mounting.zero},
                              {"secondary_id", secondary_id >= 0 ? Json(secondary_id) : Json()}});
  }
  return json;
}

std::unique_ptr<RemoteInterface> bus_interface() { return std::make_unique<BusInterface>(); }

}  // namespace servosim
