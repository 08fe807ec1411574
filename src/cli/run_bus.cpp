// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
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

namespace servosim {

namespace {

using bus::BusSetup;

class BusInterface final : public RemoteInterface {
 public:
  void add_options(CLI::App& command) override;
  bool enabled() const override {
    return !names_.empty() || !of_project_.empty() || lockstep_ || !choices_.empty() ||
           !tables_.empty();
  }
  void read_project(const std::string& world) override { of_project_ = bus_setups_of_world(world); }
  bool in_real_time() const override;
  std::unique_ptr<RunExtension> open(Simulation& simulation, Console& console) const override;

 private:
  std::vector<BusSetup> setups() const;
  BusSetup setup_of(const std::string& argument) const;

  std::vector<std::string> names_;  // NAME[=LINK|=tcp:N]
  std::vector<std::string> choices_;
  std::string tables_;  // empty: those of the project
  bool lockstep_ = false;
  std::vector<BusSetup> of_project_;
};

void BusInterface::add_options(CLI::App& command) {
  CLI::Option* const names = add_repeatable(
      command, "--bus", names_,
      "Serve the motors with servo models as servos of a bus that clients open at LINK, or NAME");
  names->type_name("NAME[=LINK|=tcp:N]");
  command.add_flag("--bus-lockstep", lockstep_,
                   "Let time pass only with exchanges on buses, as fast as possible");
  add_repeatable(command, "--bus-choice", choices_,
                 "What buses do where no source says it for certain")
      ->type_name("CHOICE=VALUE");
  add_bus_tables(command, tables_);
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
        "--bus-lockstep, --bus-choice and --tables need a bus: --bus NAME, or [[bus]] in "
        "servosim.toml");
  }
  for (BusSetup& setup : setups) {
    const auto is_same = [&](const BusSetup& other) { return other.name == setup.name; };
    if (std::count_if(setups.begin(), setups.end(), is_same) > 1) {
      throw InputError(fmt::format("--bus: '{}' is given twice", printable(setup.name)));
    }
    setup.clock.is_lockstep = setup.clock.is_lockstep || lockstep_;
    setup.tables = tables_.empty() ? setup.tables : tables_;
    for (const std::string& choice : choices_) {
      set_choice(setup.choices, choice);
    }
  }
  return setups;
}

std::unique_ptr<RunExtension> BusInterface::open(Simulation& simulation, Console& console) const {
  std::vector<BusSetup> buses;
  std::vector<bus::BusMap> maps;
  try {
    buses = setups();
    for (const BusSetup& setup : buses) {
      maps.push_back(map_bus(simulation, setup));
    }
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("--bus: {}", error.what()));
  }
  std::string tables;
  for (std::size_t i = 0; i < buses.size(); ++i) {
    tables += bus_map_text(buses[i], maps[i]);
  }
  try {
    auto extension = std::make_unique<bus::BusRunExtension>(
        simulation, std::move(buses), std::move(maps),
        [&console](const std::string& message) { console.log(LogLevel::Warning, message); });
    if (console.wants(LogLevel::Info)) {
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

std::string bus_map_text(const BusSetup& setup, const bus::BusMap& map) {
  std::string text =
      fmt::format("bus '{}': {}, {} servos{}\n", printable(setup.name), map.protocol->title,
                  map.servos.size(), setup.clock.is_lockstep ? ", in lock-step" : "");
  TextTable table({{"id", true},
                   {"motor"},
                   {"model"},
                   {"firmware", true},
                   {"bit/s", true},
                   {"direction", true},
                   {"zero", true}});
  for (const bus::MappedServo& servo : map.servos) {
    const std::string baud = servo.baud > 0 ? std::to_string(servo.baud)
                                            : fmt::format("{:.0f}", default_baud(servo.table));
    table.add({std::to_string(servo.id), printable(servo.name), servo.table.model,
               std::to_string(servo.table.firmware), baud,
               fmt::format("{:g}", servo.mounting.direction),
               fmt::format("{:g}", servo.mounting.zero)});
  }
  text += table.text("  ");
  for (const std::string& why : map.left_out) {
    text += fmt::format("  not on it: {}\n", printable(why));
  }
  return text;
}

std::unique_ptr<RemoteInterface> bus_interface() { return std::make_unique<BusInterface>(); }

}  // namespace servosim
