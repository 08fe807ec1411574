// SPDX-License-Identifier: Apache-2.0
#include "fit/servo_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <variant>

#include "base/csv.h"
#include "base/files.h"
#include "base/text.h"
#include "sim/trace/trace_reader.h"

namespace servosim {
namespace {

using Json = nlohmann::json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kShownCell = 40;  // bytes of a bad cell in a message

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::invalid_argument(fmt::format("{}: {}", path, what));
}

// A log before it is checked: a row has NaN for each quantity that the file does not have.
struct LogTable {
  std::string path;
  std::array<const LogColumn*, kLogQuantities> columns{};  // null: there is none
  std::vector<std::array<double, kLogQuantities>> rows;
  std::vector<std::string> places;  // of the rows: ":12" or ": entry 12"

  const LogColumn& column(LogQuantity q) const { return *columns[static_cast<std::size_t>(q)]; }
  bool has(LogQuantity q) const { return columns[static_cast<std::size_t>(q)] != nullptr; }
  [[noreturn]] void fail_at(std::size_t row, const std::string& what) const {
    throw std::invalid_argument(fmt::format("{}{}: {}", path, places[row], what));
  }
};

std::string first_words(std::string_view text) {
  return std::string(text.substr(0, kShownCell)) + (text.size() > kShownCell ? "…" : "");
}

// The columns that the user or the header names.
std::vector<LogColumn> columns_of(const std::string& path, const std::vector<std::string>& names,
                                  const LogFormat& format) {
  try {
    return format.columns.empty() ? guess_log_columns(names) : format.columns;
  } catch (const std::invalid_argument& error) {
    fail(path, error.what());
  }
}

// Sets the columns of the table, all of which `names` has to have.
void choose_columns(LogTable& table, const std::vector<LogColumn>& columns,
                    const std::vector<std::string>& names, const LogFormat& format) {
  for (const LogColumn& column : columns) {
    if (std::find(names.begin(), names.end(), column.name) == names.end()) {
      fail(table.path,
           fmt::format("has no column '{}'{}", column.name, nearest_names(column.name, names)));
    }
    table.columns[static_cast<std::size_t>(column.quantity)] = &column;
  }
  std::vector<LogQuantity> needed{LogQuantity::Time, LogQuantity::Position};
  needed.insert(needed.end(), format.needed.begin(), format.needed.end());
  for (const LogQuantity quantity : needed) {
    if (!table.has(quantity)) {
      fail(table.path,
           fmt::format("has no column for {}{}; --columns '{}=…' names it", name_of(quantity),
                       nearest_names(name_of(quantity), names), name_of(quantity)));
    }
  }
}

// An empty text is NaN; nothing if the text is no number.
std::optional<double> number_of(std::string_view text, LogQuantity quantity) {
  text = trimmed(text, " \t\r");
  if (text.empty()) {
    return kNone;
  }
  if (quantity == LogQuantity::Torque) {
    if (text == "true" || text == "True" || text == "TRUE" || text == "on") {
      return 1.0;
    }
    if (text == "false" || text == "False" || text == "FALSE" || text == "off") {
      return 0.0;
    }
  }
  text.remove_prefix(text.starts_with('+') ? 1 : 0);
  return parse_number<double>(text);
}

// What a header says in numbers, with the units that may be behind them.
struct HeaderKey {
  std::string_view name;
  std::vector<std::pair<std::string_view, double>> units;
};

const HeaderKey* header_key(std::string_view name) {
  static const std::vector<std::pair<std::string_view, double>> kVolts{{"V", 1.0}, {"mV", 1e-3}};
  static const std::vector<std::pair<std::string_view, double>> kMasses{{"kg", 1.0}, {"g", 1e-3}};
  static const std::vector<HeaderKey> kKeys{{"kp", {}},
                                            {"ki", {}},
                                            {"kd", {}},
                                            {"vin", kVolts},
                                            {"supply", kVolts},
                                            {"mass", kMasses},
                                            {"rod", kMasses},
                                            {"arm_mass", kMasses},
                                            {"length", {{"m", 1.0}, {"cm", 1e-2}, {"mm", 1e-3}}}};
  const auto found = std::find_if(kKeys.begin(), kKeys.end(),
                                  [&](const HeaderKey& each) { return each.name == name; });
  return found == kKeys.end() ? nullptr : &*found;
}

// The value of `7.4 V` or `400 (P)`: a number, perhaps a unit, perhaps a remark in parentheses.
std::optional<double> header_number(std::string_view text, const HeaderKey& key) {
  if (text.ends_with(')')) {
    text = trimmed(text.substr(0, text.find('(')));
  }
  const std::size_t end = std::min(text.find_first_not_of("0123456789.+-eE"), text.size());
  const std::string_view unit = trimmed(text.substr(end));
  const auto number = parse_number<double>(trimmed(text.substr(0, end)));
  if (!number || !std::isfinite(*number) || unit.empty()) {
    return number && std::isfinite(*number) ? number : std::nullopt;
  }
  for (const auto& [name, scale] : key.units) {
    if (unit == name) {
      return scale * *number;
    }
  }
  return std::nullopt;
}

// @param place  of the line or file, for a message
void add_header_text(const std::string& name, std::string_view value, const std::string& place,
                     ServoLog& log) {
  if (const HeaderKey* const key = header_key(name)) {
    const auto number = header_number(value, *key);
    if (!number) {
      std::string units;
      for (const auto& [unit, scale] : key->units) {
        units += (units.empty() ? ", perhaps with a unit: " : ", ") + std::string(unit);
      }
      fail(place, fmt::format("{} is '{}'; it is a number{}", name, first_words(value), units));
    }
    log.numbers[name] = *number;
  } else if (const auto number = parse_number<double>(value); number && std::isfinite(*number)) {
    log.numbers[name] = *number;
  } else {
    log.words[name] = value;
  }
}

void add_header_line(std::string_view comment, std::size_t number, ServoLog& log) {
  comment.remove_prefix(std::min(comment.find_first_not_of("# \t"), comment.size()));
  const std::size_t equals = comment.find('=');
  if (equals == comment.npos) {
    return;
  }
  const std::string key(trimmed(comment.substr(0, equals)));
  const std::string_view value = trimmed(comment.substr(equals + 1), " \t\r\"");
  add_header_text(key, value, fmt::format("{}:{}", log.path, number), log);
}

char separator_of(std::string_view header) {
  for (const char c : {',', ';', '\t'}) {
    if (header.find(c) != header.npos) {
      return c;
    }
  }
  return ',';
}

std::vector<std::string> cells_of(std::string_view line, char separator) {
  if (separator == ',') {
    return csv_cells(line);
  }
  std::vector<std::string> cells;
  for (std::size_t end = 0; end != line.npos;) {
    end = line.find(separator);
    cells.emplace_back(trimmed(line.substr(0, end), " \""));
    line.remove_prefix(end == line.npos ? line.size() : end + 1);
  }
  return cells;
}

std::vector<std::string> names_of(std::string_view header, char separator) {
  std::vector<std::string> names = cells_of(header, separator);
  for (std::string& name : names) {
    name = trimmed(name);
  }
  return names;
}

// The columns, which the table points to.
using Columns = std::vector<LogColumn>;

void read_csv(std::string_view text, const LogFormat& format, ServoLog& log, LogTable& table,
              Columns& columns) {
  std::vector<std::size_t> indices;  // of `columns`
  std::size_t number = 0;
  char separator = ',';
  bool has_header = false;
  if (text.starts_with("\xEF\xBB\xBF")) {  // the mark of UTF-8 that spreadsheets write
    text.remove_prefix(3);
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end), " \r");
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) {
      add_header_line(line, number, log);
      continue;
    }
    if (!has_header) {
      has_header = true;
      separator = separator_of(line);
      const std::vector<std::string> names = names_of(line, separator);
      columns = columns_of(log.path, names, format);
      choose_columns(table, columns, names, format);
      for (const LogColumn& column : columns) {
        indices.push_back(static_cast<std::size_t>(
            std::find(names.begin(), names.end(), column.name) - names.begin()));
      }
      continue;
    }
    const std::vector<std::string> cells = cells_of(line, separator);
    std::array<double, kLogQuantities> row;
    row.fill(kNone);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const LogQuantity quantity = columns[i].quantity;
      const std::string_view cell =
          indices[i] < cells.size() ? std::string_view(cells[indices[i]]) : std::string_view();
      const auto value = number_of(cell, quantity);
      if (!value) {
        throw std::invalid_argument(fmt::format("{}:{}: {} is '{}', which is no number", log.path,
                                                number, name_of(quantity), first_words(cell)));
      }
      row[static_cast<std::size_t>(quantity)] = columns[i].scale * *value;
    }
    table.rows.push_back(row);
    table.places.push_back(fmt::format(":{}", number));
  }
  if (!has_header) {
    fail(log.path, "is empty; a log is CSV with a header, JSON with `entries`, or a trace");
  }
}

