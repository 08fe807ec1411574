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
  Unsolved,     ///< the tree solver reached its limit of rounds
};
inline constexpr std::size_t kOdeReasons = 6;
/// As a noun: "contacts".
const char* to_string(OdeReason reason);

/// How often each solver was asked: trees of joints, those asleep left out, times steps.
struct SolverCounts {
  std::uint64_t tree = 0;
  std::array<std::uint64_t, kOdeReasons> ode{};  ///< by OdeReason
};
/// "tree 1200; ode 40 for contacts, 3 for loops of joints"; in trees of joints times steps.
std::string to_string(const SolverCounts& counts);

}  // namespace servosim
