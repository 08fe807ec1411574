// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "bus/client/remote_servo.h"
#include "bus/run/bus_map.h"
#include "cli/arguments.h"
#include "cli/bus_map_table.h"
#include "cli/bus_port.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "run/signals.h"

namespace servosim {
namespace {

using Json = nlohmann::ordered_json;
using bus::BusClient;
using bus::FoundServo;
using bus::IdentifiedServo;
using bus::Protocol;
using bus::RegisterRow;
using bus::RegisterValue;
using bus::RemoteServo;
using bus::SerialPort;

constexpr const char* kBusHelp = R"(
These commands talk to Dynamixel and Feetech servos, real or simulated; `serve` simulates some. PORT
is a serial port such as /dev/ttyUSB0, the link of a simulated bus, or tcp:N. `fault` lets things go
wrong on a simulated bus. docs/reference/bus.md describes all.

Exit codes: 0 done; 1 the port cannot be opened, or a servo does not answer or refuses; 2 bad
arguments.

Examples:
  servosim run worlds/so101.wbt --bus arm
  servosim bus scan ./arm
  servosim bus write ./arm 1 'Torque Enable=1' 'Goal Position=1024'
  servosim bus record /dev/ttyUSB0 --ids 1 --trajectory sin_sin,lift_and_drop -o log.csv
)";

constexpr const char* kBusScanHelp = R"(
Lists the servos that answer, at each speed; a TCP port has none, and is scanned once. A ping of
protocol 2.0 finds all of its servos at once; of the other protocols each ID is asked in turn, which
takes 35 ms where nobody answers.

Examples:
  servosim bus scan /dev/ttyUSB0 --ids 0-20
  servosim bus scan ./arm --baud 1000000 --json
)";

constexpr const char* kBusReadHelp = R"(
Prints registers of a servo: those that are named, or all of its model. A name is that of the maker;
case does not matter. A quantity is the value in the maker's unit.

Examples:
  servosim bus read ./arm 1
  servosim bus read ./arm 1 'Present Position' present_voltage --json
)";

constexpr const char* kBusWriteHelp = R"(
Writes values, in counts, in the order of the command line, and reads each back. After a new ID or
baud rate it goes on with that one; a servo that answers no reads is not compared. Without torque a
goal moves nothing: write 'Torque Enable=1' first.

Examples:
  servosim bus write ./arm 1 'Torque Enable=1' 'Goal Position=2048'
)";

constexpr const char* kBusMonitorHelp = R"(
Prints registers again and again, a line for each reading, as CSV or as JSON: the present values of
a servo, or those that are named. The time is that of this computer, so that a bus in lock-step is
refused: serve it without --lockstep.

Examples:
  servosim bus monitor ./arm 1 2 3 --registers 'Present Position,Present Load' --rate 50
)";

// The names that make a register one of `monitor`.
constexpr std::string_view kPresent = "Present ";

struct ScanArguments {
  BusPortArguments port;
  std::vector<double> bauds = {1000000, 57600, 115200};
  std::string ids = "0-252";
  bool json = false;
};

struct ReadArguments {
  BusPortArguments port;
  int id = 1;
  std::vector<std::string> registers;
  bool json = false;
};

struct MonitorArguments {
  BusPortArguments port;
  std::vector<int> ids;
  std::vector<std::string> registers;
  double rate = 10.0;     // [Hz]
  double duration = 0.0;  // [s]; 0: until it is interrupted
  bool json = false;
};

// A servo of a scan. TCP has no speed.
struct ScannedServo {
  IdentifiedServo servo;
  std::optional<double> baud;  // [bit/s]
  std::string alarm;           // empty: none
};

Json found_json(const ScannedServo& each) {
  const IdentifiedServo& servo = each.servo;
  return {{"id", servo.found.id},
          {"model", servo.model.empty() ? Json() : Json(servo.model)},
          {"model_number", servo.found.model ? Json(*servo.found.model) : Json()},
          {"firmware",
           servo.found.firmware ? firmware_json(*servo.found.firmware, *servo.protocol) : Json()},
          {"protocol", servo.protocol->name},
          {"baud", each.baud ? Json(*each.baud) : Json()},
          {"status", servo.found.status},
          {"alarm", each.alarm.empty() ? Json() : Json(each.alarm)}};
}

