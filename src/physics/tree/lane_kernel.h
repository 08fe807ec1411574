// SPDX-License-Identifier: Apache-2.0
// The solver's passes over trees side by side. One source for each set of instructions includes it,
// and defines SERVOSIM_LANES. All names belong to that source alone: see one_round.h.
#pragma once

// clang-format off
#include "physics/tree/lane_vector.h"  // before the templates that use it
// clang-format on
#include <math.h>
#include <ode/ode.h>

#include "base/limits.h"
#include "physics/rows/joint_rows.h"
#include "physics/tree/arc_tangent.h"
#include "physics/tree/one_round.h"

// Lanes hold number n of tree l in lane l of a register. Memory holds the numbers of a tree next to
// each other, so four numbers of each lane are read at once and transposed:
//
//     n0(tree 0) n1(tree 0) n2(tree 0) n3(tree 0)        n0(tree 0) n0(tree 1) …
//     n0(tree 1) n1(tree 1) n2(tree 1) n3(tree 1)   →    n1(tree 0) n1(tree 1) …
//
// The equations are those of body_step.h, joint_place.h, elimination.h, coordinate.h and
// arc_tangent.h, which are templates over LaneVec3.

namespace servosim {

namespace {

// Returns the first three of four numbers.
[[gnu::always_inline]] inline LaneVec3 vector_of(const LaneFour& four) {
  return {four.n[0], four.n[1], four.n[2]};
}

// Chooses every lane.
constexpr bool kAll[kMaxLanes] = {true, true, true, true, true, true, true, true};

// How OneRound reads numbers of trees into lanes, and writes them back. Adjacent numbers are read
// four at a time and transposed, since single accesses for each number and lane cost more.
struct LaneInput {
  using Vector = LaneVec3;
  static constexpr std::size_t kTrees = kLanes;
  static constexpr bool kMoves = true;

  // Reads a vector number by number. `from` returns the address for a lane.
  template <class From>
  [[gnu::always_inline]] static inline LaneVec3 vector(From from) {
    const auto number = [&from](double Vec3::*which) {
      Lanes lanes;
      for (std::size_t l = 0; l < kLanes; ++l) {
        lanes[l] = from(l)->*which;
      }
      return lanes;
    };
    return {number(&Vec3::x), number(&Vec3::y), number(&Vec3::z)};
  }
  // Reads three numbers of ODE, which stores an unused fourth number after them.
  template <class From>
  [[gnu::always_inline]] static inline LaneVec3 three(From from) {
    return vector_of(load_four(from));
  }
  // Reads a rotation of ODE, whose rows have four numbers.
  template <class From>
  [[gnu::always_inline]] static inline LaneMat3 rotation(From from) {
    LaneMat3 rotation;
    for (std::size_t i = 0; i < 3; ++i) {
      const LaneFour row = load_four([&](std::size_t l) { return from(l) + 4 * i; });
      for (std::size_t j = 0; j < 3; ++j) {
        rotation.m[3 * i + j] = row.n[j];
      }
    }
    return rotation;
  }
  // Reads a quaternion of ODE, the real part first.
  template <class From>
  [[gnu::always_inline]] static inline QuaternionOf<LaneVec3> turn(From from) {
    const LaneFour q = load_four(from);
    return {q.n[0], q.n[1], q.n[2], q.n[3]};
  }
  // Mass and inertia are seven adjacent numbers, and another number follows them.
  [[gnu::always_inline]] static inline InertialParametersOf<LaneVec3> inertial_parameters(
      const TreeBody* const* bodies) {
    const auto mass = [bodies](std::size_t l) { return &bodies[l]->inertial.mass; };
    const LaneFour a = load_four(mass);
    const LaneFour b = load_four([&](std::size_t l) { return mass(l) + 4; });
    return {a.n[0], {a.n[1], a.n[2], a.n[3], b.n[0], b.n[1], b.n[2]}};
  }
  // A drive has four adjacent numbers, of which the force is in no row.
  [[gnu::always_inline]] static inline void read_motors(const JointDrive* const* of,
                                                        Lanes& velocity, Lanes& max_force,
                                                        Lanes& softness) {
    const LaneFour row = load_four([of](std::size_t l) { return &of[l]->velocity; });
    velocity = row.n[0];
    max_force = row.n[1];
    softness = row.n[3];
  }
  // Anchors and axes are twelve adjacent numbers.
  [[gnu::always_inline]] static inline void read_hinge(const JointFrames* const* of,
                                                       JointFramesOf<LaneVec3>& joint) {
    const auto part = [of](std::size_t number) {
      return load_four([&](std::size_t l) { return &of[l]->child_anchor.x + number; });
    };
    const LaneFour a = part(0);
    const LaneFour b = part(4);
    const LaneFour c = part(8);
    joint.child_anchor = vector_of(a);
    joint.parent_anchor = {a.n[3], b.n[0], b.n[1]};
    joint.child_axis = {b.n[2], b.n[3], c.n[0]};
    joint.parent_axis = {c.n[1], c.n[2], c.n[3]};
  }

