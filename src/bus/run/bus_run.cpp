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

namespace servosim::bus {
namespace {

using Role = RegisterRole;

// In lock-step a client that only sleeps lets nothing pass, which looks like a hang [s].
constexpr double kMostSilence = 1.0;

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
      servo.set(*table.find(Role::BaudRate), baud_code(table, mapped.baud));
    }
    if (const RegisterRow* const row = table.find(Role::SecondaryId);
        row != nullptr && mapped.secondary_id >= 0) {
      servo.set(*row, mapped.secondary_id);
    }
  }
  read_kept(bus);
  bus.restarted.resize(bus.setup.faults.size());
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
  for (const auto& bus : buses_) {
    const bool is_silent = bus->setup.clock.is_lockstep && bus->line->instructions() > 0 &&
                           bus->line->silence() > kMostSilence && !bus->line->grants_step();
    if (is_silent && !bus->told_of_silence) {
      report_(
          fmt::format("bus '{}': no time passes, since its client has been silent for {} s; "
                      "only exchanges let time pass in lock-step",
                      printable(bus->setup.name), kMostSilence));
    }
    bus->told_of_silence = is_silent;
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
      ServoElectronics* const servo = bus->map.servos[i].motor->servo_electronics();
      if (servo != nullptr && servo->taken_over() == nullptr) {
        bus->plants[i]->renew();
      }
    }
  }
}

void BusRunExtension::after_step() {
  for (const auto& bus : buses_) {
    apply_faults(*bus);
    bus->line->step();
  }
}

void BusRunExtension::after_reset() {
  for (const auto& bus : buses_) {
    for (const auto& servo : bus->bus->servos()) {
      servo->restart();
    }
  }
}

void BusRunExtension::apply_faults(OpenBus& bus) {
  if (bus.setup.faults.empty()) {
    return;
  }
  const double now = simulation_.time();
  LineNoise noise;
  std::bitset<256> gone;
  for (std::size_t i = 0; i < bus.setup.faults.size(); ++i) {
    const BusFault& fault = bus.setup.faults[i];
    const bool acts = now >= fault.from && now < fault.to;
    switch (fault.kind) {
      case BusFault::Kind::Lost:
        noise.lost = std::max(noise.lost, acts ? fault.probability : 0.0);
        break;
      case BusFault::Kind::Turned:
        noise.turned = std::max(noise.turned, acts ? fault.probability : 0.0);
        break;
      case BusFault::Kind::Gone:
        gone[static_cast<std::size_t>(fault.id)] = acts || gone[static_cast<std::size_t>(fault.id)];
        break;
      case BusFault::Kind::Restart:
        for (const auto& servo : bus.bus->servos()) {
          if (acts && !bus.restarted[i] && servo->id() == fault.id) {
            servo->restart();
          }
        }
        bus.restarted[i] = acts;
    }
  }
  bus.line->set_noise(noise);
  for (const auto& servo : bus.bus->servos()) {
    servo->set_gone(gone[servo->id()]);
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
  if (bus.setup.keeps.empty()) {
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