double json_number(const Json& value, const LogColumn& column, const std::string& path,
                   const std::string& place) {
  if (value.is_boolean()) {
    return value.get<bool>() ? 1.0 : 0.0;
  }
  if (value.is_null()) {
    return kNone;
  }
  if (!value.is_number()) {
    fail(path + place,
         fmt::format("{} is {}, which is no number", name_of(column.quantity),
                     first_words(value.dump(-1, ' ', false, Json::error_handler_t::replace))));
  }
  return column.scale * value.get<double>();
}

void add_json_row(const Json& entry, const std::string& place, const LogFormat& format,
                  ServoLog& log, LogTable& table, Columns& columns) {
  if (!entry.is_object()) {
    fail(log.path + place, "is no JSON object");
  }
  if (table.rows.empty()) {
    std::vector<std::string> names;
    for (const auto& [key, value] : entry.items()) {
      names.push_back(key);
    }
    columns = columns_of(log.path, names, format);
    choose_columns(table, columns, names, format);
  }
  std::array<double, kLogQuantities> row;
  row.fill(kNone);
  for (const LogColumn& column : columns) {
    if (const auto found = entry.find(column.name); found != entry.end()) {
      row[static_cast<std::size_t>(column.quantity)] = json_number(*found, column, log.path, place);
    }
  }
  table.rows.push_back(row);
  table.places.push_back(place);
}

