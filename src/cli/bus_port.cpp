// SPDX-License-Identifier: Apache-2.0
#include "cli/bus_port.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "base/printable.h"
#include "base/text.h"
#include "bus/client/real_time.h"
#include "bus/run/bus_map.h"
#include "cli/commands.h"
#include "run/signals.h"

namespace servosim {

namespace {

constexpr int kMaxId = 253;

}  // namespace

std::vector<const bus::Protocol*> BusPortArguments::protocols() const {
  if (protocol.empty()) {
    const auto all = bus::all_protocols();
    return {all.begin(), all.end()};
  }
  return {bus::find_protocol(protocol)};
}

CLI::Validator number_from_to(double least, double most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        const auto number = parse_number<double>(text);
        return number && *number >= least && *number <= most
                   ? std::string()
                   : fmt::format("'{}' is no number from {} to {}", printable(text), least, most);
      },
      "");
}

CLI::Validator bus_speed() { return number_from_to(300.0, 20e6); }

void add_bus_tables(CLI::App& command, std::string& folder) {
  command
      .add_option("--tables", folder,
                  "Registers of more models: a folder with files NAME.model of ROBOTIS")
      ->type_name("FOLDER");
}

void add_bus_port(CLI::App& command, BusPortArguments& arguments, bool has_one_speed) {
  command.add_option("port", arguments.place, "A serial port, the link of a bus, or tcp:PORT")
      ->required()
      ->type_name("PORT");
  std::vector<std::string> names;
  for (const bus::Protocol* const each : bus::all_protocols()) {
    names.emplace_back(each->name);
  }
  add_choice(command, "--protocol", arguments.protocol, names,
             "The protocol of the servos; default: the one in which they answer");
  add_bus_tables(command, arguments.tables);
  if (has_one_speed) {
    command
        .add_option("--baud", arguments.baud,
                    "Speed of the bus [bit/s], 300 to 20000000; default 1000000")
        ->check(bus_speed());
    command
        .add_option("--model", arguments.model,
                    "Model of the servo; default: the one that its number means")
        ->type_name("NAME");
  }
}

// The watch outlives run_writer(), which asks it for the exit code.
int run_bus_client(const std::function<void(Console&)>& command) {
  const SignalWatch signals;
  return run_writer(command);
}

std::vector<std::uint8_t> read_ids(const std::string& text) {
  std::vector<std::uint8_t> ids;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    const std::size_t dash = part.find('-');
    const auto first = parse_number<int>(part.substr(0, dash));
    const auto last = dash == part.npos ? first : parse_number<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last > kMaxId || *first > *last) {
      throw std::invalid_argument(fmt::format(
          "--ids: '{}' is no list of IDs such as 1,4-9, from 0 to {}", printable(text), kMaxId));
    }
    for (int id = *first; id <= *last; ++id) {
      ids.push_back(static_cast<std::uint8_t>(id));
    }
    begin = end + 1;
  }
  return ids;
}

void require_real_time(bus::RemoteServo& servo) {
  const bus::RegisterRow* const row = servo.table().find(bus::RegisterRole::BaudRate);
  const double baud =
      row != nullptr ? bus::baud_of(servo.table(), servo.read(*row), {}) : servo.client().baud();
  if (const std::string fault = bus::real_time_fault(servo, baud); !fault.empty()) {
    throw std::runtime_error(fault);
  }
}

BusConnection::BusConnection(bus::SerialPort& port, const BusPortArguments& arguments, int id) {
  const bus::RegisterTables tables(arguments.tables);
  const auto found =
      bus::identify(port, static_cast<std::uint8_t>(id), arguments.protocols(), tables);
  if (!found) {
    throw bus::BusError(fmt::format(
        "{}: no servo {} answers at {} bit/s; `servosim bus scan {}` lists those that do",
        printable(port.place()), id, port.baud(), printable(port.place())));
  }
  const std::string model = arguments.model.empty() ? found->model : arguments.model;
  if (model.empty()) {
    throw std::invalid_argument(fmt::format(
        "servo {} has the unknown model number {}; please say which one it is with --model, or "
        "give a folder that has it with --tables",
        id, found->found.model ? fmt::format("{}", *found->found.model) : std::string("?")));
  }
  bus::RegisterTable table = tables.table(model, found->found.firmware);
  client_.emplace(port, *table.protocol);
  servo_.emplace(*client_, static_cast<std::uint8_t>(id), std::move(table));
}

}  // namespace servosim
