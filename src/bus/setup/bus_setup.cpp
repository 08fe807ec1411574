// SPDX-License-Identifier: Apache-2.0
#include "bus/setup/bus_setup.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <stdexcept>
#include <system_error>
#include <variant>

#include "base/files.h"
#include "base/printable.h"
#include "base/toml_reading.h"
#include "bus/setup/fault_reader.h"

namespace servosim::bus {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// Reads the tables of one file.
class SetupReader {
 public:
  explicit SetupReader(const std::string& path)
      : path_(path), reading_(path), folder_(std::filesystem::path(path).parent_path()) {}

  std::vector<BusSetup> read(std::string_view text) const;

 private:
  BusSetup setup(const toml::table& table) const;
  BusServoEntry servo(const toml::table& table) const;
  SetupPlace place_of(const toml::table& table) const;
  void choices(const toml::table& table, BusChoices& choices) const;
  int whole(const toml::node& node, int most) const { return read_whole(reading_, node, most); }

  std::string path_;
  TomlReading reading_;
  std::filesystem::path folder_;
};

// What a bus has for itself alone: text for people, which is the same for the same thing.
std::vector<std::string> own_things(const BusSetup& setup) {
  const auto path = [](const char* what, const std::string& text) {
    std::error_code ignored;  // of a current folder that is gone
    return fmt::format("{} {}", what,
                       std::filesystem::absolute(text, ignored).lexically_normal().string());
  };
  std::vector<std::string> things;
  if (!setup.place.port) {
    things.push_back(path("link", setup.place.link.empty() ? setup.name : setup.place.link));
  } else if (*setup.place.port != 0) {
    things.push_back(fmt::format("port tcp:{}", *setup.place.port));
  }
  if (!setup.control.empty()) {
    things.push_back(path("control socket", setup.control));
  }
  if (!setup.keeps.empty() && setup.writes_kept) {
    things.push_back(path("file of kept registers", setup.keeps));
  }
  return things;
}

SetupPlace SetupReader::place_of(const toml::table& table) const {
  return {path_, static_cast<int>(table.source().begin.line),
          static_cast<int>(table.source().begin.column)};
}

BusServoEntry SetupReader::servo(const toml::table& table) const {
  constexpr std::string_view kKeys[] = {"motor",    "id",           "model",     "baud",
                                        "firmware", "secondary_id", "direction", "zero"};
  reading_.check_keys(table, kKeys);
  BusServoEntry entry;
  entry.place = place_of(table);
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
      if (node.is_floating_point()) {  // 3.10 would be 3.1
        reading_.refuse(node, "write the version as text, such as firmware = \"3.10\"");
      }
      entry.firmware = node.is_string() ? reading_.word(node) : std::to_string(whole(node, 255));
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
  constexpr std::string_view kKeys[] = {"name",    "link",   "tcp",     "protocol",
                                        "clock",   "cycle",  "choices", "keeps",
                                        "control", "tables", "servo",   "fault"};
  reading_.check_keys(table, kKeys);
  BusSetup setup;
  setup.where = place_of(table);
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
    } else if (key == "control") {
      setup.control = (folder_ / reading_.word(node)).lexically_normal().string();
    } else if (key == "choices") {
      choices(reading_.table(node, "choices"), setup.choices);
    } else if (key == "servo") {
      for (const toml::table* const each : reading_.tables(node, "servo")) {
        setup.servos.push_back(servo(*each));
      }
    } else if (key == "fault") {
      for (const toml::table* const each : reading_.tables(node, "fault")) {
        setup.faults.push_back(read_fault(reading_, *each, path_));
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
  check_together(setups);
  return setups;
}

}  // namespace

void check_together(const std::vector<BusSetup>& setups) {
  std::map<std::string, std::string> owners;
  for (const BusSetup& setup : setups) {
    for (const std::string& thing : own_things(setup)) {
      if (const auto [at, is_new] = owners.emplace(thing, setup.name); !is_new) {
        setup.where.refuse(fmt::format("bus '{}' and bus '{}' have the same {}",
                                       printable(at->second), printable(setup.name),
                                       printable(thing)));
      }
    }
  }
  std::map<std::string, std::string> buses;  // of motors
  for (const BusSetup& setup : setups) {
    for (const BusServoEntry& entry : setup.servos) {
      if (const auto [at, is_new] = buses.emplace(entry.motor, setup.name); !is_new) {
        entry.place.refuse(
            fmt::format("motor '{}' is on bus '{}' already, and a motor is on one "
                        "bus",
                        printable(entry.motor), printable(at->second)));
      }
    }
  }
}

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