// Says what is wrong with a servo, once for each change.
void warn_of_alarm(RemoteServo& servo, std::string& told, Console& console) {
  const std::string alarm = servo.alarm();
  if (!alarm.empty() && alarm != told) {
    console.log(LogLevel::Warning, alarm);
  }
  told = alarm;
}

// What is wrong with a servo that has answered a scan.
std::string alarm_of(SerialPort& port, const IdentifiedServo& found,
                     const bus::RegisterTables& tables) {
  if (found.found.status == 0) {
    return {};
  }
  BusClient client(port, *found.protocol);
  bus::RegisterTable table;  // without registers it tells only what the status has
  if (!found.model.empty()) {
    table = tables.table(found.model, found.found.firmware);
  }
  RemoteServo servo(client, found.found.id, std::move(table));
  static_cast<void>(client.ping(found.found.id));
  return servo.alarm();
}

// The servos that answer at the speed of the port. Protocols with narrow packets have one ping.
std::vector<IdentifiedServo> servos_at(SerialPort& port, const ScanArguments& arguments,
                                       const std::vector<std::uint8_t>& ids,
                                       const bus::RegisterTables& tables, Console& console) {
  const std::vector<const Protocol*> protocols = arguments.port.protocols();
  std::vector<IdentifiedServo> found;
  const auto is_wanted = [&ids](std::uint8_t id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  bool has_asked_narrow = false;
  for (const Protocol* const protocol : protocols) {
    BusClient client(port, *protocol);
    if (protocol->is_wide) {
      for (const FoundServo& each : client.ping_all()) {
        if (is_wanted(each.id)) {
          found.push_back(bus::identify(port, each, *protocol, protocols, tables));
        }
      }
      continue;
    }
    if (std::exchange(has_asked_narrow, true)) {
      continue;
    }
    for (const std::uint8_t id : ids) {
      throw_if_interrupted();
      if (isatty(STDERR_FILENO) != 0) {
        console.progress(fmt::format("{} bit/s, ID {}", port.baud(), id));
      }
      if (const auto each = client.ping(id)) {
        found.push_back(bus::identify(port, *each, *protocol, protocols, tables));
      }
    }
    console.clear_progress();
  }
  return found;
}

std::string scan_text(const std::vector<ScannedServo>& servos) {
  TextTable table({{"ID", true},
                   {"model"},
                   {"number", true},
                   {"firmware", true},
                   {"protocol"},
                   {"bit/s", true},
                   {"alarm"}});
  for (const ScannedServo& each : servos) {
    const bus::FoundServo& found = each.servo.found;
    table.add({fmt::format("{}", found.id), each.servo.model.empty() ? "?" : each.servo.model,
               found.model ? fmt::format("{}", *found.model) : "-",
               found.firmware ? bus::firmware_text(*found.firmware, *each.servo.protocol) : "-",
               std::string(each.servo.protocol->name),
               each.baud ? fmt::format("{}", *each.baud) : "-", each.alarm.empty() ? "" : "yes"});
  }
  return table.empty() ? "no servo answers\n" : table.text("");
}

// TCP has no speed, so that one round finds all.
std::vector<ScannedServo> scanned(const ScanArguments& arguments, SerialPort& port,
                                  Console& console) {
  const std::vector<std::uint8_t> ids = read_ids(arguments.ids);
  const bus::RegisterTables tables(arguments.port.tables);
  std::vector<ScannedServo> servos;
  for (const double baud : arguments.bauds) {
    port.set_baud(baud);
    for (IdentifiedServo& each : servos_at(port, arguments, ids, tables, console)) {
      std::string alarm = alarm_of(port, each, tables);
      servos.push_back({std::move(each), port.has_speed() ? std::optional(baud) : std::nullopt,
                        std::move(alarm)});
    }
    if (!port.has_speed()) {
      break;
    }
  }
  return servos;
}

void scan(const ScanArguments& arguments, Console& console) {
  SerialPort port(arguments.port.place, arguments.bauds.front());
  const std::vector<ScannedServo> servos = scanned(arguments, port, console);
  if (arguments.json) {
    Json document = Json::array();
    for (const ScannedServo& each : servos) {
      document.push_back(found_json(each));
    }
    console.write(STDOUT_FILENO, json_text({{"servos", document}}));
  } else {
    console.print(scan_text(servos));
  }
  for (const ScannedServo& each : servos) {
    if (!each.alarm.empty()) {
      console.log(LogLevel::Warning, each.alarm);
    }
  }
}

std::vector<const RegisterRow*> rows_of(const RemoteServo& servo,
                                        const std::vector<std::string>& names) {
  std::vector<const RegisterRow*> rows;
  for (const std::string& name : names) {
    rows.push_back(&servo.row(name));
  }
  if (names.empty()) {
    for (const RegisterRow& row : servo.table().rows) {
      rows.push_back(&row);
    }
  }
  return rows;
}

Json register_json(const RegisterValue& each) {
  const auto quantity = makers_quantity(*each.row, each.value);
  return {{"address", each.row->address},
          {"size", each.row->size},
          {"name", each.row->name},
          {"value", each.value},
          {"quantity", quantity ? Json::parse(quantity->number) : Json()},
          {"unit", quantity ? Json(quantity->unit) : Json()}};
}

void print_registers(const RemoteServo& servo, const std::vector<RegisterValue>& values, bool json,
                     Console& console) {
  if (json) {
    Json registers = Json::array();
    for (const RegisterValue& each : values) {
      registers.push_back(register_json(each));
    }
    console.write(STDOUT_FILENO, json_text({{"id", servo.id()},
                                            {"model", servo.table().model},
                                            {"protocol", servo.table().protocol->name},
                                            {"registers", registers}}));
    return;
  }
  TextTable table({{"address", true}, {"register"}, {"value", true}, {"quantity", true}});
  for (const RegisterValue& each : values) {
    const auto quantity = makers_quantity(*each.row, each.value);
    table.add({fmt::format("{}", each.row->address), each.row->name, fmt::format("{}", each.value),
               quantity ? quantity->number + ' ' + quantity->unit : std::string()});
  }
  console.print(table.text(""));
}

void read(const ReadArguments& arguments, Console& console) {
  SerialPort port = arguments.port.open();
  BusConnection connection(port, arguments.port, arguments.id);
  RemoteServo& servo = connection.servo();
  print_registers(servo, servo.read(rows_of(servo, arguments.registers)), arguments.json, console);
  std::string told;
  warn_of_alarm(servo, told, console);
}

// The values that the command line asks for.
std::vector<RegisterValue> wanted_values(const RemoteServo& servo,
                                         const std::vector<std::string>& texts) {
  std::vector<RegisterValue> wanted;
  for (const std::string& text : texts) {
    const std::size_t at = text.find('=');
    const auto value =
        at == text.npos
            ? std::nullopt
            : parse_number<std::int64_t>(trimmed(std::string_view(text).substr(at + 1)));
    if (!value) {
      throw std::invalid_argument(fmt::format(
          "'{}' is not REGISTER=VALUE with a whole number, such as 'Goal Position=2048'",
          printable(text)));
    }
    wanted.push_back({&servo.row(trimmed(text.substr(0, at))), *value});
  }
  return wanted;
}

// Some values are commands, which the register does not keep.
bool is_command(const RegisterValue& each) {
  return each.row->role == bus::RegisterRole::TorqueEnable && each.value > 1;
}

// Writes a value. @return what the register has then, as far as the servo answers reads
RegisterValue write_one(RemoteServo& servo, const RegisterValue& wanted, SerialPort& port) {
  servo.write(*wanted.row, wanted.value);
  if (wanted.row->role == bus::RegisterRole::BaudRate) {
    port.set_baud(bus::baud_of(servo.table(), wanted.value, {}));
  }
  return servo.answers_reads() ? RegisterValue{wanted.row, servo.read(*wanted.row)} : wanted;
}

void write(const ReadArguments& arguments, Console& console) {
  SerialPort port = arguments.port.open();
  BusConnection connection(port, arguments.port, arguments.id);
  RemoteServo& servo = connection.servo();
  // All are read before the first one is written.
  const std::vector<RegisterValue> wanted = wanted_values(servo, arguments.registers);
  std::vector<RegisterValue> written;
  try {
    for (const RegisterValue& each : wanted) {
      written.push_back(write_one(servo, each, port));
      if (written.back().value != each.value && !is_command(each)) {
        print_registers(servo, written, arguments.json, console);
        throw bus::BusError(fmt::format("servo {} has {} in '{}' after {} was written", servo.id(),
                                        written.back().value, each.row->name, each.value));
      }
    }
  } catch (const bus::BusError& error) {
    const std::string alarm = servo.alarm();
    throw bus::BusError(alarm.empty() ? error.what() : fmt::format("{}; {}", error.what(), alarm));
  }
  print_registers(servo, written, arguments.json, console);
  std::string told;
  warn_of_alarm(servo, told, console);
}

// A servo may miss some readings in a row.
constexpr int kMaxMisses = 5;

void monitor(const MonitorArguments& arguments, Console& console) {
  SerialPort port = arguments.port.open();
  std::vector<std::unique_ptr<BusConnection>> connections;
  std::vector<std::vector<const RegisterRow*>> rows;
  for (const int id : arguments.ids) {
    connections.push_back(std::make_unique<BusConnection>(port, arguments.port, id));
    const RemoteServo& servo = connections.back()->servo();
    rows.push_back(rows_of(servo, arguments.registers));
    if (arguments.registers.empty()) {
      std::erase_if(rows.back(),
                    [](const RegisterRow* row) { return row->name.rfind(kPresent, 0) != 0; });
    }
  }
  require_real_time(connections.front()->servo());
  if (!arguments.json) {
    std::string header = "time,id";
    for (const RegisterRow* const row : rows.front()) {
      header += fmt::format(",{}", row->name);
    }
    console.write(STDOUT_FILENO, header + '\n');
  }
  std::vector<int> misses(connections.size());
  std::vector<std::string> told(connections.size());  // alarms
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> period(1.0 / arguments.rate);
  for (std::int64_t turn = 0;; ++turn) {
    const std::chrono::duration<double> now = std::chrono::steady_clock::now() - begin;
    if (interrupting_signal() != 0 || console.output_lost() ||
        (arguments.duration > 0.0 && now.count() >= arguments.duration)) {
      return;
    }
    for (std::size_t i = 0; i < connections.size(); ++i) {
      RemoteServo& servo = connections[i]->servo();
      std::vector<RegisterValue> values;
      try {
        values = servo.read(rows[i]);
        misses[i] = 0;
        warn_of_alarm(servo, told[i], console);
      } catch (const bus::BusRefusal&) {
        throw;
      } catch (const bus::BusError&) {
        if (++misses[i] > kMaxMisses) {
          throw;
        }
        continue;
      }
      if (arguments.json) {
        Json line{{"time", now.count()}, {"id", servo.id()}};
        for (const RegisterValue& each : values) {
          line[each.row->name] = each.value;
        }
        console.write(STDOUT_FILENO, line.dump() + '\n');
        continue;
      }
      std::string line = fmt::format("{:.6f},{}", now.count(), servo.id());
      for (const RegisterValue& each : values) {
        line += fmt::format(",{}", each.value);
      }
      console.write(STDOUT_FILENO, line + '\n');
    }
    const auto next = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                  period * static_cast<double>(turn + 1));
    try {
      bus::pause_until(next, throw_if_interrupted);
    } catch (const Interrupted&) {
      return;
    }
  }
}