void add_json_header(const Json& document, ServoLog& log) {
  for (const auto& [key, value] : document.items()) {
    if (value.is_number()) {
      log.numbers[key] = value.get<double>();
    } else if (value.is_string()) {
      add_header_text(key, trimmed(value.get_ref<const std::string&>()), log.path, log);
    } else if (header_key(key) != nullptr && !value.is_null()) {
      fail(log.path, fmt::format("{} is no number", key));
    }
  }
}

// What nlohmann's message says after its own prefix, such as "at line 3, column 5: …".
std::string json_fault(const Json::exception& error) {
  const std::string_view what = error.what();
  const std::size_t at = what.find("] ");
  return std::string(at == what.npos ? what : what.substr(at + 2));
}

void read_json(std::string_view text, const LogFormat& format, ServoLog& log, LogTable& table,
               Columns& columns) {
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::exception& error) {
    fail(log.path, fmt::format("is no JSON: {}", json_fault(error)));
  }
  const auto entries = document.is_object() ? document.find("entries") : document.end();
  if (entries == document.end() || !entries->is_array()) {
    fail(log.path, "has no list `entries`, which a log in JSON needs");
  }
  add_json_header(document, log);
  for (std::size_t i = 0; i < entries->size(); ++i) {
    add_json_row((*entries)[i], fmt::format(": entry {}", i + 1), format, log, table, columns);
  }
}

void read_json_lines(std::string_view text, const LogFormat& format, ServoLog& log, LogTable& table,
                     Columns& columns) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end), " \r");
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      continue;
    }
    Json entry;
    try {
      entry = Json::parse(line);
    } catch (const Json::exception& error) {
      throw std::invalid_argument(
          fmt::format("{}:{}: is no line of JSON: {}", log.path, number, json_fault(error)));
    }
    if (entry.is_object() && entry.contains("header") && entry["header"].is_object()) {
      add_json_header(entry["header"], log);
      continue;
    }
    add_json_row(entry, fmt::format(":{}", number), format, log, table, columns);
  }
}

