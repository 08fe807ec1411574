// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/solver_counts.h"
#include "physics/tree/tree_joint.h"
#include "physics/tree/tree_solver.h"
#include "servosim/math.h"

struct dJointFeedback;
struct dxBody;
struct dxJoint;

namespace servosim {

class Attachments;
class Bodies;
class Joints;
class OdeBacklash;
class OdeJoint;
class OdeWorld;
struct Body;

/// The bodies of a world as trees of joints, and the choice of the solver of each in each step. ODE
/// stays the store of all states: those of a tree are read, solved, integrated and written back.
///
/// A tree goes to ODE for a step when it has contacts, or attachments that were made while the
/// world ran; always, when it has joints of other types than hinges, sliders and fixed ones, or
/// when they close a loop.
///
/// Invariants: each body belongs to one tree. Nodes of a tree are next to each other, parents
/// before children. Nothing that matters is kept from one step to the next but counts.
class Trees {
 public:
  /// All bodies must be at the places at which the joints were created.
  Trees(const OdeWorld& ode, const Bodies& bodies, const Joints& joints,
        const Attachments& attachments);
  Trees(const Trees&) = delete;
  Trees& operator=(const Trees&) = delete;

  /// Solves the trees that it can; after all forces of the step were added. ODE's state stays as it
  /// is.
  void solve();
  /// Whether ODE has a body to move.
  bool leaves_any_to_ode() const { return leaves_any_; }
  /// Disables the bodies of the solved trees, so that ODE's step leaves them alone.
  void hide_from_ode();
  /// Enables them again, where ODE's step has failed.
  void show_to_ode();
  /// Moves the bodies of the solved trees by a step, and enables them.
  void move_bodies();

  const SolverCounts& counts() const { return counts_; }
  void restore_counts_from(const Trees& before) { counts_ = before.counts_; }

 private:
  // What a node has beside the numbers of the solver.
  struct Member {
    const Body* body = nullptr;
    TreeJoint joint;                        // with the parent; unless the node is free
    const OdeJoint* motor = nullptr;        // of a hinge or slider
    const OdeBacklash* backlash = nullptr;  // if it has free play
    dJointFeedback* feedback = nullptr;     // of the joint
    dJointFeedback* far_feedback = nullptr;
    dJointFeedback* backlash_feedback = nullptr;
    int ode_joints = 0;  // that the body is known to have
    bool is_gyroscopic = true;
    SymMat3 inertia;           // in the body's frame
    BodyFrame frame;           // before the step
    double linear_rest = 1.0;  // of the velocity that damping leaves
    double angular_rest = 1.0;
    double max_spin = 0.0;  // [rad/s]
  };
  struct Tree {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_unsupported = false;
    OdeReason reason{};      // if it is
    bool is_solved = false;  // in this step
  };
  struct Graph;

  void add_node(const Body& body, int parent);
  void add_joint(dxJoint* joint, const OdeJoint* motor, const OdeBacklash* backlash,
                 dxBody* parent);
  std::span<TreeNode> nodes_of(const Tree& tree);
  const BodyFrame& frame_of(const TreeNode& node) const;
  bool is_awake(const Tree& tree) const;
  bool fits(const Tree& tree, OdeReason& why) const;
  bool read(const Tree& tree);
  static bool absorb_world_rows(const Member& member, TreeNode& node);
  void read_body(Member& member, TreeNode& node) const;
  static void add_push(double push, TreeNode& node, TreeNode* parent);
  void move(const Member& member, const SpatialVector& motion) const;
  static void write_feedback(const Member& member, const TreeNode& node);

  double h_;
  double position_gain_;  // ERP / h²
  double softness_;       // CFM / h
  Vec3 gravity_;
  std::vector<Tree> trees_;
  std::vector<TreeNode> nodes_;
  std::vector<Member> members_;  // by node
  TreeSolver solver_;
  SolverCounts counts_;
  bool leaves_any_ = true;
};

}  // namespace servosim
