// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <optional>
#include <ostream>
#include <string_view>

#include "servosim/solver.h"

namespace servosim::test {

/// Returns the solver for tests that must hold with any solver: the tree solver, or ODE with
/// `SERVOSIM_TEST_SOLVER=ode`.
inline Solver solver_of_tests() {
  const char* const name = std::getenv("SERVOSIM_TEST_SOLVER");
  return name != nullptr && std::string_view(name) == "ode" ? Solver::Ode : Solver::Tree;
}

/// Returns the integrator for tests that must hold with any: that of the world, or
/// `SERVOSIM_TEST_INTEGRATOR=joint`.
inline std::optional<Integrator> integrator_of_tests(Solver solver = Solver::Tree) {
  const char* const name = std::getenv("SERVOSIM_TEST_INTEGRATOR");
  return name != nullptr && std::string_view(name) == "joint" && solver == Solver::Tree
             ? std::optional(Integrator::Joint)
             : std::nullopt;
}

}  // namespace servosim::test

namespace servosim {

inline void PrintTo(Solver solver, std::ostream* out) {
  *out << (solver == Solver::Tree ? "Tree" : "Ode");
}

}  // namespace servosim
