// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <cmath>
#include <numbers>

#include "physics/bodies.h"
#include "physics/joints/rows.h"
#include "physics/ode_library.h"
#include "physics/tree/joint_place.h"
#include "physics/tree/spatial.h"
#include "servosim/joint_type.h"
#include "servosim/math.h"

namespace servosim {

/// Half the turn between the bodies of a hinge: sine >= 0 and cosine.
template <class V>
struct HalfTurnOf {
  RealOf<V> sine{};
  RealOf<V> cosine{};
};

/// `first`, `second`: turns of the bodies as ODE counts them; `second` is null for the world.
/// `start`: of the second from the first when the angle is 0. `axis`: in the first's frame.
template <class V>
inline HalfTurnOf<V> half_turn(const QuaternionOf<V>& first, const QuaternionOf<V>* second,
                               const QuaternionOf<V>& start, const V& axis) {
  using Real = RealOf<V>;
  const QuaternionOf<V>& a = first;
  const QuaternionOf<V>& s = start;
  Real w{};
  V v{};
  if (second != nullptr) {  // (a*·b)·s*
    const QuaternionOf<V>& b = *second;
    const Real q = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    const V p{a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y,
              a.w * b.y - a.y * b.w - a.z * b.x + a.x * b.z,
              a.w * b.z - a.z * b.w - a.x * b.y + a.y * b.x};
    w = q * s.w + p.x * s.x + p.y * s.y + p.z * s.z;
    v = {-q * s.x + p.x * s.w - p.y * s.z + p.z * s.y, -q * s.y + p.y * s.w - p.z * s.x + p.x * s.z,
         -q * s.z + p.z * s.w - p.x * s.y + p.y * s.x};
  } else {  // a*·s*
    w = a.w * s.w - a.x * s.x - a.y * s.y - a.z * s.z;
    v = {-a.w * s.x - a.x * s.w + a.y * s.z - a.z * s.y,
         -a.w * s.y - a.y * s.w + a.z * s.x - a.x * s.z,
         -a.w * s.z - a.z * s.w + a.x * s.y - a.y * s.x};
  }
  const Real sine = square_root(v.x * v.x + v.y * v.y + v.z * v.z);
  return {sine, choose(v.x * axis.x + v.y * axis.y + v.z * axis.z >= 0.0, w, -w)};
}

/// Where a slider is. Places of the bodies as ODE counts them; `second` is null for the world.
/// `offset`: as ODE has it. `axis`: in the first's frame. `sign`: −1 if the joint is reversed.
template <class V>
inline RealOf<V> slider_position(const BodyFrameOf<V>& first, const BodyFrameOf<V>* second,
                                 const V& offset, const V& axis, const RealOf<V>& sign) {
  const V along = sign * (first.rotation * axis);
  const V from_start = second != nullptr ? first.center - second->rotation * offset - second->center
                                         : first.center - offset;
  return dot(along, from_start);
}

/// Of a hinge or slider from the velocities and spins of its bodies; as for slider_position().
template <class V>
inline RealOf<V> coordinate_rate(NodeKind kind, const RotationOf<V>& first, const V& axis,
                                 const RealOf<V>& sign, const SpatialVectorOf<V>& of_first,
                                 const SpatialVectorOf<V>* of_second) {
  const V along = first * axis;
  const bool is_hinge = kind == NodeKind::Hinge;
  RealOf<V> rate = dot(along, is_hinge ? of_first.angular : of_first.linear);
  if (of_second != nullptr) {
    rate = rate - dot(along, is_hinge ? of_second->angular : of_second->linear);
  }
  return is_hinge ? -rate : sign * rate;
}

/// What ODE keeps of the moment in which the joint was created. Lanes read them in this order.
struct CoordinateNumbers {
  Quaternion start;   ///< of a hinge
  Vec3 offset;        ///< of a slider
  Vec3 axis;          ///< in the first body's frame
  double sign = 1.0;  ///< of a slider
};

/// Of a half turn, by which the angle is 0 to 2π: −π to π [rad].
template <class Real>
[[gnu::always_inline]] inline Real angle_from(const Real& half) {
  const Real angle = 2.0 * half;
  return choose(angle > std::numbers::pi, angle - 2.0 * std::numbers::pi, angle);
}
inline double angle_of(const HalfTurnOf<Vec3>& half) {
  return angle_from(std::atan2(half.sine, half.cosine));
}

/// An axis of any length as ODE keeps it, in the frame of a body.
inline Vec3 in_frame_of(const Body& body, const Vec3& axis) {
  dVector3 unit{axis.x, axis.y, axis.z};
  dNormalize3(unit);
  dVector3 in_body;
  dMultiply1_331(in_body, body.rotation, unit);
  return to_vec3(in_body);
}

/// The position and the rate of an ODE hinge or slider, bit for bit those of stock ODE 0.16,
/// without its calls across libraries, which cost more than they.
class JointCoordinate {
 public:
  JointCoordinate() = default;
  /// When ODE's axis is set: both bodies are where the position is 0. `first` and `second`: as ODE
  /// counts them; `second` is null for the world. `axis`: that of ODE, in the world's frame.
  /// `is_reversed`: ODE has swapped the bodies.
  JointCoordinate(JointType type, const Body& first, const Body* second, const Vec3& axis,
                  bool is_reversed)
      : first_(&first), second_(second), is_hinge_(type == JointType::Rotational) {
    numbers_.axis = in_frame_of(first, axis);
    if (is_hinge_) {
      start_turn(first, second);
    } else {
      numbers_.sign = second == nullptr && is_reversed ? -1.0 : 1.0;
      start_offset(first, second);
    }
  }

