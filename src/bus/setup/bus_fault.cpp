// SPDX-License-Identifier: Apache-2.0
#include "bus/setup/bus_fault.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/printable.h"
#include "bus/setup/fault_reader.h"

namespace servosim::bus {
namespace {

using Kind = BusFault::Kind;

// The words of a fault, and the key that only this kind has.
struct FaultKind {
  std::string_view name;
  Kind kind;
  std::string_view key;
  bool needs_key;
};
constexpr FaultKind kKinds[] = {
    {"lost", Kind::Lost, "probability", false},
    {"turned", Kind::Turned, "probability", false},
    {"gone", Kind::Gone, "", false},
    {"restart", Kind::Restart, "", false},
    {"brown-out", Kind::BrownOut, "voltage", true},
    {"stuck", Kind::Stuck, "torque", false},
    {"hot", Kind::Hot, "temperature", true},
};
// What one kind alone has.
constexpr std::string_view kOwnKeys[] = {"probability", "voltage", "torque", "temperature"};

constexpr double kAbsoluteZero = -273.15;  // [°C]

const FaultKind& find_kind(const TomlReading& reading, const toml::table& table) {
  const toml::node* const node = table.get("kind");
  std::vector<std::string> names;
  for (const FaultKind& each : kKinds) {
    if (node != nullptr && each.name == reading.word(*node)) {
      return each;
    }
    names.emplace_back(each.name);
  }
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  if (node == nullptr) {
    reading.refuse(table, "a fault has a `kind`: " + list);
  }
  reading.refuse(*node, fmt::format("there is no kind of fault '{}'; there are {}",
                                    printable(reading.word(*node)), list));
}

void read_time(const TomlReading& reading, const toml::table& table, BusFault& fault) {
  if (const toml::node* const at = table.get("at")) {
    fault.at = reading.number(*at, 0.0);
  }
  const toml::node* const length = table.get("for");
  const toml::node* const until = table.get("until");
  const toml::node* const end = length != nullptr ? length : until;
  if (end == nullptr) {
    return;
  }
  if (fault.kind == Kind::Restart) {
    reading.refuse(*end, "a restart has only `at`; a brown-out keeps the power off");
  }
  if (length != nullptr && until != nullptr) {
    reading.refuse(*until, "a fault has `for` or `until`, not both");
  }
  if (until != nullptr && !fault.at) {
    reading.refuse(*until, "`until` needs `at`, the time at which the fault begins");
  }
  fault.length = reading.number(*end, 0.0) - (until != nullptr ? *fault.at : 0.0);
  if (!(fault.length > 0.0)) {
    reading.refuse(*end, until != nullptr ? "`until` must be later than `at`"
                                          : "a fault lasts for more than 0 s");
  }
}

void read_own_key(const TomlReading& reading, const toml::node& node, BusFault& fault) {
  switch (fault.kind) {
    case Kind::BrownOut:
      fault.voltage = reading.number(node, 0.0);
      return;
    case Kind::Stuck:
      fault.torque = reading.number(node, 0.0);
      return;
    case Kind::Hot:
      fault.temperature = reading.number(node, kAbsoluteZero);
      return;
    default:
      fault.probability = reading.number(node, 0.0);
      if (fault.probability > 1.0) {
        reading.refuse(node, "a probability is at most 1");
      }
  }
}

}  // namespace

void SetupPlace::refuse(const std::string& reason) const {
  if (path.empty()) {
    throw std::invalid_argument(reason);
  }
  throw TomlError(path, line, column, reason);
}

int read_whole(const TomlReading& reading, const toml::node& node, int most) {
  const double number = reading.number(node, 0.0);
  if (number != std::floor(number) || number > most) {
    reading.refuse(node, fmt::format("this must be a whole number from 0 to {}", most));
  }
  return static_cast<int>(number);
}

BusFault read_fault(const TomlReading& reading, const toml::table& table, const std::string& path) {
  constexpr std::string_view kKeys[] = {"kind",  "at",          "for",     "until",  "id",
                                        "motor", "probability", "voltage", "torque", "temperature"};
  reading.check_keys(table, kKeys);
  const FaultKind& kind = find_kind(reading, table);
  BusFault fault;
  fault.kind = kind.kind;
  fault.place = {path, static_cast<int>(table.source().begin.line),
                 static_cast<int>(table.source().begin.column)};
  read_time(reading, table, fault);
  if (const toml::node* const id = table.get("id")) {
    fault.id = read_whole(reading, *id, 253);
  }
  if (const toml::node* const motor = table.get("motor")) {
    fault.motor = reading.word(*motor);
    if (fault.id) {
      reading.refuse(*motor, "a fault has `id` or `motor`, not both");
    }
  }
  for (const std::string_view key : kOwnKeys) {
    const toml::node* const node = table.get(key);
    if (node != nullptr && key != kind.key) {
      reading.refuse(*node, fmt::format("a fault of the kind '{}' has no `{}`", kind.name, key));
    }
    if (node != nullptr) {
      read_own_key(reading, *node, fault);
    } else if (key == kind.key && kind.needs_key) {
      reading.refuse(table, fmt::format("a fault of the kind '{}' has a `{}`", kind.name, key));
    }
  }
  return fault;
}

BusFault read_bus_fault(std::string_view line) {
  const TomlReading reading("fault");
  try {
    const toml::table file = reading.parse("fault = " + std::string(line));
    const toml::node* const fault = file.get("fault");
    if (fault == nullptr || fault->as_table() == nullptr || file.size() != 1) {
      throw std::invalid_argument("a fault is { kind = \"...\", ... } on one line");
    }
    return read_fault(reading, *fault->as_table(), "");
  } catch (const TomlError& error) {
    throw std::invalid_argument(error.reason);
  }
}

}  // namespace servosim::bus
