// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/csv.h"
#include "base/shortage.h"
#include "sim/report.h"
#include "sim/trace/trace_format.h"

namespace servosim {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestLine = 16 << 20;
constexpr const char* kFirstCell = "time [s]";
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

constexpr const char* kNoTrace =
    "is not a trace: a trace is a file that `servosim run WORLD.wbt --trace FILE.csv` (or .jsonl) "
    "writes";

constexpr struct {
  const char* quantity;
  TraceKind kind;
} kQuantities[]{{"position", TraceKind::Joint},
                {"target", TraceKind::Joint},
                {"velocity", TraceKind::Joint},
                {"commanded velocity", TraceKind::Joint},
                {"effort", TraceKind::Joint},
                {"lower limit", TraceKind::Joint},
                {"upper limit", TraceKind::Joint},
                {"velocity limit", TraceKind::Joint},
                {"effort limit", TraceKind::Joint},
                {"current", TraceKind::Joint},
                {"voltage", TraceKind::Joint},
                {"duty", TraceKind::Joint},
                {"temperature", TraceKind::Joint},
                {"force x", TraceKind::Joint},
                {"force y", TraceKind::Joint},
                {"force z", TraceKind::Joint},
                {"torque x", TraceKind::Joint},
                {"torque y", TraceKind::Joint},
                {"torque z", TraceKind::Joint},
                {"status", TraceKind::Muscle},
                {"length", TraceKind::Muscle},
                {"radius", TraceKind::Muscle},
                {"speed", TraceKind::Propeller},
                {"thrust", TraceKind::Propeller},
                {"torque", TraceKind::Propeller},
                {"x", TraceKind::Robot},
                {"y", TraceKind::Robot},
                {"z", TraceKind::Robot},
                {"qx", TraceKind::Robot},
                {"qy", TraceKind::Robot},
                {"qz", TraceKind::Robot},
                {"qw", TraceKind::Robot},
                {"tilt", TraceKind::Robot},
                {"linear speed", TraceKind::Robot}};

constexpr std::pair<const char*, TraceKind> kReadGroups[]{{"joints", TraceKind::Joint},
                                                          {"muscles", TraceKind::Muscle},
                                                          {"propellers", TraceKind::Propeller},
                                                          {"robots", TraceKind::Robot},
                                                          {"bodies", TraceKind::Body}};

bool has(const TraceItem& item, std::string_view quantity) {
  return std::any_of(item.columns.begin(), item.columns.end(),
                     [&](const TraceColumn& c) { return c.quantity == quantity; });
}

bool has_half_a_quote(std::string_view text) {
  return std::count(text.begin(), text.end(), '"') % 2 != 0;
}

std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

double number_of(const Json& json) { return json.is_number() ? json.get<double>() : kNoNumber; }

}  // namespace

TraceReader::TraceReader(std::istream& in) : lines_(in, kLongestLine) {
  std::string_view line;
  if (!next_line(line)) {
    throw TraceError(kNoTrace);
  }
  json_ = line.starts_with('{');
  if (json_) {
    read_jsonl_header(line);
    return;
  }
  if (!line.starts_with(kFirstCell)) {
    throw TraceError(kNoTrace);
  }
  std::string header(line);
  bool quoted = has_half_a_quote(line);
  while (quoted && header.size() < kLongestLine && next_line(line)) {
    header.append(1, '\n').append(line);  // the line break is a part of a name
    quoted ^= has_half_a_quote(line);
  }
  if (quoted) {
    throw TraceError(kNoTrace);
  }
  read_csv_header(header);
}

bool TraceReader::next(std::vector<double>& row) {
  std::string_view line;
  TraceLine kind;
  do {
    if (!next_line(line)) {
      return false;
    }
    kind = kind_of_line(line, json_);
    if (kind == TraceLine::Episode) {
      begin_episode();
    }
  } while (kind != TraceLine::Row);
  row.clear();
  if (json_) {
    read_jsonl_row(line, row);
  } else {
    read_csv_row(without_return(line), row);
  }
  if (!std::isfinite(row.front())) {
    fail("it has no time");
  }
  if (row.front() <= last_time_) {
    begin_episode();
  }
  last_time_ = row.front();
  return true;
}

// It is called at the line that marks an episode or, in a CSV file without comments, where time
// starts again.
void TraceReader::begin_episode() {
  ++episode_;
  last_time_ = -std::numeric_limits<double>::infinity();
}

bool TraceReader::next_line(std::string_view& line) {
  try {
    return lines_.next(line);
  } catch (const std::length_error&) {
    throw TraceError(kNoTrace);
  } catch (const std::runtime_error& error) {
    rethrow_if_short(error);
    throw TraceError(error.what());
  }
}

void TraceReader::read_csv_header(std::string_view header) {
  std::string_view record = without_return(header);
  bool more = true;
  if (take_cell(record, more) != kFirstCell) {
    throw TraceError(kNoTrace);
  }
  while (more) {
    add_column(take_cell(record, more));
    ++width_;
  }
}

