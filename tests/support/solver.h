// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <ostream>
#include <string_view>

#include "servosim/solver.h"

namespace servosim::test {

/// What solves the worlds of tests that hold for any solver: `SERVOSIM_TEST_SOLVER=tree`, or ODE.
inline Solver solver_of_tests() {
  const char* const name = std::getenv("SERVOSIM_TEST_SOLVER");
  return name != nullptr && std::string_view(name) == "tree" ? Solver::Tree : Solver::Ode;
}

}  // namespace servosim::test

namespace servosim {

inline void PrintTo(Solver solver, std::ostream* out) {
  *out << (solver == Solver::Tree ? "Tree" : "Ode");
}

}  // namespace servosim
