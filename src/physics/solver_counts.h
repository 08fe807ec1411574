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

/// Counts how often each solver was used: once per step and island that is awake. An island is a
/// set of bodies that joints, contacts and attachments connect.
struct SolverCounts {
  /// The tree solver solved this many islands.
  std::uint64_t tree = 0;
  std::uint64_t in_lanes = 0;      ///< those of `tree` that LaneSolver solved
  std::uint64_t side_by_side = 0;  ///< those of `in_lanes` solved together with other trees
  std::array<std::uint64_t, kOdeReasons> ode{};  ///< the index is the OdeReason

  /// Returns whether ODE solved islands for which the tree solver would have been faster.
  bool has_failures() const {
    return ode[static_cast<std::size_t>(OdeReason::NoSoftness)] > 0 ||
           ode[static_cast<std::size_t>(OdeReason::Unsolved)] > 0;
  }
  /// Returns whether any island was solved.
  bool any() const {
    return tree > 0 ||
           std::any_of(ode.begin(), ode.end(), [](std::uint64_t count) { return count > 0; });
  }
};
/// Returns "tree, 1200 island-steps; ODE, 40 island-steps (loose bodies), 3 (no solution found)".
std::string to_string(const SolverCounts& counts);

}  // namespace servosim