// The joint of a trace with this name, or its only joint.
std::pair<const TraceItem*, std::size_t> joint_of(const std::vector<TraceItem>& items,
                                                  const std::string& joint,
                                                  const std::string& path) {
  std::vector<std::string> names;
  std::pair<const TraceItem*, std::size_t> found{nullptr, 0};
  std::size_t first = 1;
  std::size_t matches = 0;
  for (const TraceItem& item : items) {
    if (item.kind == TraceKind::Joint) {
      names.push_back(item.name);
      if (item.name == joint) {
        return {&item, first};
      }
      if (joint.empty() || item.name.substr(item.name.find('/') + 1) == joint) {
        found = {&item, first};
        ++matches;
      }
    }
    first += item.columns.size();
  }
  if (matches > 1) {
    fail(path, joint.empty()
                   ? fmt::format("has {} joints; --joint names one of them", matches)
                   : fmt::format("several joints are called '{}': name one as robot/joint", joint));
  }
  if (matches == 0) {
    fail(path, fmt::format("there is no joint '{}'{}", joint, nearest_names(joint, names)));
  }
  return found;
}

constexpr std::pair<LogQuantity, std::string_view> kTraceColumns[]{
    {LogQuantity::Goal, "target"},
    {LogQuantity::Position, "position"},
    {LogQuantity::Velocity, "velocity"},
    {LogQuantity::Effort, "effort"}};

void read_trace(const std::string& text, const LogFormat& format, ServoLog& log, LogTable& table,
                Columns& columns) {
  std::istringstream in(text);
  try {
    TraceReader reader(in);
    const auto [item, first] = joint_of(reader.items(), format.joint, log.path);
    log.words["joint"] = item->name;
    columns = {{LogQuantity::Time, "time"}};
    std::vector<std::string> names{"time"};
    std::vector<std::size_t> indices{0};
    for (const auto& [quantity, name] : kTraceColumns) {
      for (std::size_t i = 0; i < item->columns.size(); ++i) {
        if (item->columns[i].quantity == name) {
          if (item->columns[i].unit == "m") {
            log.words["unit"] = "m";
          }
          columns.push_back({quantity, std::string(name), 1.0, true});
          names.emplace_back(name);
          indices.push_back(first + i);
        }
      }
    }
    choose_columns(table, columns, names, format);
    for (std::vector<double> row; reader.next(row);) {
      if (reader.episode() > 1) {
        fail(log.path, "has several episodes; a log is one without a reset");
      }
      std::array<double, kLogQuantities> values;
      values.fill(kNone);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        values[static_cast<std::size_t>(columns[i].quantity)] = row[indices[i]];
      }
      table.rows.push_back(values);
      table.places.push_back(fmt::format(": row {}", table.rows.size()));
    }
    if (reader.cut_off()) {
      log.warnings.emplace_back("its last line is cut off and is left out");
    }
  } catch (const TraceError& error) {
    fail(log.path, error.what());
  }
  // A row of a trace has the target of the step that led to it.
  constexpr auto kGoal = static_cast<std::size_t>(LogQuantity::Goal);
  for (std::size_t i = 0; i + 1 < table.rows.size(); ++i) {
    table.rows[i][kGoal] = table.rows[i + 1][kGoal];
  }
}

LogSample sample_of(const std::array<double, kLogQuantities>& row) {
  const auto value = [&](LogQuantity q) { return row[static_cast<std::size_t>(q)]; };
  return {value(LogQuantity::Time),     value(LogQuantity::Goal),
          value(LogQuantity::Position), value(LogQuantity::Velocity),
          value(LogQuantity::Current),  value(LogQuantity::Voltage),
          value(LogQuantity::Effort),   value(LogQuantity::Torque) != 0.0};
}

