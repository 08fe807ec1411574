// SPDX-License-Identifier: Apache-2.0
// The solver's passes over one tree, with the three numbers of a vector in one register. Sources
// that are compiled for registers of four numbers include it.
#pragma once

#include <ode/ode.h>

#include "physics/tree/one_round.h"
#include "physics/tree/solver_passes.h"
#include "physics/tree/wide_subspace.h"
#include "physics/tree/wide_vector.h"

// A vector is one register with three numbers, so an operation on a vector is one instruction:
//
//     v = (x, y, z, unused),    matrix = three rows, rotation = three columns
//
// Each number is the result of the same operations in the same order as in single numbers, so the
// bits are the same. body_step.h, elimination.h and solver_passes.h have the equations.

namespace servosim {

namespace {

// How OneRound and Passes read the numbers of a tree into registers, and write them back.
struct WideInput {
  using Vector = WideVec3;
  static constexpr std::size_t kTrees = 1;
  static constexpr bool kMoves = false;

  // Reads four numbers at any address.
  static Four four(const double* from) {
    Four four;
    __builtin_memcpy(&four, from, sizeof four);
    return four;
  }

  // OneRound passes the address of each lane; here there is one.
  template <class From>
  static WideVec3 vector(From from) {
    return wide(*from(0));
  }
  // Reads three numbers of ODE, which stores an unused fourth number after them.
  template <class From>
  static WideVec3 three(From from) {
    return WideVec3(four(from(0)));
  }
  // ODE stores rows; a product with a vector needs columns.
  template <class From>
  static WideRotation rotation(From from) {
    const double* const rows = from(0);
    const WideMat3 columns = transposed(WideMat3{{four(rows), four(rows + 4), four(rows + 8)}});
    return {{columns.r[0], columns.r[1], columns.r[2]}};
  }
  template <class From>
  static QuaternionOf<WideVec3> turn(From from) {
    const double* const q = from(0);
    return {q[0], q[1], q[2], q[3]};
  }
  static InertialParametersOf<WideVec3> inertial_parameters(const TreeBody* const* bodies) {
    return {bodies[0]->inertial.mass, symmetric(bodies[0]->inertial.inertia)};
  }
  // Makes full rows of the six numbers of the upper half.
  static WideSymMat3 symmetric(const SymMat3& m) {
    const Four first = four(&m.xx);
    const Four last = four(&m.xz);
    return {{first, __builtin_shufflevector(first, last, 1, 5, 6, 6),
             __builtin_shufflevector(last, last, 0, 2, 3, 3)}};
  }

  // The four vectors are read one by one; there are no other lanes with which to transpose them.
  static void read_hinge(const JointFrames* const* of, JointFramesOf<WideVec3>& joint) {
    joint.child_anchor = vector([of](std::size_t) { return &of[0]->child_anchor; });
    joint.parent_anchor = vector([of](std::size_t) { return &of[0]->parent_anchor; });
    joint.child_axis = vector([of](std::size_t) { return &of[0]->child_axis; });
    joint.parent_axis = vector([of](std::size_t) { return &of[0]->parent_axis; });
  }

  static void read_motors(const JointDrive* const* of, double& velocity, double& max_force,
                          double& softness) {
    velocity = of[0]->velocity;
    max_force = of[0]->max_force;
    softness = of[0]->softness;
  }

  // Returns a sum that is finite only if all six numbers are. The fourth numbers do not count.
  static double sum_of_sizes(const SpatialVectorOf<WideVec3>& v) {
    const Four& a = v.linear.v;
    const Four& b = v.angular.v;
    return servosim::absolute(a[0]) + servosim::absolute(a[1]) + servosim::absolute(a[2]) +
           servosim::absolute(b[0]) + servosim::absolute(b[1]) + servosim::absolute(b[2]);
  }
  // OneRound reads and writes numbers by lane; here there is one lane.
  static void set(double& to, std::size_t, double number) { to = number; }
  static double at(double number, std::size_t) { return number; }
  static bool at(bool condition, std::size_t) { return condition; }

