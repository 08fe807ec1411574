// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/trees.h"

#include <fmt/format.h>
#include <ode/ode.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "physics/attachments.h"
#include "physics/bodies.h"
#include "physics/joints/joint.h"
#include "physics/joints/joints.h"
#include "physics/ode_library.h"

namespace servosim {

const char* to_string(OdeReason reason) {
  switch (reason) {
    case OdeReason::Contacts:
      return "contacts";
    case OdeReason::OtherJoints:
      return "joints of other types";
    case OdeReason::Loops:
      return "loops of joints";
    case OdeReason::Attachments:
      return "attachments";
    case OdeReason::WorldRows:
      return "rows of joints with the world";
    case OdeReason::Unsolved:
      return "no solution found";
  }
  return "";
}

std::string to_string(const SolverCounts& counts) {
  std::string ode;
  for (std::size_t i = 0; i < kOdeReasons; ++i) {
    if (counts.ode[i] > 0) {
      ode += fmt::format("{}{} ({})", ode.empty() ? "; ODE's took " : ", ", counts.ode[i],
                         to_string(OdeReason(i)));
    }
  }
  return fmt::format("the tree solver took {} steps of trees of joints{}", counts.tree, ode);
}

namespace {

// Of a spring in terms of the inertia of its body, so that no digits of that are lost.
constexpr double kMaxStiffness = 1e5;

SymMat3 symmetric(const dReal* m) { return {m[0], m[1], m[2], m[5], m[6], m[10]}; }

// ODE's implicit gyroscopic torque: L × y with (I − h·[L])·y = L.
Vec3 gyroscopic_torque(const SymMat3& i, const Vec3& momentum, double h) {
  const Vec3 l = h * momentum;
  const Vec3 rows[3] = {{i.xx, i.xy + l.z, i.xz - l.y},
                        {i.xy - l.z, i.yy, i.yz + l.x},
                        {i.xz + l.y, i.yz - l.x, i.zz}};
  // By Cramer's rule: the columns of the inverse are cross products of rows.
  const Vec3 c0 = cross(rows[1], rows[2]);
  const Vec3 c1 = cross(rows[2], rows[0]);
  const Vec3 c2 = cross(rows[0], rows[1]);
  const double scale = 1.0 / dot(rows[0], c0);
  const Vec3 y = scale * (momentum.x * c0 + momentum.y * c1 + momentum.z * c2);
  return cross(momentum, y);
}

// To where ODE's getters point: its setters of orientation normalise again.
void store(const dReal* to, const Vec3& v) {
  dReal* const out = const_cast<dReal*>(to);
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
}

void store(const dReal* to, const Mat3& m) {
  dReal* const out = const_cast<dReal*>(to);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[4 * i + j] = m(i, j);
    }
  }
}

Mat3 rotation_of(const Quaternion& q) {
  const double xx = 2.0 * q.x * q.x;
  const double yy = 2.0 * q.y * q.y;
  const double zz = 2.0 * q.z * q.z;
  return {{1.0 - yy - zz, 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y),
           2.0 * (q.x * q.y + q.w * q.z), 1.0 - xx - zz, 2.0 * (q.y * q.z - q.w * q.x),
           2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - xx - yy}};
}

// After a turn by h·spin, to first order, as ODE does it.
Quaternion turned(const dReal* q, const Vec3& spin, double h) {
  const double s = 0.5 * h;
  const Quaternion t{q[0] + s * (-spin.x * q[1] - spin.y * q[2] - spin.z * q[3]),
                     q[1] + s * (spin.x * q[0] + spin.y * q[3] - spin.z * q[2]),
                     q[2] + s * (-spin.x * q[3] + spin.y * q[0] + spin.z * q[1]),
                     q[3] + s * (spin.x * q[2] - spin.y * q[1] + spin.z * q[0])};
  const double scale = 1.0 / std::sqrt(t.w * t.w + t.x * t.x + t.y * t.y + t.z * t.z);
  return {scale * t.w, scale * t.x, scale * t.y, scale * t.z};
}

