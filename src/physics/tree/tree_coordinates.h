// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "physics/coordinates/link_balance.h"
#include "physics/coordinates/link_step.h"
#include "physics/rows/row.h"
#include "physics/tree/forest.h"

namespace servosim {

/// How the trees of a world move.
struct IntegratorRule {
  bool is_joint = false;  ///< in joint coordinates
  int evaluations = 0;    ///< see StepRule
  double accuracy = 0.0;  ///< most estimated error of a joint in a step [rad|m]; 0: any
};

/// The state of a tree without its bodies, by rate. Positions are those of the model.
struct LaneState {
  std::span<const double> positions;
  std::span<const double> rates;
  std::span<const double> last;    ///< accelerations of StepHistory; not with one evaluation
  std::span<const double> before;  ///< the same
};

/// How the last step of a tree went.
struct CoordinateOutcome {
  bool is_solved = false;
  int evaluations = 0;  ///< of all parts
  int parts = 0;        ///< that were taken; more than one if the step was divided
};

/// Moves a tree in its own coordinates: docs/explanation/integrators.md. The state is the positions
/// of the joints, their rates, and the pose of a free root. A step solves, and writes the bodies by
/// forward kinematics, so that a joint cannot come apart. If something else has moved the bodies, a
/// step first reads positions and rates from them. Rates and history are kept from step to step,
/// and belong to the state.
///
/// A step of a tree that nothing touches is divided into parts where it does not settle, or where
/// its estimated error is too large.
///
/// Threads: one at a time for each object.
class TreeCoordinates {
 public:
  /// Makes the coordinates of a tree whose bodies are in the poses in which its joints were made.
  /// `forest` and `settings`, those of the world, must outlive this object.
  /// @returns null if the tree has joints that have no coordinates here
  static std::unique_ptr<TreeCoordinates> of(Forest& forest, const TreeRange& tree,
                                             const StepSettings& settings,
                                             const IntegratorRule& rule);

  /// Finds the motion of the next step. The bodies do not move. Must be called after all forces of
  /// the step were added.
  CoordinateOutcome solve();
  /// Moves the bodies by what solve() has found.
  void move();
  /// Writes the forces of the joints in the last step into the nodes. They act in the middle of the
  /// step, or of its last part.
  void write_forces();

  // ---- together with what touches the tree

  /// Begins a step whose accelerations the tree solver finds, with those of other trees and with
  /// contacts. Each evaluation calls place_in_island(), which sets the nodes, then the solver, then
  /// take_in_island(), which reads them. `excess`, by node of the forest, gets what rows on bodies
  /// find too much of the motion of the anchor, divided by the length of the step.
  void begin_in_island();
  void place_in_island(std::span<SpatialVector> excess);
  /// @returns whether the rates have settled
  bool take_in_island();
  /// @returns whether all numbers are finite; otherwise leave_island() has to follow
  bool finish_in_island();
  /// Must be called if something from outside has changed the motion: the next step does not
  /// follow from the last ones.
  void forget();
  /// Must be called if a body of the tree was at rest by force: the next step reads the bodies.
  void read_again();

  // ---- without the bodies: see joint_lanes.h

  const LinkModel& model() const { return model_; }
  /// Returns the rows of the axis of a rate; null for a rate of a free root.
  HingeRows* rows(std::size_t rate) const;
  /// Sets the rates with which the next step begins, in these positions of the model. @returns
  /// false if it reads the bodies, and does not find them at rest in exactly these positions
  bool read_start(std::span<const double> positions, double* rates) const;
  const StepHistory& history() const { return history_; }
  /// Moves the bodies, and the joints, to this state.
  void put(const LaneState& state);
  /// Returns O in the world, without a free root.
  const Vec3& reference() const { return reference_; }
  /// Must be called if something else moves the tree in this step.
  void leave_island();

  template <class Archive>
  void archive(Archive& archive);

