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

/// A file is not a trace, or is damaged. what() of a damaged one begins with the place, as "line 3:
/// …".
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a trace row by row, in bounded memory. It reads both formats of docs/reference/traces.md:
/// CSV, with the columns in any order, and JSON lines.
///
/// Threads: one at a time.
class TraceReader {
 public:
  /// Reads the header. `in` must outlive the reader.
  /// @throws TraceError
  explicit TraceReader(std::istream& in);

  const std::vector<TraceItem>& items() const { return items_; }
  /// The number of values of a row: the time, then the columns of the items.
  std::size_t width() const { return width_; }
  /// Reads the next row, with NaN where it has no value.
  /// @returns false at the end
  /// @throws TraceError
  bool next(std::vector<double>& row);
  /// The number of the episode of the last row, from 1. Time restarts at 0 in each episode.
  int episode() const { return episode_; }
  /// Tells at the end whether the last line was cut off, as in a run that was killed. next() leaves
  /// this line out.
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
  // For JSON lines: the index in items_ by the two keys of an item, and the index in a row by the
  // keys of a number.
  std::map<std::vector<std::string>, std::size_t> places_;
};

}  // namespace servosim
