// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "physics/solver_counts.h"
#include "physics/tree/contact_rows.h"
#include "physics/tree/forest.h"
#include "physics/tree/islands.h"
#include "physics/tree/lanes.h"
#include "physics/tree/tree_solver.h"

namespace servosim {

class Bodies;
class OdeWorld;
struct ContactJoint;
struct JointRows;

/// The bodies of a world as trees of joints, and the choice of the solver of each island in each
/// step: trees that contacts and attachments connect. ODE stays the store of all states: those of
/// an island are read, solved, integrated and written back.
///
/// An island goes to ODE for a step where ODE is as fast: loose bodies, and heaps.
///
/// Invariants: each body belongs to one tree. Nothing that matters is kept from one step to the
/// next but counts.
class Trees {
 public:
  /// All bodies must be at the places at which the joints were created. The rows in `joints` must
  /// outlive this object. `geoms_meet`: geoms are told when their bodies move; else see
  /// Bodies::set_geoms_stale(). `like`: of another world of the scene with the same options, with
  /// which these share what never changes; may be null.
  Trees(const OdeWorld& ode, const Bodies& bodies, std::span<JointRows* const> joints,
        const Attachments& attachments, LaneSet lanes, bool geoms_meet, const Trees* like);
  Trees(const Trees&) = delete;
  Trees& operator=(const Trees&) = delete;

  /// Solves the islands that it can; after all forces of the step were added. ODE's state stays as
  /// it is. `contacts` must last until solve_in_lanes(), which has to follow.
  void begin_step(std::span<const ContactJoint> contacts);
  /// Solves the trees that begin_step() has left for that; moves the bodies of those that are
  /// solved side by side, unless ODE has a body to move, and tells their joints. Worlds may differ;
  /// neighbours whose settings and trees are alike share lanes. What a world lacks memory for fails
  /// in it alone: rethrow_failure().
  static void solve_in_lanes(std::span<Trees* const> worlds) noexcept;
  /// Throws what solve_in_lanes() has met in this world.
  void rethrow_failure() const;
  /// Whether ODE has a body to move.
  bool leaves_any_to_ode() const { return leaves_any_; }
  /// Disables the bodies of the solved islands, so that ODE's step leaves them alone.
  void hide_from_ode() const;
  /// Enables them again, where ODE's step has failed.
  void show_to_ode() const;
  /// Moves the other bodies of the solved islands by a step, and enables those of all.
  void move_bodies() const;
  /// The square of the fastest spin after that, if all bodies were moved side by side and are where
  /// ODE can take them; else nothing.
  std::optional<double> fastest_squared() const {
    return moved_bodies_ == forest_.nodes.size() ? std::optional(fastest_squared_) : std::nullopt;
  }

  /// Writes forces and efforts of the last step into the rows of joints; on demand, since it costs.
  void write_efforts();

  /// How many islands of joints each solver gets in a step in which nothing touches.
  SolverCounts islands_of_joints();
  const SolverCounts& counts() const { return counts_; }
  void restore_counts_from(const Trees& before) { counts_ = before.counts_; }

 private:
  // Bodies that the joints of the scene connect.
  struct Tree : TreeRange {
    int topology = -1;  // index: trees of one are solved in lanes; -1: none
    // State of the step.
    bool is_solved = false;
    bool is_moved = false;      // its bodies have moved
    bool may_sleep = true;      // some of its bodies may be asleep
    bool owes_efforts = false;  // of the last step in which it was solved
  };
  struct Island {
    std::vector<int> trees;
    std::vector<std::span<TreeNode>> nodes;
    std::vector<BodyRow> rows;
    std::vector<int> contacts;            // indices
    std::vector<std::size_t> first_rows;  // by contact
    std::vector<LoopJoint> attached;
  };

  void find_topologies();
  static bool may_share_lanes(const Trees& one, const Trees& other);
  void find_islands(std::span<const ContactJoint> contacts);
  void gather(int island);
  bool is_awake(int tree) const;
  bool is_all_awake(int tree) const;
  LaneTree lane_tree(const Tree& tree);
  bool is_for_lanes(int island) const;
  void solve_gathered(int island);
  struct Waiting {
    Trees* world = nullptr;
    int tree = 0;
  };
  static void solve_worlds(std::span<Trees* const> worlds);
  static void solve_group(std::span<const Waiting> group);
  void finish_in_lanes(int island, const LaneOutcome& outcome);
  bool is_for_ode(int island, std::span<const ContactJoint> contacts, OdeReason& why) const;
  bool has_rows_for_ode(OdeReason& why) const;
  void read();
  void add_contacts(std::span<const ContactJoint> contacts);
  void add_attachments(int island);
  void take_results(std::span<const ContactJoint> contacts);
  void write_prompt_feedback(const Tree& tree);
  std::span<TreeNode> nodes_of(const Tree& tree);
  template <typename Action>
  void for_each_solved(Action action) const;

  StepSettings settings_;
  const Bodies& of_world_;
  const Attachments& attachments_;
  Forest forest_;
  std::vector<Tree> trees_;
  Islands islands_;
  Island island_;  // that is being solved
  ContactStates states_;
  TreeSolver solver_;
  LaneSolver lanes_;
  // Where equal, worlds can share lanes; null without lanes.
  std::shared_ptr<const TopologyKey> topology_key_;
  std::vector<std::vector<int>> waiting_;   // by topology: trees to be solved in lanes in this step
  std::span<const ContactJoint> contacts_;  // of this step
  std::exception_ptr failure_;              // of this step
  SolverCounts counts_;
  std::size_t moved_bodies_ = 0;  // side by side in this step
  double fastest_squared_ = 0.0;  // of them
  bool leaves_any_ = true;
  bool owes_efforts_ = false;  // some tree does
};

}  // namespace servosim