SpatialVector along_axis(const TreeNode& node, double force) {
  return node.kind == TreeNode::Kind::Hinge ? SpatialVector{{}, force * node.axis}
                                            : SpatialVector{force * node.axis, {}};
}

// `force` on the child, about the anchor.
void write(dJointFeedback* feedback, const TreeNode& node, const SpatialVector& force,
           bool child_is_first) {
  if (feedback == nullptr) {
    return;
  }
  const SpatialVector on_child = force_from(force, node.arm);
  const SpatialVector on_parent = -1.0 * force_from(force, node.parent_arm);
  store(child_is_first ? feedback->f1 : feedback->f2, on_child.linear);
  store(child_is_first ? feedback->t1 : feedback->t2, on_child.angular);
  if (node.parent >= 0) {
    store(child_is_first ? feedback->f2 : feedback->f1, on_parent.linear);
    store(child_is_first ? feedback->t2 : feedback->t1, on_parent.angular);
  }
}

}  // namespace

// ODE's joints between the bodies, and which of them the trees know.
struct Trees::Graph {
  struct Edge {
    int parent = -1;  // body; -1: the world
    const OdeJoint* motor = nullptr;
    const OdeBacklash* backlash = nullptr;
    dJointID joint = nullptr;
  };

  Graph(const Bodies& bodies, const Joints& joints, const Attachments& attachments);
  int index_of(dBodyID id) const { return id != nullptr ? index.at(id) : -1; }
  void add(dBodyID child, const Edge& edge);
  void add_known(dJointID joint);
  int root_of(int body);
  void unite_bodies(const Bodies& bodies);

  std::unordered_map<dBodyID, int> index;
  std::vector<Edge> edges;        // by child; without a joint: none
  std::vector<int> known;         // by body: ODE joints at it that the edges stand for
  std::vector<bool> closes_loop;  // by body
  std::vector<bool> has_others;   // by body: joints of other types
  std::vector<int> above;         // by body, of those that are connected
};

Trees::Graph::Graph(const Bodies& bodies, const Joints& joints, const Attachments& attachments)
    : edges(bodies.count()),
      known(bodies.count()),
      closes_loop(bodies.count()),
      has_others(bodies.count()),
      above(bodies.count()) {
  std::iota(above.begin(), above.end(), 0);
  for (int b = 0; b < bodies.count(); ++b) {
    index.emplace(bodies[b].id, b);
  }
  joints.for_each_plain([this](const OdeJoint& joint, const OdeBacklash* backlash) {
    const OdeJoint::OdeIds ids = joint.ids();
    add(ids.child, {index_of(ids.parent), &joint, backlash, ids.joint});
    for (const dJointID id :
         {ids.joint, ids.soft, ids.far_stops, backlash != nullptr ? backlash->id() : nullptr}) {
      add_known(id);
    }
    if (ids.child == nullptr) {
      closes_loop[index_of(ids.parent)] = true;
    }
  });
  for (const Attachments::Mounting& mounting : attachments.mountings()) {
    add(mounting.body, {index_of(mounting.carrier), nullptr, nullptr, mounting.joint});
    add_known(mounting.joint);
  }
  unite_bodies(bodies);
}

void Trees::Graph::add(dBodyID child, const Edge& edge) {
  const int at = index_of(child);
  if (at < 0) {
    return;
  }
  // Parents come before their children: one that does not, closes a loop.
  if (edges[at].joint != nullptr || edge.parent >= at) {
    closes_loop[at] = true;
  } else {
    edges[at] = edge;
  }
}

void Trees::Graph::add_known(dJointID joint) {
  for (int side = 0; joint != nullptr && side < 2; ++side) {
    if (const int body = index_of(dJointGetBody(joint, side)); body >= 0) {
      ++known[body];
    }
  }
}

int Trees::Graph::root_of(int body) {
  while (above[body] != body) {
    body = above[body] = above[above[body]];
  }
  return body;
}

