// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "control/step_response.h"
#include "sim/trace/trace_format.h"

// A trace as a figure for gnuplot.

namespace servosim {

/// Curves over a common time, of any length, in bounded memory: with more points than a picture can
/// show, each curve keeps the least and the greatest value of each stretch of rows, so that no peak
/// is lost.
///
/// Invariants: all curves have the same number of stretches, at most max_stretches_, which is even;
/// each stretch but the last covers rows_per_stretch_ rows, a power of two.
class ThinnedCurves {
 public:
  struct Point {
    double time;
    double value;  ///< NaN: a gap in the curve
  };

  ThinnedCurves(std::size_t count, std::size_t max_stretches)
      : max_stretches_(max_stretches + max_stretches % 2), curves_(count) {}

  /// `values` has one number for each curve; NaN for none.
  void add(double time, const double* values);
  /// In the order of time; of equal values in a row only the first and the last.
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

/// What a quantity was expected to keep to, as a curve.
struct FigureBound {
  std::string quantity;
  std::vector<ThinnedCurves::Point> points;
};

/// The quantities of a trace's item that one panel shows; any may be absent.
struct PanelPlan {
  const char* measured;
  const char* commanded;    ///< that of the motor
  const char* lower_limit;  ///< "-": the opposite of the upper one
  const char* upper_limit;
};

/// The panels of an item, from left to right.
const std::array<PanelPlan, 3>& panels_of(TraceKind kind);

struct PanelCurve {
  std::string title;  ///< in the legend; empty: not there
  enum class Style { Measured, Commanded, Limit, Mark, Bound } style = Style::Measured;
  std::vector<ThinnedCurves::Point> points;
  std::size_t trace = 0;  ///< of several
};

/// The contents of a panel. A curve that hardly moves is a level line. Limits far from the curves
/// would flatten them and are named in the notes.
struct Panel {
  std::string label;  ///< of the vertical axis
  std::string marks;  ///< on step responses, or empty
  std::string note;   ///< on limits that are not drawn, or empty
  std::vector<PanelCurve> curves;
  double low = 0.0;  ///< range of the vertical axis
  double high = 0.0;
};

/// Shortens the numbers of an axis: subtracts an offset and divides by a power of ten, both of
/// which the label shows.
struct AxisNumbers {
  double offset = 0.0;
  int power = 0;  ///< of ten

  AxisNumbers(double low, double high);
  double shown(double value) const;
  /// `quantity - offset [10ⁿ unit]`, without the parts that are absent.
  std::string label(std::string_view quantity, std::string_view unit) const;
};

/// An item of one of the traces that a panel shows.
struct PanelSource {
  const TraceItem& item;
  const ThinnedCurves& curves;
  std::size_t first_column;          ///< of the item in `curves`
  std::size_t trace = 0;             ///< number of the trace
  std::string title = {};            ///< of the trace in the legend; empty: there is one
  const StepMarks* marks = nullptr;  ///< to be shown where the plan has positions; or null
};

/// At least one source. Limits are those of the first.
Panel make_panel(const PanelPlan& plan, const std::vector<PanelSource>& sources,
                 const std::vector<FigureBound>& bounds = {});

/// What a figure shows of a trace.
class FigureTrace {
 public:
  enum class Steps { None, FromStart, FromMiddle };
  /// `title`: in the legend. `steps`: whether step responses have marks, and where the rows begin.
  FigureTrace(std::string title, std::vector<TraceItem> items, Steps steps = Steps::None);

  /// Adds a row: the time and the columns of all items in their order; NaN without a value.
  void add(double time, const double* columns);

  const std::string& title() const { return title_; }
  const std::vector<TraceItem>& items() const { return items_; }
  std::int64_t rows() const { return rows_; }
  double first_time() const { return first_time_; }
  double last_time() const { return last_time_; }
  /// Of the item; null without any.
  const StepMarks* marks(std::size_t item) const;

 private:
  friend class Figure;
  struct Response {
    std::size_t item;
    std::size_t position;  // columns
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

/// Traces as a figure for gnuplot: a row of three panels for each item. Items of one name are in
/// one row.
class Figure {
 public:
  static constexpr std::size_t kMaxItems = 60;
  static constexpr std::size_t kMaxTraces = 6;

  /// At least one trace, each with a row; they must outlive the figure. The bounds are those of
  /// each item.
  explicit Figure(std::vector<const FigureTrace*> traces, std::vector<FigureBound> bounds = {});

  /// The number of rows of panels.
  std::size_t rows() const { return names_.size(); }
  /// The script, which writes the file `figure`. `terminal`: svg, pngcairo or pdfcairo.
  std::string script(const std::string& terminal) const;

 private:
  double begin_time() const;

  std::vector<const FigureTrace*> traces_;
  std::vector<std::string> names_;  // of items, each once
  std::vector<FigureBound> bounds_;
};

}  // namespace servosim
