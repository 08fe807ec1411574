// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/trace/trace_format.h"

namespace servosim {

/// Rows of numbers from a trace or a recording. Each row belongs to a time.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;

  virtual const std::vector<TraceItem>& items() const = 0;
  /// Reads the next row: the time [s], then the columns of the items; NaN means that there is no
  /// value. Returns false at the end. @throws InputError
  virtual bool next(std::vector<double>& row) = 0;
  /// Returns the episode of the last row, counted from 1.
  virtual int episode() const { return 1; }
  /// Returns, at the end, whether the file stops in the middle of a row, which is left out.
  virtual bool cut_off() const { return false; }
};

/// Opens a trace (.csv, .jsonl) or a recording (.svt), which it recognizes by its content. @throws
/// InputError
std::unique_ptr<RowSource> open_rows(const std::string& path);

/// Returns a name such as `arm/elbow velocity [rad/s]`.
std::string column_name(const TraceItem& item, const TraceColumn& column);

}  // namespace servosim
