// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/joint_test.h"

namespace servosim {

/// A sample of a joint's motion.
struct JointSample {
  double time = 0.0;      ///< [s]
  double position = 0.0;  ///< [rad|m], at that time
  double velocity = 0.0;  ///< [rad/s|m/s], at that time or in the step that led there
  double effort = 0.0;    ///< [N·m|N], from the previous row to this one
};

/// A parameter of a joint with half the width of its 95 % confidence interval.
struct IdentifiedParameter {
  std::string name;  ///< "inertia"
  std::string unit;
  double value = 0.0;
  double confidence = 0.0;
  /// Whether the rows determine it. They do not if its factor hardly varies, or if that factor
  /// follows from those of other parameters; value and confidence are then 0.
  bool known = true;
};

/// The parameters that the first half of the rows determine, and how well they predict the second
/// half.
struct Identification {
  std::vector<IdentifiedParameter> parameters;
  std::size_t fitted = 0;     ///< rows
  std::size_t validated = 0;  ///< rows
  double residual = 0.0;      ///< root mean square over the second half [N·m|N]
  /// The share of the second half's variation of effort that is predicted. 1 means all of it; a
  /// negative value means that the mean would be a better prediction. It is 0 if the effort does
  /// not vary.
  double explained = 0.0;
  double cutoff = 0.0;  ///< cutoff of the filter [Hz]; 0 means no filter

  /// Returns the parameter of that name; null if there is none.
  const IdentifiedParameter* find(std::string_view name) const;
};

/// Returns whether rows are measured. The velocities of a simulation have all digits and lead from
/// each position to the next; others are measured.
bool is_measured(const std::vector<JointSample>& samples);

struct IdentificationOptions {
  bool stiffness = false;  ///< the load is a spring
  /// Cutoff of a zero-phase low pass [Hz] that filters efforts and the factors of all parameters,
  /// so that the equation still holds. 0 means no filter. Nothing means no filter for rows of a
  /// simulation, and the cutoff with the narrowest intervals for measured rows.
  std::optional<double> cutoff = {};
};

/// Finds, by least squares, the parameters of
///
///     effort = inertia·acceleration + damping·velocity + friction·sign(velocity) + load
///
/// with load = sine·sin(position) + cosine·cos(position) for a rotational joint under gravity, and
/// a constant load for a linear joint. With `stiffness` the load is a spring instead:
/// stiffness·position + constant. Accelerations are differences of velocities. Velocities may be
/// those of steps, as in a simulation or if positions are subtracted. Then gravity depends on the
/// position before a step, and damping and springs depend on the velocity and position after it. If
/// velocities are those of instants, each term uses the mean of both.
///
/// Rows in which the joint hardly moves (below a thousandth of the greatest speed) are left out,
/// since static friction can have any value there.
/// @throws std::invalid_argument for less than 40 moving rows, rows whose time does not increase,
/// numbers that are not finite, or a cutoff above a quarter of the rows per second
Identification identify(const std::vector<JointSample>& samples, JointType type,
                        const IdentificationOptions& options = {});

}  // namespace servosim
