// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "sim/trace/trace_format.h"

namespace servosim {

/// A file is no trace, or a damaged one; what() starts with the place, as "line 3: …", unless it is
/// no trace.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a trace row by row, in bounded memory: the CSV of docs/reference/traces.md, with its
/// columns in any order, or its JSON lines.
class TraceReader {
 public:
  /// Reads the header. `in` must outlive the reader. @throws TraceError
  explicit TraceReader(std::istream& in);

  const std::vector<TraceItem>& items() const { return items_; }
  /// The number of values of a row: the time, then the columns of the items.
  std::size_t width() const { return width_; }
  /// The next row; NaN where it has no value. False at the end. @throws TraceError
  bool next(std::vector<double>& row);
  /// The episode of the last row, from 1: time restarts at 0 in each.
  int episode() const { return episode_; }
  /// At the end: whether the last line was cut off, as in a run that was killed. It is left out.
  bool cut_off() const { return lines_.left_over() > 0; }

 private:
  bool next_line(std::string_view& line);
  void begin_episode();
  void read_csv_header(std::string_view header);
  void add_column(std::string_view cell);
  void read_jsonl_header(std::string_view line);
  void add_item(const char* group, TraceItem item);
  void read_csv_row(std::string_view line, std::vector<double>& row) const;
  void read_jsonl_row(std::string_view line, std::vector<double>& row) const;
  [[noreturn]] void fail(const std::string& what) const;

  LineReader lines_;
  bool json_ = false;
  int episode_ = 1;
  double last_time_ = -std::numeric_limits<double>::infinity();  // of the last row of the episode
  std::vector<TraceItem> items_;
  std::size_t width_ = 1;
  // Of JSON lines: for the two keys of an item where it is in items_, for those of a number where
  // it is in a row.
  std::map<std::vector<std::string>, std::size_t> places_;
};

}  // namespace servosim
