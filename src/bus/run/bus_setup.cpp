// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <variant>

#include "base/files.h"
#include "base/toml_reading.h"
#include "bus/run/bus_map.h"

namespace servosim::bus {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// Reads the tables of one file.
class SetupReader {
 public:
  explicit SetupReader(const std::string& path)
      : reading_(path), folder_(std::filesystem::path(path).parent_path()) {}

  std::vector<BusSetup> read(std::string_view text) const;

 private:
  BusSetup setup(const toml::table& table) const;
  BusServoEntry servo(const toml::table& table) const;
  BusFault fault(const toml::table& table) const;
  void choices(const toml::table& table, BusChoices& choices) const;
  int whole(const toml::node& node, int most) const;

  TomlReading reading_;
  std::filesystem::path folder_;
};

int SetupReader::whole(const toml::node& node, int most) const {
  const double number = reading_.number(node, 0.0);
  if (number != std::floor(number) || number > most) {
    reading_.refuse(node, fmt::format("this must be a whole number from 0 to {}", most));
  }
  return static_cast<int>(number);
}

BusServoEntry SetupReader::servo(const toml::table& table) const {
  constexpr std::string_view kKeys[] = {"motor",    "id",           "model",     "baud",
                                        "firmware", "secondary_id", "direction", "zero"};
  reading_.check_keys(table, kKeys);
  BusServoEntry entry;
  for (const auto& [key, node] : table) {
    if (key == "motor") {
      entry.motor = reading_.word(node);
    } else if (key == "model") {
      entry.model = reading_.word(node);
    } else if (key == "id") {
      entry.id = whole(node, 253);
    } else if (key == "secondary_id") {
      entry.secondary_id = whole(node, 252);
    } else if (key == "firmware") {
      entry.firmware = whole(node, 255);
    } else if (key == "baud") {
      entry.baud = whole(node, 20'000'000);
    } else if (key == "zero") {
      entry.zero = reading_.number(node, -kEndless);
    } else if (key == "direction") {
      entry.direction = reading_.number(node, -1.0);
      if (std::abs(entry.direction) != 1.0) {
        reading_.refuse(node, "a direction is 1 or -1");
      }
    }
  }
  if (entry.motor.empty()) {
    reading_.refuse(table, "a servo names its motor, such as motor = \"shoulder\"");
  }
  return entry;
}

BusFault SetupReader::fault(const toml::table& table) const {
  constexpr std::string_view kKeys[] = {"kind", "from", "to", "probability", "id"};
  reading_.check_keys(table, kKeys);
  const toml::node* const kind = table.get("kind");
  if (kind == nullptr) {
    reading_.refuse(table, "a fault has a kind: lost, turned, gone or restart");
  }
  BusFault fault;
  const std::string word = reading_.word(*kind);
  if (word == "lost") {
    fault.kind = BusFault::Kind::Lost;
  } else if (word == "turned") {
    fault.kind = BusFault::Kind::Turned;
  } else if (word == "gone") {
    fault.kind = BusFault::Kind::Gone;
  } else if (word == "restart") {
    fault.kind = BusFault::Kind::Restart;
  } else {
    reading_.refuse(*kind, "a kind is lost, turned, gone or restart");
  }
  if (const toml::node* const from = table.get("from")) {
    fault.from = reading_.number(*from, 0.0);
  }
  if (const toml::node* const to = table.get("to")) {
    fault.to = reading_.number(*to, fault.from);
  }
  if (const toml::node* const probability = table.get("probability")) {
    fault.probability = reading_.number(*probability, 0.0);
  }
  if (const toml::node* const id = table.get("id")) {
    fault.id = whole(*id, 253);
  }
  return fault;
}

void SetupReader::choices(const toml::table& table, BusChoices& choices) const {
  for (const auto& [key, node] : table) {
    try {
      const double number = TomlReading::any_number(node);
      set_choice(choices, key.str(),
                 std::isnan(number) ? reading_.word(node) : fmt::format("{}", number));
    } catch (const std::invalid_argument& error) {
      reading_.refuse(node, error.what());
    }
  }
}

BusSetup SetupReader::setup(const toml::table& table) const {
  constexpr std::string_view kKeys[] = {"name",    "link",  "tcp",    "protocol", "clock", "cycle",
                                        "choices", "keeps", "tables", "servo",    "fault"};
  reading_.check_keys(table, kKeys);
  BusSetup setup;
  for (const auto& [key, node] : table) {
    if (key == "name") {
      setup.name = reading_.word(node);
    } else if (key == "link") {
      setup.place.link = (folder_ / reading_.word(node)).lexically_normal().string();
    } else if (key == "tcp") {
      setup.place.port = static_cast<std::uint16_t>(whole(node, 65535));
    } else if (key == "protocol") {
      setup.protocol = find_protocol(reading_.word(node));
      if (setup.protocol == nullptr) {
        reading_.refuse(node, "a protocol is dynamixel1, dynamixel2, sts or scs");
      }
    } else if (key == "clock") {
      const std::string clock = reading_.word(node);
      if (clock != "bus" && clock != "wall") {
        reading_.refuse(node, "a clock is \"wall\", or \"bus\" for lock-step");
      }
      setup.clock.is_lockstep = clock == "bus";
    } else if (key == "cycle") {
      setup.clock.cycle = reading_.number(node, 0.0);
    } else if (key == "keeps") {
      setup.keeps = (folder_ / reading_.word(node)).lexically_normal().string();
    } else if (key == "tables") {
      setup.tables = (folder_ / reading_.word(node)).lexically_normal().string();
    } else if (key == "choices") {
      choices(reading_.table(node, "choices"), setup.choices);
    } else if (key == "servo") {
      for (const toml::table* const each : reading_.tables(node, "servo")) {
        setup.servos.push_back(servo(*each));
      }
    } else if (key == "fault") {
      for (const toml::table* const each : reading_.tables(node, "fault")) {
        setup.faults.push_back(fault(*each));
      }
    }
  }
  if (setup.name.empty() || setup.name.find('/') != std::string::npos) {
    reading_.refuse(table, "a bus has a name without '/', such as name = \"arm\"");
  }
  return setup;
}

std::vector<BusSetup> SetupReader::read(std::string_view text) const {
  const toml::table file = reading_.parse(text);
  std::vector<BusSetup> setups;
  if (const toml::node* const buses = file.get("bus")) {
    for (const toml::table* const table : reading_.tables(*buses, "bus")) {
      setups.push_back(setup(*table));
      for (std::size_t i = 0; i + 1 < setups.size(); ++i) {
        if (setups[i].name == setups.back().name) {
          reading_.refuse(*table, fmt::format("another bus is called '{}'", setups[i].name));
        }
      }
    }
  }
  return setups;
}

}  // namespace

std::vector<BusSetup> read_bus_setups(std::string_view text, const std::string& path) {
  return SetupReader(path).read(text);
}

std::vector<BusSetup> read_bus_file(const std::string& path) {
  const auto text = read_file(path);
  if (const auto* const error = std::get_if<FileError>(&text)) {
    throw TomlError(path, 0, 0, error->reason);
  }
  return read_bus_setups(std::get<std::string>(text), path);
}

}  // namespace servosim::bus
