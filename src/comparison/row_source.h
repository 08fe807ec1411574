// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/trace/trace_format.h"

namespace servosim {

/// A trace, or a recording as one: rows of numbers, each of a time.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;

  virtual const std::vector<TraceItem>& items() const = 0;
  /// The next row: the time [s], then the columns of the items; NaN where it has no value. False at
  /// the end. @throws InputError
  virtual bool next(std::vector<double>& row) = 0;
  /// Of the last row, from 1.
  virtual int episode() const { return 1; }
  /// At the end: whether the file stops in the middle of a row, which is left out.
  virtual bool cut_off() const { return false; }
};

/// Opens a trace (.csv, .jsonl) or a recording (.svt), by what is in it. @throws InputError
std::unique_ptr<RowSource> open_rows(const std::string& path);

/// `arm/elbow velocity [rad/s]`
std::string column_name(const TraceItem& item, const TraceColumn& column);

}  // namespace servosim
