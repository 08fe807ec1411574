// SPDX-License-Identifier: Apache-2.0
#include "fit/log_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.h"

namespace servosim {

const LogColumn* LogTable::column(LogQuantity quantity) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const LogColumn& column) {
    return column.quantity == quantity;
  });
  return found == columns.end() ? nullptr : &*found;
}

void LogTable::fail_at(std::size_t row, const std::string& what) const {
  throw std::invalid_argument(fmt::format("{}{}: {}", path, places[row], what));
}

LogRow empty_log_row() {
  LogRow row;
  row.fill(kNoLogValue);
  return row;
}

void fail_log(const std::string& path, const std::string& what) {
  throw std::invalid_argument(fmt::format("{}: {}", path, what));
}

std::string first_words(std::string_view text) {
  constexpr std::size_t kShownCell = 40;  // bytes
  return std::string(text.substr(0, kShownCell)) + (text.size() > kShownCell ? "…" : "");
}

void choose_log_columns(const std::vector<std::string>& names, const LogFormat& format,
                        LogTable& table) {
  try {
    table.columns = format.columns.empty() ? guess_log_columns(names) : format.columns;
  } catch (const std::invalid_argument& error) {
    fail_log(table.path, error.what());
  }
  for (const LogColumn& column : table.columns) {
    if (std::find(names.begin(), names.end(), column.name) == names.end()) {
      fail_log(table.path,
               fmt::format("has no column '{}'{}", column.name, nearest_names(column.name, names)));
    }
  }
  std::vector<LogQuantity> needed{LogQuantity::Time, LogQuantity::Position};
  needed.insert(needed.end(), format.needed.begin(), format.needed.end());
  for (const LogQuantity quantity : needed) {
    if (!table.has(quantity)) {
      fail_log(table.path,
               fmt::format("has no column for {}{}; --columns '{}=…' names it", name_of(quantity),
                           nearest_names(name_of(quantity), names), name_of(quantity)));
    }
  }
}

}  // namespace servosim
