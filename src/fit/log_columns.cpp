// SPDX-License-Identifier: Apache-2.0
#include "fit/log_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <stdexcept>

#include "base/letter_case.h"
#include "base/text.h"

namespace servosim {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

struct LogUnit {
  std::string_view name;
  double scale;
  bool is_length = false;
};

struct QuantityRow {
  const char* name;
  const char* si_unit;
  std::vector<LogUnit> units;
  std::vector<std::string_view> usual_names;  // of columns, in lower case
};

const std::array<QuantityRow, kLogQuantities>& quantity_rows() {
  static const std::vector<LogUnit> kPlaces{
      {"rad", 1.0},   {"radians", 1.0},          {"deg", kDegree}, {"degrees", kDegree},
      {"°", kDegree}, {"turn", 360.0 * kDegree}, {"m", 1.0, true}, {"mm", 1e-3, true}};
  static const std::array<QuantityRow, kLogQuantities> kRows{{
      {"time",
       "s",
       {{"s", 1.0}, {"sec", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}},
       {"time", "t", "timestamp", "seconds"}},
      {"goal",
       "rad",
       kPlaces,
       {"goal", "goal_position", "target", "target_position", "command", "cmd", "commanded",
        "setpoint", "reference"}},
      {"position",
       "rad",
       kPlaces,
       {"position", "pos", "present_position", "angle", "measured", "q"}},
      {"velocity",
       "rad/s",
       {{"rad/s", 1.0},
        {"deg/s", kDegree},
        {"°/s", kDegree},
        {"rpm", 6.0 * kDegree},
        {"m/s", 1.0, true},
        {"mm/s", 1e-3, true}},
       {"velocity", "vel", "speed", "present_velocity", "present_speed", "dq"}},
      {"current", "A", {{"A", 1.0}, {"mA", 1e-3}}, {"current", "present_current"}},
      {"voltage",
       "V",
       {{"V", 1.0}, {"mV", 1e-3}},
       {"voltage", "input_volts", "volts", "present_voltage", "present_input_voltage"}},
      {"effort",
       "N m",
       {{"N m", 1.0},
        {"Nm", 1.0},
        {"N.m", 1.0},
        {"N·m", 1.0},
        {"mN m", 1e-3},
        {"mNm", 1e-3},
        {"kgf cm", 0.0980665},
        {"kg cm", 0.0980665},
        {"kg.cm", 0.0980665}},
       {"effort"}},
      {"torque", "", {}, {"torque", "torque_enable", "torque_enabled", "torque_on", "enabled"}},
  }};
  return kRows;
}

const QuantityRow& row_of(LogQuantity quantity) {
  return quantity_rows()[static_cast<std::size_t>(quantity)];
}

std::string units_of(LogQuantity quantity) {
  std::string list;
  for (const LogUnit& unit : row_of(quantity).units) {
    list += (list.empty() ? "" : ", ") + std::string(unit.name);
  }
  return list;
}

LogQuantity quantity_of(std::string_view name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kLogQuantities; ++i) {
    if (quantity_rows()[i].name == name) {
      return static_cast<LogQuantity>(i);
    }
    names.emplace_back(quantity_rows()[i].name);
  }
  throw std::invalid_argument(
      fmt::format("--columns: a log has no quantity '{}'{}", name, nearest_names(name, names)));
}

// Splits `name[unit]`; without brackets at the end the unit is empty.
std::pair<std::string_view, std::string_view> split_unit(std::string_view text) {
  const std::size_t open = text.rfind('[');
  if (!text.ends_with(']') || open == text.npos) {
    return {trimmed(text), {}};
  }
  return {trimmed(text.substr(0, open)), trimmed(text.substr(open + 1, text.size() - open - 2))};
}

