// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

enum class TraceKind { Joint, Muscle, Propeller, Robot, Body };

/// One number that a trace has for each step.
struct TraceColumn {
  std::string quantity;  ///< in words, such as "commanded velocity"
  std::string unit;      ///< such as "rad/s"; empty for a number without a unit
};

/// An item of a trace, with its adjacent columns.
struct TraceItem {
  TraceKind kind = TraceKind::Joint;
  std::string name;  ///< `robot/joint`, `robot/joint muscle`, `robot/motor` or `robot/Solid.pose`
  std::vector<TraceColumn> columns;
  std::string joint_kind = {};  ///< "hinge", "slider", "hinge2" or "ball"; only for writing
};

/// The columns of a joint whose motor is a real servo, after all others.
std::span<const TraceColumn> servo_trace_columns();
/// The columns of a joint with a force-torque sensor, after those.
std::span<const TraceColumn> load_trace_columns();

/// A text that a supervisor shows on the picture. There is no picture, so that the trace has it.
struct TraceLabel {
  int id = 0;
  double time = 0.0;  ///< [s]
  std::string text;
  double x = 0.0;  ///< distance from the left, as a share of the width
  double y = 0.0;  ///< distance from the top, as a share of the height
  double size = 0.0;
  int color = 0;  ///< 0xRRGGBB
  double transparency = 0.0;
  std::string font;
};

// What follows describes the two formats of docs/reference/traces.md. Both consist of a header and
// rows of numbers with fixed text between them.

struct TraceFormat {
  std::string header;               ///< one or more whole lines
  std::vector<std::string> before;  ///< the text before each number of a row
  std::string end;                  ///< the text after the last number, with the line break
  std::string none;                 ///< the text in place of a number that is not finite
};

TraceFormat csv_format(const std::vector<TraceItem>& items);
/// Invalid UTF-8 in names and in `world` is replaced by U+FFFD.
/// @param items  the items of the trace, grouped by their kinds
/// @param world  the name of the file
/// @param time_step  [s]
TraceFormat jsonl_format(const std::vector<TraceItem>& items, const std::string& world,
                         double time_step);

/// These return the line of a label: a comment, or an object.
std::string csv_label(const TraceLabel& label);
std::string jsonl_label(const TraceLabel& label);
/// These return the line before the rows of an episode, from the second on.
std::string csv_episode(int number);
std::string jsonl_episode(int number);
/// The kind of a line of a trace.
enum class TraceLine { Row, Label, Episode };
TraceLine kind_of_line(std::string_view line, bool json);

/// Prints rows. It stores the last row, since many numbers rarely change and need no conversion
/// then.
class TraceRowPrinter {
 public:
  explicit TraceRowPrinter(const TraceFormat& format);
  /// The largest number of bytes of a row.
  std::size_t max_size() const { return max_size_; }
  /// Prints a row to `out`, which must have room for max_size() bytes.
  /// @param row  as many numbers as TraceFormat::before has texts
  /// @param out  where the text begins
  /// @returns the end of the text
  char* print(const double* row, char* out);

 private:
  struct Cell {
    std::uint64_t bits;    // the number that is printed, bit for bit
    std::size_t begin;     // where the text before it begins in texts_
    std::uint32_t number;  // the length of the text before it
    std::uint32_t size;    // the length of that text and the number
  };

  void print_number(Cell& cell, double number);

  std::vector<Cell> cells_;
  std::vector<char> texts_;
  std::string end_;
  std::string none_;
  std::size_t max_size_;
};

}  // namespace servosim
