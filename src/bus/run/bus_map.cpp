// SPDX-License-Identifier: Apache-2.0
#include "bus/run/bus_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "base/toml_reading.h"
#include "bus/registers/register_memory.h"
#include "bus/run/bus_faults.h"
#include "bus/servo/firmware.h"
#include "scene/device_spec.h"
#include "servo_models/catalogue.h"
#include "sim/driven_joints.h"

namespace servosim::bus {
namespace {

struct ServoMotor {
  int robot = -1;
  const DeviceNode* node = nullptr;
  Motor* motor = nullptr;
  std::string name;
};

std::vector<ServoMotor> servo_motors(Simulation& simulation) {
  std::vector<ServoMotor> motors;
  for (int r = 0; r < simulation.robots().size(); ++r) {
    const Robot& robot = simulation.robots()[r];
    for (const DeviceNode* const node : driven_joints(robot)) {
      Motor* const motor = node->get<Motor>();
      if (motor != nullptr && motor->servo().model() != nullptr) {
        motors.push_back({r, node, motor, fmt::format("{}/{}", robot.name(), node->name)});
      }
    }
  }
  return motors;
}

const ServoMotor& find_motor(const std::vector<ServoMotor>& motors, const std::string& name) {
  std::vector<const ServoMotor*> found;
  std::vector<std::string> names;
  for (const ServoMotor& motor : motors) {
    names.push_back(motor.name);
    if (motor.name == name || motor.node->name == name) {
      found.push_back(&motor);
    }
  }
  if (found.size() > 1) {
    throw std::invalid_argument(fmt::format("several robots have a motor '{}'; write {}",
                                            printable(name), printable(found.front()->name)));
  }
  if (found.empty()) {
    throw std::invalid_argument(
        fmt::format("no motor '{}' has a servo model{}", printable(name),
                    names.empty() ? "; the world has none, set the field servo of its motors"
                                  : nearest_names(name, names)));
  }
  return *found.front();
}

MappedServo mapped(const ServoMotor& motor, const BusServoEntry& entry,
                   const RegisterTables& tables, const BusChoices& choices) {
  MappedServo servo;
  servo.motor = motor.motor;
  servo.robot = motor.robot;
  servo.joint = motor.node->spec->joint;
  servo.name = motor.name;
  const std::string& choice = motor.node->spec->motor->servo_choice;
  const std::string model = entry.model.empty() ? register_model_of(choice, tables) : entry.model;
  if (model.empty()) {
    throw std::invalid_argument(
        fmt::format("no table has the registers of '{}', the servo of {}; name a model whose "
                    "registers it has, such as model = \"STS3215\", or a folder with files of "
                    "ROBOTIS by --tables",
                    printable(choice), printable(motor.name)));
  }
  servo.table = tables.table(model);
  if (!entry.firmware.empty()) {
    const auto firmware = read_firmware(entry.firmware, *servo.table.protocol);
    if (!firmware) {
      throw std::invalid_argument(fmt::format(
          "'{}' is no version of the firmware of {}; write {}", printable(entry.firmware),
          servo.table.model,
          servo.table.protocol->is_feetech() ? "a text such as \"3.10\", with numbers from 0 to 255"
                                             : "a number from 0 to 255"));
    }
    servo.table = tables.table(model, firmware);
  }
  servo.mounting.direction = entry.direction;
  servo.mounting.zero = entry.zero;
  const double counts = motor.motor->servo().model()->encoder.counts;
  if (motor.motor->type() == JointType::Linear && counts > 0.0) {
    servo.mounting.travel = servo.table.counts / counts;  // both are counts of the same encoder
  }
  servo.secondary_id = entry.secondary_id.value_or(-1);
  if (entry.secondary_id && !servo.table.has(RegisterRole::SecondaryId)) {
    throw std::invalid_argument(fmt::format("{} has no secondary ID", servo.table.model));
  }
  servo.baud = entry.baud.value_or(0);
  if (servo.baud > 0 && baud_code(servo.table, servo.baud, choices) < 0) {
    throw std::invalid_argument(
        fmt::format("{} has no speed of {} bit/s", servo.table.model, servo.baud));
  }
  return servo;
}

int next_id(const BusMap& map) {
  int id = 1;
  for (const MappedServo& servo : map.servos) {
    id = std::max(id, servo.id + 1);
  }
  return id;
}

void check_ids(const BusMap& map) {
  std::set<int> ids;
  for (const MappedServo& servo : map.servos) {
    if (servo.id < 0 || servo.id > map.protocol->max_id) {
      throw std::invalid_argument(fmt::format("{}: an ID is from 0 to {}, not {}",
                                              printable(servo.name), map.protocol->max_id,
                                              servo.id));
    }
    if (!ids.insert(servo.id).second) {
      throw std::invalid_argument(
          fmt::format("{}: another servo has the ID {}", printable(servo.name), servo.id));
    }
  }
}

void add(BusMap& map, MappedServo servo, std::optional<int> id) {
  servo.id = id.value_or(next_id(map));
  map.servos.push_back(std::move(servo));
}

// Which bus has which motor: two would spoil each other's orders.
class Owners {
 public:
  // Returns the bus that has a motor; null for none.
  const std::string* of(const Motor& motor) const {
    const auto found = buses_.find(&motor);
    return found != buses_.end() ? &found->second : nullptr;
  }
  // @throws std::invalid_argument if a bus has it already
  void claim(const MappedServo& servo, const std::string& bus) {
    const auto [at, is_new] = buses_.emplace(servo.motor, bus);
    if (!is_new) {
      throw std::invalid_argument(
          at->second == bus
              ? fmt::format("{} is on bus '{}' twice", printable(servo.name), printable(bus))
              : fmt::format("{} is on bus '{}' already, and a motor is on one bus",
                            printable(servo.name), printable(at->second)));
    }
  }

