// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_graph.h"

#include <ode/ode.h>

#include <algorithm>
#include <numeric>

#include "base/assert.h"
#include "physics/attachments.h"
#include "physics/bodies.h"
#include "physics/rows/joint_rows.h"

// Joints become trees in the order of the scene: the first joint of a child whose parent is the
// world or has a lower index makes the edge, and any further one closes a loop. The number of
// joints must match ODE's count at each body, since the tree solver would ignore a joint that is
// not known here.

namespace servosim {

TreeGraph::TreeGraph(const Bodies& bodies, std::span<JointRows* const> joints,
                     const Attachments& attachments)
    : edges_(bodies.count()), known_(bodies.count()), above_(bodies.count()) {
  std::iota(above_.begin(), above_.end(), 0);
  for (int b = 0; b < bodies.count(); ++b) {
    index_.emplace(bodies[b].id, b);
  }
  for (JointRows* const joint : joints) {
    add(*joint);
  }
  // A mounting holds a Solid that has a body of its own to the Solid above it.
  for (const Attachments::Mounting& mounting : attachments.mountings()) {
    Edge edge;
    edge.joint = mounting.joint;
    add(edge, mounting.carrier, mounting.body);
    add_known(mounting.joint);
  }
  unite_bodies(bodies);
  std::vector<std::vector<int>> by_root(bodies.count());
  for (int b = 0; b < bodies.count(); ++b) {
    by_root[root_of(b)].push_back(b);
  }
  std::copy_if(by_root.begin(), by_root.end(), std::back_inserter(parts_),
               [](const std::vector<int>& part) { return !part.empty(); });
}

// One joint of the scene may consist of several joints of ODE.
void TreeGraph::add(JointRows& rows) {
  Edge edge;
  edge.rows = &rows;
  edge.joint = rows.joint;
  add(edge, rows.parent, rows.child);
  for (const dJointID joint : {rows.joint, rows.motors, rows.stops, rows.springs}) {
    add_known(joint);
  }
  if (rows.has_axis()) {
    const auto& hinge = static_cast<const HingeRows&>(rows);
    add_known(hinge.gap != nullptr ? hinge.gap->joint : nullptr);
    add_known(hinge.servo != nullptr ? hinge.servo->joint : nullptr);
  }
}

// Parents must come before their children. A joint between bodies in another order closes a loop,
// and so does a second joint of a child, or one whose child is the world.
void TreeGraph::add(Edge edge, dBodyID parent, dBodyID child) {
  edge.ends_at_world = child == nullptr;
  // A joint needs a body, so the parent takes the child's place where the child is the world.
  edge.child = index_of(edge.ends_at_world ? parent : child);
  edge.parent = edge.ends_at_world ? -1 : index_of(parent);
  SERVOSIM_ASSERT(edge.child >= 0 && edge.child != edge.parent, "bodies {} and {}", edge.parent,
                  edge.child);
  if (edges_[edge.child].joint != nullptr || edge.parent >= edge.child || edge.ends_at_world) {
    loops_.push_back(edge);
  } else {
    edges_[edge.child] = edge;
  }
}

// ODE counts a joint at each of its bodies.
void TreeGraph::add_known(dJointID joint) {
  for (int side = 0; joint != nullptr && side < 2; ++side) {
    if (const int body = index_of(dJointGetBody(joint, side)); body >= 0) {
      ++known_[body];
    }
  }
}

// Union-find with path halving. The representative is the body with the lowest index.
int TreeGraph::root_of(int body) {
  while (above_[body] != body) {
    body = above_[body] = above_[above_[body]];
  }
  return body;
}

// ODE lists a joint at both of its bodies. If a joint were missing among the edges, the tree solver
// would ignore its forces, so the counts are compared.
void TreeGraph::unite_bodies(const Bodies& bodies) {
  for (int b = 0; b < bodies.count(); ++b) {
    const dBodyID id = bodies[b].id;
    const int count = dBodyGetNumJoints(id);
    SERVOSIM_ASSERT(count == known_[b], "{} joints, of which {} are known", count, known_[b]);
    for (int j = 0; j < count; ++j) {
      const dJointID joint = dBodyGetJoint(id, j);
      for (int side = 0; side < 2; ++side) {
        if (const int other = index_of(dJointGetBody(joint, side)); other >= 0) {
          const int a = root_of(b);
          const int c = root_of(other);
          // The body with the lowest index represents the set, so parts are in the order of the
          // scene.
          above_[std::max(a, c)] = std::min(a, c);
        }
      }
    }
  }
}

}  // namespace servosim
