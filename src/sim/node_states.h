// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "servosim/math.h"
#include "servosim/simulation.h"
#include "wbt/node.h"

namespace servosim {

/// Where Solids and joints of the tree are, to be brought back. Parents come before what is below
/// them.
///
/// Threads: a plain value.
struct NodeState {
  struct OfSolid {
    std::uint32_t node;  ///< wbt::Node::id
    Pose pose;           ///< in the world
    SolidVelocity velocity;
  };
  struct OfJoint {
    std::uint32_t node;
    std::vector<double> positions;  ///< by axis
  };
  std::vector<OfSolid> solids;
  std::vector<OfJoint> joints;
};

/// What Supervisors keep of a loaded world. Threads: a plain value.
struct NodeStates {
  /// When the world was loaded; of nodes that came later, as long as they are there, when they
  /// came.
  NodeState initial;
  /// By the node that it is of, with all below it, and its name.
  std::map<std::pair<std::uint32_t, std::string>, NodeState> named;
  std::uint32_t last_loaded = 0;  ///< largest wbt::Node::id of the loaded world
  /// Largest one a node ever had, also of trees before a reset: references of controllers go by it.
  std::uint32_t last_id = 0;
  /// Those that Supervisors have brought in, which a reset takes out.
  std::set<std::uint32_t> imported;
  /// The nodes of the loaded world; made when they are first looked for.
  std::shared_ptr<const std::unordered_map<std::uint32_t, wbt::NodePtr>> loaded;
};

}  // namespace servosim
