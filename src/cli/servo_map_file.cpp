// SPDX-License-Identifier: Apache-2.0
#include "cli/servo_map_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "cli/config_file.h"
#include "cli/text_table.h"
#include "core/printable.h"
#include "core/suggest.h"
#include "host/launch_plan.h"

namespace servosim {
namespace {

using mcu::ServoEntry;

int whole_number(const ConfigEntry& entry) {
  constexpr double kMost = 1e6;
  const double value = entry.number(entry.word());
  if (std::abs(value) > kMost || value != std::floor(value)) {
    entry.refuse(fmt::format("'{}' is not a whole number", printable(entry.text())));
  }
  return static_cast<int>(value);
}

const std::map<std::string, std::function<void(const ConfigEntry&, ServoEntry&)>> kKeys{
    {"motor", [](const auto& entry, auto& servo) { servo.motor = entry.text(); }},
    {"at_0", [](const auto& entry, auto& servo) { servo.at_0 = entry.number(entry.word()); }},
    {"at_179", [](const auto& entry, auto& servo) { servo.at_179 = entry.number(entry.word()); }},
    {"direction",
     [](const auto& entry, auto& servo) {
       servo.reverse = entry.choice(entry.word(), {"1", "-1"}) == 1;
     }},
    {"pwm_min", [](const auto& entry, auto& servo) { servo.pwm_min = whole_number(entry); }},
    {"pwm_max", [](const auto& entry, auto& servo) { servo.pwm_max = whole_number(entry); }}};

void take(const ConfigEntry& entry, const std::string& key, ServoEntry& servo) {
  const auto known = kKeys.find(key);
  if (known == kKeys.end()) {
    std::vector<std::string_view> names;
    for (const auto& each : kKeys) {
      names.push_back(each.first);
    }
    entry.refuse(fmt::format("there is no such key{}", did_you_mean(key, names)));
  }
  known->second(entry, servo);
}

}  // namespace

std::vector<ServoEntry> read_servo_map(const std::string& path) {
  std::map<int, ServoEntry> servos;
  std::set<std::pair<int, std::string>> seen;
  for (const CLI::ConfigItem& item : read_config_file(path)) {
    const std::string section = fmt::format("{}", fmt::join(item.parents, "."));
    const ConfigEntry entry{
        fmt::format("{}: [{}] {}", printable(path), printable(section), printable(item.name)),
        item.inputs};
    int id = 0;
    if (!CLI::detail::lexical_cast(section, id)) {
      entry.refuse("a servo begins with its id in brackets, such as [0]");
    }
    if (!seen.emplace(id, item.name).second) {
      entry.refuse("stands there twice; leave one of them out");
    }
    servos[id].id = id;
    take(entry, item.name, servos[id]);
  }
  std::vector<ServoEntry> list;
  for (const auto& [id, servo] : servos) {
    if (servo.motor.empty()) {
      throw InputError(fmt::format("{}: [{}] names no motor; add a line such as: motor = elbow",
                                   printable(path), id));
    }
    list.push_back(servo);
  }
  if (list.empty()) {
    throw InputError(
        fmt::format("{} has no servos; each begins with its id in brackets, such as "
                    "[0]",
                    printable(path)));
  }
  return list;
}

}  // namespace servosim
