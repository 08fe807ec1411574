// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/joint_test.h"

namespace servosim {

/// A row of what a joint did.
struct JointSample {
  double time = 0.0;      ///< [s]
  double position = 0.0;  ///< [rad|m], at that time
  double velocity = 0.0;  ///< [rad/s|m/s], at that time or in the step that led there
  double effort = 0.0;    ///< [N·m|N], from the row before to this one
};

/// A parameter of a joint with the half width of its interval of 95 % confidence.
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
  /// negative if the mean would be a better guess. 0 if the effort does not vary.
  double explained = 0.0;
  double cutoff = 0.0;  ///< of the filter [Hz]; 0: none

  /// By its name; null without it.
  const IdentifiedParameter* find(std::string_view name) const;
};

/// Whether rows are measured: their velocities are not the numbers of simulated steps, which have
/// all digits and lead from each position to the next.
bool is_measured(const std::vector<JointSample>& samples);

struct IdentificationOptions {
  bool stiffness = false;  ///< the load is a spring
  /// Of a zero-phase low pass [Hz], which efforts and all that parameters multiply go through, so
  /// that the equation still holds. 0: none; nothing: none for rows of a simulation, and for
  /// measured ones that with the narrowest intervals.
  std::optional<double> cutoff = {};
};

/// Finds, by least squares, the parameters of
///
///     effort = inertia·acceleration + damping·velocity + friction·sign(velocity) + load
///
/// with load = sine·sin(position) + cosine·cos(position) for a rotational joint under gravity, and
/// a constant one for a linear joint; `stiffness`: instead of them a spring, stiffness·position +
/// constant. Accelerations are differences of velocities. Where velocities are those of steps, as
/// in a simulation or where positions are subtracted, the effort of a step meets gravity at the
/// position before it, and damping and springs by the velocity and position after it. Where they
/// are those of instants, it meets the mean of both.
///
/// Rows of which the joint hardly moves (below a thousandth of the greatest speed) are left out,
/// since static friction has any value.
/// @throws std::invalid_argument for less than 40 moving rows, rows whose time does not grow,
/// numbers that are not finite, or a cutoff above a quarter of the rows per second
Identification identify(const std::vector<JointSample>& samples, JointType type,
                        const IdentificationOptions& options = {});

}  // namespace servosim
