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

/// Diagnostics as a person reads them: of those that differ in names and numbers only, the first
/// one, which tells how many follow and where the next two are. `all`: each as it is.
std::vector<Diagnostic> grouped(const std::vector<Diagnostic>& diagnostics, bool all);
/// Prints them, grouped or all, to standard error as far as the log level of the console admits;
/// of these only errors become notices of the console.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics, bool all, Console& console);
/// `level`, `message` and `count` of each kind of warning among the diagnostics, then of the
/// notices; for a document.
nlohmann::ordered_json notices_json(const std::vector<Diagnostic>& diagnostics,
                                    const std::vector<Notice>& notices);
/// What is told at level info, such as the stand-ins that are used: a list of diagnostic_json().
nlohmann::ordered_json infos_json(const std::vector<Diagnostic>& diagnostics);
/// The list of Completeness::json(), in which a part that a diagnostic is about has its `file` and
/// `line`; null where nothing tells them.
nlohmann::ordered_json with_places(nlohmann::ordered_json missing,
                                   const std::vector<Diagnostic>& diagnostics);
nlohmann::ordered_json diagnostic_json(const Diagnostic& diagnostic);
/// `name` of the solver; of `tree` also the counts, those of ODE by reason.
nlohmann::ordered_json solver_json(const std::optional<SolverCounts>& counts);
/// `1 world`, `2 worlds`
std::string counted(std::size_t count, const char* noun);
/// A document as text: every digit, null for what is not finite, U+FFFD for bytes that are no
/// UTF-8.
std::string json_text(const nlohmann::ordered_json& document);

// Text for people: aligned columns, wrapped lines.

/// Largest width of tables and lists [columns].
inline constexpr std::size_t kTextWidth = 100;

/// Code points, which is the width in any alphabet whose letters have one width.
std::size_t display_width(std::string_view text);
/// The text with spaces on the right up to `width`.
std::string padded(std::string_view text, std::size_t width);
/// The text with no-break spaces, which wrapped() does not break.
std::string unbroken(std::string_view text);
/// A printable() name in quotes.
std::string in_quotes(std::string_view text);
/// Lines of at most `width` columns, broken at spaces and '\n', or within a word that is longer
/// than a line. A no-break space becomes a plain one.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// A table with a head; a cell may have several lines.
///
/// Invariant: a row has one cell for each column, or none and only lines.
class TextTable {
 public:
  struct Column {
    std::string_view title;
    bool right = false;  ///< aligned to the right
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// Adds a row with one cell for each column. Their text is made printable.
  void add(std::vector<std::string> cells);
  /// Adds text across all columns, after `indent`.
  void add_line(std::string indent, std::string_view text);
  bool empty() const { return rows_.empty(); }
  /// All lines, each after `indent`.
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
