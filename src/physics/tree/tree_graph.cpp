// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_graph.h"

#include <ode/ode.h>

#include <algorithm>
#include <numeric>

#include "base/assert.h"
#include "physics/attachments.h"
#include "physics/bodies.h"
#include "physics/joints/ball.h"
#include "physics/joints/hinge2.h"
#include "physics/joints/joint.h"
#include "physics/joints/joints.h"

namespace servosim {

TreeGraph::TreeGraph(const Bodies& bodies, Joints& joints, const Attachments& attachments)
    : edges_(bodies.count()), known_(bodies.count()), above_(bodies.count()) {
  std::iota(above_.begin(), above_.end(), 0);
  for (int b = 0; b < bodies.count(); ++b) {
    index_.emplace(bodies[b].id, b);
  }
  joints.for_each_in_ode([this](const Joints::InOde& joint) { add(joint); });
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

void TreeGraph::add(const Joints::InOde& joint) {
  Edge edge;
  edge.motor = joint.plain;
  edge.backlash = joint.backlash;
  edge.ball = joint.ball;
  edge.hinge2 = joint.hinge2;
  const auto add_joint = [&](const auto& ids, std::initializer_list<dJointID> others) {
    edge.joint = ids.joint;
    add(edge, ids.parent, ids.child);
    add_known(ids.joint);
    for (const dJointID other : others) {
      add_known(other);
    }
  };
  if (joint.plain != nullptr) {
    const OdeJoint::OdeIds ids = joint.plain->ids();
    add_joint(ids,
              {ids.soft, ids.second, joint.backlash != nullptr ? joint.backlash->id() : nullptr});
  } else if (joint.ball != nullptr) {
    const OdeBall::OdeIds ids = joint.ball->ids();
    add_joint(ids, {ids.motor, ids.stops, ids.soft});
  } else {
    const OdeHinge2::OdeIds ids = joint.hinge2->ids();
    add_joint(ids, {ids.soft, ids.stops});
  }
}

// Parents come before their children: a joint where they do not, closes a loop.
void TreeGraph::add(Edge edge, dBodyID parent, dBodyID child) {
  edge.ends_at_world = child == nullptr;
  edge.child = index_of(edge.ends_at_world ? parent : child);
  edge.parent = edge.ends_at_world ? -1 : index_of(parent);
  if (edges_[edge.child].joint != nullptr || edge.parent >= edge.child || edge.ends_at_world) {
    loops_.push_back(edge);
  } else {
    edges_[edge.child] = edge;
  }
}

void TreeGraph::add_known(dJointID joint) {
  for (int side = 0; joint != nullptr && side < 2; ++side) {
    if (const int body = index_of(dJointGetBody(joint, side)); body >= 0) {
      ++known_[body];
    }
  }
}

int TreeGraph::root_of(int body) {
  while (above_[body] != body) {
    body = above_[body] = above_[above_[body]];
  }
  return body;
}

// Each joint is in the lists of both its bodies: the later one adds it.
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
          above_[std::max(a, c)] = std::min(a, c);
        }
      }
    }
  }
}

}  // namespace servosim
