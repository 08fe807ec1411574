// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "comparison/row_source.h"

namespace servosim {

/// Two numbers are equal if |a - b| <= absolute + relative * max(|a|, |b|), or if both are absent.
struct Tolerance {
  double relative = 0.0;  ///< >= 0
  double absolute = 0.0;  ///< >= 0, in the unit of the column

  bool admits(double a, double b) const;
};

/// Two values of a column; NaN means that the value is absent.
struct ValuePair {
  double time = 0.0;  ///< [s], of the row of the first source
  int episode = 1;
  double a = 0.0;
  double b = 0.0;

  /// Returns |a - b|; infinite if one of them is absent.
  double distance() const;
};

struct ColumnComparison {
  std::string name;
  std::optional<ValuePair> largest;  ///< nothing means that all rows are equal
  std::optional<ValuePair> first;    ///< the first one beyond the tolerance
};

/// The differences of two sources.
struct RowComparison {
  std::vector<ColumnComparison> columns;  ///< columns of both sources, `time [s]` first
  std::vector<std::string> only_a;
  std::vector<std::string> only_b;
  std::size_t rows_a = 0;
  std::size_t rows_b = 0;
  double end_a = 0.0;  ///< time of the last row [s]
  double end_b = 0.0;

  bool equal() const;
  /// Returns the column that leaves the tolerance first, or null.
  const ColumnComparison* parting() const;
};

/// Compares two sources row by row, in bounded memory. @throws InputError
RowComparison compare_rows(RowSource& a, RowSource& b, const Tolerance& tolerance);

/// Returns `at 0.16 s` or, if the run has several episodes, `at 0.16 s of episode 2`.
std::string time_text(const ValuePair& pair);
/// Returns a number such as `1.25`, or `none`.
std::string value_text(double value);

}  // namespace servosim
