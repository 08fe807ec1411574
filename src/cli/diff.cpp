// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/shortage.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "comparison/row_comparison.h"
#include "run/console.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

constexpr const char* kDiffHelp = R"(
Compares two traces, or two recordings, row by row: says at which time and in which column they
part first, and the largest difference of each column that differs. Two numbers are equal if they
differ by at most ATOL + RTOL * the larger magnitude; without tolerances they must be the same.

Exit codes: 0 equal within the tolerances; 1 different, or the output cannot be written; 2 a file or
an argument is wrong.

Examples:
  servosim diff before.csv after.csv
  servosim diff before.csv after.csv --rtol 1e-6 --atol 1e-9
)";

struct DiffArguments {
  std::string a;
  std::string b;
  Tolerance tolerance;
};

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (text.empty() ? "" : ", ") + names[i];
  }
  return names.size() > kMost ? fmt::format("{} and {} more", text, names.size() - kMost) : text;
}

std::string table_of(const RowComparison& comparison) {
  constexpr std::size_t kMostRows = 40;
  std::vector<const ColumnComparison*> differing;
  for (const ColumnComparison& column : comparison.columns) {
    if (column.largest) {
      differing.push_back(&column);
    }
  }
  std::stable_sort(differing.begin(), differing.end(), [](const auto* a, const auto* b) {
    return a->first.has_value() > b->first.has_value();
  });
  TextTable table({{"column"},
                   {"largest", true},
                   {"at [s]", true},
                   {"A", true},
                   {"B", true},
                   {"parts at [s]", true}});
  for (std::size_t i = 0; i < std::min(differing.size(), kMostRows); ++i) {
    const ColumnComparison& column = *differing[i];
    const ValuePair& largest = *column.largest;
    table.add({column.name, fmt::format("{:.3g}", largest.distance()),
               fmt::format("{:.6g}", largest.time), value_text(largest.a), value_text(largest.b),
               column.first ? fmt::format("{:.6g}", column.first->time) : "within"});
  }
  std::string text = table.empty() ? "" : table.text("");
  if (differing.size() > kMostRows) {
    text += fmt::format("and {} more columns\n", differing.size() - kMostRows);
  }
  return text;
}

std::string report_of(const RowComparison& comparison, const DiffArguments& arguments) {
  std::string text;
  if (const ColumnComparison* parting = comparison.parting()) {
    text +=
        fmt::format("they part {}: {} is {} in A and {} in B\n", time_text(*parting->first),
                    parting->name, value_text(parting->first->a), value_text(parting->first->b));
  }
  if (!comparison.only_a.empty()) {
    text += fmt::format("only A has {}\n", some_of(comparison.only_a));
  }
  if (!comparison.only_b.empty()) {
    text += fmt::format("only B has {}\n", some_of(comparison.only_b));
  }
  if (comparison.rows_a != comparison.rows_b) {
    text += fmt::format("A has {} rows and ends at {:.6g} s, B has {} and ends at {:.6g} s\n",
                        comparison.rows_a, comparison.end_a, comparison.rows_b, comparison.end_b);
  }
  text += table_of(comparison);
  const std::string where = fmt::format("A {}, B {}", arguments.a, arguments.b);
  return text + fmt::format("{}: {} of {}, {}\n", comparison.equal() ? "equal" : "different",
                            counted(comparison.columns.size(), "column"),
                            counted(std::min(comparison.rows_a, comparison.rows_b), "row"), where);
}

int diff(const DiffArguments& arguments) {
  Console console;
  try {
    const auto a = open_rows(arguments.a);
    const auto b = open_rows(arguments.b);
    const RowComparison comparison = compare_rows(*a, *b, arguments.tolerance);
    for (const auto& [rows, path] : {std::pair(&*a, &arguments.a), std::pair(&*b, &arguments.b)}) {
      if (rows->cut_off()) {
        console.warn(fmt::format("{}: its last row is cut off and was left out", *path));
      }
    }
    if (comparison.rows_a == 0 && comparison.rows_b == 0) {
      throw InputError(fmt::format("{} and {} have no rows", arguments.a, arguments.b));
    }
    console.print(report_of(comparison, arguments));
    return comparison.equal() && !console.output_lost() ? kExitOk : kExitFailed;
  } catch (const std::runtime_error& error) {
    rethrow_if_short(error);
    console.log(LogLevel::Error, error.what());
    return kExitBadInput;
  }
}

}  // namespace

void add_diff(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("diff", "Compare two traces or recordings");
  const auto arguments = std::make_shared<DiffArguments>();
  command->callback([&action, arguments] { action = [arguments] { return diff(*arguments); }; });
  command->footer(kDiffHelp);
  command->add_option("A", arguments->a, "A trace (.csv, .jsonl) or a recording (.svt)")
      ->required();
  command->add_option("B", arguments->b, "The other one (.csv, .jsonl, .svt)")->required();
  command->add_option("--rtol", arguments->tolerance.relative, "Relative tolerance (0)")
      ->type_name("X")
      ->check(finite_number(true).description(""));
  command
      ->add_option("--atol", arguments->tolerance.absolute,
                   "Absolute tolerance, in the unit of each column (0)")
      ->type_name("X")
      ->check(finite_number(true).description(""));
}

}  // namespace servosim
