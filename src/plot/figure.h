// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "motor_laws/step_response.h"
#include "sim/trace/trace_format.h"

// Draws traces as figures, by gnuplot.

namespace servosim {

/// Curves of any length over a common time, in bounded memory. If there are more points than a
/// picture can show, each curve keeps the least and the greatest value of each stretch of rows, so
/// that no peak is lost.
///
/// Invariants: all curves have the same number of stretches, at most max_stretches_, which is even;
/// each stretch except the last covers rows_per_stretch_ rows, a power of two.
class ThinnedCurves {
 public:
  struct Point {
    double time;
    double value;  ///< NaN means a gap in the curve
  };

  ThinnedCurves(std::size_t count, std::size_t max_stretches)
      : max_stretches_(max_stretches + max_stretches % 2), curves_(count) {}

  /// `values` has one number for each curve; NaN means that there is none.
  void add(double time, const double* values);
  /// Returns the points in the order of time. Of consecutive equal values it returns only the first
  /// and the last.
  std::vector<Point> points(std::size_t curve) const;

 private:
  struct Stretch {
    Point least;
    Point greatest;
  };

  static void join(Stretch& a, const Stretch& b);
  void halve();

  std::size_t max_stretches_;
  std::int64_t rows_per_stretch_ = 1;
  std::int64_t rows_in_last_ = 0;
  std::vector<std::vector<Stretch>> curves_;
};

/// An expected bound of a quantity, as a curve.
struct FigureBound {
  std::string quantity;
  std::vector<ThinnedCurves::Point> points;
};

/// The quantities of a trace's item that one panel shows; any may be absent.
struct PanelPlan {
  const char* measured;
  const char* commanded;    ///< the command of the motor
  const char* lower_limit;  ///< "-" means the negative of the upper one
  const char* upper_limit;
};

/// Returns the panels of an item from left to right.
const std::array<PanelPlan, 3>& panels_of(TraceKind kind);

struct PanelCurve {
  std::string title;  ///< in the legend; empty if it is not listed
  enum class Style { Measured, Commanded, Limit, Mark, Bound } style = Style::Measured;
  std::vector<ThinnedCurves::Point> points;
  std::size_t trace = 0;  ///< index among several traces
};

/// The contents of a panel. A curve that hardly moves appears as a level line. Limits far from the
/// curves would flatten them, so the notes name them instead.
struct Panel {
  std::string label;  ///< label of the vertical axis
  std::string marks;  ///< text about step responses; may be empty
  std::string note;   ///< on limits that are not drawn; may be empty
  std::vector<PanelCurve> curves;
  double low = 0.0;  ///< lower end of the vertical axis
  double high = 0.0;
};

/// Shortens the numbers of an axis: it subtracts an offset and divides by a power of ten. The label
/// shows both.
struct AxisNumbers {
  double offset = 0.0;
  int power = 0;  ///< exponent of ten

  AxisNumbers(double low, double high);
  double shown(double value) const;
  /// Returns `quantity - offset [10ⁿ unit]`, without the parts that do not apply.
  std::string label(std::string_view quantity, std::string_view unit) const;
};

/// An item of one of the traces in a panel.
struct PanelSource {
  const TraceItem& item;
  const ThinnedCurves& curves;
  std::size_t first_column;          ///< the item's first column in `curves`
  std::size_t trace = 0;             ///< number of the trace
  std::string title = {};            ///< the trace in the legend; empty if there is only one
  const StepMarks* marks = nullptr;  ///< shown if the plan has positions; may be null
};

/// Needs at least one source. Limits are those of the first one.
Panel make_panel(const PanelPlan& plan, const std::vector<PanelSource>& sources,
                 const std::vector<FigureBound>& bounds = {});

/// The part of a trace that a figure shows.
class FigureTrace {
 public:
  enum class Steps { None, FromStart, FromMiddle };
  /// `title` is for the legend. `steps` tells whether step responses have marks, and where the rows
  /// begin.
  FigureTrace(std::string title, std::vector<TraceItem> items, Steps steps = Steps::None);

  /// Adds a row: the time and the columns of all items in their order; NaN means that there is no
  /// value.
  void add(double time, const double* columns);

  const std::string& title() const { return title_; }
  const std::vector<TraceItem>& items() const { return items_; }
  std::int64_t rows() const { return rows_; }
  double first_time() const { return first_time_; }
  double last_time() const { return last_time_; }
  /// Returns the marks of an item; null if there are none.
  const StepMarks* marks(std::size_t item) const;

 private:
  friend class Figure;
  struct Response {
    std::size_t item;
    std::size_t position;  // index of the column
    std::size_t target;
    StepResponse response;
  };

  std::string title_;
  std::vector<TraceItem> items_;
  ThinnedCurves curves_;
  std::vector<Response> responses_;
  std::int64_t rows_ = 0;
  double first_time_ = 0.0;
  double last_time_ = 0.0;
};

/// A figure of traces with a row of three panels for each item. Items with the same name share a
/// row.
class Figure {
 public:
  static constexpr std::size_t kMaxItems = 60;
  static constexpr std::size_t kMaxTraces = 6;

  /// Needs at least one trace, each with at least one row; the traces must outlive the figure. The
  /// bounds apply to each item.
  explicit Figure(std::vector<const FigureTrace*> traces, std::vector<FigureBound> bounds = {});

  /// Returns the number of rows of panels.
  std::size_t rows() const { return names_.size(); }
  /// Returns the script, which writes the file `figure`. `terminal` is svg, pngcairo or pdfcairo.
  std::string script(const std::string& terminal) const;

 private:
  double begin_time() const;

  std::vector<const FigureTrace*> traces_;
  std::vector<std::string> names_;  // names of items, each once
  std::vector<FigureBound> bounds_;
};

}  // namespace servosim
