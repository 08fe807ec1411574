// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace servosim {

/// Names the reason why ODE's solver solves an island.
enum class OdeReason : std::uint8_t {
  LooseBodies,  ///< no joints connect the bodies, and ODE is as fast
  ManyPairs,    ///< most rows are between bodies of the island, and there are many of them
  NoSoftness,   ///< contacts or loops with a CFM near 0, whose forces are not unique
  Unsolved,     ///< the tree solver reached its limit of rounds or numbers that are not finite
};
inline constexpr std::size_t kOdeReasons = 4;
/// Returns a phrase for a list, such as "loose bodies".
const char* to_string(OdeReason reason);

/// Names the reason why a tree moves as with the integrator ODE although another one was chosen.
enum class JointException : std::uint8_t {
  Heap,      ///< ODE solves its island: loose bodies and heaps
  ManyAxes,  ///< it has a joint with more than one axis
  Loop,      ///< joints close a loop, or a body is attached
  Unsolved,  ///< no solution was found
};
inline constexpr std::size_t kExceptions = 4;
/// Returns a phrase that follows the name of a Solid, such as "in a step for which no solution was
/// found".
const char* to_string(JointException why);

/// A tree that moves as with the integrator ODE, or that is the reason why its island does.
struct NotInCoordinates {
  JointException why;
  int solid = -1;  ///< the first Solid of the tree
};

/// Counts the steps in joint coordinates.
struct JointCounts {
  std::uint64_t islands = 0;      ///< once per step and island
  std::uint64_t evaluations = 0;  ///< of all of them
  std::uint64_t divided = 0;      ///< those of `islands` that were divided into parts
  std::uint64_t unsettled = 0;    ///< those that did not settle and were not divided

  double mean_evaluations() const {
    return islands > 0 ? static_cast<double>(evaluations) / static_cast<double>(islands) : 0.0;
  }
};

/// Counts how often each solver was used: once per step and island that is awake. An island is a
/// set of bodies that joints, contacts and attachments connect.
struct SolverCounts {
  /// The tree solver solved this many islands.
  std::uint64_t tree = 0;
  std::uint64_t in_lanes = 0;      ///< those of `tree` that LaneSolver solved
  std::uint64_t side_by_side = 0;  ///< those of `in_lanes` solved together with other trees
  std::array<std::uint64_t, kOdeReasons> ode{};  ///< the index is the OdeReason
  JointCounts joint;  ///< islands that moved in joint coordinates, which do not count above

  /// Returns whether ODE solved islands for which the tree solver would have been faster.
  bool has_failures() const {
    return ode[static_cast<std::size_t>(OdeReason::NoSoftness)] > 0 ||
           ode[static_cast<std::size_t>(OdeReason::Unsolved)] > 0;
  }
  /// Returns whether any island was solved.
  bool any() const {
    return tree > 0 || joint.islands > 0 ||
           std::any_of(ode.begin(), ode.end(), [](std::uint64_t count) { return count > 0; });
  }
};
/// Returns "tree, 1200 island-steps; ODE, 40 island-steps (loose bodies), 3 (no solution found)".
std::string to_string(const SolverCounts& counts);

}  // namespace servosim