void add_scan(CLI::App& bus, Action& action) {
  const auto arguments = std::make_shared<ScanArguments>();
  CLI::App* const command = bus.add_subcommand("scan", "List the servos of a bus");
  command->footer(kBusScanHelp);
  add_bus_port(*command, arguments->port, false);
  command
      ->add_option("--baud", arguments->bauds,
                   "Speeds [bit/s], separated by commas; default 1000000,57600,115200")
      ->delimiter(',')
      ->check(bus_speed());
  command->add_option("--ids", arguments->ids, "IDs such as 1,4-9; default 0-252")
      ->type_name("IDS");
  command->add_flag("--json", arguments->json, "For programs: a document");
  command->callback([&action, arguments] {
    action = [arguments] {
      return run_bus_client([arguments](Console& console) { scan(*arguments, console); });
    };
  });
}

CLI::App* add_registers(CLI::App& bus, const char* name, const char* meaning, const char* help,
                        const std::shared_ptr<ReadArguments>& arguments) {
  CLI::App* const command = bus.add_subcommand(name, meaning);
  command->footer(help);
  add_bus_port(*command, arguments->port, true);
  command->add_option("id", arguments->id, "ID of the servo")
      ->required()
      ->type_name("ID")
      ->check(number_between(0, 253, "ID"));
  command->add_flag("--json", arguments->json, "For programs: a document");
  return command;
}