// Takes what is before the next comma outside of double quotes.
std::string_view take_part(std::string_view& text) {
  bool quoted = false;
  std::size_t end = 0;
  while (end < text.size() && (quoted || text[end] != ',')) {
    quoted = quoted != (text[end] == '"');
    ++end;
  }
  const std::string_view part = trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::string unknown_unit(LogQuantity quantity, std::string_view unit) {
  if (quantity == LogQuantity::Torque) {
    return fmt::format("torque is a switch without a unit '{}'; a measured torque is effort", unit);
  }
  return fmt::format("{} has no unit '{}'; its units are {}", name_of(quantity), unit,
                     units_of(quantity));
}

const LogUnit* find_unit(LogQuantity quantity, std::string_view unit) {
  const std::vector<LogUnit>& units = row_of(quantity).units;
  const auto found = std::find_if(units.begin(), units.end(),
                                  [&](const LogUnit& each) { return each.name == unit; });
  return found != units.end() ? &*found : nullptr;
}

void take_unit(LogColumn& column, const LogUnit& unit) {
  column.scale = unit.scale;
  column.has_unit = true;
  column.is_length = unit.is_length;
}

LogColumn parse_column(std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == part.npos) {
    throw std::invalid_argument(fmt::format(
        "--columns: '{}' is not of the form quantity=column[unit], such as goal=cmd[deg]", part));
  }
  LogColumn column;
  column.quantity = quantity_of(trimmed(part.substr(0, equals)));
  const std::string_view rest = trimmed(part.substr(equals + 1));
  std::string_view name;
  std::string_view unit;
  if (const std::size_t quote = rest.find('"', 1); rest.starts_with('"') && quote != rest.npos) {
    name = rest.substr(1, quote - 1);
    unit = split_unit(rest.substr(quote + 1)).second;
  } else {
    std::tie(name, unit) = split_unit(rest);
  }
  if (name.empty()) {
    throw std::invalid_argument(fmt::format("--columns: '{}' names no column of the file", part));
  }
  column.name = name;
  if (!unit.empty()) {
    const LogUnit* const known = find_unit(column.quantity, unit);
    if (known == nullptr) {
      throw std::invalid_argument("--columns: " + unknown_unit(column.quantity, unit));
    }
    take_unit(column, *known);
  }
  return column;
}

}  // namespace

const char* name_of(LogQuantity quantity) { return row_of(quantity).name; }

const char* si_unit_of(LogQuantity quantity) { return row_of(quantity).si_unit; }

std::vector<LogColumn> parse_log_columns(std::string_view text) {
  std::vector<LogColumn> columns;
  while (!text.empty()) {
    const std::string_view part = take_part(text);
    if (part.empty()) {
      continue;
    }
    LogColumn column = parse_column(part);
    if (std::any_of(columns.begin(), columns.end(),
                    [&](const LogColumn& each) { return each.quantity == column.quantity; })) {
      throw std::invalid_argument(
          fmt::format("--columns: {} has two columns", name_of(column.quantity)));
    }
    columns.push_back(std::move(column));
  }
  if (columns.empty()) {
    throw std::invalid_argument("--columns: it names no column; such as 'time=t, goal=cmd[deg]'");
  }
  return columns;
}

std::vector<LogColumn> guess_log_columns(const std::vector<std::string>& header) {
  std::vector<LogColumn> columns;
  for (std::size_t q = 0; q < kLogQuantities; ++q) {
    const auto quantity = static_cast<LogQuantity>(q);
    const QuantityRow& row = quantity_rows()[q];
    for (const std::string& cell : header) {
      const auto [name, unit] = split_unit(cell);
      const LogUnit* const known = find_unit(quantity, unit);
      LogColumn column{quantity, cell, 1.0, false, false};
      if (known != nullptr) {
        take_unit(column, *known);
      }
      std::string usual = lower_case(name);
      for (const LogUnit& each : row.units) {
        const std::string suffix = "_" + lower_case(each.name);
        if (usual.size() > suffix.size() && usual.ends_with(suffix)) {
          usual.resize(usual.size() - suffix.size());
          take_unit(column, each);
          break;
        }
      }
      if (is_one_of(row.usual_names, usual)) {
        if (known == nullptr && !unit.empty()) {
          throw std::invalid_argument(
              fmt::format("column '{}': {}; --columns '{}=…' names another column or unit", cell,
                          unknown_unit(quantity, unit), name_of(quantity)));
        }
        columns.push_back(std::move(column));
        break;
      }
    }
  }
  return columns;
}

}  // namespace servosim