double middle_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// Refuses rows without what is needed, and times that go back.
void check_rows(const LogTable& table, const LogFormat& format, ServoLog& log) {
  std::vector<LogQuantity> needed{LogQuantity::Time, LogQuantity::Position};
  needed.insert(needed.end(), format.needed.begin(), format.needed.end());
  if (table.has(LogQuantity::Torque)) {
    needed.push_back(LogQuantity::Torque);
  }
  std::size_t same = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (const LogQuantity quantity : needed) {
      if (!std::isfinite(table.rows[i][static_cast<std::size_t>(quantity)])) {
        table.fail_at(i, fmt::format("{} is missing or not finite; leave out such rows, or repeat "
                                     "the last value if it still holds",
                                     name_of(quantity)));
      }
    }
    const LogSample sample = sample_of(table.rows[i]);
    if (!log.samples.empty() && sample.time < log.samples.back().time) {
      table.fail_at(i, fmt::format("time goes back from {:.6g} s to {:.6g} s; a log is one "
                                   "recording in the order of time",
                                   log.samples.back().time, sample.time));
    }
    if (!log.samples.empty() && sample.time == log.samples.back().time) {
      ++same;
      continue;
    }
    log.samples.push_back(sample);
  }
  if (same > 0) {
    log.warnings.push_back(fmt::format("{} row{} the time of the row before and {} left out", same,
                                       same > 1 ? "s have" : " has", same > 1 ? "are" : "is"));
  }
  if (log.samples.size() < ServoLog::kLeastSamples) {
    fail(log.path, fmt::format("has {} row{}, and at least {} are needed", log.samples.size(),
                               log.samples.size() == 1 ? "" : "s", ServoLog::kLeastSamples));
  }
  const bool is_switch = std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    const double on = row[static_cast<std::size_t>(LogQuantity::Torque)];
    return !table.has(LogQuantity::Torque) || on == 0.0 || on == 1.0;
  });
  if (!is_switch) {
    fail(log.path,
         "torque is a switch, 1 while the torque is on and 0 while it is off; a measured torque is "
         "effort");
  }
}

constexpr double kFarApart = 1.0;   // [s]
constexpr double kShortGap = 0.25;  // [s], which even a slow log may have
constexpr double kManyRows = 10.0;  // a gap is at least this many times the usual distance of rows

void check_times(const LogTable& table, ServoLog& log) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < log.samples.size(); ++i) {
    steps.push_back(log.samples[i].time - log.samples[i - 1].time);
  }
  const double usual = middle_of(steps);
  if (usual > kFarApart) {
    fail(log.path, fmt::format("its rows are {:.3g} s apart, and a log of a servo has several each "
                               "second; if its time is in ms, us or ns, --columns 'time={}[ms]' "
                               "says so",
                               usual, table.column(LogQuantity::Time).name));
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] > std::max(kShortGap, kManyRows * usual)) {
      fail(log.path, fmt::format("has a gap of {:.3g} s after {:.6g} s, where rows are usually "
                                 "{:.3g} s apart; cut the log there into two files",
                                 steps[i], log.samples[i].time, usual));
    }
  }
}

constexpr double kMoreThanATurn = 7.0;  // [rad]
constexpr double kUnlikeRange = 20.0;   // a degree is 1/57 rad
constexpr double kUnlikeSpeed = 8.0;
constexpr double kHardlyMoves = 1e-3;  // [rad]

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double size() const { return high - low; }
  double most() const { return std::max(std::abs(low), std::abs(high)); }
};

// Says what looks like a wrong unit.
void suspect_units(const LogTable& table, ServoLog& log) {
  Extent goal;
  Extent position;
  double by_positions = 0.0;
  double by_velocities = 0.0;
  for (std::size_t i = 0; i < log.samples.size(); ++i) {
    const LogSample& sample = log.samples[i];
    position.include(sample.position);
    goal.include(std::isfinite(sample.goal) ? sample.goal : sample.position);
    if (i > 0 && std::isfinite(sample.velocity)) {
      const LogSample& before = log.samples[i - 1];
      by_positions += std::abs(sample.position - before.position);
      by_velocities += std::abs(sample.velocity) * (sample.time - before.time);
    }
  }
  for (const auto& [extent, quantity] :
       {std::pair{position, LogQuantity::Position}, {goal, LogQuantity::Goal}}) {
    if (table.has(quantity) && extent.most() > kMoreThanATurn) {
      log.warnings.push_back(fmt::format(
          "{} reaches {:.4g} rad, more than a turn: is it in degrees? --columns '{}={}[deg]' says "
          "so",
          name_of(quantity), extent.most(), name_of(quantity), table.column(quantity).name));
    }
  }
  const double ratio = goal.size() / position.size();
  if (table.has(LogQuantity::Goal) && position.size() > kHardlyMoves &&
      goal.size() > kHardlyMoves && (ratio > kUnlikeRange || ratio < 1.0 / kUnlikeRange)) {
    log.warnings.push_back(fmt::format(
        "goal covers {:.3g} rad and position {:.3g} rad: is one of them in degrees? --columns "
        "'position=…[deg]' says so",
        goal.size(), position.size()));
  }
  if (by_velocities > kHardlyMoves && by_positions > kHardlyMoves &&
      (by_velocities > kUnlikeSpeed * by_positions ||
       by_positions > kUnlikeSpeed * by_velocities)) {
    log.warnings.push_back(
        fmt::format("velocity is {:.3g} times what the positions say: are the units of both right?",
                    by_velocities / by_positions));
  }
}

