// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "physics/solid_range.h"
#include "physics/solver_counts.h"
#include "physics/tree/contact_rows.h"
#include "physics/tree/forest.h"
#include "physics/tree/islands.h"
#include "physics/tree/lanes.h"
#include "physics/tree/tree_coordinates.h"
#include "physics/tree/tree_coupling.h"
#include "physics/tree/tree_solver.h"

// A step of a world with trees. ODE's bodies have the state before it, and get the state after it:
//
//     find_islands()       contacts → islands
//     begin_step()         islands for the tree solver → motions in nodes;
//                          islands in joint coordinates → motions there
//     solve_in_lanes()     other trees that nothing touches → motions, bodies if ODE has none
//     hide_from_ode()      then ODE solves the other islands, if there are any
//     move_bodies()        motions → bodies
//     write_efforts()      on demand: forces → rows of joints
//
// Equations and signs are those of tree_solver.h.

namespace servosim {

class Bodies;
class OdeWorld;
struct ContactJoint;
struct JointRows;

/// Holds the bodies of a world as trees of joints, and chooses the solver of each island in each
/// step. An island is a set of trees that contacts and attachments connect. Its bodies are read
/// from ODE, and written back after the step. With the integrator ODE nothing else has their state;
/// trees that move in joint coordinates keep their rates and their last accelerations themselves.
///
/// ODE solves islands for which it is as fast: loose bodies and heaps. It also solves those that
/// the tree solver cannot solve; OdeReason lists the cases.
///
/// A step is find_islands(), begin_step(), solve_in_lanes(), then, if ODE has bodies to move,
/// hide_from_ode() and ODE's step, and at last move_bodies().
///
/// Invariants: each body belongs to one tree. With the integrator ODE nothing on which results
/// depend is kept from one step to the next, but for the states of contacts; archive() has the
/// rest.
///
/// Threads: one at a time. A call of solve_in_lanes() uses all of its worlds.
class Trees {
 public:
  /// All bodies must be in the poses in which the joints were created. The rows in `joints` must
  /// outlive this object. `geoms_meet` says that geoms must be told when their bodies move;
  /// otherwise see Bodies::set_geoms_stale(). `like` is from another world of the scene with the
  /// same options, whose data that never change are shared; it may be null.
  Trees(const OdeWorld& ode, const Bodies& bodies, std::span<JointRows* const> joints,
        std::span<const CouplingRows> couplings, const Attachments& attachments, LaneSet lanes,
        bool geoms_meet, const IntegratorRule& integrator, const Trees* like);
  Trees(const Trees&) = delete;
  Trees& operator=(const Trees&) = delete;

  /// Finds the islands of the step, and tells the servos of trees in which coordinates they will
  /// move. Must be called before the joints set their rows; `contacts` are those of begin_step().
  void find_islands(std::span<const ContactJoint> contacts);
  /// Solves the islands that the tree solver can solve, except those for lanes. Must be called
  /// after all forces of the step were added. ODE's state does not change. `contacts` must stay
  /// valid until solve_in_lanes() returns, which has to follow.
  void begin_step(std::span<const ContactJoint> contacts);
  /// Solves the trees that begin_step() has left for lanes. If ODE has no body to move in a world,
  /// the bodies of trees that are solved side by side move, and their joints get their positions.
  /// Worlds may differ; neighbours in the list with equal settings and trees share lanes. If memory
  /// is short for a world, only that world fails: see rethrow_failure().
  static void solve_in_lanes(std::span<Trees* const> worlds) noexcept;
  /// Throws what solve_in_lanes() has caught in this world.
  void rethrow_failure() const;
  /// Returns whether ODE has a body to move in this step.
  bool leaves_any_to_ode() const { return leaves_any_; }
  /// Disables the bodies of the solved islands, so that ODE's step does not move them.
  void hide_from_ode() const;
  /// Enables them again after a step of ODE that has failed.
  void show_to_ode() const;
  /// Moves the bodies of the solved islands that have not moved yet, and enables those of all of
  /// them.
  void move_bodies() const;
  /// Returns the square of the fastest spin after that [rad²/s²], if all bodies moved side by side
  /// and are within the range of ODE; otherwise nothing.
  std::optional<double> fastest_squared() const {
    return moved_bodies_ == forest_.nodes.size() ? std::optional(fastest_squared_) : std::nullopt;
  }

  /// Writes forces and efforts of the last step into the rows of joints. This is done on demand
  /// only, since it costs time.
  void write_efforts();

  /// Returns how many islands with joints each solver gets in a step in which nothing touches.
  SolverCounts islands_of_joints();
  const SolverCounts& counts() const { return counts_; }
  void restore_counts_from(const Trees& before);
  /// Returns why trees have moved as with the integrator ODE although another one was chosen, each
  /// reason once. Empty in most steps.
  std::vector<NotInCoordinates> take_new_exceptions();
  /// An island of coupled joints that ODE solves, so that it moves without its couplings.
  struct Uncoupled {
    OdeReason why;
    int solid = -1;  ///< the first Solid of the island
  };
  /// Returns one that moved so since the last call, each reason once; nothing in most steps.
  std::optional<Uncoupled> take_uncoupled() { return std::exchange(uncoupled_, std::nullopt); }
  /// Must be called after the motion of these Solids was set from outside.
  void forget_steps(const SolidRange& solids);
  /// Saves, restores or hashes what a tree keeps from step to step; nothing with the integrator
  /// ODE.
  template <class Archive>
  void archive(Archive& archive);

