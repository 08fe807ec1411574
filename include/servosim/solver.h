// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace servosim {

/// What solves the equations of a step. docs/explanation/solver.md has the equations.
///
/// Threads: a plain value.
enum class Solver : std::uint8_t {
  /// dWorldStep of ODE, whose time grows with the cube of the joints and contacts of an island.
  Ode,
  /// Linear in them, for islands of hinges, sliders and fixed joints with their contacts, loops and
  /// attachments. The motion is that of ODE to rounding. ODE solves all other islands: other
  /// joints, loose bodies and heaps.
  Tree,
};

/// How bodies move in a step. docs/explanation/integrators.md compares them.
///
/// Threads: a plain value.
enum class Integrator : std::uint8_t {
  /// As Webots: semi-implicit Euler in the coordinates of the bodies, which loses energy.
  Ode,
  /// The midpoint rule in the coordinates of the joints, which is of second order. It needs
  /// Solver::Tree.
  Joint,
};

/// The most evaluations that a step of Integrator::Joint may be told to take.
inline constexpr int kMaxEvaluations = 8;
/// The greatest error of a joint that a step of Integrator::Joint may be told to have [rad|m].
inline constexpr double kMaxAccuracy = 1.0;

}  // namespace servosim
