// SPDX-License-Identifier: Apache-2.0
#include "bus/setup/bus_fault.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "bus/serve/control_port.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "run/console.h"

namespace servosim {

namespace {

namespace fs = std::filesystem;

constexpr const char* kBusFaultHelp = R"(
Lets something go wrong on a simulated bus while it is served, with `servosim run --bus-control` or
`servosim bus serve --control`. BUS is the link of the bus, beside which LINK.control is, or a
control socket. Without --at a fault begins now, without --for or --until it goes on, and without
--id or --motor it concerns all servos.

Kinds of faults:
  lost, turned  bytes are lost, or have one bit turned, with --probability each (0.01)
  gone          the line to a servo is cut; it goes on with what it did
  restart       the power goes off and on again
  brown-out     the supply has at most --voltage
  stuck         something blocks the gear, or gives it the friction --torque
  hot           the motor and its case have at least --temperature
  end           all faults end

Exit codes: 0 done; 1 there is no such bus or servo; 2 bad arguments.

Examples:
  servosim bus fault ./arm gone --id 3 --for 0.5
  servosim bus fault ./arm brown-out --voltage 4.2 --at 2 --until 2.3
  servosim bus fault ./arm end
)";

struct BusFaultArguments {
  std::string bus;
  std::string kind;
  std::optional<int> id;
  std::string motor;
  std::vector<std::pair<std::string, std::optional<double>>> numbers = {
      {"at", {}},      {"for", {}},    {"until", {}},      {"probability", {}},
      {"voltage", {}}, {"torque", {}}, {"temperature", {}}};
};

// The line that a control socket takes. JSON's texts are TOML's, too.
std::string line_of(const BusFaultArguments& arguments) {
  std::string line = fmt::format("{{ kind = {}", nlohmann::json(arguments.kind).dump());
  if (arguments.id) {
    line += fmt::format(", id = {}", *arguments.id);
  }
  if (!arguments.motor.empty()) {
    line += fmt::format(", motor = {}", nlohmann::json(arguments.motor).dump());
  }
  for (const auto& [key, number] : arguments.numbers) {
    if (number) {
      line += fmt::format(", {} = {}", key, *number);
    }
  }
  return line + " }";
}

void send_fault(const BusFaultArguments& arguments) {
  std::string line = "end";
  if (arguments.kind != line) {
    line = line_of(arguments);
    static_cast<void>(bus::read_bus_fault(line));
  }
  std::error_code error;
  const std::string path =
      fs::is_socket(arguments.bus, error) ? arguments.bus : arguments.bus + bus::kControlSuffix;
  if (!fs::exists(path, error)) {
    throw std::runtime_error(fmt::format(
        "{}: there is no control socket; serve the bus with --control, or run the world with "
        "--bus-control",
        printable(path)));
  }
  const std::string answer = bus::ask_control(path, line);
  if (answer != "ok") {
    throw std::runtime_error(fmt::format("{}: {}", printable(path), printable(answer)));
  }
}

}  // namespace

void add_bus_fault(CLI::App& bus, Action& action) {
  const auto arguments = std::make_shared<BusFaultArguments>();
  CLI::App* const command = bus.add_subcommand("fault", "Let something go wrong on a bus");
  command->footer(kBusFaultHelp);
  command->add_option("bus", arguments->bus, "The link of a bus, or its control socket")
      ->required()
      ->type_name("BUS");
  command->add_option("kind", arguments->kind, "What goes wrong, such as gone; end: nothing more")
      ->required()
      ->type_name("KIND");
  CLI::Option* const id = command->add_option("--id", arguments->id, "ID of the servo");
  id->type_name("ID")->check(number_between(0, 253, "ID"));
  command->add_option("--motor", arguments->motor, "Motor of the servo: MOTOR or ROBOT/MOTOR")
      ->type_name("NAME")
      ->excludes(id);
  constexpr const char* kMeanings[] = {
      "Simulated time at which it begins [s]; default: now",
      "How long it lasts [s]; default: for ever",
      "Simulated time at which it ends [s]; with --at",
      "Of lost and turned, for each byte, 0 to 1; default 0.01",
      "Of a brown-out [V]",
      "Friction of a stuck gear [N*m|N]; default: more than the motor can overcome",
      "Of a hot motor [degrees Celsius]"};
  for (std::size_t i = 0; i < arguments->numbers.size(); ++i) {
    auto& [key, number] = arguments->numbers[i];
    command->add_option("--" + key, number, kMeanings[i]);
  }
  command->callback([&action, arguments] {
    action = [arguments] { return run_writer([arguments](Console&) { send_fault(*arguments); }); };
  });
}

}  // namespace servosim