  // Returns a sum that is finite only if all six numbers are.
  [[gnu::always_inline]] static inline Lanes sum_of_sizes(const SpatialVectorOf<LaneVec3>& v) {
    return absolute(v.linear.x) + absolute(v.linear.y) + absolute(v.linear.z) +
           absolute(v.angular.x) + absolute(v.angular.y) + absolute(v.angular.z);
  }
  // These read and write the number of one lane.
  [[gnu::always_inline]] static inline void set(Lanes& lanes, std::size_t l, double number) {
    lanes[l] = number;
  }
  [[gnu::always_inline]] static inline double at(const Lanes& lanes, std::size_t l) {
    return lanes[l];
  }
  [[gnu::always_inline]] static inline bool at(const LaneMask& mask, std::size_t l) {
    return mask[l] != 0;
  }

  // Writes what is read later: what measures efforts, and what moves the bodies of lanes that
  // move() does not move.
  [[gnu::always_inline]] static inline void write_results(const LaneTree* trees,
                                                          const RoundNode<LaneVec3>* nodes) {
    for (std::size_t i = 0; i < trees[0].count; ++i) {
      const RoundNode<LaneVec3>& n = nodes[i];
      const auto node = [trees, i](std::size_t l) -> TreeNode& { return trees[l].nodes[i]; };
      // Motion and force are twelve adjacent numbers.
      const auto result = [&](std::size_t number) {
        return [&node, number](std::size_t l) { return &node(l).motion.linear.x + number; };
      };
      const SpatialVectorOf<LaneVec3>& m = n.motion;
      const SpatialVectorOf<LaneVec3>& f = n.force;
      store_four({{m.linear.x, m.linear.y, m.linear.z, m.angular.x}}, kAll, result(0));
      store_four({{m.angular.y, m.angular.z, f.linear.x, f.linear.y}}, kAll, result(4));
      store_four({{f.linear.z, f.angular.x, f.angular.y, f.angular.z}}, kAll, result(8));
      if (n.kind == TreeNodeKind::Root) {
        continue;
      }
      // Arms, axis and the linear drift are twelve adjacent numbers.
      const auto placed = [&](std::size_t number) {
        return [&node, number](std::size_t l) { return &node(l).arm.x + number; };
      };
      store_four({{n.arm.x, n.arm.y, n.arm.z, n.parent_arm.x}}, kAll, placed(0));
      store_four({{n.parent_arm.y, n.parent_arm.z, n.axis.x, n.axis.y}}, kAll, placed(4));
      store_four({{n.axis.z, n.drift.linear.x, n.drift.linear.y, n.drift.linear.z}}, kAll,
                 placed(8));
    }
  }
};

// These layouts are needed to read and write four numbers at a time. A fourth number after three is
// in the same object.
static_assert(sizeof(PlacedJoint) == 15 * sizeof(double) && sizeof(SpatialVector) == 48 &&
              sizeof(InertialParameters) == 7 * sizeof(double) &&
              sizeof(CoordinateReference) == 11 * sizeof(double) &&
              sizeof(JointFrames) == 19 * sizeof(double) &&
              sizeof(JointDrive) == 4 * sizeof(double));
static_assert(offsetof(TreeBody, min_inertia) ==
                  offsetof(TreeBody, inertial) + sizeof(InertialParameters) &&
              offsetof(TreeBody, force) == offsetof(TreeBody, limits) + sizeof(MotionLimits) &&
              offsetof(CoordinateReference, axis) == 7 * sizeof(double) &&
              offsetof(CoordinateReference, sign) == 10 * sizeof(double) &&
              offsetof(JointFrames, parent_axis) == 9 * sizeof(double));

// LaneKernel::move(): does what TreeBody::move() does, and finds the rates and positions that
// Joints read afterwards. Poses and motions are still in the memory of the kernel.
class LaneMove {
 public:
  using Round = OneRound<LaneInput>;
  using Node = Round::Node;

