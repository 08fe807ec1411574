// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace servosim {

/// How a position followed the first step of its target.
struct StepMarks {
  struct Point {
    double time;  ///< [s]
    double position;
  };

  double begin = 0.0;            ///< when the target stepped [s]
  double from = 0.0;             ///< the position then
  double to = 0.0;               ///< the target
  std::optional<Point> at_10;    ///< where a tenth of the way was done
  std::optional<Point> at_90;    ///< and nine tenths
  std::optional<Point> peak;     ///< where it was farthest beyond the target
  std::optional<Point> settled;  ///< from where on it stayed within the band of the way

  static constexpr double kBand = 0.02;

  /// From a tenth to nine tenths [s]; NaN if it never came there.
  double rise_time() const;
  /// Of the way; 0 if it did not go beyond the target.
  double overshoot() const;
  /// From the step on [s]; NaN if it did not settle.
  double settling_time() const;
  /// `rise 0.12 s, overshoot 4.1 %, settled in 0.35 s`
  std::string text() const;
};

/// Finds the marks row by row. It ends where the target changes again.
class StepResponse {
 public:
  /// `from_start`: the first row is that of the first step of the run; a target there is a step.
  /// `band`: of the way, within which it is settled. `least`: a smaller step is none [rad|m]
  explicit StepResponse(bool from_start, double band = StepMarks::kBand, double least = 1e-3)
      : from_start_(from_start), band_(band), least_(least) {}

  /// NaN: no position, or no target.
  void add(double time, double position, double target);
  /// Nothing if the target has not stepped.
  const std::optional<StepMarks>& marks() const { return marks_; }

 private:
  struct Row {
    double time = 0.0;
    double position = std::numeric_limits<double>::quiet_NaN();
    double target = std::numeric_limits<double>::quiet_NaN();
  };

  void begin(const Row& row);
  void follow(const Row& row);
  StepMarks::Point crossing(double share, const Row& row) const;
  double share_of(double position) const;

  bool from_start_;
  double band_;
  double least_;
  Row last_;
  bool any_ = false;
  bool over_ = false;
  std::optional<StepMarks> marks_;
};

}  // namespace servosim
