// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "base/csv.h"
#include "base/text.h"
#include "fit/log_header.h"
#include "fit/log_readers.h"

namespace servosim {
namespace {

// An empty text is NaN; nothing if the text is no number.
std::optional<double> number_of(std::string_view text, LogQuantity quantity) {
  text = trimmed(text, " \t\r");
  if (text.empty()) {
    return kNoLogValue;
  }
  if (quantity == LogQuantity::Torque) {
    if (text == "true" || text == "True" || text == "TRUE" || text == "on") {
      return 1.0;
    }
    if (text == "false" || text == "False" || text == "FALSE" || text == "off") {
      return 0.0;
    }
  }
  text.remove_prefix(text.starts_with('+') ? 1 : 0);
  return parse_number<double>(text);
}

char separator_of(std::string_view header) {
  for (const char c : {',', ';', '\t'}) {
    if (header.find(c) != header.npos) {
      return c;
    }
  }
  return ',';
}

std::vector<std::string> cells_of(std::string_view line, char separator) {
  if (separator == ',') {
    return csv_cells(line);
  }
  std::vector<std::string> cells;
  for (std::size_t end = 0; end != line.npos;) {
    end = line.find(separator);
    cells.emplace_back(trimmed(line.substr(0, end), " \""));
    line.remove_prefix(end == line.npos ? line.size() : end + 1);
  }
  return cells;
}

std::vector<std::string> names_of(std::string_view header, char separator) {
  std::vector<std::string> names = cells_of(header, separator);
  for (std::string& name : names) {
    name = trimmed(name);
  }
  return names;
}

}  // namespace

void read_csv_log(std::string_view text, const LogFormat& format, ServoLog& log, LogTable& table) {
  std::vector<std::size_t> indices;  // of the table's columns
  std::size_t number = 0;
  char separator = ',';
  bool has_header = false;
  if (text.starts_with("\xEF\xBB\xBF")) {  // the mark of UTF-8 that spreadsheets write
    text.remove_prefix(3);
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end), " \r");
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) {
      add_header_line(line, number, log);
      continue;
    }
    if (!has_header) {
      has_header = true;
      separator = separator_of(line);
      const std::vector<std::string> names = names_of(line, separator);
      choose_log_columns(names, format, table);
      for (const LogColumn& column : table.columns) {
        indices.push_back(static_cast<std::size_t>(
            std::find(names.begin(), names.end(), column.name) - names.begin()));
      }
      continue;
    }
    const std::vector<std::string> cells = cells_of(line, separator);
    LogRow row = empty_log_row();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const LogQuantity quantity = table.columns[i].quantity;
      const std::string_view cell =
          indices[i] < cells.size() ? std::string_view(cells[indices[i]]) : std::string_view();
      const auto value = number_of(cell, quantity);
      if (!value) {
        throw std::invalid_argument(fmt::format("{}:{}: {} is '{}', which is no number", log.path,
                                                number, name_of(quantity), first_words(cell)));
      }
      row[index_of(quantity)] = table.columns[i].scale * *value;
    }
    table.rows.push_back(row);
    table.places.push_back(fmt::format(":{}", number));
  }
  if (!has_header) {
    fail_log(log.path, "is empty; a log is CSV with a header, JSON with `entries`, or a trace");
  }
}

}  // namespace servosim