  // Moves the bodies first, since the position of a joint needs the new poses of both bodies.
  static void move(const LaneTree* trees, LaneAxis* axes, const StepSettings& settings,
                   void* memory, const bool* chosen, LaneResults& results) {
    Node* const nodes = static_cast<Node*>(memory);
    bool all_move = true;
    for (std::size_t l = 0; l < kLanes; ++l) {
      all_move = all_move && chosen[l];
    }
    Lanes fastest{};
    LaneMask is_out = fastest != fastest;
    for (std::size_t i = 0; i < trees[0].count; ++i) {
      Node& n = nodes[i];
      const TreeBody* bodies[kLanes];
      for (std::size_t l = 0; l < kLanes; ++l) {
        bodies[l] = &trees[l].bodies[i];
      }
      const MovedBodyOf<LaneVec3> moved =
          moved_by_step(limits_of(bodies), n.frame.turn, n.frame.center, n.motion, settings.h);
      // The node keeps the new pose and velocity, from which positions and rates of joints follow.
      n.frame = {rotation_of<LaneVec3>(moved.turn), moved.turn, moved.center};
      n.motion = {moved.velocity, moved.spin};
      // With a constant mask the compiler leaves out the tests of lanes.
      all_move ? store(moved, n.frame.rotation, bodies, kAll)
               : store(moved, n.frame.rotation, bodies, chosen);
      const Lanes spin = dot(moved.spin, moved.spin);
      const Lanes size =
          dot(moved.center, moved.center) + dot(moved.velocity, moved.velocity) + spin;
      fastest = choose(spin > fastest, spin, fastest);
      is_out |= !(size < kMaxCoordinate * kMaxCoordinate);  // also true for NaN
    }
    for (std::size_t l = 0; l < kLanes; ++l) {
      // ODE's limits are checked for each tree, and not for each body.
      results.fastest[l] = fastest[l];
      results.is_in_range[l] = is_out[l] == 0;
    }
    for (std::size_t i = 0; i < trees[0].count; ++i) {
      find_position(trees, i, nodes[i], axes[i]);
    }
    for (std::size_t i = 0; i < trees[0].count; ++i) {  // a loop of its own: each is long
      if (nodes[i].kind == TreeNodeKind::Hinge) {
        Round::store(angle_of_half(Round::load(axes[i].position), Round::load(axes[i].cosine)),
                     axes[i].position);
      }
    }
  }

 private:
  [[gnu::always_inline]] static inline MotionLimitsOf<LaneVec3> limits_of(
      const TreeBody* const* bodies) {
    // The limits are three adjacent numbers, and another member follows them.
    const LaneFour four = load_four([&](std::size_t l) { return &bodies[l]->limits.linear_rest; });
    return {four.n[0], four.n[1], four.n[2]};
  }

  // ODE's getters point to its own memory, where the results go.
  static double* ours(const double* of_ode) { return const_cast<double*>(of_ode); }