// Those of a tree: by whatever joints.
void Trees::Graph::unite_bodies(const Bodies& bodies) {
  for (int b = 0; b < bodies.count(); ++b) {
    const int count = dBodyGetNumJoints(bodies[b].id);
    has_others[b] = count != known[b];
    for (int j = 0; j < count; ++j) {
      const dJointID joint = dBodyGetJoint(bodies[b].id, j);
      for (int side = 0; side < 2; ++side) {
        if (const int other = index_of(dJointGetBody(joint, side)); other >= 0) {
          const int a = root_of(b);
          const int c = root_of(other);
          above[std::max(a, c)] = std::min(a, c);
        }
      }
    }
  }
}

Trees::Trees(const OdeWorld& ode, const Bodies& bodies, const Joints& joints,
             const Attachments& attachments)
    : h_(ode.h()),
      position_gain_(dWorldGetERP(ode.id()) / h_ / h_),
      softness_(dWorldGetCFM(ode.id()) / h_),
      solver_(kMaxAxisRows * static_cast<std::size_t>(bodies.count())) {
  dVector3 gravity;
  dWorldGetGravity(ode.id(), gravity);
  gravity_ = to_vec3(gravity);
  Graph graph(bodies, joints, attachments);
  const int count = bodies.count();
  std::vector<std::vector<int>> parts(count);  // by the first body of a tree
  for (int b = 0; b < count; ++b) {
    parts[graph.root_of(b)].push_back(b);
  }
  nodes_.reserve(count);
  members_.reserve(count);
  std::vector<int> node_of(count);
  for (const std::vector<int>& part : parts) {
    if (part.empty()) {
      continue;
    }
    Tree tree;
    tree.begin = nodes_.size();
    for (const int b : part) {
      const Graph::Edge& edge = graph.edges[b];
      if (graph.has_others[b] || graph.closes_loop[b]) {
        tree.is_unsupported = true;
        tree.reason = graph.has_others[b] ? OdeReason::OtherJoints : OdeReason::Loops;
      }
      node_of[b] = static_cast<int>(nodes_.size() - tree.begin);
      add_node(bodies[b], edge.joint != nullptr && edge.parent >= 0 ? node_of[edge.parent] : -1);
      members_.back().ode_joints = graph.known[b];
      if (edge.joint != nullptr) {
        add_joint(edge.joint, edge.motor, edge.backlash,
                  edge.parent >= 0 ? bodies[edge.parent].id : nullptr);
      }
    }
    tree.end = nodes_.size();
    trees_.push_back(tree);
  }
}

void Trees::add_node(const Body& body, int parent) {
  dMass mass;
  dBodyGetMass(body.id, &mass);
  TreeNode& node = nodes_.emplace_back();
  node.parent = parent;
  node.mass = mass.mass;
  Member& member = members_.emplace_back();
  member.body = &body;
  member.is_gyroscopic = dBodyGetGyroscopicMode(body.id) != 0;
  member.inertia = symmetric(mass.I);
  member.linear_rest = 1.0 - dBodyGetLinearDamping(body.id);
  member.angular_rest = 1.0 - dBodyGetAngularDamping(body.id);
  member.max_spin = dBodyGetMaxAngularSpeed(body.id);
}

// To the newest node.
void Trees::add_joint(dJointID joint, const OdeJoint* motor, const OdeBacklash* backlash,
                      dBodyID parent) {
  Member& member = members_.back();
  member.joint = TreeJoint(joint, member.body->id, parent);
  member.motor = motor;
  member.backlash = backlash;
  member.feedback = dJointGetFeedback(joint);
  if (motor != nullptr && motor->ids().far_stops != nullptr) {
    member.far_feedback = dJointGetFeedback(motor->ids().far_stops);
  }
  if (backlash != nullptr) {
    member.backlash_feedback = dJointGetFeedback(backlash->id());
  }
  TreeNode& node = nodes_.back();
  node.kind = member.joint.kind();
  node.linear_softness = node.angular_softness = softness_;
}

