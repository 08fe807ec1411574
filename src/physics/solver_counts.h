// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace servosim {

/// Why ODE's own solver is asked for an island.
enum class OdeReason : std::uint8_t {
  LooseBodies,  ///< that no joints connect, where ODE is as fast
  ManyPairs,    ///< most rows are between bodies of the island, and they are many
  NoSoftness,   ///< contacts or loops whose CFM is next to 0: their forces are not unique
  Unsolved,     ///< the tree solver reached its limit of rounds, or numbers that are not finite
};
inline constexpr std::size_t kOdeReasons = 4;
/// As a noun: "loose bodies".
const char* to_string(OdeReason reason);

/// How often each solver was asked: islands, those asleep left out, times steps. An island is what
/// joints, contacts and attachments connect.
struct SolverCounts {
  std::uint64_t tree = 0;
  std::uint64_t in_lanes = 0;      ///< of those of `tree`: by LaneSolver
  std::uint64_t side_by_side = 0;  ///< of those of `in_lanes`: together with other trees
  std::array<std::uint64_t, kOdeReasons> ode{};  ///< by OdeReason

  /// Whether ODE had to help out: the tree solver would have been the faster one.
  bool has_failures() const {
    return ode[static_cast<std::size_t>(OdeReason::NoSoftness)] > 0 ||
           ode[static_cast<std::size_t>(OdeReason::Unsolved)] > 0;
  }
  bool any() const {
    return tree > 0 ||
           std::any_of(ode.begin(), ode.end(), [](std::uint64_t count) { return count > 0; });
  }
};
/// "tree, 1200 island-steps; ODE, 40 island-steps (loose bodies), 3 (no solution found)".
std::string to_string(const SolverCounts& counts);

}  // namespace servosim
