// SPDX-License-Identifier: Apache-2.0
#include "comparison/row_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace servosim {
namespace {

std::map<std::string, std::size_t> places_of(const RowSource& rows) {
  std::map<std::string, std::size_t> places;
  std::size_t column = 1;
  for (const TraceItem& item : rows.items()) {
    for (const TraceColumn& each : item.columns) {
      places.emplace(column_name(item, each), column++);
    }
  }
  return places;
}

// The indices of a column that both sources have.
struct Pairing {
  std::size_t a = 0;
  std::size_t b = 0;
};

void add(ColumnComparison& column, const ValuePair& pair, const Tolerance& tolerance) {
  const double distance = pair.distance();
  if (distance > 0.0 && (!column.largest || distance > column.largest->distance())) {
    column.largest = pair;
  }
  if (!column.first && !tolerance.admits(pair.a, pair.b)) {
    column.first = pair;
  }
}

}  // namespace

bool Tolerance::admits(double a, double b) const {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b);
  }
  return a == b || std::abs(a - b) <= absolute + relative * std::max(std::abs(a), std::abs(b));
}

double ValuePair::distance() const {
  if (a == b || (std::isnan(a) && std::isnan(b))) {
    return 0.0;
  }
  const double distance = std::abs(a - b);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

bool RowComparison::equal() const {
  return parting() == nullptr && only_a.empty() && only_b.empty() && rows_a == rows_b;
}

const ColumnComparison* RowComparison::parting() const {
  const ColumnComparison* found = nullptr;
  const auto when = [](const ColumnComparison& c) {
    return std::pair(c.first->episode, c.first->time);
  };
  for (const ColumnComparison& column : columns) {
    if (column.first && (found == nullptr || when(column) < when(*found))) {
      found = &column;
    }
  }
  return found;
}

RowComparison compare_rows(RowSource& a, RowSource& b, const Tolerance& tolerance) {
  RowComparison result;
  const auto in_a = places_of(a);
  const auto in_b = places_of(b);
  std::vector<Pairing> pairings{{0, 0}};
  result.columns.push_back({"time [s]", {}, {}});
  std::size_t column = 1;
  for (const TraceItem& item : a.items()) {
    for (const TraceColumn& each : item.columns) {
      const std::string name = column_name(item, each);
      if (const auto other = in_b.find(name); other != in_b.end()) {
        pairings.push_back({column, other->second});
        result.columns.push_back({name, {}, {}});
      } else {
        result.only_a.push_back(name);
      }
      ++column;
    }
  }
  for (const auto& [name, place] : in_b) {
    if (!in_a.contains(name)) {
      result.only_b.push_back(name);
    }
  }
  std::vector<double> row_a;
  std::vector<double> row_b;
  for (bool more_a = true, more_b = true; more_a || more_b;) {
    more_a = more_a && a.next(row_a);
    more_b = more_b && b.next(row_b);
    if (more_a) {
      ++result.rows_a;
      result.end_a = row_a.front();
    }
    if (more_b) {
      ++result.rows_b;
      result.end_b = row_b.front();
    }
    for (std::size_t c = 0; more_a && more_b && c < pairings.size(); ++c) {
      add(result.columns[c],
          {row_a.front(), a.episode(), row_a[pairings[c].a], row_b[pairings[c].b]}, tolerance);
    }
  }
  return result;
}

std::string time_text(const ValuePair& pair) {
  return pair.episode == 1 ? fmt::format("at {:.6g} s", pair.time)
                           : fmt::format("at {:.6g} s of episode {}", pair.time, pair.episode);
}

std::string value_text(double value) {
  return std::isnan(value) ? "none" : fmt::format("{:.9g}", value);
}

}  // namespace servosim
