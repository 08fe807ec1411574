// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "physics/coordinates/finite_turn.h"
#include "physics/coordinates/link_model.h"
#include "physics/rows/body_frame.h"
#include "physics/rows/row.h"
#include "physics/rows/spatial.h"

// The accelerations of a tree in its own coordinates, for single trees and lanes of them: V is the
// type of a vector of three numbers, see spatial.h. There is no allocation, no exception and no
// virtual call after construction.
//
// All spatial vectors of a tree are in the world's axes, about one point O: the centre of mass of a
// free root, or else the anchor of the first joint. So what hangs on a link is added to its parent
// as it is. With t, the motion of a link, s, the motion by a rate of 1 of its joint, and g,
// gravity,
//
//     t = t_p + s·q',    t' = t_p' + s·q'' + c,    c = t × (s·q')    t' of the world is −g
//
// one pass from the root finds R, x, t, and the force f of each link for q'' = 0:
//
//     f = M·t'₀ + t ×* M·t − the forces on the link
//
// A pass back finds what all links behind a joint are together, M and f, and the law of the axis.
// With U = M·s, D = s·U, u = φ − s·f, and the rows of the axis, q''_end + softness·λ = target for
// the rate after the step divided by its length, q''_end = q'' + q'₀/h,
//
//     a row inside:     q'' = (e + γ·(u − U·t_p'))/(1 + γ·D),    e = target − q'₀/h, γ = softness
//     no row inside:    q'' = (u − U·t_p')/D
//
// where φ is the force of rows at a bound. A last pass from the root gives q'' and t'. The force of
// all rows is D·q'' + U·t_p' + s·f. Source: R. Featherstone, Rigid Body Dynamics Algorithms (2008),
// chapters 5 and 7, with the softness of the rows added as in docs/explanation/solver.md.

namespace servosim {

/// What one pass leaves for the next, of one link.
template <class V>
struct LinkStateOf {
  using Real = RealOf<V>;

  Mat3Of<V> rotation;             ///< R
  V center;                       ///< x, from O [m]
  V anchor;                       ///< of its joint, from O [m]
  SpatialVectorOf<V> motion;      ///< t, of the point O of the link
  SpatialVectorOf<V> drift;       ///< t' for q'' = 0
  SpatialVectorOf<V> along_rate;  ///< s
  Real mass{};
  V moment;                        ///< m·x
  SymMat3Of<V> inertia;            ///< of the link about O
  SpatialVectorOf<V> own_force;    ///< f of the link alone
  SpatialMatrixOf<V> articulated;  ///< M of all that hangs on the joint
  SpatialVectorOf<V> force;        ///< f of that
  SpatialVectorOf<V> on_axis;      ///< U
  Real along_axis{};               ///< D
  Real gain{};                     ///< q'' = at_rest − gain·U·t_p'
  Real at_rest{};
  SpatialVectorOf<V> acceleration;  ///< t'
};

/// Finds the accelerations of a tree.
template <class V>
class LinkKernel {
 public:
  using Real = RealOf<V>;
  using State = LinkStateOf<V>;