// A cell has the form `robot/joint quantity [unit]`. Names may have blanks and end like a quantity,
// so that a column is taken as one of the last item if this is possible.
void TraceReader::add_column(std::string_view cell) {
  const std::string_view whole = cell;
  std::string_view unit;
  if (const std::size_t at = cell.rfind(" ["); at != cell.npos && cell.ends_with(']')) {
    unit = cell.substr(at + 2, cell.size() - at - 3);
    cell = cell.substr(0, at);
  }
  std::string_view name;
  const decltype(&kQuantities[0]) none = nullptr;
  auto found = none;
  for (const auto& known : kQuantities) {
    const std::string_view quantity = known.quantity;
    if (cell.size() <= quantity.size() || !cell.ends_with(quantity) ||
        cell[cell.size() - quantity.size() - 1] != ' ') {
      continue;
    }
    const std::string_view before = cell.substr(0, cell.size() - quantity.size() - 1);
    const bool goes_on = !items_.empty() && items_.back().kind == known.kind &&
                         items_.back().name == before && !has(items_.back(), quantity);
    if (goes_on) {
      items_.back().columns.push_back({known.quantity, std::string(unit)});
      return;
    }
    if (found == none || quantity.size() > std::string_view(found->quantity).size()) {
      found = &known;
      name = before;
    }
  }
  if (found == none) {
    fail(fmt::format("column {}, '{:.80}', is none of a trace", width_ + 1, whole));
  }
  items_.push_back({found->kind, std::string(name), {{found->quantity, std::string(unit)}}});
}

void TraceReader::read_jsonl_header(std::string_view line) {
  bool is_trace = false;
  bool is_version_1 = false;
  std::array<std::vector<TraceItem>, std::size(kReadGroups)> groups;
  const bool read = visit_json_object(line, [&](const JsonKeys& keys, const Json& value) {
    if (keys == JsonKeys{"format"}) {
      is_trace = value == "servosim trace";
    } else if (keys == JsonKeys{"version"}) {
      is_version_1 = value == 1;
    }
    for (std::size_t g = 0; g < groups.size() && keys.size() >= 2; ++g) {
      if (keys[0] != kReadGroups[g].first) {
        continue;
      }
      if (keys.size() == 2) {
        groups[g].push_back({kReadGroups[g].second, keys[1], {}});
      } else if (keys.size() == 4 && keys[2] == "units") {
        std::string quantity = keys[3];
        std::replace(quantity.begin(), quantity.end(), '_', ' ');
        groups[g].back().columns.push_back(
            {std::move(quantity), value.is_string() ? value.get<std::string>() : ""});
      }
    }
  });
  if (!read || !is_trace) {
    throw TraceError(kNoTrace);
  }
  if (!is_version_1) {
    throw TraceError("is a trace of another version than 1; a newer servosim may read it");
  }
  places_[{"time"}] = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (TraceItem& item : groups[g]) {
      add_item(kReadGroups[g].first, std::move(item));
    }
  }
}

void TraceReader::add_item(const char* group, TraceItem item) {
  if (item.columns.empty()) {
    fail(fmt::format("'{:.80}' has no \"units\"", item.name));
  }
  bool is_new = places_.emplace(JsonKeys{group, item.name}, items_.size()).second;
  for (const TraceColumn& column : item.columns) {
    std::string key = column.quantity;
    std::replace(key.begin(), key.end(), ' ', '_');
    is_new &= places_.emplace(JsonKeys{group, item.name, std::move(key)}, width_++).second;
  }
  if (!is_new) {
    fail(fmt::format("'{:.80}' is there twice", item.name));
  }
  items_.push_back(std::move(item));
}

void TraceReader::read_csv_row(std::string_view line, std::vector<double>& row) const {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (;;) {
    const char* const comma = std::find(at, end, ',');
    double number = kNoNumber;
    const auto [stop, error] = std::from_chars(at, comma, number);
    if (at != comma && (stop != comma || error != std::errc() || !std::isfinite(number))) {
      fail(fmt::format("cell {}, '{:.80}', is not a number", row.size() + 1,
                       std::string_view(at, static_cast<std::size_t>(comma - at))));
    }
    row.push_back(number);
    if (comma == end) {
      break;
    }
    at = comma + 1;
  }
  if (row.size() != width_) {
    fail(fmt::format("{} cells, but the header has {}", row.size(), width_));
  }
}

void TraceReader::read_jsonl_row(std::string_view line, std::vector<double>& row) const {
  row.assign(width_, kNoNumber);
  std::vector<bool> has_item(items_.size());
  const bool read = visit_json_object(line, [&](const JsonKeys& keys, const Json& value) {
    const auto place = places_.find(keys);
    if (place == places_.end()) {
      return;
    }
    if (keys.size() == 2) {
      has_item[place->second] = true;
    } else {
      row[place->second] = number_of(value);
    }
  });
  if (!read) {
    fail("no JSON object");
  }
  const auto missing = std::find(has_item.begin(), has_item.end(), false);
  if (missing != has_item.end()) {
    fail(fmt::format("no '{:.80}'",
                     items_[static_cast<std::size_t>(missing - has_item.begin())].name));
  }
}

void TraceReader::fail(const std::string& what) const {
  throw TraceError(fmt::format("line {}: {}", lines_.number(), what));
}

}  // namespace servosim
