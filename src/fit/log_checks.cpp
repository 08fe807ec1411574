// SPDX-License-Identifier: Apache-2.0
#include "fit/log_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "fit/extent.h"

namespace servosim {
namespace {

LogSample sample_of(const LogRow& row) {
  const auto value = [&](LogQuantity q) { return row[index_of(q)]; };
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
      if (!std::isfinite(table.rows[i][index_of(quantity)])) {
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
    fail_log(log.path, fmt::format("has {} row{}, and at least {} are needed", log.samples.size(),
                                   log.samples.size() == 1 ? "" : "s", ServoLog::kLeastSamples));
  }
  const bool is_switch = std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    const double on = row[index_of(LogQuantity::Torque)];
    return !table.has(LogQuantity::Torque) || on == 0.0 || on == 1.0;
  });
  if (!is_switch) {
    fail_log(
        log.path,
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
    fail_log(log.path,
             fmt::format("its rows are {:.3g} s apart, and a log of a servo has several each "
                         "second; if its time is in ms, us or ns, --columns 'time={}[ms]' "
                         "says so",
                         usual, table.column(LogQuantity::Time)->name));
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] > std::max(kShortGap, kManyRows * usual)) {
      fail_log(log.path, fmt::format("has a gap of {:.3g} s after {:.6g} s, where rows are usually "
                                     "{:.3g} s apart; cut the log there into two files",
                                     steps[i], log.samples[i].time, usual));
    }
  }
}

constexpr double kMoreThanATurn = 7.0;  // [rad]
constexpr double kUnlikeRange = 20.0;   // a degree is 1/57 rad
constexpr double kUnlikeSpeed = 8.0;
constexpr double kMoreThanASupply = 200.0;  // [V]
constexpr double kHardlyMoves = 1e-3;       // [rad]

// Says what looks like a wrong unit.
void suspect_units(const LogTable& table, ServoLog& log) {
  Extent goal;
  Extent position;
  double volts = 0.0;
  double by_positions = 0.0;
  double by_velocities = 0.0;
  for (std::size_t i = 0; i < log.samples.size(); ++i) {
    const LogSample& sample = log.samples[i];
    position.include(sample.position);
    volts = std::isfinite(sample.voltage) ? std::max(volts, sample.voltage) : volts;
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
          name_of(quantity), extent.most(), name_of(quantity), table.column(quantity)->name));
    }
  }
  if (volts > kMoreThanASupply) {
    const std::string& name = table.column(LogQuantity::Voltage)->name;
    log.warnings.push_back(fmt::format(
        "voltage reaches {:.4g} V: is it in mV? --columns 'voltage={}[mV]' says so", volts, name));
  }
  for (const char* key : {"vin", "supply"}) {
    if (const auto said = log.numbers.find(key);
        said != log.numbers.end() && said->second > kMoreThanASupply) {
      log.warnings.push_back(fmt::format(
          "its {} is {:.4g} V: is it in mV? It is in V; --supply V says it", key, said->second));
    }
  }
  const double ratio = goal.size() / position.size();
  if (table.has(LogQuantity::Goal) && position.size() > kHardlyMoves &&
      goal.size() > kHardlyMoves && (ratio > kUnlikeRange || ratio < 1.0 / kUnlikeRange)) {
    const LogQuantity larger = ratio > 1.0 ? LogQuantity::Goal : LogQuantity::Position;
    log.warnings.push_back(
        fmt::format("goal covers {:.3g} rad and position {:.3g} rad: is {} in degrees? --columns "
                    "'{}={}[deg]' says so",
                    goal.size(), position.size(), name_of(larger), name_of(larger),
                    table.column(larger)->name));
  }
  if (by_velocities > kHardlyMoves && by_positions > kHardlyMoves &&
      (by_velocities > kUnlikeSpeed * by_positions ||
       by_positions > kUnlikeSpeed * by_velocities)) {
    log.warnings.push_back(
        fmt::format("velocity is {:.3g} times what the positions say: are the units of both right?",
                    by_velocities / by_positions));
  }
}

constexpr double kAgainst = -0.5;  // a correlation of goal and position that no loop has

// Says where the position moves against the goal while the torque is on.
void suspect_signs(const LogTable& table, ServoLog& log) {
  double count = 0.0;
  double goals = 0.0;
  double positions = 0.0;
  const auto is_used = [](const LogSample& s) { return s.on && std::isfinite(s.goal); };
  for (const LogSample& sample : log.samples) {
    if (is_used(sample)) {
      count += 1.0;
      goals += sample.goal;
      positions += sample.position;
    }
  }
  double of_goals = 0.0;
  double of_positions = 0.0;
  double of_both = 0.0;
  for (const LogSample& sample : log.samples) {
    if (is_used(sample)) {
      const double goal = sample.goal - goals / count;
      const double position = sample.position - positions / count;
      of_goals += goal * goal;
      of_positions += position * position;
      of_both += goal * position;
    }
  }
  const double size = std::sqrt(of_goals * of_positions);
  if (table.has(LogQuantity::Goal) && size > count * kHardlyMoves * kHardlyMoves &&
      of_both < kAgainst * size) {
    log.warnings.push_back(
        fmt::format("position moves against the goal (their correlation is {:.2f}): has one of the "
                    "columns the wrong sign, or the motor the other direction? Give both the same "
                    "sign",
                    of_both / size));
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

}  // namespace

void take_checked_rows(const LogTable& table, const LogFormat& format, ServoLog& log) {
  check_rows(table, format, log);
  check_times(table, log);
  suspect_units(table, log);
  suspect_signs(table, log);
  if (std::none_of(log.samples.begin(), log.samples.end(), [](const auto& s) { return s.on; })) {
    log.warnings.emplace_back(
        "its torque is always off, so that it says nothing of the motor and the gains");
  }
  log.quantum = quantum_of(log.samples);
}

}  // namespace servosim
