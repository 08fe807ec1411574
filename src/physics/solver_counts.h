// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace servosim {

/// Why ODE's own solver is asked for a tree of joints.
enum class OdeReason : std::uint8_t {
  Contacts,
  OtherJoints,  ///< other than hinges, sliders and fixed ones
  Loops,
  Attachments,  ///< made while the world runs
  WorldRows,    ///< far stops, free play or a very stiff spring of a joint with the world
  Unsolved,     ///< the tree solver reached its limit of rounds, or numbers that are not finite
};
inline constexpr std::size_t kOdeReasons = 6;
/// As a noun: "contacts".
const char* to_string(OdeReason reason);

/// How often each solver was asked: trees of joints, those asleep left out, times steps.
struct SolverCounts {
  std::uint64_t tree = 0;
  std::array<std::uint64_t, kOdeReasons> ode{};  ///< by OdeReason
};
/// "the tree solver took 1200 steps of trees of joints; ODE's took 40 (contacts), 3 (loops of
/// joints)".
std::string to_string(const SolverCounts& counts);

}  // namespace servosim
