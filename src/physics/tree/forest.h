// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "physics/tree/motion_subspace.h"
#include "physics/tree/tree_body.h"
#include "physics/tree/tree_graph.h"
#include "physics/tree/tree_joint.h"
#include "physics/tree/tree_node.h"

// Lists of the objects of all trees, in which the objects of one tree are adjacent:
//
//     nodes[i], bodies[i], joints[i]    body i of the forest, and the joint with its parent
//     nodes[i] − nodes[i].above         the parent
//     subspaces                         of balls and Hinge2s, to which nodes point

namespace servosim {

/// Says where the nodes and loops of a tree are in a Forest.
struct TreeRange {
  std::size_t begin = 0;        ///< of nodes
  std::size_t end = 0;          ///< one after the last node
  std::size_t begin_loops = 0;  ///< of joints that close loops
  std::size_t end_loops = 0;
  std::size_t joints = 0;            ///< number of joints of the tree, without loops
  bool has_prompt_feedback = false;  ///< some joint has results that are not read on demand
  bool has_servos = false;           ///< some joint of the tree, without loops, has a servo

  bool has_loops() const { return begin_loops < end_loops; }
};

/// Holds the bodies of a world as nodes of trees, and the joints between them.
///
/// Invariants: each body has one node. The nodes of a tree are adjacent, parents before children.
/// Objects keep their addresses.
struct Forest {
  /// `bodies` is the number of bodies of the world, for all of which there is room.
  explicit Forest(int bodies);
  Forest(const Forest&) = delete;
  Forest& operator=(const Forest&) = delete;

  /// Adds bodies that joints connect as a tree. `softness` is CFM / h of the joints. `geoms_meet`
  /// says that geoms must be told when their bodies move.
  TreeRange add(const std::vector<int>& part, const Bodies& of_world, const TreeGraph& graph,
                double softness, bool geoms_meet);

  std::vector<TreeNode> nodes;
  std::vector<TreeBody> bodies;                            ///< by node
  std::vector<TreeJoint> joints;                           ///< by node; empty for a Root
  std::vector<std::unique_ptr<MotionSubspace>> subspaces;  ///< of the joints that have them
  std::vector<LoopJoint> loops;                            ///< by tree
  std::vector<int> node_of;                                ///< by body of the world
};

}  // namespace servosim
