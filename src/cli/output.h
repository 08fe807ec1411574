// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "run/console.h"
#include "servosim/diagnostics.h"

// What several subcommands print in the same way.

namespace servosim {

/// On standard error, as far as the console wants them.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics, Console& console);
/// `1 world`, `2 worlds`
std::string counted(std::size_t count, const char* noun);
/// A document as text: every digit, null for what is not finite, U+FFFD for bytes that are no
/// UTF-8.
std::string json_text(const nlohmann::ordered_json& document);

// Text for people: columns that line up, lines that end before the terminal does.

/// How wide tables and lists may become, in columns.
inline constexpr std::size_t kTextWidth = 100;

/// Code points: columns line up with names in any alphabet whose letters have one width.
std::size_t display_width(std::string_view text);
/// Filled up with spaces on the right.
std::string padded(std::string_view text, std::size_t width);
/// Words that belong together: its spaces become no-break spaces, for wrapped().
std::string unbroken(std::string_view text);
/// A printable() name in quotes.
std::string in_quotes(std::string_view text);
/// Lines of at most `width` columns, broken at spaces, or inside a word that is longer than a line.
/// A '\n' breaks, too; a no-break space does not, and becomes a plain one.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// A table with a head. Cells of several lines make rows of several lines.
class TextTable {
 public:
  struct Column {
    std::string_view title;
    bool right = false;  ///< aligned to the right
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as columns. What is in them is made printable.
  void add(std::vector<std::string> cells);
  /// Below the rows so far: text across all columns, behind `indent`.
  void add_line(std::string indent, std::string_view text);
  bool empty() const { return rows_.empty(); }
  /// All lines, each behind `indent`.
  std::string text(std::string_view indent) const;

 private:
  struct Row {
    std::vector<std::string> cells;  // or none, and then
    std::vector<std::string> lines;
  };

  std::vector<std::size_t> widths(std::size_t indent) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace servosim
