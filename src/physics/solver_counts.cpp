// SPDX-License-Identifier: Apache-2.0
#include "physics/solver_counts.h"

#include <fmt/format.h>

namespace servosim {

const char* to_string(OdeReason reason) {
  switch (reason) {
    case OdeReason::LooseBodies:
      return "loose bodies";
    case OdeReason::ManyPairs:
      return "many rows between bodies";
    case OdeReason::NoSoftness:
      return "contacts or loops without softness";
    case OdeReason::Unsolved:
      return "no solution found";
  }
  return "";
}

const char* to_string(JointException why) {
  switch (why) {
    case JointException::Heap:
      return "while it touches other bodies, in a heap or without joints";
    case JointException::ManyAxes:
      return "since it has a joint with more than one axis";
    case JointException::Loop:
      return "while joints close a loop in it, or it is attached to something";
    case JointException::Unsolved:
      return "in a step for which no solution was found";
  }
  return "";
}

std::string to_string(const SolverCounts& counts) {
  std::string text;
  if (counts.joint.islands > 0) {
    text = fmt::format("joint coordinates, {} island-steps of {:.2f} evaluations",
                       counts.joint.islands, counts.joint.mean_evaluations());
    if (counts.joint.divided > 0) {
      text += fmt::format(", {} divided", counts.joint.divided);
    }
    if (counts.joint.unsettled > 0) {
      text += fmt::format(", {} unsettled", counts.joint.unsettled);
    }
  }
  if (counts.tree > 0) {
    text += fmt::format("{}tree, {} island-steps", text.empty() ? "" : "; ", counts.tree);
  }
  bool first = true;
  for (std::size_t i = 0; i < kOdeReasons; ++i) {
    if (counts.ode[i] > 0) {
      text += first ? fmt::format("{}ODE, {} island-steps", text.empty() ? "" : "; ", counts.ode[i])
                    : fmt::format(", {}", counts.ode[i]);
      text += fmt::format(" ({})", to_string(OdeReason(i)));
      first = false;
    }
  }
  return text;
}

}  // namespace servosim
