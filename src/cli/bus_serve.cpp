// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "bus/run/bench_bus.h"
#include "bus/run/bus_map.h"
#include "cli/arguments.h"
#include "cli/bus_port.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "run/signals.h"
#include "servo_models/catalogue.h"

namespace servosim {

namespace {

constexpr const char* kBusServeHelp = R"(
Serves simulated servos without any world, each on a bench of its own with a pendulum on its horn. A
MODEL is a servo of `servosim servos` whose registers are known, and MODEL:N are N of them; their
IDs are 1, 2 and so on. It prints the mass and the length of each pendulum, which `servosim bus
record` takes for the header of a log. It ends with Ctrl-C or SIGTERM.

With --tables it can also be a model that only files of ROBOTIS know. What they do not say is that
of the model of ours under "like"; so is its motor, unless `servosim servos` has it.

Exit codes: 0 it was ended; 1 the port cannot be opened; 2 bad arguments.

Examples:
  servosim bus serve STS3215:6 --link ./arm
  servosim bus serve XM430-W350 XL430-W250 --baud 1000000 --lockstep
  servosim bus serve AX-12A --link tcp:5000 --control
  servosim bus serve XD430-T350:2 --tables control_table
)";

struct BusServeArguments {
  std::vector<std::string> models;
  std::string link = "./bus";
  std::vector<std::string> choices;
  std::string tables;  // a folder; empty: none
  std::optional<double> baud;
  bool is_lockstep = false;
  bool has_control = false;
};

int count_of(const std::string& text, const std::string& argument) {
  const auto count = parse_number<int>(text);
  if (!count || *count < 1 || *count > 253) {
    throw InputError(fmt::format("'{}' must have the form MODEL or MODEL:N, with N from 1 to 253",
                                 printable(argument)));
  }
  return *count;
}

// The numbers of a servo. A model that only files have moves as the model of ours that it is most
// like, unless the catalogue knows it.
std::shared_ptr<const ServoModel> numbers_of(const std::string& text,
                                             const bus::RegisterTable& table) {
  ServoChoice choice = read_servo_choice(text);
  if (ServoCatalogue::builtin(choice.name) == nullptr) {
    const bool is_known = table.like.empty() || ServoCatalogue::builtin(table.model) != nullptr;
    choice.name = is_known ? table.model : table.like;
  }
  return ServoCatalogue().model(to_string(choice));
}

std::vector<bus::BenchServo> bench_servos(const BusServeArguments& arguments,
                                          const bus::BusChoices& choices) {
  const bus::RegisterTables tables(arguments.tables);
  std::vector<bus::BenchServo> servos;
  for (const std::string& argument : arguments.models) {
    const std::size_t colon = argument.rfind(':');
    const std::string choice = argument.substr(0, colon);
    const int count =
        colon == std::string::npos ? 1 : count_of(argument.substr(colon + 1), argument);
    bus::BenchServo servo;
    const std::string model = bus::register_model_of(choice, tables);
    if (model.empty()) {
      servo.numbers = ServoCatalogue().model(choice);  // says which servos there are
      throw InputError(fmt::format(
          "no table has the registers of '{}'; docs/reference/bus.md lists the models that "
          "can be served, and --tables adds those of files of ROBOTIS",
          printable(choice)));
    }
    servo.table = tables.table(model);
    servo.numbers = numbers_of(choice, servo.table);
    if (arguments.baud) {
      servo.baud_code = bus::baud_code(servo.table, *arguments.baud, choices);
      if (servo.baud_code < 0) {
        throw InputError(fmt::format("{} has no speed of {:g} bit/s", model, *arguments.baud));
      }
    }
    for (int i = 0; i < count; ++i) {
      servo.id = static_cast<int>(servos.size()) + 1;
      servos.push_back(servo);
    }
  }
  return servos;
}

int serve_benches(const BusServeArguments& arguments, Console& console) {
  const SignalWatch signals;
  try {
    bus::BusChoices choices;
    for (const std::string& choice : arguments.choices) {
      set_choice(choices, choice);
    }
    bus::LineClock clock;
    clock.is_lockstep = arguments.is_lockstep;
    const bus::BusPlace place = bus::read_bus_place(arguments.link);
    const std::string control = (place.port ? "./bus" : place.link) + bus::kControlSuffix;
    bus::BenchBus run(
        bench_servos(arguments, choices), choices, clock,
        [&place](net::EventLoop& loop, bus::BusPort::Calls calls) {
          return open_port(loop, place, std::move(calls));
        },
        arguments.has_control ? control : "");
    TextTable table(
        {{"id", true}, {"model"}, {"bit/s", true}, {"mass", true}, {"length", true}, {"like"}});
    const auto& servos = run.bus().servos();
    for (std::size_t i = 0; i < servos.size(); ++i) {
      table.add({std::to_string(servos[i]->id()), servos[i]->table().model,
                 fmt::format("{:.0f}", servos[i]->baud()), fmt::format("{} kg", run.load(i).mass),
                 fmt::format("{} m", run.load(i).length), servos[i]->table().like});
    }
    console.print(fmt::format(
        "{}\n{}{}bus at {}\n", run.bus().protocol().title, table.text("  "),
        arguments.has_control ? fmt::format("faults at {}\n", printable(control)) : std::string(),
        printable(run.address())));
    run.run([] { return interrupting_signal() != 0; },
            [&console](const std::string& warning) { console.log(LogLevel::Warning, warning); });
    return kExitOk;
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

}  // namespace

void add_bus_serve(CLI::App& bus, Action& action) {
  const auto arguments = std::make_shared<BusServeArguments>();
  CLI::App* const command = bus.add_subcommand("serve", "Serve simulated servos on benches");
  command->footer(kBusServeHelp);
  command->add_option("models", arguments->models, "Servos of the catalogue")
      ->required()
      ->type_name("MODEL[:N]");
  command
      ->add_option("--link", arguments->link,
                   "What clients open: the link to a pseudo terminal, or a TCP port; ./bus")
      ->type_name("LINK|tcp:N");
  command->add_option("--baud", arguments->baud, "Speed of all servos [bit/s]; default: their own")
      ->type_name("BAUD")
      ->check(finite_number(false));
  add_bus_tables(*command, arguments->tables);
  command->add_flag("--lockstep", arguments->is_lockstep,
                    "Let time pass only with exchanges, as fast as possible");
  command->add_flag("--control", arguments->has_control,
                    "Take faults by a socket at LINK.control; of a TCP port, ./bus.control");
  add_repeatable(*command, "--choice", arguments->choices,
                 "What servos do where no source says it for certain")
      ->type_name("CHOICE=VALUE");
  command->callback([&action, arguments] {
    action = [arguments] {
      Console console(LogLevel::Info, STDOUT_FILENO);
      try {
        return serve_benches(*arguments, console);
      } catch (const InputError& error) {
        console.log(LogLevel::Error, error.what());
        return kExitBadInput;
      } catch (const std::exception& error) {
        console.log(LogLevel::Error, error.what());
        return kExitFailed;
      }
    };
  });
}

}  // namespace servosim