 private:
  std::map<const Motor*, std::string> buses_;
};

void add_entry(BusMap& map, const BusSetup& setup, const std::vector<ServoMotor>& motors,
               const BusServoEntry& entry, const RegisterTables& tables, Owners& owners) {
  const ServoMotor& motor = find_motor(motors, entry.motor);
  MappedServo servo = mapped(motor, entry, tables, setup.choices);
  map.protocol = map.protocol != nullptr ? map.protocol : servo.table.protocol;
  if (servo.table.protocol != map.protocol) {
    throw std::invalid_argument(fmt::format("{} has the protocol {}, and bus '{}' has {}",
                                            printable(motor.name), servo.table.protocol->title,
                                            printable(setup.name), map.protocol->title));
  }
  owners.claim(servo, setup.name);
  add(map, std::move(servo), entry.id);
}

void add_entries(BusMap& map, const BusSetup& setup, const std::vector<ServoMotor>& motors,
                 Owners& owners) {
  const RegisterTables tables(setup.tables);
  for (const BusServoEntry& entry : setup.servos) {
    try {
      add_entry(map, setup, motors, entry, tables, owners);
    } catch (const std::invalid_argument& error) {
      entry.place.refuse(error.what());
    }
  }
}

// Adds the motors that no other bus has and that fit.
void add_all(BusMap& map, const BusSetup& setup, const std::vector<ServoMotor>& motors,
             Owners& owners) {
  const RegisterTables tables(setup.tables);
  for (const ServoMotor& motor : motors) {
    try {
      if (const std::string* const owner = owners.of(*motor.motor)) {
        map.left_out.push_back(fmt::format("{} is on bus '{}'", motor.name, *owner));
        continue;
      }
      MappedServo servo = mapped(motor, {}, tables, setup.choices);
      map.protocol = map.protocol != nullptr ? map.protocol : servo.table.protocol;
      if (servo.table.protocol != map.protocol) {
        map.left_out.push_back(
            fmt::format("{} has the protocol {}", motor.name, servo.table.protocol->title));
        continue;
      }
      owners.claim(servo, setup.name);
      add(map, std::move(servo), std::nullopt);
    } catch (const std::invalid_argument& error) {
      map.left_out.emplace_back(error.what());
    }
  }
  if (map.servos.empty()) {
    setup.where.refuse(fmt::format(
        "no motor can be a servo of bus '{}'{}", printable(setup.name),
        map.left_out.empty() ? ", since none has a servo model; set the field servo of motors, or "
                               "[servo.\"*\"] in servosim.toml"
                             : ": " + map.left_out.front()));
  }
}

void check_map(const BusMap& map, const BusSetup& setup) {
  try {
    check_ids(map);
  } catch (const std::invalid_argument& error) {
    setup.where.refuse(error.what());
  }
  std::vector<FaultTarget> targets;
  for (const MappedServo& servo : map.servos) {
    targets.push_back({servo.id, servo.name});
  }
  for (const BusFault& fault : setup.faults) {
    check_fault(fault, targets);
  }
}

// A plant that no servo has, to ask a firmware for the meaning of its registers.
class NoPlant final : public ServoPlant {
 public:
  void obey(const ServoOrder&) override {}
  void suffer(const ServoTrouble&) override {}
  ServoSense sense() const override { return {}; }
  PidGains own_gains() const override { return {}; }
  double max_duty() const override { return 1.0; }
};

}  // namespace

std::string register_model_of(const std::string& choice, const RegisterTables& tables) {
  const std::string name = read_servo_choice(choice).name;
  std::vector<std::string> names{name};
  if (const ServoFile* const file = ServoCatalogue::builtin(name)) {
    names.push_back(file->name);
    names.insert(names.end(), file->aliases.begin(), file->aliases.end());
  }
  for (const std::string& each : names) {
    if (std::string model = tables.find(each); !model.empty()) {
      return model;
    }
  }
  return {};
}

std::string place_of(const BusSetup& setup) {
  return setup.place.port           ? fmt::format("tcp:{}", *setup.place.port)
         : setup.place.link.empty() ? "./" + setup.name
                                    : setup.place.link;
}

double baud_of(const MappedServo& servo, const BusChoices& choices) {
  return servo.baud > 0 ? servo.baud : default_baud(servo.table, choices);
}

int secondary_id_of(const MappedServo& servo) {
  const RegisterRow* const row = servo.table.find(RegisterRole::SecondaryId);
  const std::int64_t id = servo.secondary_id >= 0 ? servo.secondary_id
                          : row != nullptr        ? row->initial.value_or(-1)
                                                  : -1;
  return row != nullptr && id <= servo.table.protocol->max_id ? static_cast<int>(id) : -1;
}

double default_baud(const RegisterTable& table, const BusChoices& choices) {
  RegisterMemory memory(table);
  NoPlant plant;
  return make_firmware(memory, plant, choices)->baud();
}

double baud_of(const RegisterTable& table, std::int64_t code, const BusChoices& choices) {
  RegisterMemory memory(table);
  memory.set(RegisterRole::BaudRate, code);
  NoPlant plant;
  return make_firmware(memory, plant, choices)->baud();
}

int baud_code(const RegisterTable& table, double baud, const BusChoices& choices) {
  RegisterMemory memory(table);
  NoPlant plant;
  const auto firmware = make_firmware(memory, plant, choices);
  const RegisterRow* const row = table.find(RegisterRole::BaudRate);
  const std::int64_t most = row != nullptr && row->range ? row->range->second : -1;
  for (std::int64_t code = 0; code <= most; ++code) {
    memory.set(*row, code);
    if (std::abs(firmware->baud() - baud) <= 0.01 * baud) {
      return static_cast<int>(code);
    }
  }
  return -1;
}

std::vector<BusMap> map_buses(Simulation& simulation, const std::vector<BusSetup>& setups) {
  const std::vector<ServoMotor> motors = servo_motors(simulation);
  std::vector<BusMap> maps(setups.size());
  Owners owners;
  for (const bool names_servos : {true, false}) {
    for (std::size_t i = 0; i < setups.size(); ++i) {
      if (setups[i].servos.empty() != names_servos) {
        maps[i].protocol = setups[i].protocol;
        names_servos ? add_entries(maps[i], setups[i], motors, owners)
                     : add_all(maps[i], setups[i], motors, owners);
        check_map(maps[i], setups[i]);
      }
    }
  }
  return maps;
}

}  // namespace servosim::bus
