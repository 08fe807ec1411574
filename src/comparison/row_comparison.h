// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "comparison/row_source.h"

namespace servosim {

/// Two numbers are equal if |a - b| <= absolute + relative * max(|a|, |b|), or if neither is there.
struct Tolerance {
  double relative = 0.0;  ///< >= 0
  double absolute = 0.0;  ///< >= 0, in the unit of the column

  bool admits(double a, double b) const;
};

/// Two values of a column; NaN: none.
struct ValuePair {
  double time = 0.0;  ///< [s], of the row of the first source
  int episode = 1;
  double a = 0.0;
  double b = 0.0;

  /// |a - b|; infinite where one is not there.
  double distance() const;
};

struct ColumnComparison {
  std::string name;
  std::optional<ValuePair> largest;  ///< nothing: equal in all rows
  std::optional<ValuePair> first;    ///< beyond the tolerance
};

/// What tells two sources apart.
struct RowComparison {
  std::vector<ColumnComparison> columns;  ///< those of both, `time [s]` first
  std::vector<std::string> only_a;
  std::vector<std::string> only_b;
  std::size_t rows_a = 0;
  std::size_t rows_b = 0;
  double end_a = 0.0;  ///< time of the last row [s]
  double end_b = 0.0;

  bool equal() const;
  /// The column that leaves the tolerance first, or null.
  const ColumnComparison* parting() const;
};

/// Compares row by row, in bounded memory. @throws InputError
RowComparison compare_rows(RowSource& a, RowSource& b, const Tolerance& tolerance);

/// `at 0.16 s` or, of a run with several, `at 0.16 s of episode 2`.
std::string time_text(const ValuePair& pair);
/// `1.25`, or `none`.
std::string value_text(double value);

}  // namespace servosim
