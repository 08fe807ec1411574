// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "physics/solver_counts.h"
#include "run/console.h"
#include "servosim/diagnostics.h"

// Text that several subcommands print.

namespace servosim {

/// Returns diagnostics as a person reads them. Of diagnostics that differ only in names and numbers
/// only the first one is returned; it tells how many follow and where the next two are. `all`
/// returns each one unchanged.
std::vector<Diagnostic> grouped(const std::vector<Diagnostic>& diagnostics, bool all);
/// Prints diagnostics, grouped or all, to standard error as far as the log level of the console
/// permits. Of these only errors become notices of the console.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics, bool all, Console& console);
/// Returns `level`, `message` and `count` of each kind of warning among the diagnostics, then of
/// the notices, without those of level info, for a document.
nlohmann::ordered_json notices_json(const std::vector<Diagnostic>& diagnostics,
                                    const std::vector<Notice>& notices);
/// Returns the messages of level info, such as the stand-ins that are used, as a list of
/// diagnostic_json(); those of the notices have no place.
nlohmann::ordered_json infos_json(const std::vector<Diagnostic>& diagnostics,
                                  const std::vector<Notice>& notices);
/// Returns the list of Completeness::json() with `file` and `line` of each part that a diagnostic
/// is about; null if no diagnostic tells them.
nlohmann::ordered_json with_places(nlohmann::ordered_json missing,
                                   const std::vector<Diagnostic>& diagnostics);
nlohmann::ordered_json diagnostic_json(const Diagnostic& diagnostic);
/// Returns the `name` of the solver; for `tree` also the counts, and those of ODE by reason.
nlohmann::ordered_json solver_json(const std::optional<SolverCounts>& counts);
/// Returns a text such as `1 world` or `2 worlds`.
std::string counted(std::size_t count, const char* noun);
/// Returns a document as text with every digit, null for numbers that are not finite, and U+FFFD
/// for bytes that are not UTF-8.
std::string json_text(const nlohmann::ordered_json& document);

// Text for people has aligned columns and wrapped lines.

/// Largest width of tables and lists [columns].
inline constexpr std::size_t kTextWidth = 100;

/// Returns the number of code points, which is the width in any alphabet whose letters have equal
/// widths.
std::size_t display_width(std::string_view text);
/// Returns the text with spaces on the right up to `width`.
std::string padded(std::string_view text, std::size_t width);
/// Returns the text with no-break spaces, which wrapped() does not break.
std::string unbroken(std::string_view text);
/// Returns a printable() name in quotes.
std::string in_quotes(std::string_view text);
/// Returns lines of at most `width` columns. They break at spaces and '\n', or within a word that
/// is longer than a line. A no-break space becomes a plain one.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// A table with a header. A cell may have several lines.
///
/// Invariant: a row has one cell for each column, or no cells but lines.
class TextTable {
 public:
  struct Column {
    std::string_view title;
    bool right = false;  ///< aligned to the right
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// Adds a row with one cell for each column. The text of the cells is made printable.
  void add(std::vector<std::string> cells);
  /// Adds text across all columns, after `indent`.
  void add_line(std::string indent, std::string_view text);
  bool empty() const { return rows_.empty(); }
  /// Returns all lines, each after `indent`. Cells break where lines would be wider than `width`.
  std::string text(std::string_view indent, std::size_t width = kTextWidth) const;

 private:
  struct Row {
    std::vector<std::string> cells;  // empty if the row has lines
    std::vector<std::string> lines;
  };

  std::vector<std::size_t> widths(std::size_t indent, std::size_t most) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace servosim
