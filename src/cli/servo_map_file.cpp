// SPDX-License-Identifier: Apache-2.0
#include "cli/servo_map_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "cli/config_file.h"
#include "cli/text_table.h"
#include "core/suggest.h"
#include "servosim/diagnostics.h"

namespace servosim {
namespace {

constexpr std::array<std::string_view, 6> kKeys{"motor",     "at_0",    "at_179",
                                                "direction", "pwm_min", "pwm_max"};

[[noreturn]] void refuse(const std::string& what) { throw InputError(what); }

template <typename Number>
Number number(const std::string& text, const char* what) {
  Number value{};
  if (!CLI::detail::lexical_cast(text, value)) {
    refuse(fmt::format("'{}' is not a {}number", printable(text), what));
  }
  return value;
}

void take(mcu::ServoEntry& servo, const std::string& key, const std::string& value) {
  if (key == "motor") {
    servo.motor = value;
  } else if (key == "at_0") {
    servo.at_0 = number<double>(value, "");
  } else if (key == "at_179") {
    servo.at_179 = number<double>(value, "");
  } else if (key == "pwm_min") {
    servo.pwm_min = number<int>(value, "whole ");
  } else if (key == "pwm_max") {
    servo.pwm_max = number<int>(value, "whole ");
  } else if (key == "direction") {
    if (value != "1" && value != "-1") {
      refuse(fmt::format("'{}' is not 1 or -1", printable(value)));
    }
    servo.reverse = value == "-1";
  } else {
    refuse(fmt::format("there is no such key{}", did_you_mean(key, {kKeys.begin(), kKeys.end()})));
  }
}

mcu::ServoEntry servo_of(const ConfigSection& section, const std::string& path) {
  mcu::ServoEntry servo;
  if (!CLI::detail::lexical_cast(section.name, servo.id)) {
    refuse(fmt::format("{}: [{}] is no servo; a section is called by an id, such as [0]", path,
                       printable(section.name)));
  }
  for (const ConfigEntry& entry : section.entries) {
    try {
      take(servo, entry.key, entry.values.size() == 1 ? entry.values[0] : std::string());
    } catch (const InputError& error) {
      refuse(fmt::format("{}: [{}] {}: {}", path, servo.id, printable(entry.key), error.what()));
    }
  }
  if (servo.motor.empty()) {
    refuse(fmt::format("{}: [{}] names no motor; add a line such as: motor = \"elbow\"", path,
                       servo.id));
  }
  return servo;
}

}  // namespace

std::vector<mcu::ServoEntry> read_servo_map(const std::string& path) {
  const std::vector<ConfigSection> sections = read_config_file(path);
  if (!sections.front().entries.empty()) {
    refuse(fmt::format("{}: '{}' stands before the first servo; begin with a line such as [0]",
                       path, printable(sections.front().entries.front().key)));
  }
  std::vector<mcu::ServoEntry> servos;
  for (auto section = sections.begin() + 1; section != sections.end(); ++section) {
    servos.push_back(servo_of(*section, path));
  }
  if (servos.empty()) {
    refuse(fmt::format("{} has no servos; each begins with a line such as [0]", path));
  }
  return servos;
}

}  // namespace servosim
