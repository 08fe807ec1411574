// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/joint_test.h"

namespace servosim {

/// A row of what a joint did.
struct JointSample {
  double time = 0.0;      ///< [s]
  double position = 0.0;  ///< [rad|m], at that time
  double velocity = 0.0;  ///< likewise
  double effort = 0.0;    ///< [N·m|N], from the row before to this one
};

/// A parameter of a joint with the half width of its interval of 95 % confidence, as far as the
/// errors of rows are independent of each other.
struct IdentifiedParameter {
  std::string name;  ///< "inertia"
  std::string unit;
  double value = 0.0;
  double confidence = 0.0;
  /// Whether the rows tell it: false if they hardly vary in what it multiplies, or if that follows
  /// from what other parameters multiply; value and confidence are then 0.
  bool known = true;
};

/// What the first half of the rows says, and how well it foretells the second.
struct Identification {
  std::vector<IdentifiedParameter> parameters;
  std::size_t fitted = 0;     ///< rows
  std::size_t validated = 0;  ///< rows
  double residual = 0.0;      ///< of the second half: root mean square [N·m|N]
  /// The share of the second half's variation of effort that is foretold; 1 is all of it, and it is
  /// negative if the mean would be a better guess.
  double explained = 0.0;

  /// By its name; null without it.
  const IdentifiedParameter* find(std::string_view name) const;
};

/// Finds, by least squares, the parameters of
///
///     effort = inertia·acceleration + damping·velocity + friction·sign(velocity) + load
///
/// with load = sine·sin(position) + cosine·cos(position) for a rotational joint under gravity, and
/// a constant one for a linear joint; `stiffness`: instead of them a spring, stiffness·position +
/// constant. Accelerations are differences of velocities. Rows of which the joint hardly moves
/// (below a thousandth of the greatest speed) are left out, since static friction has any value.
/// @throws std::invalid_argument for less than 40 moving rows, rows whose time does not grow, or
/// numbers that are not finite
Identification identify(const std::vector<JointSample>& samples, JointType type, bool stiffness);

/// Moves a joint by its effort for `seconds`: sines of 12 frequencies between `from` and `to` [Hz]
/// together, of `amplitude` [N·m|N] at most. It must have settled with TestInput::Effort.
/// @throws StepFailed; std::invalid_argument for an effort that the motor does not have
std::vector<JointSample> excite(JointTest& test, double amplitude, double from, double to,
                                double seconds);

}  // namespace servosim
