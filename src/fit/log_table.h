// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "fit/log_columns.h"
#include "fit/servo_log.h"

// What the readers of log files have in common: rows of numbers before they are checked.

namespace servosim {

inline constexpr double kNoLogValue = std::numeric_limits<double>::quiet_NaN();

/// A row has NaN for each quantity that the file does not have, and values in SI units.
using LogRow = std::array<double, kLogQuantities>;

/// A log before it is checked.
struct LogTable {
  std::string path;
  std::vector<LogColumn> columns;  ///< those that are read
  std::vector<LogRow> rows;
  std::vector<std::string> places;  ///< of the rows: ":12" or ": entry 12"

  /// Returns the column of a quantity; null if there is none.
  const LogColumn* column(LogQuantity quantity) const;
  bool has(LogQuantity quantity) const { return column(quantity) != nullptr; }
  /// @throws std::invalid_argument that begins with the file and the place of a row
  [[noreturn]] void fail_at(std::size_t row, const std::string& what) const;
};

inline std::size_t index_of(LogQuantity quantity) { return static_cast<std::size_t>(quantity); }

/// Returns a row without values.
LogRow empty_log_row();

/// @throws std::invalid_argument that begins with the file
[[noreturn]] void fail_log(const std::string& path, const std::string& what);

/// Returns the beginning of a bad cell, for a message.
std::string first_words(std::string_view text);

/// Sets the columns of the table: those that the user names, else those that the names in the
/// header mean. @throws std::invalid_argument if a column that is named or needed is not there
void choose_log_columns(const std::vector<std::string>& names, const LogFormat& format,
                        LogTable& table);

}  // namespace servosim
