// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

namespace servosim {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

std::string take_cell(std::string_view& record, bool& more) {
  std::string cell;
  bool quoted = false;
  std::size_t i = 0;
  for (; i < record.size() && (quoted || record[i] != ','); ++i) {
    if (record[i] != '"') {
      cell += record[i];
    } else if (quoted && i + 1 < record.size() && record[i + 1] == '"') {
      cell += record[++i];
    } else {
      quoted = !quoted;
    }
  }
  more = i < record.size();
  record.remove_prefix(more ? i + 1 : i);
  return cell;
}

std::vector<std::string> csv_cells(std::string_view record) {
  std::vector<std::string> cells;
  for (bool more = true; more;) {
    cells.push_back(take_cell(record, more));
  }
  return cells;
}

}  // namespace servosim
