// SPDX-License-Identifier: Apache-2.0
#include "fit/servo_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <variant>

#include "base/files.h"
#include "base/text.h"
#include "fit/extent.h"
#include "fit/log_checks.h"
#include "fit/log_readers.h"

namespace servosim {

// The least way that is no flicker of an encoder at rest [rad].
static double least_way(const ServoLog& log) {
  constexpr double kLeastWay = 1e-5;     // [rad]
  constexpr double kSteps = 2.5;         // of an encoder that flickers at rest
  constexpr double kMostFlicker = 0.02;  // [rad]; a jump between two positions is none
  return std::max(kLeastWay, std::min(kSteps * log.quantum, kMostFlicker));
}

static double way_of_goal(const ServoLog& log) {
  Extent goal;
  for (const LogSample& sample : log.samples) {
    goal.include(std::isfinite(sample.goal) ? sample.goal : log.samples.front().goal);
  }
  return goal.size();
}

bool goal_moves(const ServoLog& log) { return way_of_goal(log) > least_way(log); }

bool moves(const ServoLog& log) {
  constexpr double kWithinFriction = 0.1;  // [rad]; friction may hold a servo off so near a goal
  Extent position;
  for (const LogSample& sample : log.samples) {
    position.include(sample.position);
  }
  return position.size() > least_way(log) ||
         (goal_moves(log) && way_of_goal(log) < kWithinFriction);
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

namespace {

// The joint turns or slides in all columns whose unit is known.
std::optional<JointType> type_of(const LogTable& table) {
  const LogColumn* first = nullptr;
  for (const LogQuantity quantity :
       {LogQuantity::Position, LogQuantity::Goal, LogQuantity::Velocity}) {
    const LogColumn* const column = table.column(quantity);
    if (column == nullptr || !column->has_unit) {
      continue;
    }
    first = first == nullptr ? column : first;
    if (column->is_length != first->is_length) {
      fail_log(table.path,
               fmt::format("{} has the unit of a joint that {}, and {} of one that {}",
                           name_of(first->quantity), first->is_length ? "slides" : "turns",
                           name_of(quantity), column->is_length ? "slides" : "turns"));
    }
  }
  return first == nullptr   ? std::nullopt
         : first->is_length ? std::optional(JointType::Linear)
                            : std::optional(JointType::Rotational);
}

}  // namespace

void check_type(const ServoLog& log, const std::string& joint, JointType type) {
  if (log.type && *log.type != type) {
    const bool slides = type == JointType::Linear;
    fail_log(log.path,
             fmt::format("has the units of a joint that {}, and '{}' {}: its positions are in {}",
                         slides ? "turns" : "slides", joint, slides ? "slides" : "turns",
                         slides ? "m" : "rad"));
  }
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
  if (format.columns.empty() && is_trace_log(text)) {
    read_trace_log(text, format, log, table);
  } else if (is_json_log(text)) {
    read_json_log(text, format, log, table);
  } else {
    read_csv_log(text, format, log, table);
  }
  if (!table.has(LogQuantity::Torque)) {
    for (LogRow& row : table.rows) {
      row[index_of(LogQuantity::Torque)] = 1.0;
    }
  }
  log.type = type_of(table);
  take_checked_rows(table, format, log);
  return log;
}

}  // namespace servosim
