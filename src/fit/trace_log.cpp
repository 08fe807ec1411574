// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/csv.h"
#include "base/text.h"
#include "fit/log_readers.h"
#include "sim/trace/trace_reader.h"

namespace servosim {
namespace {

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
    fail_log(path,
             joint.empty()
                 ? fmt::format("has {} joints; --joint names one of them", matches)
                 : fmt::format("several joints are called '{}': name one as robot/joint", joint));
  }
  if (matches == 0) {
    fail_log(path, fmt::format("there is no joint '{}'{}", joint, nearest_names(joint, names)));
  }
  return found;
}

constexpr std::pair<LogQuantity, std::string_view> kTraceColumns[]{
    {LogQuantity::Goal, "target"},       {LogQuantity::Position, "position"},
    {LogQuantity::Velocity, "velocity"}, {LogQuantity::Current, "current"},
    {LogQuantity::Voltage, "voltage"},   {LogQuantity::Effort, "effort"}};

}  // namespace

// A trace names its columns `robot/joint position [rad]`, which is no usual name of a log.
bool is_trace_log(std::string_view text) {
  const std::string_view first = trimmed(text.substr(0, text.find('\n')), " \r");
  if (!first.starts_with("time [s]")) {
    return first.starts_with('{') && first.find("\"servosim trace\"") != first.npos;
  }
  std::vector<std::string> names = csv_cells(first);
  for (std::string& name : names) {
    name = trimmed(name);
  }
  try {
    const std::vector<LogColumn> usual = guess_log_columns(names);
    return std::all_of(usual.begin(), usual.end(), [](const LogColumn& column) {
      return column.quantity == LogQuantity::Time;
    });
  } catch (const std::invalid_argument&) {
    return false;  // the reader of CSV says what is wrong
  }
}

void read_trace_log(const std::string& text, const LogFormat& format, ServoLog& log,
                    LogTable& table) {
  std::istringstream in(text);
  try {
    TraceReader reader(in);
    const auto [item, first] = joint_of(reader.items(), format.joint, log.path);
    log.words["joint"] = item->name;
    LogFormat columns = format;
    columns.columns = {{LogQuantity::Time, "time"}};
    std::vector<std::string> names{"time"};
    std::vector<std::size_t> indices{0};
    for (const auto& [quantity, name] : kTraceColumns) {
      for (std::size_t i = 0; i < item->columns.size(); ++i) {
        if (item->columns[i].quantity == name) {
          const std::string& unit = item->columns[i].unit;
          columns.columns.push_back(
              {quantity, std::string(name), 1.0, true, unit == "m" || unit == "m/s"});
          names.emplace_back(name);
          indices.push_back(first + i);
        }
      }
    }
    choose_log_columns(names, columns, table);
    for (std::vector<double> row; reader.next(row);) {
      if (reader.episode() > 1) {
        fail_log(log.path, "has several episodes; a log is one without a reset");
      }
      LogRow values = empty_log_row();
      for (std::size_t i = 0; i < indices.size(); ++i) {
        values[index_of(table.columns[i].quantity)] = row[indices[i]];
      }
      table.rows.push_back(values);
      table.places.push_back(fmt::format(": row {}", table.rows.size()));
    }
    if (reader.cut_off()) {
      log.warnings.emplace_back("its last line is cut off and is left out");
    }
  } catch (const TraceError& error) {
    fail_log(log.path, error.what());
  }
  // A row of a trace has the target of the step that led to it.
  const std::size_t goal = index_of(LogQuantity::Goal);
  for (std::size_t i = 0; i + 1 < table.rows.size(); ++i) {
    table.rows[i][goal] = table.rows[i + 1][goal];
  }
}

}  // namespace servosim