std::span<TreeNode> Trees::nodes_of(const Tree& tree) {
  return std::span(nodes_).subspan(tree.begin, tree.end - tree.begin);
}

void Trees::solve() {
  leaves_any_ = false;
  for (Tree& tree : trees_) {
    tree.is_solved = false;
    if (!is_awake(tree)) {
      continue;
    }
    OdeReason why = tree.reason;
    if (!tree.is_unsupported && fits(tree, why)) {
      const bool can_be_read = read(tree);
      tree.is_solved = can_be_read && solver_.solve(nodes_of(tree)).solved;
      why = can_be_read ? OdeReason::Unsolved : OdeReason::WorldRows;
    }
    if (tree.is_solved) {
      ++counts_.tree;
    } else {
      ++counts_.ode[static_cast<std::size_t>(why)];
      leaves_any_ = true;
    }
  }
}

bool Trees::is_awake(const Tree& tree) const {
  return std::any_of(members_.begin() + tree.begin, members_.begin() + tree.end,
                     [](const Member& m) { return dBodyIsEnabled(m.body->id) != 0; });
}

// Whether the bodies have no joints now but those of the tree. The newest is the first.
bool Trees::fits(const Tree& tree, OdeReason& why) const {
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    const dBodyID id = members_[i].body->id;
    if (dBodyGetNumJoints(id) != members_[i].ode_joints) {
      why = dJointGetType(dBodyGetJoint(id, 0)) == dJointTypeContact ? OdeReason::Contacts
                                                                     : OdeReason::Attachments;
      return false;
    }
  }
  return true;
}

// False if the tree solver lacks a row.
bool Trees::read(const Tree& tree) {
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    read_body(members_[i], nodes_[i]);
  }
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    TreeNode& node = nodes_[i];
    const Member& member = members_[i];
    node.rows.clear();
    if (node.kind == TreeNode::Kind::Free) {
      continue;
    }
    TreeNode* const parent = node.parent >= 0 ? &nodes_[tree.begin + node.parent] : nullptr;
    member.joint.place(member.frame, parent != nullptr ? &frame_of(*parent) : nullptr,
                       position_gain_, node);
    if (member.motor == nullptr) {
      continue;
    }
    const double push = member.motor->add_axis_rows(node.rows);
    if (member.backlash != nullptr) {
      member.backlash->add_axis_rows(node.rows, h_);
    }
    if (push != 0.0) {
      add_push(push, node, parent);
    }
    if (parent == nullptr && !absorb_world_rows(member, node)) {
      return false;
    }
  }
  return true;
}

// Beside a hinge with the world ODE keeps the axis of other rows still in the world, while the
// hinge has the child's. They differ by as much as the joint gives way. So such a spring becomes
// part of the body's inertia.
bool Trees::absorb_world_rows(const Member& member, TreeNode& node) {
  while (!node.rows.empty() && (node.rows.end() - 1)->owner != AxisRow::Owner::Joint) {
    const AxisRow& row = *(node.rows.end() - 1);
    const double stiffness = 1.0 / row.softness;
    const double inertia = node.inertia.xx + node.inertia.yy + node.inertia.zz;
    if (row.is_bounded() || node.kind != TreeNode::Kind::Hinge ||
        !(stiffness < kMaxStiffness * inertia)) {
      return false;
    }
    const Vec3& axis = member.joint.parent_axis();
    node.inertia = node.inertia + stiffness * outer(axis);
    node.load.angular = node.load.angular + (stiffness * row.target) * axis;
    node.rows.remove_last();
  }
  return true;
}

const BodyFrame& Trees::frame_of(const TreeNode& node) const {
  return members_[&node - nodes_.data()].frame;
}

