// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace servosim {

/// What solves the equations of a step.
/// Threads: a plain value.
enum class Solver : std::uint8_t {
  Ode,   ///< dWorldStep of ODE, whose time grows with the cube of the joints and contacts of an
         ///< island
  Tree,  ///< linear in them, for islands of hinges, sliders and fixed joints, with their contacts,
         ///< loops and attachments; the same motion to rounding. ODE has the rest: other joints,
         ///< loose bodies and heaps.
};

}  // namespace servosim