constexpr double kSamePosition = 1e-9;  // [rad]

double quantum_of(const std::vector<LogSample>& samples) {
  std::vector<double> positions;
  positions.reserve(samples.size());
  for (const LogSample& sample : samples) {
    positions.push_back(sample.position);
  }
  std::sort(positions.begin(), positions.end());
  double least = std::numeric_limits<double>::infinity();
  std::size_t different = 1;
  for (std::size_t i = 1; i < positions.size(); ++i) {
    const double difference = positions[i] - positions[i - 1];
    if (difference > kSamePosition) {
      ++different;
      least = std::min(least, difference);
    }
  }
  return different > 1 && 4 * different < 3 * positions.size() ? least : 0.0;
}

bool is_json(std::string_view text) { return trimmed(text, " \t\r\n").starts_with('{'); }

bool is_json_lines(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  return Json::accept(first) && trimmed(text.substr(first.size()), " \t\r\n").starts_with('{');
}

// A trace names its columns `robot/joint position [rad]`, which is no usual name of a log.
bool is_trace(const std::string& path, std::string_view text) {
  const std::string_view first = trimmed(text.substr(0, text.find('\n')), " \r");
  if (first.starts_with("time [s]")) {
    const std::vector<LogColumn> usual = columns_of(path, names_of(first, ','), {});
    return std::all_of(usual.begin(), usual.end(), [](const LogColumn& column) {
      return column.quantity == LogQuantity::Time;
    });
  }
  return first.starts_with('{') && first.find("\"servosim trace\"") != first.npos;
}

}  // namespace

bool moves(const ServoLog& log) {
  constexpr double kLeastWay = 1e-5;     // [rad]
  constexpr double kSteps = 2.5;         // of an encoder that flickers at rest
  constexpr double kMostFlicker = 0.02;  // [rad]; a jump between two positions is none
  Extent position;
  Extent goal;
  for (const LogSample& sample : log.samples) {
    position.include(sample.position);
    goal.include(std::isfinite(sample.goal) ? sample.goal : log.samples.front().goal);
  }
  const double flicker = std::min(kSteps * log.quantum, kMostFlicker);
  return std::max(position.size(), goal.size()) > std::max(kLeastWay, flicker);
}

double top_speed(const ServoLog& log) {
  constexpr double kWindow = 0.1;  // [s]
  double most = 0.0;
  std::size_t first = 0;
  for (const LogSample& sample : log.samples) {
    while (log.samples[first].time + kWindow <= sample.time) {
      const LogSample& before = log.samples[first++];
      most =
          std::max(most, std::abs(sample.position - before.position) / (sample.time - before.time));
    }
  }
  return most;
}

ServoLog read_servo_log(const std::string& path, const LogFormat& format) {
  auto content = read_file(path);
  if (const auto* error = std::get_if<FileError>(&content)) {
    throw std::invalid_argument(
        fmt::format("{}: {}{}", path, error->reason, did_you_mean_file(path)));
  }
  const std::string& text = std::get<std::string>(content);
  ServoLog log;
  log.path = path;
  LogTable table;
  table.path = path;
  Columns columns;
  if (format.columns.empty() && is_trace(path, text)) {
    read_trace(text, format, log, table, columns);
  } else if (!is_json(text)) {
    read_csv(text, format, log, table, columns);
  } else if (is_json_lines(text)) {
    read_json_lines(text, format, log, table, columns);
  } else {
    read_json(text, format, log, table, columns);
  }
  if (!table.has(LogQuantity::Torque)) {
    for (auto& row : table.rows) {
      row[static_cast<std::size_t>(LogQuantity::Torque)] = 1.0;
    }
  }
  check_rows(table, format, log);
  check_times(table, log);
  suspect_units(table, log);
  log.quantum = quantum_of(log.samples);
  return log;
}

}  // namespace servosim
