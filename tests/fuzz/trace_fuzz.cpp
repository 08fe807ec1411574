// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: reads arbitrary bytes as a trace. A valid trace is written in both formats, as
// far as they can represent it, and must be the same when it is read again.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "sim/trace/trace_format.h"
#include "sim/trace/trace_reader.h"

namespace {

using Rows = std::vector<std::vector<double>>;

Rows rows_of(servosim::TraceReader& reader) {
  Rows rows;
  for (std::vector<double> row; reader.next(row);) {
    rows.push_back(row);
  }
  return rows;
}

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void read_again(const servosim::TraceFormat& format, const Rows& rows) {
  std::string text = format.header;
  servosim::TraceRowPrinter printer(format);
  std::string line(printer.max_size(), '\0');
  for (const std::vector<double>& row : rows) {
    text.append(line.data(), printer.print(row.data(), line.data()));
  }
  std::istringstream in(text);
  servosim::TraceReader reader(in);
  const Rows again = rows_of(reader);
  require(again.size() == rows.size() && !reader.cut_off());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    require(again[r].size() == rows[r].size());
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      require(again[r][c] == rows[r][c] || (std::isnan(again[r][c]) && std::isnan(rows[r][c])));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  bool csv = false;
  std::vector<servosim::TraceItem> items;
  Rows rows;
  try {
    servosim::TraceReader reader(in);
    csv = data[0] != '{';
    items = reader.items();
    rows = rows_of(reader);
  } catch (const servosim::TraceError&) {
    return 0;
  }
  if (csv) {  // quantities in a CSV file have known names
    read_again(servosim::csv_format(items), rows);
  }
  // JSON lines have joints, then muscles, then propellers.
  if (std::is_sorted(items.begin(), items.end(),
                     [](const auto& a, const auto& b) { return a.kind < b.kind; })) {
    read_again(servosim::jsonl_format(items, "w", 0.008), rows);
  }
  return 0;
}