  /// `model` must outlive this object.
  explicit LinkKernel(const LinkModel& model)
      : model_(model), states_(model.links().size()), accelerations_(model.rates()) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i].rotation = Mat3Of<V>{};
    }
  }

  const LinkModel& model() const { return model_; }
  const State& state(std::size_t link) const { return states_[link]; }
  /// Returns q'', in the order of the rates.
  const Real* accelerations() const { return accelerations_.data(); }

  /// Places all links, and finds their motions and forces. `forces` are those on the centres of
  /// mass, one for each link. `gyration` scales the gyroscopic torque of a free root; see
  /// gyration_of_step().
  void place(const Real* positions, const Real* rates, const V& gravity,
             const SpatialVectorOf<V>* forces, const Real& gyration) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const TreeLink& link = model_.links()[i];
      State& s = states_[i];
      const State* const parent = link.parent >= 0 ? &states_[link.parent] : nullptr;
      if (link.kind == LinkKind::Free) {
        place_free(positions + link.position, rates + link.rate, gravity, s);
      } else {
        place_joint(link, positions, rates, gravity, parent, s);
      }
      set_own(link, forces[i], link.kind == LinkKind::Free ? gyration : Real{} + 1.0, s);
    }
  }

  /// Finds the poses and motions of all bodies. `reference` is O in the world, without a free root.
  static void find_poses(const LinkModel& model, const V& reference, const Real* positions,
                         const Real* rates, MovedBodyOf<V>* bodies) {
    for (std::size_t i = 0; i < model.links().size(); ++i) {
      const TreeLink& link = model.links()[i];
      const Real* const q = positions + link.position;
      const Real* const v = rates + link.rate;
      MovedBodyOf<V>& body = bodies[i];
      if (link.kind == LinkKind::Free) {
        body.turn = {q[3], q[4], q[5], q[6]};
        body.center = {q[0], q[1], q[2]};
        body.velocity = {v[0], v[1], v[2]};
        body.spin = rotation_of(body.turn) * V{v[3], v[4], v[5]};
        continue;
      }
      const MovedBodyOf<V>* const parent = link.parent >= 0 ? &bodies[link.parent] : nullptr;
      V anchor = constant(link.anchor);
      V axis = constant(link.axis);
      V velocity{};
      V spin{};
      QuaternionOf<V> turn = constant(link.turn_at_zero);
      if (link.kind == LinkKind::Hinge) {
        Real sine;
        Real cosine;
        find_sine_and_cosine(0.5 * q[0], sine, cosine);
        turn = QuaternionOf<V>{cosine, sine * axis.x, sine * axis.y, sine * axis.z} * turn;
      }
      if (parent != nullptr) {
        const Mat3Of<V> rotation = rotation_of(parent->turn);
        const V from_parent = rotation * anchor;
        axis = rotation * axis;
        anchor = parent->center + from_parent;
        velocity = parent->velocity + cross(parent->spin, from_parent);
        spin = parent->spin;
        turn = parent->turn * turn;
      } else {
        anchor = reference + anchor;
      }
      if (link.kind == LinkKind::Hinge) {
        spin = spin + v[0] * axis;
      } else if (link.kind == LinkKind::Slider) {
        const V way = q[0] * axis;
        anchor = anchor + way;
        velocity = velocity + cross(spin, way) + v[0] * axis;
      }
      body.turn = with_unit_length(turn);
      const V arm = rotation_of(body.turn) * constant(link.arm);
      body.center = anchor + arm;
      body.velocity = velocity + cross(spin, arm);
      body.spin = spin;
    }
  }

  /// Finds the accelerations for the states of rows that `rows` has. It calls
  ///
  ///     rows.fold(rate, D, folded)    sets a FoldedRows; returns whether any row is inside
  ///
  /// for each axis. `per_step` is 1/h, and `start` are the rates before the step.
  template <class Rows>
  void solve(Rows& rows, const Real* start, double per_step) {
    for (State& s : states_) {
      set_articulated(s);
    }
    for (std::size_t i = states_.size(); i-- > 0;) {
      const TreeLink& link = model_.links()[i];
      switch (link.kind) {
        case LinkKind::Free:
          factor_root(states_[i]);
          break;
        case LinkKind::Fixed:
          if (link.parent >= 0) {
            add(states_[link.parent].articulated, states_[i].articulated);
            states_[link.parent].force = states_[link.parent].force + states_[i].force;
          }
          break;
        case LinkKind::Hinge:
        case LinkKind::Slider:
          eliminate(link, rows, start, per_step, states_[i]);
          break;
      }
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      accelerate(model_.links()[i], states_[i]);
    }
  }

  /// Returns the force of all rows of an axis, positive where it moves the link along +axis.
  Real force_of_rows(std::size_t link) const {
    const TreeLink& of = model_.links()[link];
    const State& s = states_[link];
    Real force = s.along_axis * accelerations_[of.rate] + part(of, s, s.force);
    if (of.parent >= 0) {
      force = force + dot(s.on_axis, states_[of.parent].acceleration);
    }
    return force;
  }

  /// Returns what the joint, with its rows, puts on the link, about the joint's anchor.
  SpatialVectorOf<V> force_of_joint(std::size_t link) const {
    const State& s = states_[link];
    const SpatialVectorOf<V> about_o = s.articulated * s.acceleration + s.force;
    return force_from(about_o, -s.anchor);
  }

 private:
  static void place_free(const Real* q, const Real* v, const V& gravity, State& s) {
    s.rotation = rotation_of(QuaternionOf<V>{q[3], q[4], q[5], q[6]});
    s.center = s.anchor = V{};
    s.motion = {{v[0], v[1], v[2]}, s.rotation * V{v[3], v[4], v[5]}};
    s.drift = {-gravity - cross(s.motion.angular, s.motion.linear), V{}};
  }

  void place_joint(const TreeLink& link, const Real* positions, const Real* rates, const V& gravity,
                   const State* parent, State& s) {
    Mat3Of<V> turn;
    if (link.kind == LinkKind::Hinge) {
      Real sine;
      Real cosine;
      find_sine_and_cosine(positions[link.position], sine, cosine);
      for (int i = 0; i < 9; ++i) {
        turn.m[i] = link.rest.m[i] + cosine * link.cosine.m[i] + sine * link.sine.m[i];
      }
    } else {
      for (int i = 0; i < 9; ++i) {
        turn.m[i] = Real{} + (link.rest.m[i] + link.cosine.m[i]);
      }
    }
    const V anchor = constant(link.anchor);
    V axis = constant(link.axis);
    if (parent != nullptr) {
      s.rotation = parent->rotation * turn;
      s.anchor = parent->center + parent->rotation * anchor;
      axis = parent->rotation * axis;
      s.motion = parent->motion;
      s.drift = parent->drift;
    } else {
      s.rotation = turn;
      s.anchor = anchor;
      s.motion = {};
      s.drift = {-gravity, V{}};
    }
    if (link.kind == LinkKind::Slider) {
      s.anchor = s.anchor + positions[link.position] * axis;
    }
    s.center = s.anchor + s.rotation * constant(link.arm);
    if (link.kind == LinkKind::Fixed) {
      return;
    }
    // c = t_p × (s·q'), since s × s is 0.
    const SpatialVectorOf<V> before = s.motion;
    const Real rate = rates[link.rate];
    if (link.kind == LinkKind::Hinge) {
      s.along_rate = {cross(s.anchor, axis), axis};
      const V turning = rate * axis;
      const V moving = rate * s.along_rate.linear;
      s.motion = {before.linear + moving, before.angular + turning};
      s.drift = {s.drift.linear + cross(before.angular, moving) + cross(before.linear, turning),
                 s.drift.angular + cross(before.angular, turning)};
    } else {
      s.along_rate = {axis, V{}};
      const V moving = rate * axis;
      s.motion.linear = before.linear + moving;
      s.drift.linear = s.drift.linear + cross(before.angular, moving);
    }
  }

  // Sets the inertia of the link about O, and its force for q'' = 0.
  static void set_own(const TreeLink& link, const SpatialVectorOf<V>& force, const Real& gyration,
                      State& s) {
    const Real mass = Real{} + link.mass;
    const V& c = s.center;
    const V& spin = s.motion.angular;
    const SymMat3Of<V> about_center = rotated(s.rotation, constant(link.inertia));
    const V moment = mass * c;
    s.moment = moment;
    const Real xx = moment.x * c.x;
    const Real yy = moment.y * c.y;
    const Real zz = moment.z * c.z;
    s.inertia = {about_center.xx + (yy + zz),      about_center.xy - moment.x * c.y,
                 about_center.xz - moment.x * c.z, about_center.yy + (xx + zz),
                 about_center.yz - moment.y * c.z, about_center.zz + (xx + yy)};
    const V velocity = s.motion.linear + cross(spin, c);
    V linear =
        mass * (s.drift.linear + cross(s.drift.angular, c) + cross(spin, velocity)) - force.linear;
    const V momentum = about_center * spin;
    V angular = about_center * s.drift.angular + gyration * cross(spin, momentum) - force.angular;
    if (link.linear_decay > 0.0 || link.angular_decay > 0.0) {
      linear = linear + (link.linear_decay * mass) * velocity;
      angular = angular + (Real{} + link.angular_decay) * momentum;
    }
    s.own_force = {linear, angular + cross(c, linear)};
    s.mass = mass;
  }

  // M = [ m·1  −m·[x] ; ·  I ]
  static void set_articulated(State& s) {
    const Real zero{};
    const V& h = s.moment;
    s.articulated.a = {s.mass, zero, zero, s.mass, zero, s.mass};
    auto& b = s.articulated.b.m;
    b[0] = zero;
    b[1] = h.z;
    b[2] = -h.y;
    b[3] = -h.z;
    b[4] = zero;
    b[5] = h.x;
    b[6] = h.y;
    b[7] = -h.x;
    b[8] = zero;
    s.articulated.d = s.inertia;
    s.force = s.own_force;
  }

  template <class Rows>
  void eliminate(const TreeLink& link, Rows& rows, const Real* start, double per_step, State& s) {
    const SpatialMatrixOf<V>& m = s.articulated;
    const V& axis = link.kind == LinkKind::Hinge ? s.along_rate.angular : s.along_rate.linear;
    if (link.kind == LinkKind::Hinge) {
      s.on_axis = m * s.along_rate;
      s.along_axis = dot(s.along_rate, s.on_axis);
    } else {
      s.on_axis = {m.a * axis, transposed_times(m.b, axis)};
      s.along_axis = dot(axis, s.on_axis.linear);
    }
    FoldedRows<Real> folded;
    const auto inside = rows.fold(link.rate, s.along_axis, folded);
    const Real u = folded.force - part(link, s, s.force);
    const Real c = folded.softness;
    const Real divided = 1.0 / choose(inside, 1.0 + c * s.along_axis, s.along_axis);
    s.gain = choose(inside, c, Real{} + 1.0) * divided;
    s.at_rest = choose(inside, folded.target - start[link.rate] * per_step + c * u, u) * divided;
    if (link.parent < 0) {
      return;
    }
    State& parent = states_[link.parent];
    add(parent.articulated, minus_outer(m, s.gain, s.on_axis));
    parent.force = parent.force + s.force + s.at_rest * s.on_axis;
  }

  // With A, B, D of M: the factors A⁻¹, A⁻¹·B and (D − Bᵀ·A⁻¹·B)⁻¹.
  void factor_root(const State& s) {
    const SpatialMatrixOf<V>& m = s.articulated;
    root_.a = inverse(m.a);
    root_.b = root_.a * m.b;
    root_.d = inverse(m.d - symmetric_product_of_transposed<V>(m.b, root_.b));
  }

  void accelerate(const TreeLink& link, State& s) {
    if (link.kind == LinkKind::Free) {
      const V angular = root_.d * (transposed_times(root_.b, s.force.linear) - s.force.angular);
      const V linear = -(root_.a * s.force.linear) - root_.b * angular;
      s.acceleration = {linear, angular};
      Real* const to = &accelerations_[link.rate];
      const V own = transposed_times(s.rotation, angular);
      to[0] = linear.x;
      to[1] = linear.y;
      to[2] = linear.z;
      to[3] = own.x;
      to[4] = own.y;
      to[5] = own.z;
      return;
    }
    Real acceleration = s.at_rest;
    if (link.parent >= 0) {
      s.acceleration = states_[link.parent].acceleration;
      acceleration = acceleration - s.gain * dot(s.on_axis, s.acceleration);
    } else {
      s.acceleration = {};
    }
    if (link.kind == LinkKind::Fixed) {
      return;
    }
    accelerations_[link.rate] = acceleration;
    s.acceleration.linear = s.acceleration.linear + acceleration * s.along_rate.linear;
    if (link.kind == LinkKind::Hinge) {
      s.acceleration.angular = s.acceleration.angular + acceleration * s.along_rate.angular;
    }
  }

  // Returns s·f.
  static Real part(const TreeLink& link, const State& s, const SpatialVectorOf<V>& force) {
    return link.kind == LinkKind::Hinge ? dot(s.along_rate, force)
                                        : dot(s.along_rate.linear, force.linear);
  }

  // These spread a constant of the model over all lanes.
  static V constant(const Vec3& v) { return {Real{} + v.x, Real{} + v.y, Real{} + v.z}; }
  static QuaternionOf<V> constant(const Quaternion& q) {
    return {Real{} + q.w, Real{} + q.x, Real{} + q.y, Real{} + q.z};
  }
  static SymMat3Of<V> constant(const SymMat3& m) {
    return {Real{} + m.xx, Real{} + m.xy, Real{} + m.xz,
            Real{} + m.yy, Real{} + m.yz, Real{} + m.zz};
  }

  const LinkModel& model_;
  std::vector<State> states_;
  std::vector<Real> accelerations_;
  SpatialMatrixOf<V> root_;
};

}  // namespace servosim