void add_read(CLI::App& bus, Action& action) {
  const auto arguments = std::make_shared<ReadArguments>();
  CLI::App* const command =
      add_registers(bus, "read", "Print registers of a servo", kBusReadHelp, arguments);
  command->add_option("registers", arguments->registers, "Names of registers; default: all")
      ->type_name("REGISTER");
  command->callback([&action, arguments] {
    action = [arguments] {
      return run_writer([arguments](Console& console) { read(*arguments, console); });
    };
  });
}

void add_write(CLI::App& bus, Action& action) {
  const auto arguments = std::make_shared<ReadArguments>();
  CLI::App* const command =
      add_registers(bus, "write", "Write registers of a servo", kBusWriteHelp, arguments);
  command->add_option("values", arguments->registers, "Names of registers and their values")
      ->required()
      ->type_name("REGISTER=VALUE");
  command->callback([&action, arguments] {
    action = [arguments] {
      return run_writer([arguments](Console& console) { write(*arguments, console); });
    };
  });
}

void add_monitor(CLI::App& bus, Action& action) {
  const auto arguments = std::make_shared<MonitorArguments>();
  CLI::App* const command = bus.add_subcommand("monitor", "Print registers again and again");
  command->footer(kBusMonitorHelp);
  add_bus_port(*command, arguments->port, true);
  command->add_option("ids", arguments->ids, "IDs of servos of one model")
      ->required()
      ->type_name("ID")
      ->check(number_between(0, 253, "ID"));
  command
      ->add_option("--registers", arguments->registers,
                   "Names of registers, separated by commas; default: all that are present values")
      ->delimiter(',')
      ->type_name("REGISTERS");
  command->add_option("--rate", arguments->rate, "Readings per second [Hz], 1 to 10000; default 10")
      ->check(number_from_to(1.0, 10000.0));
  command->add_option("--duration", arguments->duration, "How long [s]; default: until Ctrl-C")
      ->check(finite_number(false));
  command->add_flag("--json", arguments->json, "For programs: a JSON object for each line");
  command->callback([&action, arguments] {
    action = [arguments] {
      return run_bus_client([arguments](Console& console) { monitor(*arguments, console); });
    };
  });
}

}  // namespace

void add_bus(CLI::App& app, Action& action) {
  CLI::App* const bus = app.add_subcommand("bus", "Talk to servos on a bus, real or simulated");
  bus->footer(kBusHelp);
  bus->require_subcommand(1);
  add_scan(*bus, action);
  add_read(*bus, action);
  add_write(*bus, action);
  add_monitor(*bus, action);
  add_bus_record(*bus, action);
  add_bus_serve(*bus, action);
  add_bus_fault(*bus, action);
}

}  // namespace servosim