 private:
  friend class TreesForLanes;
  // Bodies that the joints of the scene connect.
  struct Tree : TreeRange {
    int first_solid = -1;
    int topology = -1;                             // index of its TopologyKey; -1: never in lanes
    std::unique_ptr<TreeCoordinates> coordinates;  // null: never moves in joint coordinates
    // State of the step.
    bool is_solved = false;
    bool is_moved = false;           // its bodies have moved in this step
    bool is_in_coordinates = false;  // solved in joint coordinates
    bool may_sleep = true;           // some of its bodies may be asleep
    bool takes_forces = false;       // its joints do not put theirs on the bodies
    bool owes_forces = false;   // forces of its last step, in coordinates, are not in its nodes
    bool owes_efforts = false;  // efforts of its last solved step are not written
  };
  // The island that is being solved. Its memory is reused.
  struct Island {
    std::vector<int> trees;
    std::vector<std::span<TreeNode>> nodes;
    std::vector<BodyRow> rows;
    std::vector<int> contacts;            // indices
    std::vector<std::size_t> first_rows;  // by contact: index of its first row
    std::vector<LoopJoint> attached;      ///< attachments of this step

    // Returns the rows of the contact at this place of `contacts`.
    std::span<BodyRow> rows_of_contact(std::size_t i) {
      const std::size_t end = i + 1 < contacts.size() ? first_rows[i + 1] : rows.size();
      return std::span(rows).subspan(first_rows[i], end - first_rows[i]);
    }
  };

  // Finds which trees can share lanes, and what other worlds must have in common with this one.
  void find_topologies();
  // Returns whether settings and trees of two worlds are equal, so that they can share lanes.
  static bool may_share_lanes(const Trees& one, const Trees& other);
  // Fills island_ with the trees and contacts of an island.
  void gather(int island);
  // These return whether any body of a tree is awake, or all of them.
  bool is_awake(int tree) const;
  bool is_all_awake(int tree) const;
  // Returns a tree as the lanes read it.
  LaneTree lane_tree(const Tree& tree);
  // Returns whether the island is one tree of joints with axes that nothing touches.
  bool is_for_lanes(int island) const;
  // Returns why an island moves as with the integrator ODE, and the tree that is the reason;
  // nothing if it moves in joint coordinates. If anything touches it, it is then gathered.
  std::optional<NotInCoordinates> exception_of(int island, std::span<const ContactJoint> contacts);
  // Solves an island in joint coordinates, or notes why not. Returns whether it could.
  bool solve_in_coordinates(int island);
  // These solve a tree that nothing touches, and the trees of island_. Each returns why it could
  // not.
  std::optional<JointException> solve_alone(Tree& tree);
  std::optional<JointException> solve_touched();
  // Solves the island in island_ by the tree solver, or leaves it to ODE.
  void solve_gathered(int island);
  // A tree that is to be solved in lanes.
  struct Waiting {
    Trees* world = nullptr;
    int tree = 0;
  };
  // These solve worlds that may share lanes, and trees of one topology.
  static void solve_worlds(std::span<Trees* const> worlds);
  static void solve_group(std::span<const Waiting> group);
  // Takes over a result of the lanes; solves the tree alone if they have none.
  void finish_in_lanes(int island, const LaneOutcome& outcome);
  // Returns whether ODE gets the island, because the tree solver gains nothing.
  bool is_for_ode(int island, std::span<const ContactJoint> contacts, OdeReason& why) const;
  // Returns whether ODE gets the island, because of the rows that it has in this step.
  bool has_rows_for_ode(OdeReason& why) const;
  // Reads the bodies and joints of the island for the step.
  void read();
  // These append the rows of contacts and attachments to those of the island.
  void add_contacts(std::span<const ContactJoint> contacts);
  void add_attachments(int island);
  // Writes results that are not read on demand, and keeps the states of rows for the next step.
  void take_results(std::span<const ContactJoint> contacts);
  // Writes the results of joints that are not read on demand. `is_touched`: the island has rows
  // on bodies.
  void write_prompt_results(const Tree& tree, bool is_touched);
  // Calls an action with each body of the solved trees.
  template <typename Action>
  void for_each_solved(Action action) const;

  StepSettings settings_;
  const Bodies& of_world_;
  const Attachments& attachments_;
  Forest forest_;
  TreeCouplings couplings_;
  std::vector<Tree> trees_;
  Islands islands_;
  Island island_;  // the one that is being solved
  ContactStates states_;
  TreeSolver solver_;
  LaneSolver lanes_;
  IntegratorRule integrator_;
  std::array<bool, kExceptions> told_{};  // by JointException
  std::vector<NotInCoordinates> new_exceptions_;
  std::array<bool, kOdeReasons> told_uncoupled_{};  // by OdeReason
  std::optional<Uncoupled> uncoupled_;              // which nobody has taken
  std::vector<SpatialVector> excess_;  // by node: see TreeCoordinates::place_in_island()
  // Worlds in which this is equal can share lanes; null without lanes.
  std::shared_ptr<const TopologyKey> topology_key_;
  std::vector<std::vector<int>> waiting_;   // by topology: trees to solve in lanes
  std::span<const ContactJoint> contacts_;  // of this step
  std::exception_ptr failure_;              // of this step
  SolverCounts counts_;
  std::size_t moved_bodies_ = 0;  // side by side, in this step
  double fastest_squared_ = 0.0;  // of these bodies
  bool leaves_any_ = true;
  bool owes_efforts_ = false;  // some tree does
};

}  // namespace servosim
