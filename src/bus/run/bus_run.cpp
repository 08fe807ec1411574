// SPDX-License-Identifier: Apache-2.0
#include "bus/run/bus_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <charconv>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "base/files.h"
#include "base/printable.h"
#include "sim/world_inspector.h"

namespace servosim::bus {
namespace {

using Role = RegisterRole;

std::string digits_of(const Octets& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

// Nothing unless there are two hexadecimal digits for each byte.
std::optional<Octets> octets_of(std::string_view digits) {
  Octets bytes;
  if (digits.size() % 2 != 0) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    std::uint8_t byte = 0;
    const char* const from = digits.data() + i;
    const auto [end, error] = std::from_chars(from, from + 2, byte, 16);
    if (error != std::errc() || end != from + 2) {
      return std::nullopt;
    }
    bytes.push_back(byte);
  }
  return bytes;
}

}  // namespace

BusRunExtension::BusRunExtension(Simulation& simulation, std::vector<BusSetup> setups,
                                 std::vector<BusMap> maps, Report report)
    : simulation_(simulation), report_(std::move(report)) {
  for (std::size_t i = 0; i < setups.size(); ++i) {
    buses_.push_back(std::make_unique<OpenBus>());
    buses_.back()->setup = std::move(setups[i]);
    buses_.back()->map = std::move(maps[i]);
    open(*buses_.back());
  }
}

BusRunExtension::~BusRunExtension() {
  for (const auto& bus : buses_) {
    write_kept(*bus);
    bus->control.reset();
    bus->line.reset();  // before its bus
  }
}

void BusRunExtension::open(OpenBus& bus) {
  bus.bus = std::make_unique<ServoBus>(*bus.map.protocol, bus.setup.choices);
  for (const MappedServo& mapped : bus.map.servos) {
    bus.plants.push_back(std::make_unique<MotorPlant>(*mapped.motor, mapped.mounting));
    BusServo& servo = bus.bus->add(
        std::make_unique<BusServo>(mapped.table, *bus.plants.back(), bus.setup.choices));
    const RegisterTable& table = servo.table();
    servo.set(*table.find(Role::Id), mapped.id);
    if (mapped.baud > 0) {
      servo.set(*table.find(Role::BaudRate), baud_code(table, mapped.baud, bus.setup.choices));
    }
    if (const RegisterRow* const row = table.find(Role::SecondaryId);
        row != nullptr && mapped.secondary_id >= 0) {
      servo.set(*row, mapped.secondary_id);
    }
  }
  read_kept(bus);
  const BusSetup& setup = bus.setup;
  bus.line = std::make_unique<BusLine>(loop_, *bus.bus, setup.clock,
                                       simulation_.basic_time_step_ms() / 1000.0,
                                       [&setup](net::EventLoop& loop, BusPort::Calls calls) {
                                         BusPlace place = setup.place;
                                         if (place.link.empty()) {
                                           place.link = setup.name;
                                         }
                                         return open_port(loop, place, std::move(calls));
                                       });
  if (setup.clock.is_lockstep) {
    silence_.add(*bus.line);
  }
  std::vector<BusFaults::Sufferer> sufferers;
  for (std::size_t i = 0; i < bus.plants.size(); ++i) {
    sufferers.push_back({bus.bus->servos()[i].get(), bus.plants[i].get(), bus.map.servos[i].name});
  }
  bus.faults = std::make_unique<BusFaults>(std::move(sufferers), setup.faults);
  bus.seed = noise_seed();
  bus.line->set_seed(bus.seed);
  bus.faults->apply(simulation_.time(), *bus.line);
  if (!setup.control.empty()) {
    bus.control = open_control(loop_, setup.control, [this, &bus](std::string_view line) {
      const double now = simulation_.time();
      const std::string answer = bus.faults->obey(line, now);
      bus.faults->apply(now, *bus.line);
      return answer;
    });
  }
}

// Each bus has numbers of its own, so that an exchange on one does not disturb another one. Those
// of the simulation are for its steps alone: with the wall clock an exchange takes any number of
// bytes.
std::uint64_t BusRunExtension::noise_seed() const {
  const auto by_clock = static_cast<std::int64_t>(net::Clock::now().time_since_epoch().count());
  const std::int64_t seed = WorldInspector(simulation_).seed().value_or(by_clock);
  return static_cast<std::uint64_t>(seed) + (buses_.size() << 32);
}

std::vector<std::string> BusRunExtension::controls() const {
  std::vector<std::string> paths;
  for (const auto& bus : buses_) {
    if (bus->control != nullptr) {
      paths.push_back(bus->control->path());
    }
  }
  return paths;
}

std::vector<std::string> BusRunExtension::addresses() const {
  std::vector<std::string> addresses;
  for (const auto& bus : buses_) {
    addresses.push_back(bus->line->address());
  }
  return addresses;
}

void BusRunExtension::serve() {
  loop_.run_once(net::Clock::now());
  if (const std::string warning = silence_.warning(); !warning.empty()) {
    report_(warning);
  }
}

bool BusRunExtension::ready() const {
  const auto is_lockstep = [](const auto& bus) { return bus->setup.clock.is_lockstep; };
  if (std::none_of(buses_.begin(), buses_.end(), is_lockstep)) {
    return true;
  }
  return std::any_of(buses_.begin(), buses_.end(),
                     [&](const auto& bus) { return is_lockstep(bus) && bus->line->grants_step(); });
}

bool BusRunExtension::commands(int robot) const {
  for (const auto& bus : buses_) {
    for (const MappedServo& servo : bus->map.servos) {
      if (simulation_.robot(servo.robot).index() == robot) {
        return true;
      }
    }
  }
  return false;
}

// A motor that an edit of the world has bound to another servo has lost its order.
void BusRunExtension::before_step() {
  for (const auto& bus : buses_) {
    for (std::size_t i = 0; i < bus->plants.size(); ++i) {
      ServoElectronics* const servo = bus->map.servos[i].motor->servo().electronics();
      if (servo != nullptr && servo->taken_over() == nullptr) {
        bus->plants[i]->renew();
      }
    }
  }
}

void BusRunExtension::after_step() {
  for (const auto& bus : buses_) {
    bus->faults->apply(simulation_.time(), *bus->line);
    bus->line->step();
  }
}

void BusRunExtension::after_reset() {
  for (const auto& bus : buses_) {
    for (const auto& servo : bus->bus->servos()) {
      servo->restart();
    }
    bus->faults->begin_again();
    bus->line->set_seed(bus->seed);
  }
}

// A line for each servo: its place on the bus, its model and its bytes.
void BusRunExtension::read_kept(OpenBus& bus) const {
  if (bus.setup.keeps.empty()) {
    return;
  }
  const auto text = read_file(bus.setup.keeps);
  if (!std::holds_alternative<std::string>(text)) {
    return;  // the first run, which makes it
  }
  const auto refuse = [&](std::size_t servo, std::string_view what) {
    throw std::runtime_error(
        fmt::format("{}:{}: {}; remove the file, or choose another one for bus '{}'",
                    printable(bus.setup.keeps), servo + 1, what, printable(bus.setup.name)));
  };
  const auto& servos = bus.bus->servos();
  std::istringstream lines(std::get<std::string>(text));
  std::string line;
  for (std::size_t i = 0; i < servos.size(); ++i) {
    const std::string start = fmt::format("{} {} ", i, servos[i]->table().model);
    std::getline(lines, line);
    if (!line.starts_with(start)) {
      refuse(i, fmt::format("the line does not begin with '{}', which is servo {} of the bus",
                            start, i));
    }
    const auto bytes = octets_of(std::string_view(line).substr(start.size()));
    if (!bytes || bytes->size() != servos[i]->kept().size()) {
      refuse(i, fmt::format("the line must have two hexadecimal digits for each of {} bytes",
                            servos[i]->kept().size()));
    }
    servos[i]->keep(*bytes);
  }
  if (std::getline(lines, line)) {
    refuse(servos.size(), fmt::format("the bus has {} servos and no more", servos.size()));
  }
}

void BusRunExtension::write_kept(const OpenBus& bus) const {
  if (bus.setup.keeps.empty() || !bus.setup.writes_kept) {
    return;
  }
  std::string text;
  const auto& servos = bus.bus->servos();
  for (std::size_t i = 0; i < servos.size(); ++i) {
    text += fmt::format("{} {} {}\n", i, servos[i]->table().model, digits_of(servos[i]->kept()));
  }
  if (const auto error = write_file(bus.setup.keeps, text, true)) {
    report_(fmt::format("{}: {}", printable(bus.setup.keeps), error->reason));
  }
}

}  // namespace servosim::bus