  // These write three numbers and nothing behind them.
  static void write(const WideVec3& from, Vec3& to) {
    to.x = from.v[0];
    to.y = from.v[1];
    to.z = from.v[2];
  }
  static void write(const SpatialVectorOf<WideVec3>& from, SpatialVector& to) {
    write(from.linear, to.linear);
    write(from.angular, to.angular);
  }
  // Writes what is read later: what measures efforts, and what moves the bodies.
  static void write_results(const LaneTree* trees, const RoundNode<WideVec3>* nodes) {
    for (std::size_t i = 0; i < trees[0].count; ++i) {
      const RoundNode<WideVec3>& n = nodes[i];
      TreeNode& to = trees[0].nodes[i];
      write(n.motion, to.motion);
      if (n.kind != TreeNodeKind::Root) {
        write(n.force, to.force);
        write(n.arm, to.arm);
        write(n.parent_arm, to.parent_arm);
        write(n.axis, to.axis);
      }
    }
  }
};

// Writes to ODE's own memory, to which its getters point. The fourth number there stays.
void store_three(const Four& v, const double* to) {
  double* const out = const_cast<double*>(to);
  out[0] = v[0];
  out[1] = v[1];
  out[2] = v[2];
}

// Does what turned() in body_step.h does. Numbers are in ODE's order, the real part first.
Four turned(const Four& q, const Four& spin, double h) {
  // The four rows of (0, ω)·q, as products of ω_x, ω_y and ω_z with shuffled q and −q.
  const Four n = -q;
  const Four change = spin[0] * __builtin_shufflevector(q, n, 5, 0, 7, 2) +
                      spin[1] * __builtin_shufflevector(q, n, 6, 3, 0, 5) +
                      spin[2] * __builtin_shufflevector(q, n, 7, 6, 1, 0);
  const Four t = q + 0.5 * h * change;
  const Four square = t * t;
  const double scale = 1.0 / __builtin_sqrt(square[0] + square[1] + square[2] + square[3]);
  return scale * t;
}

// Does what rotation_of() in body_step.h does, and stores the result: 1 − 2·(y² + z²) and the like
// on the diagonal, 2·(x·y ∓ w·z) and the like off it.
void store_rotation(const Four& q, const double* to) {
  const Four v = __builtin_shufflevector(q, q, 1, 2, 3, 0);
  const Four across = v * turned_on(v);                                 // xy, yz, zx
  const Four about = q[0] * __builtin_shufflevector(v, v, 2, 0, 1, 3);  // wz, wx, wy
  const Four more = 2.0 * (across + about);
  const Four less = 2.0 * (across - about);
  const Four square = 2.0 * v * v;
  const Four on = 1.0 - __builtin_shufflevector(square, square, 1, 0, 0, 3) -
                  __builtin_shufflevector(square, square, 2, 2, 1, 3);
  double* const out = const_cast<double*>(to);
  out[0] = on[0];
  out[1] = less[0];
  out[2] = more[2];
  out[4] = more[0];
  out[5] = on[1];
  out[6] = less[1];
  out[8] = less[2];
  out[9] = more[1];
  out[10] = on[2];
}

// Does what TreeBody::move() does.
void move(const TreeBody& body, double h) {
  const SpatialVector& motion = body.node->motion;
  const Four velocity =
      h * Four{motion.linear.x, motion.linear.y, motion.linear.z, motion.linear.z};
  Four spin = h * Four{motion.angular.x, motion.angular.y, motion.angular.z, motion.angular.z};
  const MotionLimits& limits = body.limits;
  const double square = dot(WideVec3(spin), WideVec3(spin));
  // ODE limits the spin before the body moves, and damps it afterwards.
  if (square > limits.max_spin * limits.max_spin) {
    spin = limits.max_spin / __builtin_sqrt(square) * spin;
  }
  const Body& ode = *body.body;
  // The position follows the velocity before damping, as in ODE.
  const Four turn = turned(WideInput::four(ode.quaternion), spin, h);
  __builtin_memcpy(const_cast<double*>(ode.quaternion), &turn, sizeof turn);
  store_rotation(turn, ode.rotation);
  const Four center = WideInput::four(ode.position) + h * velocity;
  store_three(limits.linear_rest * velocity, ode.velocity);
  store_three(limits.angular_rest * spin, ode.spin);
  store_three(center, ode.position);
  if (body.informs_geoms) {
    dBodySetPosition(ode.id, center[0], center[1], center[2]);
  }
  store_three(Four{}, body.force);
  store_three(Four{}, body.torque);
}

// One call is for all bodies of a tree, since a call across sources cannot be inlined.
void move_bodies(const TreeBody* bodies, std::size_t count, double h) {
  for (std::size_t i = 0; i < count; ++i) {
    move(bodies[i], h);
  }
}

// Writes adjacent numbers, four or three at a time. The fourth number of three is overwritten by
// what follows it.
struct Writer {
  void four(const Four& v) {
    __builtin_memcpy(to, &v, sizeof v);
    to += 4;
  }
  void three(const Four& v) {
    __builtin_memcpy(to, &v, sizeof v);
    to += 3;
  }
  void last_three(const Four& v) {
    to[0] = v[0];
    to[1] = v[1];
    to[2] = v[2];
  }
  double* to;
};
static_assert(sizeof(BodyFrame) == 16 * sizeof(double) && sizeof(SymMat3) == 6 * sizeof(double));

// Does what TreeBody::read() does.
void read(TreeBody& body, double h, const WideVec3& gravity) {
  const Body& ode = *body.body;
  const Four rows[3] = {WideInput::four(ode.rotation), WideInput::four(ode.rotation + 4),
                        WideInput::four(ode.rotation + 8)};
  Writer frame{reinterpret_cast<double*>(&body.frame)};
  for (const Four& row : rows) {
    frame.three(row);
  }
  frame.four(WideInput::four(ode.quaternion));
  // The last three numbers must not overwrite what follows the frame.
  frame.last_three(WideInput::four(ode.position));
  // ODE stores rows; set_load() needs the rotation as its columns.
  const WideMat3 columns = transposed(WideMat3{{rows[0], rows[1], rows[2]}});
  const auto three = [](const double* from) { return WideVec3(WideInput::four(from)); };
  const TreeBody* const only = &body;
  NodeInputOf<WideVec3> n;
  set_load(WideInput::inertial_parameters(&only), body.is_gyroscopic,
           WideRotation{{columns.r[0], columns.r[1], columns.r[2]}},
           {three(ode.velocity), three(ode.spin), three(body.force), three(body.torque)}, h,
           gravity, n);
  TreeNode& node = *body.node;
  node.mass = n.mass;
  const auto& r = n.inertia.r;
  Writer inertia{&node.inertia.xx};
  inertia.three(r[0]);
  // The upper half, row by row: xx, xy, xz, yy, yz, zz.
  inertia.last_three(Four{r[1][1], r[1][2], r[2][2], r[2][2]});
  Writer load{&node.load.linear.x};
  load.three(n.load.linear.v);
  load.last_three(n.load.angular.v);
}

// One call is for all bodies of a tree, as for move_bodies().
void read_bodies(TreeBody* bodies, std::size_t count, const StepSettings& settings) {
  const WideVec3 gravity(settings.gravity.x, settings.gravity.y, settings.gravity.z);
  for (std::size_t i = 0; i < count; ++i) {
    read(bodies[i], settings.h, gravity);
  }
}

// The sources for the sets of instructions export these under their own names.
constexpr LaneKernel kThisWideKernel{1, sizeof(OneRound<WideInput>::Node),
                                     OneRound<WideInput>::solve, nullptr};

constexpr SolverKernel kThisPasses = Passes<WideInput>::kernel();

}  // namespace

}  // namespace servosim
