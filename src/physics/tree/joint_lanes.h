// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "physics/coordinates/link_model.h"
#include "physics/lane_set.h"
#include "physics/rows/axis_laws.h"
#include "physics/rows/row.h"
#include "physics/tree/lanes.h"

// Equal trees side by side in the coordinates of their joints, without bodies. Each number of a
// tree is a vector with one lane for each instance. A step is that of TreeCoordinates, undivided
// and by the same templates, so an instance gets the same bits. With one evaluation it is
//
//     p, p' → rows of the axes → q'' → p'⁺ = p' + h·q'',  p⁺ = p + h·p'⁺
//
// and with more of them that of link_step.h. p is the position of a joint as JointState has it.
// Arrays have the numbers of an axis for all lanes next to each other, one axis after the other.

namespace servosim {

struct MovedSolid;

/// What never changes of an axis.
struct JointLaneAxis {
  int joint = -1;       ///< in the scene
  double offset = 0.0;  ///< p where the model of the tree is at 0 [rad|m]
  Stops stops;
  SpringRow spring;  ///< its distance from rest has no meaning
};

/// What never changes of a tree whose links all have an axis. Axes are in the order of the rates.
struct JointLaneTree {
  LinkModel links;
  Vec3 reference;  ///< O in the world [m]
  std::vector<JointLaneAxis> axes;
};

/// What instances that share lanes have in common.
struct JointLaneModel {
  StepSettings settings;
  int evaluations = 1;  ///< see StepRule
  std::vector<JointLaneTree> trees;
  /// The poses that were set from outside: see KinematicMotion::moved(). Trees hang on such Solids,
  /// which is not in `trees`.
  std::shared_ptr<const std::vector<MovedSolid>> moved;
  /// Up to this size of all positions and rates no body is out of the range of a step.
  double most = 0.0;

  std::size_t axes() const;
  /// Whether a step begins with the accelerations of the last two steps.
  bool has_history() const { return evaluations != 1; }
};

/// The state of the trees, by axis and lane, before and after a step.
struct JointLaneState {
  double* positions;
  double* rates;
  double* last;    ///< accelerations of the last step; null without a history
  double* before;  ///< of the step before it
};

/// The law of a motor in the lanes that are not in force control: see MotorCommandOf and
/// VelocityController. Without a simulation a lane has no meaning.
struct alignas(64) JointLaneLaw {
  double holds[kMaxLanes]{};  ///< 0 or 1: it is the law of this lane
  double position[kMaxLanes]{};
  double velocity[kMaxLanes]{};
  double acceleration[kMaxLanes]{};
  double available_force[kMaxLanes]{};
  double p[kMaxLanes]{};
  double i[kMaxLanes]{};
  double d[kMaxLanes]{};
  /// What the law keeps.
  struct Numbers {
    double velocity[kMaxLanes]{};
    double integral[kMaxLanes]{};
    double previous_error[kMaxLanes]{};
  };
  Numbers numbers;
  Numbers before;  ///< the last step
};

/// What a motor or friction asks of an axis, by lane: see JointDrive. Without a largest force it
/// has no row.
struct alignas(64) JointLaneMotor {
  double force[kMaxLanes]{};     ///< in no row
  double velocity[kMaxLanes]{};  ///< where no law finds it
  double max_force[kMaxLanes]{};
  double softness[kMaxLanes]{};
  bool any_row = false;  ///< some lane has the row
  bool any_law = false;  ///< some lane has a law
};

/// What an axis asks for in a step, by lane. In a lane without a row its terms have no meaning.
struct alignas(64) JointLaneDemand {
  const JointLaneMotor* motor = nullptr;  ///< or friction, or nothing; not null in a step
  JointLaneLaw* law = nullptr;            ///< of the motor; null if no lane has one
  double from_rest[kMaxLanes]{};          ///< of a spring that does not count turns
  // The stop: see Stops::row().
  double is_at_stop[kMaxLanes]{};  ///< 0 or 1
  double stop_target[kMaxLanes]{};
  double stop_low[kMaxLanes]{};
  double stop_high[kMaxLanes]{};
  bool any_stop = false;
};

/// What a set of instructions can do.
struct JointLaneKernel {
  std::size_t lanes;
  /// Makes the memory of step() for a tree of the model, which must outlive it.
  void* (*make)(const JointLaneTree& tree, const JointLaneModel& model);
  void (*destroy)(void* made);
  /// Takes a step. `demands` has an element for each axis, whose laws advance. Where `settled`
  /// becomes false, the rows of the lane need more rounds than a lane has, its step has to be
  /// divided, or it leaves the range of lanes, and its numbers have no meaning. @returns whether
  /// all lanes settled
  bool (*step)(void* made, const JointLaneDemand* demands, const JointLaneState& state,
               bool* settled);
};
extern const JointLaneKernel kSse2JointLanes;
extern const JointLaneKernel kAvx2JointLanes;
extern const JointLaneKernel kAvx512JointLanes;

/// Steps the trees of as many instances of a world as there are lanes.
///
/// Threads: one at a time for each object.
class JointLaneSolver {
 public:
  /// `set` must be a set that the processor has, and not None. `model` must outlive this object.
  JointLaneSolver(LaneSet set, const JointLaneModel& model);
  JointLaneSolver(const JointLaneSolver&) = delete;
  JointLaneSolver& operator=(const JointLaneSolver&) = delete;
  ~JointLaneSolver();

  static std::size_t lanes(LaneSet set);
  /// The demands of an axis for the next step; the axes of all trees are numbered in order.
  JointLaneDemand& demand(std::size_t axis) { return demands_[axis]; }
  /// Takes a step of the lanes. `settled` has lanes() elements: see JointLaneKernel::step().
  /// @returns whether all lanes settled
  [[nodiscard]] bool step(const JointLaneState& state, bool* settled);

 private:
  const JointLaneKernel& kernel_;
  std::vector<std::size_t> axes_;  // by tree
  std::vector<void*> made_;        // by tree
  std::vector<JointLaneDemand> demands_;
};

}  // namespace servosim
