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

  Mat3Of<V> rotation;              ///< R
  V center;                        ///< x, from O [m]
  V anchor;                        ///< of its joint, from O [m]
  SpatialVectorOf<V> motion;       ///< t, of the point O of the link
  SpatialVectorOf<V> drift;        ///< t' for q'' = 0
  SpatialVectorOf<V> along_rate;   ///< s
  V moment;                        ///< m·x
  SymMat3Of<V> inertia;            ///< of the link about O
  SpatialVectorOf<V> own_force;    ///< f of the link alone
  SpatialMatrixOf<V> articulated;  ///< M of all that hangs on the joint; unused for a leaf
  SpatialVectorOf<V> force;        ///< f of that; unused for a leaf
  SpatialVectorOf<V> on_axis;      ///< U; unused where the parent is the world
  Real along_axis{};               ///< D
  Real gain{};                     ///< q'' = at_rest − gain·U·t_p'
  Real at_rest{};
  SpatialVectorOf<V> acceleration;  ///< t'; unused for a leaf
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
    // Links that are upright keep these.
    for (State& s : states_) {
      s.rotation = rotation_of(QuaternionOf<V>{});
    }
  }

  const LinkModel& model() const { return model_; }
  const State& state(std::size_t link) const { return states_[link]; }
  /// Returns q'', in the order of the rates.
  const Real* accelerations() const { return accelerations_.data(); }

  /// Places all links, and finds their motions and forces. `forces` are those on the centres of
  /// mass, one for each link; null means that there are none. `gyration` scales the gyroscopic
  /// torque of a free root; see gyration_of_step().
  void place(const Real* positions, const Real* rates, const V& gravity,
             const SpatialVectorOf<V>* forces, const Real& gyration) {
    const std::size_t n = states_.size();
    const TreeLink* const links = model_.links().data();
    for (std::size_t i = 0; i < n; ++i) {
      const TreeLink& link = links[i];
      State& s = states_[i];
      const SpatialVectorOf<V>* const force = forces != nullptr ? forces + i : nullptr;
      if (link.kind == LinkKind::Free) {
        place_free(positions + link.position, rates + link.rate, gravity, s);
        set_own(link, force, &gyration, s);
        continue;
      }
      const State* const parent = link.parent >= 0 ? &states_[link.parent] : nullptr;
      if (link.traits.is_upright) {
        place_upright(link, positions, rates, gravity, parent, s);
        set_own_upright(link, force, s);
      } else {
        place_joint(link, positions, rates, gravity, parent, s);
        set_own(link, force, nullptr, s);
      }
    }
  }

  /// Finds the poses and motions of all bodies. `reference` is O in the world, without a free root.
  static void find_poses(const LinkModel& model, const V& reference, const Real* positions,
                         const Real* rates, MovedBodyOf<V>* bodies) {
    Mat3Of<V> rotation = rotation_of(QuaternionOf<V>{});
    int placed = TreeLink::kWorld;  // the link of this rotation
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
      V anchor = reference;
      V axis = constant(link.axis);
      V velocity{};
      V spin{};
      if (parent != nullptr) {
        if (link.parent != placed) {
          rotation = rotation_of(parent->turn);
        }
        const V from_parent = moved(V{}, rotation, link.anchor, link.traits.anchor_parts);
        axis = turned_axis(link, rotation);
        anchor = parent->center + from_parent;
        velocity = parent->velocity + cross(parent->spin, from_parent);
        spin = parent->spin;
      } else {
        anchor = anchor + constant(link.anchor);
      }
      if (link.kind == LinkKind::Hinge) {
        spin = spin + v[0] * axis;
      } else if (link.kind == LinkKind::Slider) {
        const V way = q[0] * axis;
        anchor = anchor + way;
        velocity = velocity + cross(spin, way) + v[0] * axis;
      }
      body.turn = with_unit_length(turned(link, q, parent));
      rotation = rotation_of(body.turn);
      placed = static_cast<int>(i);
      const V arm = moved(V{}, rotation, link.arm, link.traits.arm_parts);
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
    const TreeLink* const links = model_.links().data();
    for (std::size_t i = states_.size(); i-- > 0;) {
      const TreeLink& link = links[i];
      State& s = states_[i];
      if (link.has_axis()) {
        if (link.traits.is_leaf()) {
          eliminate<true>(link, rows, start, per_step, s);
        } else {
          eliminate<false>(link, rows, start, per_step, s);
        }
        continue;
      }
      if (link.traits.is_leaf()) {
        s.articulated = own_matrix(link, s);
        s.force = s.own_force;
      }
      if (link.kind == LinkKind::Free) {
        factor_root(s);
      } else if (link.parent >= 0) {
        add_to_parent(link, s.articulated, s.force, {});
      }
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      accelerate(links[i], states_[i]);
    }
  }

  /// Returns the force of all rows of an axis, positive where it moves the link along +axis.
  Real force_of_rows(std::size_t link) const {
    const TreeLink& of = model_.links()[link];
    const State& s = states_[link];
    Real force = s.along_axis * accelerations_[of.rate] + part(of, s, force_of(of, s));
    if (of.parent >= 0) {
      force = force + dot(s.on_axis, states_[of.parent].acceleration);
    }
    return force;
  }

  /// Returns what the joint, with its rows, puts on the link, about the joint's anchor.
  SpatialVectorOf<V> force_of_joint(std::size_t link) const {
    const State& s = states_[link];
    const TreeLink& of = model_.links()[link];
    const SpatialVectorOf<V> about_o =
        of.traits.is_leaf() ? own_matrix(of, s) * acceleration_of(of, s) + s.own_force
                            : s.articulated * s.acceleration + s.force;
    return force_from(about_o, -s.anchor);
  }

 private:
  static void place_free(const Real* q, const Real* v, const V& gravity, State& s) {
    s.rotation = rotation_of(QuaternionOf<V>{q[3], q[4], q[5], q[6]});
    s.center = s.anchor = V{};
    s.motion = {{v[0], v[1], v[2]}, s.rotation * V{v[3], v[4], v[5]}};
    s.drift = {-gravity - cross(s.motion.angular, s.motion.linear), V{}};
  }

  static V column(const Mat3Of<V>& m, int j) { return {m.m[j], m.m[3 + j], m.m[6 + j]}; }
  static void set_column(Mat3Of<V>& m, int j, const V& v) {
    m.m[j] = v.x;
    m.m[3 + j] = v.y;
    m.m[6 + j] = v.z;
  }
  // Returns to + r·v, for a vector of the model with these parts.
  static V moved(const V& to, const Mat3Of<V>& r, const Vec3& v, unsigned parts) {
    switch (parts) {
      case 0:
        return to;
      case 1:
        return to + v.x * column(r, 0);
      case 2:
        return to + v.y * column(r, 1);
      case 4:
        return to + v.z * column(r, 2);
      default:
        return to + r * constant(v);
    }
  }

  // Returns the axis of a link in the world; `r` is the rotation of its parent.
  static V turned_axis(const TreeLink& link, const Mat3Of<V>& r) {
    if (link.traits.along < 0) {
      return r * constant(link.axis);
    }
    const V axis = column(r, link.traits.along);
    return link.traits.sign < 0.0 ? -axis : axis;
  }

  // Returns the rotation of a link that is not free.
  static QuaternionOf<V> turned(const TreeLink& link, const Real* q, const MovedBodyOf<V>* parent) {
    QuaternionOf<V> turn = constant(link.turn_at_zero);
    if (link.kind == LinkKind::Hinge) {
      Real sine;
      Real cosine;
      find_sine_and_cosine(0.5 * q[0], sine, cosine);
      if (parent != nullptr && !link.traits.is_turned && link.traits.along >= 0) {
        sine = link.traits.sign * sine;
        const QuaternionOf<V>& p = parent->turn;
        switch (link.traits.along) {
          case 0:
            return {p.w * cosine - p.x * sine, p.w * sine + p.x * cosine, p.y * cosine + p.z * sine,
                    p.z * cosine - p.y * sine};
          case 1:
            return {p.w * cosine - p.y * sine, p.x * cosine - p.z * sine, p.w * sine + p.y * cosine,
                    p.z * cosine + p.x * sine};
          default:
            return {p.w * cosine - p.z * sine, p.x * cosine + p.y * sine, p.y * cosine - p.x * sine,
                    p.w * sine + p.z * cosine};
        }
      }
      const V axis = sine * constant(link.axis);
      turn = QuaternionOf<V>{cosine, axis.x, axis.y, axis.z} * turn;
    }
    return parent != nullptr ? parent->turn * turn : turn;
  }

  // A link that never turns.
  static void place_upright(const TreeLink& link, const Real* positions, const Real* rates,
                            const V& gravity, const State* parent, State& s) {
    s.anchor = parent != nullptr ? parent->center + constant(link.anchor) : constant(link.anchor);
    if (link.kind == LinkKind::Slider) {
      s.along_rate.linear = constant(link.axis);
      s.anchor = s.anchor + positions[link.position] * s.along_rate.linear;
      const V moving = rates[link.rate] * s.along_rate.linear;
      s.motion.linear = parent != nullptr ? parent->motion.linear + moving : moving;
    } else {
      s.motion.linear = parent != nullptr ? parent->motion.linear : V{};
    }
    s.center = s.anchor + constant(link.arm);
    s.drift.linear = -gravity;
  }

  static void place_joint(const TreeLink& link, const Real* positions, const Real* rates,
                          const V& gravity, const State* parent, State& s) {
    const LinkTraits& traits = link.traits;
    V axis = constant(link.axis);
    if (!traits.hangs_upright) {
      axis = turned_axis(link, parent->rotation);
    }
    set_rotation(link, positions, parent, s);
    if (parent == nullptr) {
      s.anchor = constant(link.anchor);
    } else {
      s.anchor = moved(parent->center, parent->rotation, link.anchor, traits.anchor_parts);
    }
    if (link.kind == LinkKind::Slider) {
      s.anchor = s.anchor + positions[link.position] * axis;
    }
    s.center = moved(s.anchor, s.rotation, link.arm, traits.arm_parts);
    if (parent == nullptr) {
      s.motion = {};
      s.drift = {-gravity, V{}};
    } else if (link.kind == LinkKind::Fixed) {
      s.motion = parent->motion;
      s.drift = parent->drift;
    }
    if (link.kind == LinkKind::Fixed) {
      return;
    }
    // c = t_p × (s·q'), since s × s is 0.
    const Real rate = rates[link.rate];
    if (link.kind == LinkKind::Slider) {
      s.along_rate = {axis, V{}};
      const V moving = rate * axis;
      if (parent == nullptr) {
        s.motion.linear = moving;
      } else {
        s.motion = {parent->motion.linear + moving, parent->motion.angular};
        s.drift = {parent->drift.linear + cross(parent->motion.angular, moving),
                   parent->drift.angular};
      }
      return;
    }
    s.along_rate = {cross(s.anchor, axis), axis};
    const V turning = rate * axis;
    const V moving = rate * s.along_rate.linear;
    if (parent == nullptr) {
      s.motion = {moving, turning};
    } else if (traits.hangs_upright) {
      s.motion = {parent->motion.linear + moving, turning};
      s.drift.linear = parent->drift.linear + cross(parent->motion.linear, turning);
    } else {
      const SpatialVectorOf<V> before = parent->motion;
      s.motion = {before.linear + moving, before.angular + turning};
      s.drift = {
          parent->drift.linear + cross(before.angular, moving) + cross(before.linear, turning),
          parent->drift.angular + cross(before.angular, turning)};
    }
  }

  // Sets R.
  static void set_rotation(const TreeLink& link, const Real* positions, const State* parent,
                           State& s) {
    const LinkTraits& traits = link.traits;
    if (link.kind != LinkKind::Hinge) {
      if (traits.is_turned) {
        Mat3Of<V> turn;
        for (int i = 0; i < 9; ++i) {
          turn.m[i] = Real{} + (link.rest.m[i] + link.cosine.m[i]);
        }
        s.rotation = traits.hangs_upright ? turn : parent->rotation * turn;
      } else {
        s.rotation = parent->rotation;
      }
      return;
    }
    Real sine;
    Real cosine;
    find_sine_and_cosine(positions[link.position], sine, cosine);
    if (traits.is_turned || traits.along < 0) {
      Mat3Of<V> turn;
      for (int i = 0; i < 9; ++i) {
        turn.m[i] = link.rest.m[i] + cosine * link.cosine.m[i] + sine * link.sine.m[i];
      }
      s.rotation = traits.hangs_upright ? turn : parent->rotation * turn;
      return;
    }
    // Two columns of R turn into each other.
    const int along = traits.along;
    const int first = along == 2 ? 0 : along + 1;
    const int second = along == 0 ? 2 : along - 1;
    sine = traits.sign * sine;
    if (traits.hangs_upright) {  // the others are constant
      s.rotation.m[4 * first] = cosine;
      s.rotation.m[4 * second] = cosine;
      s.rotation.m[3 * second + first] = sine;
      s.rotation.m[3 * first + second] = -sine;
      return;
    }
    const V x = column(parent->rotation, first);
    const V y = column(parent->rotation, second);
    set_column(s.rotation, along, column(parent->rotation, along));
    set_column(s.rotation, first, cosine * x + sine * y);
    set_column(s.rotation, second, cosine * y - sine * x);
  }

  // Sets the inertia of the link about O.
  static void set_inertia(const TreeLink& link, const SymMat3Of<V>& about_center, State& s) {
    const V& c = s.center;
    const V moment = link.mass * c;
    s.moment = moment;
    const Real xx = moment.x * c.x;
    const Real yy = moment.y * c.y;
    const Real zz = moment.z * c.z;
    s.inertia = {about_center.xx + (yy + zz),      about_center.xy - moment.x * c.y,
                 about_center.xz - moment.x * c.z, about_center.yy + (xx + zz),
                 about_center.yz - moment.y * c.z, about_center.zz + (xx + yy)};
  }

  // As set_own(), where there is no spin.
  static void set_own_upright(const TreeLink& link, const SpatialVectorOf<V>* force, State& s) {
    set_inertia(link, constant(link.inertia), s);
    V linear = link.mass * s.drift.linear;
    if (force != nullptr) {
      linear = linear - force->linear;
    }
    if (link.linear_decay > 0.0) {
      linear = linear + (link.linear_decay * link.mass) * s.motion.linear;
    }
    const V angular = cross(s.center, linear);
    s.own_force = {linear, force != nullptr ? angular - force->angular : angular};
  }

  // Sets the inertia of the link about O, and its force for q'' = 0. `gyration` is null for 1.
  static void set_own(const TreeLink& link, const SpatialVectorOf<V>* force, const Real* gyration,
                      State& s) {
    const V& c = s.center;
    const V& spin = s.motion.angular;
    const SymMat3Of<V> about_center = turned_inertia(link, s.rotation);
    set_inertia(link, about_center, s);
    const V velocity = s.motion.linear + cross(spin, c);
    const V momentum = about_center * spin;
    V angular = cross(spin, momentum);
    if (gyration != nullptr) {
      angular = *gyration * angular;
    }
    V linear = s.drift.linear;
    if (!link.traits.hangs_upright) {  // else t' has no angular part for q'' = 0
      linear = linear + cross(s.drift.angular, c);
      angular = about_center * s.drift.angular + angular;
    }
    linear = link.mass * (linear + cross(spin, velocity));
    if (force != nullptr) {
      linear = linear - force->linear;
      angular = angular - force->angular;
    }
    if (link.linear_decay > 0.0 || link.angular_decay > 0.0) {
      linear = linear + (link.linear_decay * link.mass) * velocity;
      angular = angular + link.angular_decay * momentum;
    }
    s.own_force = {linear, angular + cross(c, linear)};
  }

  // Returns R·I·Rᵀ.
  static SymMat3Of<V> turned_inertia(const TreeLink& link, const Mat3Of<V>& r) {
    if (!link.traits.is_diagonal) {
      return rotated(r, constant(link.inertia));
    }
    const double moments[3] = {link.inertia.xx, link.inertia.yy, link.inertia.zz};
    Mat3Of<V> scaled;
    for (int i = 0; i < 9; ++i) {
      scaled.m[i] = moments[i % 3] * r.m[i];
    }
    return symmetric_product_with_transposed<V>(scaled, r);
  }

  // Returns the matrix of the link alone: M = [ m·1  −m·[x] ; ·  I ].
  static SpatialMatrixOf<V> own_matrix(const TreeLink& link, const State& s) {
    const Real zero{};
    const Real mass = zero + link.mass;
    const V& h = s.moment;
    return {{mass, zero, zero, mass, zero, mass},
            {{zero, h.z, -h.y, -h.z, zero, h.x, h.y, -h.x, zero}},
            s.inertia};
  }

  // The force of all that hangs on the joint.
  static const SpatialVectorOf<V>& force_of(const TreeLink& link, const State& s) {
    return link.traits.is_leaf() ? s.own_force : s.force;
  }

  // Adds what hangs on the joint of a link to its parent. The last child, which comes first, finds
  // the parent's own matrix and force.
  [[gnu::always_inline]] void add_to_parent(const TreeLink& link, const SpatialMatrixOf<V>& m,
                                            const SpatialVectorOf<V>& force,
                                            const SpatialVectorOf<V>& of_axis) {
    const TreeLink& of_parent = model_.links()[link.parent];
    State& parent = states_[link.parent];
    if (&model_.links()[of_parent.traits.last_child] != &link) {
      add(parent.articulated, m);
      parent.force = parent.force + force + of_axis;
      return;
    }
    const V& h = parent.moment;
    parent.articulated.a = {m.a.xx + of_parent.mass, m.a.xy, m.a.xz,
                            m.a.yy + of_parent.mass, m.a.yz, m.a.zz + of_parent.mass};
    auto& b = parent.articulated.b.m;
    b[0] = m.b.m[0];
    b[1] = h.z + m.b.m[1];
    b[2] = m.b.m[2] - h.y;
    b[3] = m.b.m[3] - h.z;
    b[4] = m.b.m[4];
    b[5] = h.x + m.b.m[5];
    b[6] = h.y + m.b.m[6];
    b[7] = m.b.m[7] - h.x;
    b[8] = m.b.m[8];
    parent.articulated.d = parent.inertia + m.d;
    parent.force = parent.own_force + force + of_axis;
  }

  template <bool kIsLeaf, class Rows>
  [[gnu::always_inline]] void eliminate(const TreeLink& link, Rows& rows, const Real* start,
                                        double per_step, State& s) {
    const bool is_hinge = link.kind == LinkKind::Hinge;
    const SpatialVectorOf<V>& along = s.along_rate;
    SpatialVectorOf<V> on_axis;
    if constexpr (kIsLeaf) {
      const V& h = s.moment;
      on_axis = {link.mass * along.linear, cross(h, along.linear)};
      if (is_hinge) {
        on_axis = {on_axis.linear + cross(along.angular, h),
                   on_axis.angular + s.inertia * along.angular};
      }
    } else {
      const SpatialMatrixOf<V>& m = s.articulated;
      on_axis = is_hinge
                    ? m * along
                    : SpatialVectorOf<V>{m.a * along.linear, transposed_times(m.b, along.linear)};
    }
    s.along_axis = dot(along.linear, on_axis.linear);
    if (is_hinge) {
      s.along_axis = s.along_axis + dot(along.angular, on_axis.angular);
    }
    FoldedRows<Real> folded;
    const auto inside = rows.fold(link.rate, s.along_axis, folded);
    const SpatialVectorOf<V>& force = kIsLeaf ? s.own_force : s.force;
    const Real u = folded.force - part(link, s, force);
    if (any_holds(inside)) {
      const Real c = folded.softness;
      const Real divided = 1.0 / choose(inside, 1.0 + c * s.along_axis, s.along_axis);
      s.gain = choose(inside, c, Real{} + 1.0) * divided;
      s.at_rest = choose(inside, folded.target - start[link.rate] * per_step + c * u, u) * divided;
    } else {
      s.gain = 1.0 / s.along_axis;
      s.at_rest = u * s.gain;
    }
    if (link.parent < 0) {
      return;
    }
    s.on_axis = on_axis;
    if constexpr (kIsLeaf) {
      add_to_parent(link, minus_outer(own_matrix(link, s), s.gain, on_axis), force,
                    s.at_rest * on_axis);
    } else {
      add_to_parent(link, minus_outer(s.articulated, s.gain, on_axis), force, s.at_rest * on_axis);
    }
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
    if (link.has_axis()) {
      Real acceleration = s.at_rest;
      if (link.parent >= 0) {
        const SpatialVectorOf<V>& of_parent = states_[link.parent].acceleration;
        Real along = dot(s.on_axis.linear, of_parent.linear);
        if (!link.traits.hangs_upright) {  // else the parent does not turn
          along = along + dot(s.on_axis.angular, of_parent.angular);
        }
        acceleration = acceleration - s.gain * along;
      }
      accelerations_[link.rate] = acceleration;
    }
    if (!link.traits.is_leaf()) {
      s.acceleration = acceleration_of(link, s);
    }
  }

  // Returns t' of a link that is not free.
  SpatialVectorOf<V> acceleration_of(const TreeLink& link, const State& s) const {
    SpatialVectorOf<V> sum;
    if (link.parent >= 0) {
      sum = states_[link.parent].acceleration;
    }
    if (link.has_axis()) {
      sum.linear = sum.linear + accelerations_[link.rate] * s.along_rate.linear;
    }
    if (link.kind == LinkKind::Hinge) {
      sum.angular = sum.angular + accelerations_[link.rate] * s.along_rate.angular;
    }
    return sum;
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