// Momentum and forces: gravity, those that were added to the body, and the gyroscopic torque.
void Trees::read_body(Member& member, TreeNode& node) const {
  const Body& body = *member.body;
  const dReal* q = body.quaternion;
  member.frame = {to_mat3(body.rotation), {q[0], q[1], q[2], q[3]}, to_vec3(body.position)};
  node.inertia = rotated(member.frame.rotation, member.inertia);
  const Vec3 momentum = node.inertia * to_vec3(body.spin);
  node.load = {node.mass * ((1.0 / h_) * to_vec3(body.velocity) + gravity_) +
                   to_vec3(dBodyGetForce(body.id)),
               (1.0 / h_) * momentum + to_vec3(dBodyGetTorque(body.id))};
  if (member.is_gyroscopic) {
    node.load.angular = node.load.angular + gyroscopic_torque(node.inertia, momentum, h_);
  }
}

// The force on the child along the axis that takes the place of a motor's row at a stop.
void Trees::add_push(double push, TreeNode& node, TreeNode* parent) {
  const SpatialVector force = along_axis(node, push);
  node.load = node.load + force_from(force, node.arm);
  if (parent != nullptr) {
    parent->load = parent->load - force_from(force, node.parent_arm);
  }
}

void Trees::hide_from_ode() {
  for (const Tree& tree : trees_) {
    for (std::size_t i = tree.begin; tree.is_solved && i < tree.end; ++i) {
      dBodyDisable(members_[i].body->id);
    }
  }
}

void Trees::show_to_ode() {
  for (const Tree& tree : trees_) {
    for (std::size_t i = tree.begin; tree.is_solved && i < tree.end; ++i) {
      dBodyEnable(members_[i].body->id);
    }
  }
}

// One that is awake wakes the whole tree, as in ODE.
void Trees::move_bodies() {
  for (const Tree& tree : trees_) {
    for (std::size_t i = tree.begin; tree.is_solved && i < tree.end; ++i) {
      dBodyEnable(members_[i].body->id);
      write_feedback(members_[i], nodes_[i]);
      move(members_[i], nodes_[i].motion);
    }
  }
}

// dxStepBody() of ODE: limits the spin, moves, turns, and only then damps.
void Trees::move(const Member& member, const SpatialVector& motion) const {
  const Body& body = *member.body;
  const Vec3 velocity = h_ * motion.linear;
  Vec3 spin = h_ * motion.angular;
  if (const double square = dot(spin, spin); square > member.max_spin * member.max_spin) {
    spin = (member.max_spin / std::sqrt(square)) * spin;
  }
  const Quaternion turn = turned(body.quaternion, spin, h_);
  dReal* const q = const_cast<dReal*>(body.quaternion);
  q[0] = turn.w;
  q[1] = turn.x;
  q[2] = turn.y;
  q[3] = turn.z;
  store(body.rotation, rotation_of(turn));
  store(body.velocity, member.linear_rest * velocity);
  store(body.spin, member.angular_rest * spin);
  const Vec3 position = member.frame.center + h_ * velocity;
  dBodySetPosition(body.id, position.x, position.y, position.z);  // informs the geoms
  dBodySetForce(body.id, 0.0, 0.0, 0.0);
  dBodySetTorque(body.id, 0.0, 0.0, 0.0);
}

// What each of ODE's joints with feedback has put on its bodies.
void Trees::write_feedback(const Member& member, const TreeNode& node) {
  if (member.feedback == nullptr && member.far_feedback == nullptr &&
      member.backlash_feedback == nullptr) {
    return;
  }
  double far = 0.0;
  double backlash = 0.0;
  double soft = 0.0;
  for (const AxisRow& row : node.rows) {
    using Owner = AxisRow::Owner;
    (row.owner == Owner::FarStops   ? far
     : row.owner == Owner::Backlash ? backlash
                                    : soft) += row.owner == Owner::Joint ? 0.0 : row.force;
  }
  write(member.feedback, node, node.force - along_axis(node, far + backlash + soft),
        member.joint.child_is_first());
  write(member.far_feedback, node, along_axis(node, far), member.joint.child_is_first());
  write(member.backlash_feedback, node, along_axis(node, backlash), member.joint.child_is_first());
}

}  // namespace servosim