  /// Of a hinge how far the first body has turned against the second, or the world, about −axis:
  /// −π to π, the angle that ODE gives a joint that is not reversed, negated [rad]. Of a slider
  /// that of ODE [m].
  double position() const {
    if (is_hinge_) {
      const Quaternion first = turn_of(*first_);
      const Quaternion second = second_ != nullptr ? turn_of(*second_) : Quaternion{};
      return angle_of(half_turn<Vec3>(first, second_ != nullptr ? &second : nullptr, numbers_.start,
                                      numbers_.axis));
    }
    const BodyFrame first = place_of_center(*first_);
    const BodyFrame second = second_ != nullptr ? place_of_center(*second_) : BodyFrame{};
    return slider_position<Vec3>(first, second_ != nullptr ? &second : nullptr, numbers_.offset,
                                 numbers_.axis, numbers_.sign);
  }

  /// Of the position [rad/s|m/s].
  double rate() const {
    const SpatialVector first = motion_of(*first_);
    const SpatialVector second = second_ != nullptr ? motion_of(*second_) : SpatialVector{};
    return coordinate_rate<Vec3>(is_hinge_ ? NodeKind::Hinge : NodeKind::Slider,
                                 to_mat3(first_->rotation), numbers_.axis, numbers_.sign, first,
                                 second_ != nullptr ? &second : nullptr);
  }

  /// Whether the bodies turn so fast that an angle alone leaves the number of turns open. `h` [s]
  bool turns_fast(double h) const {
    return servosim::turns_fast(first_->spin, second_ != nullptr ? second_->spin : nullptr, h);
  }

  /// For joints side by side.
  [[gnu::always_inline]] const CoordinateNumbers& numbers() const { return numbers_; }

 private:
  static Quaternion turn_of(const Body& body) {
    const double* const q = body.quaternion;
    return {q[0], q[1], q[2], q[3]};
  }
  static SpatialVector motion_of(const Body& body) {
    return {to_vec3(body.velocity), to_vec3(body.spin)};
  }
  static BodyFrame place_of_center(const Body& body) {
    return {to_mat3(body.rotation), {}, to_vec3(body.position)};
  }
  void start_turn(const Body& first, const Body* second) {
    dQuaternion q{first.quaternion[0], -first.quaternion[1], -first.quaternion[2],
                  -first.quaternion[3]};
    if (second != nullptr) {
      dQMultiply1(q, first.quaternion, second->quaternion);
    }
    numbers_.start = {q[0], q[1], q[2], q[3]};
  }
  void start_offset(const Body& first, const Body* second) {
    Vec3 offset = to_vec3(first.position);
    if (second != nullptr) {
      const Vec3 apart = offset - to_vec3(second->position);
      const dVector3 from_second{apart.x, apart.y, apart.z};
      dVector3 in_second;
      dMultiply1_331(in_second, second->rotation, from_second);
      offset = to_vec3(in_second);
    }
    numbers_.offset = offset;
  }

  const Body* first_ = nullptr;
  const Body* second_ = nullptr;
  CoordinateNumbers numbers_;
  bool is_hinge_ = false;
};

}  // namespace servosim
