// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/forest.h"

#include "base/assert.h"
#include "physics/bodies.h"

// A tree is made from the bodies of one part of the graph, in ascending order, which puts parents
// before children. All vectors have their final size or are of pointers, since nodes, bodies and
// joints refer to each other by address.

namespace servosim {

Forest::Forest(int count) : node_of(static_cast<std::size_t>(count), -1) {
  nodes.reserve(node_of.size());  // so that addresses are kept
  bodies.reserve(node_of.size());
  joints.reserve(node_of.size());
}

// Adds nodes, bodies and joints in one loop, so that an index is the same in all three lists.
TreeRange Forest::add(const std::vector<int>& part, const Bodies& of_world, const TreeGraph& graph,
                      double softness, bool geoms_meet) {
  TreeRange tree;
  tree.begin = nodes.size();
  tree.begin_loops = loops.size();
  const auto solved_joint = [this](const TreeGraph::Edge& edge) {
    return SolvedJoint(edge, bodies[node_of[edge.child]],
                       edge.parent >= 0 ? &bodies[node_of[edge.parent]] : nullptr);
  };
  for (const int b : part) {
    // Parents come first in `part`, so the node of the parent exists.
    const TreeGraph::Edge& edge = graph.edge(b);
    node_of[b] = static_cast<int>(nodes.size());
    TreeNode& node = nodes.emplace_back();
    // A body without a joint, or whose joint is with the world, has no node above it.
    if (edge.joint != nullptr && edge.parent >= 0) {
      node.above = node_of[b] - node_of[edge.parent];
    }
    bodies.emplace_back(of_world[b], node, geoms_meet);
    TreeJoint& joint = joints.emplace_back();
    if (edge.joint != nullptr) {
      joint = TreeJoint(solved_joint(edge));
      // All hard rows of a joint have the softness of the world, as in ODE.
      node.kind = joint.solved().geometry.kind();
      node.linear_softness = node.angular_softness = softness;
      ++tree.joints;
      tree.has_prompt_feedback = tree.has_prompt_feedback || !joint.is_read_on_demand();
      tree.has_servos = tree.has_servos || joint.has_servo();
      // Balls and Hinge2s are rare, so their numbers are not in the node.
      if (joint.solved().has_subspace()) {
        node.subspace = subspaces.emplace_back(std::make_unique<MotionSubspace>()).get();
      }
    }
  }
  // A loop belongs to the tree of its child. The parent is in the same tree, or is the world.
  for (const TreeGraph::Edge& loop : graph.loops()) {
    if (node_of[loop.child] >= static_cast<int>(tree.begin)) {  // this tree is the last so far
      const SolvedJoint joint = solved_joint(loop);
      joint.has_subspace()
          ? loops.emplace_back(joint, *subspaces.emplace_back(std::make_unique<MotionSubspace>()))
          : loops.emplace_back(joint);
    }
  }
  tree.end = nodes.size();
  tree.end_loops = loops.size();
  SERVOSIM_ASSERT(bodies.back().node == &nodes.back() && bodies.size() == nodes.size(),
                  "{} nodes, {} bodies", nodes.size(), bodies.size());
  return tree;
}

}  // namespace servosim