 private:
  // The rows of one axis, and what a part of a step needs to set them again.
  struct Axis {
    TreeNode* node = nullptr;
    const SolvedJoint* joint = nullptr;
    std::size_t link = 0;
    double position = 0.0;  // before the step, as stops see it
    double from_rest = 0.0;
    double stop_erp = 0.0;         // for the length of the whole step
    ServoRowOf<double> passive{};  // of the whole step
  };
  // What LinkStep asks of the rows of the tree.
  struct Rows {
    bool fold(std::size_t rate, double inertia, FoldedRows<double>& folded);
    bool settle(const LinkKernel<Vec3>& kernel, int round);
    TreeCoordinates& tree;
    StepSettings settings;
    bool takes_mean = true;  // springs act in the middle of the step
    bool has_failed = false;
    std::size_t fewest = 0;  // rows that broke their bounds in a round
    int rounds_without_gain = 0;
  };

  TreeCoordinates(Forest& forest, const TreeRange& tree, const StepSettings& settings,
                  const IntegratorRule& rule);
  bool add_link(std::size_t node);
  void read();
  // Tells the joints their rates, if these are known.
  void tell_rates();
  // Clears the rates and accelerations that the next step does not use.
  void clear_unused();
  // Moves the bodies to where find_poses() has found them.
  void put_bodies();
  // Makes the rates those of the motion of the joints that is nearest to that of the bodies.
  void project_rates();
  // Sets the rows of all axes for a part of the step.
  void set_rows(const StepSettings& settings, int parts);
  // Sets what an axis asks for in a part of the step.
  void set_demand(const Axis& axis, std::size_t rate, int parts) const;
  void restore_demands() const;
  // Finds the poses and motions of all bodies.
  void find_poses();
  // Returns whether no axis has a row that asks for a rate, and the tree hangs on the world.
  bool is_without_row_inside() const;
  // Returns the work of all but gravity in a part of the step of length h, by its last evaluation.
  double work_of_middle(double h);
  // Returns whether the tree has a free root, further links, and no damping of bodies.
  bool is_free_and_undamped() const;
  // Returns the energy and the momentum of the bodies where find_poses() has found them.
  LinkBalance balance();
  // Begins a part of length h, and adds one to the history.
  void begin_from(const StepHistory& history, double h);
  void add_to(StepHistory& history, double h) const;
  // Begins the history with the accelerations before the step.
  void find_start();
  // Takes the next part of the step, of length share·h/kMostParts, and adds to the evaluations.
  // Returns false, and changes nothing, if a shorter part is needed.
  bool solve_part(int share, int& evaluations);
  // Moves the tree by the part that was solved, and balances energy and momentum. Returns false if
  // the energy is too far off.
  bool take_part(const StepRule& rule);
  // Returns whether such a part has an error of at most its share.
  bool is_accurate(int share, double roughness) const;
  // These tell of the part that was solved last whether a joint turns too far for an estimate, and
  // what local_error() needs.
  bool turns_far(double h) const;
  double roughness(const StepRule& rule) const;

  Forest& forest_;
  TreeRange range_;
  const StepSettings& settings_;
  IntegratorRule rule_;
  LinkModel model_;
  std::vector<Axis> axes_;         // by rate; those of a free root have no node
  std::vector<double> armatures_;  // by rate; empty without any
  Vec3 reference_;                 // O in the world, without a free root
  std::unique_ptr<LinkStep<Vec3>> step_;
  double knows_rates_ = 0.0;  // 1: the rates of `step_` are those of the state
  StepHistory history_{0};
  StepHistory next_history_{0};               // after the step
  std::vector<double> start_;                 // accelerations from which the iteration starts
  std::vector<SpatialVector> start_motions_;  // by link, see place_in_island()
  std::vector<SpatialVector> drifts_;
  std::vector<double> positions_before_;
  std::vector<double> rates_before_;
  std::vector<double> positions_of_part_;  // at its start
  std::vector<double> rates_of_part_;
  std::vector<MovedBody> moved_;
  std::vector<MovedBody> by_joints_;  // as the joints say before the step
  std::vector<SpatialVector> momenta_;
};

}  // namespace servosim
