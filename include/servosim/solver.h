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

}  // namespace servosim