  // Writes pose and velocities to ODE, tells geoms, and clears the forces.
  [[gnu::always_inline]] static inline void store(const MovedBodyOf<LaneVec3>& moved,
                                                  const LaneMat3& rotation,
                                                  const TreeBody* const* bodies,
                                                  const bool* chosen) {
    const Body* ode[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) {
      ode[l] = bodies[l]->body;
    }
    const Lanes none{};  // ODE stores an unused fourth number after three
    const auto& m = rotation.m;
    for (std::size_t r = 0; r < 3; ++r) {
      store_four({{m[3 * r], m[3 * r + 1], m[3 * r + 2], none}}, chosen,
                 [&](std::size_t l) { return ours(ode[l]->rotation + 4 * r); });
    }
    store_four({{moved.turn.w, moved.turn.x, moved.turn.y, moved.turn.z}}, chosen,
               [&](std::size_t l) { return ours(ode[l]->quaternion); });
    store_four({{moved.center.x, moved.center.y, moved.center.z, none}}, chosen,
               [&](std::size_t l) { return ours(ode[l]->position); });
    store_four({{moved.velocity.x, moved.velocity.y, moved.velocity.z, none}}, chosen,
               [&](std::size_t l) { return ours(ode[l]->velocity); });
    store_four({{moved.spin.x, moved.spin.y, moved.spin.z, none}}, chosen,
               [&](std::size_t l) { return ours(ode[l]->spin); });
    for (std::size_t l = 0; l < kLanes; ++l) {
      if (!chosen[l]) {
        continue;
      }
      if (bodies[l]->informs_geoms) {
        const double* const at = ode[l]->position;
        dBodySetPosition(ode[l]->id, at[0], at[1], at[2]);
      }
      // ODE clears the forces of a body in each step, and so does this.
      __builtin_memset(ours(bodies[l]->force), 0, 3 * sizeof(double));
      __builtin_memset(ours(bodies[l]->torque), 0, 3 * sizeof(double));
    }
  }

  // angle_of() for lanes. Where the last bit is in doubt, glibc's function is called for that lane.
  [[gnu::always_inline]] static inline Lanes angle_of_half(const Lanes& sine, const Lanes& cosine) {
    FoundAngle<LaneVec3> found = arc_tangent<LaneVec3>(sine, cosine);
    if (any_holds(found.is_doubtful)) {
      for (std::size_t l = 0; l < kLanes; ++l) {
        found.angle[l] = found.is_doubtful[l] != 0 ? ::atan2(sine[l], cosine[l]) : found.angle[l];
      }
    }
    return angle_from(found.angle);
  }

  // JointCoordinate::rate() and position(). For a hinge it stores sine and cosine of half the
  // angle, since the arc tangents of all joints are computed together afterwards.
  static void find_position(const LaneTree* trees, std::size_t i, const Node& n, LaneAxis& axis) {
    if (!has_axis(n.kind)) {
      return;
    }
    const CoordinateReference* of[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) {
      of[l] = &trees[l].joints[i].solved().axis->coordinate.reference();
    }
    // A dynamic parent is ODE's first body; without one the child is. See OdeJoint.
    const Node* const parent = n.parent();
    const BodyFrameOf<LaneVec3>& first = parent != nullptr ? parent->frame : n.frame;
    const auto motion_of = [&n](const Node& body) -> const LaneVec3& {
      return n.kind == TreeNodeKind::Hinge ? body.motion.angular : body.motion.linear;
    };
    const BodyFrameOf<LaneVec3>* const second = parent != nullptr ? &n.frame : nullptr;
    // The axis, and after it the sign of a slider.
    const LaneFour c = load_four([&](std::size_t l) { return &of[l]->axis.x; });
    Round::store(coordinate_rate(n.kind == TreeNodeKind::Hinge, first.rotation, vector_of(c),
                                 c.n[3], motion_of(parent != nullptr ? *parent : n),
                                 parent != nullptr ? &motion_of(n) : nullptr),
                 axis.rate);
    if (n.kind == TreeNodeKind::Slider) {
      const LaneVec3 offset = LaneInput::three([&](std::size_t l) { return &of[l]->offset.x; });
      Round::store(slider_position(first, second, offset, vector_of(c), c.n[3]), axis.position);
      return;
    }
    const QuaternionOf<LaneVec3> start =
        LaneInput::turn([&](std::size_t l) { return &of[l]->start.w; });
    const HalfTurnOf<LaneVec3> half =
        half_turn(first.turn, second != nullptr ? &second->turn : nullptr, start, vector_of(c));
    // `position` holds the sine until the arc tangent replaces it.
    Round::store(half.sine, axis.position);
    Round::store(half.cosine, axis.cosine);
  }
};

// The sources for the sets of instructions export this under their own names.
constexpr LaneKernel kThisKernel{kLanes, sizeof(OneRound<LaneInput>::Node),
                                 OneRound<LaneInput>::solve, LaneMove::move};

}  // namespace

}  // namespace servosim
