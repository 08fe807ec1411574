// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace servosim {

/// Says how a position followed the first step of its target, with the usual marks of a step
/// response (K. Ogata, "Modern Control Engineering", transient response).
///
/// With the share s = (position − from)/(to − from) of the way:
///
///     rise time      = t(s first ≥ 0.9) − t(s first ≥ 0.1)
///     overshoot      = max s − 1
///     settling time  = t(|s − 1| ≤ band from then on) − begin
///
/// The share grows towards the target, whichever sign the step has. Positions are in [rad|m].
///
/// Threads: a plain value.
struct StepMarks {
  struct Point {
    double time;  ///< [s]
    double position;
  };

  double begin = 0.0;            ///< time at which the target stepped [s]
  double from = 0.0;             ///< position at that time
  double to = 0.0;               ///< the target
  std::optional<Point> at_10;    ///< where a tenth of the way was covered
  std::optional<Point> at_90;    ///< where nine tenths of the way were covered
  std::optional<Point> peak;     ///< where the position was farthest beyond the target
  std::optional<Point> settled;  ///< where the position began to stay within the band

  /// A position usually counts as settled within this share of the way.
  static constexpr double kBand = 0.02;

  /// Returns the time from a tenth to nine tenths of the way [s]; NaN if the position never covered
  /// these.
  double rise_time() const;
  /// Returns the overshoot as a share of the way, 0.04 for 4 %; 0 if there is none.
  double overshoot() const;
  /// Returns the time from the step until the position settles [s]; NaN if it does not settle.
  double settling_time() const;
  /// Returns a text such as `rise 0.12 s, overshoot 4.1 %, settled in 0.35 s`.
  std::string text() const;
};

/// Finds the marks row by row. The search ends when the target changes again.
///
/// Threads: one at a time for each object.
class StepResponse {
 public:
  /// If `from_start`, the first row belongs to the first time step of the run, and a target there
  /// counts as a step. `band` is the share of the way within which the position is settled. A step
  /// smaller than `least` [rad|m] does not count.
  explicit StepResponse(bool from_start, double band = StepMarks::kBand, double least = 1e-3)
      : from_start_(from_start), band_(band), least_(least) {}

  /// Adds a row. Times [s] must increase. NaN means that there is no position, or no target.
  void add(double time, double position, double target);
  /// Returns nothing if the target has not stepped.
  const std::optional<StepMarks>& marks() const { return marks_; }

 private:
  struct Row {
    double time = 0.0;
    double position = std::numeric_limits<double>::quiet_NaN();
    double target = std::numeric_limits<double>::quiet_NaN();
  };

  /// Begins the marks if the target has stepped at this row.
  void begin(const Row& row);
  /// Updates the marks with the position of this row.
  void follow(const Row& row);
  /// Returns where the position covered this share of the way between the last row and this one.
  StepMarks::Point crossing(double share, const Row& row) const;
  /// Returns the share s of the way for a position.
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
