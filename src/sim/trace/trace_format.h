// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

enum class TraceKind { Joint, Muscle, Propeller, Robot, Body };

/// One number that a trace holds for each step.
struct TraceColumn {
  std::string quantity;  ///< in words, such as "commanded velocity"
  std::string unit;      ///< such as "rad/s"; empty for a mere number
};

/// An item of a trace, with its adjacent columns.
struct TraceItem {
  TraceKind kind = TraceKind::Joint;
  std::string name;  ///< `robot/joint`, `robot/joint muscle`, `robot/motor` or `robot/Solid.pose`
  std::vector<TraceColumn> columns;
  std::string joint_kind = {};  ///< "hinge", "slider", "hinge2" or "ball"; only for writing
};

/// A text that a supervisor put on a picture, for which the trace has to do.
struct TraceLabel {
  int id = 0;
  double time = 0.0;  ///< [s]
  std::string text;
  double x = 0.0;  ///< from the left, of the width
  double y = 0.0;  ///< from the top, of the height
  double size = 0.0;
  int color = 0;  ///< 0xRRGGBB
  double transparency = 0.0;
  std::string font;
};

// The two formats of docs/reference/traces.md. Both are a header, then rows of numbers with fixed
// text in between.

struct TraceFormat {
  std::string header;               ///< whole lines
  std::vector<std::string> before;  ///< what stands before each number of a row
  std::string end;                  ///< after the last one, with the line break
  std::string none;                 ///< instead of a number that is not finite
};

TraceFormat csv_format(const std::vector<TraceItem>& items);
/// `time_step` [s]; invalid UTF-8 in names and in `world` is replaced by U+FFFD.
TraceFormat jsonl_format(const std::vector<TraceItem>& items, const std::string& world,
                         double time_step);

/// The line of a label: a comment, or an object.
std::string csv_label(const TraceLabel& label);
std::string jsonl_label(const TraceLabel& label);
/// The line before the rows of an episode, from the second on.
std::string csv_episode(int number);
std::string jsonl_episode(int number);
/// The kind of a line of a trace.
enum class TraceLine { Row, Label, Episode };
TraceLine kind_of_line(std::string_view line, bool json);

/// Prints rows; stores the last one, since many numbers seldom change.
class TraceRowPrinter {
 public:
  explicit TraceRowPrinter(const TraceFormat& format);
  /// Bytes a row has at most.
  std::size_t max_size() const { return max_size_; }
  /// Prints a row of as many numbers as the format has to `out`. @returns its end.
  char* print(const double* row, char* out);

 private:
  struct Cell {
    std::uint64_t bits;    // of the number that is printed
    std::size_t begin;     // in texts_, of what stands before it
    std::uint32_t number;  // length of what stands before it
    std::uint32_t size;    // of both
  };

  void print_number(Cell& cell, double number);

  std::vector<Cell> cells_;
  std::vector<char> texts_;
  std::string end_;
  std::string none_;
  std::size_t max_size_;
};

}  // namespace servosim
