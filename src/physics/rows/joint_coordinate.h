// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "physics/rows/coordinate.h"
#include "servosim/joint_type.h"
#include "servosim/math.h"

namespace servosim {

/// Returns an axis of any length in the world as ODE stores it: as a unit vector in the frame of a
/// body.
inline Vec3 in_frame_of(const Body& body, const Vec3& axis) {
  dVector3 unit{axis.x, axis.y, axis.z};
  dNormalize3(unit);
  dVector3 in_body;
  dMultiply1_331(in_body, body.rotation, unit);
  return to_vec3(in_body);
}

/// Reads the position and the rate of an ODE hinge or slider from its bodies; coordinate.h has the
/// equations. The results have the bits of stock ODE 0.16. ODE's own functions are not called,
/// since calls into its library cost more than the arithmetic.
///
/// Invariant: `first_` and `second_` keep their addresses as long as this object is used.
class JointCoordinate {
 public:
  JointCoordinate() = default;
  /// Must be made when ODE's axis is set: the present poses of the bodies become position 0.
  /// `first` and `second` are in ODE's order; `second` is null for the world. `axis` is that of
  /// ODE, in the world. `is_reversed` says that ODE has exchanged the bodies.
  JointCoordinate(JointType type, const Body& first, const Body* second, const Vec3& axis,
                  bool is_reversed)
      : first_(&first), second_(second), is_hinge_(type == JointType::Rotational) {
    reference_.axis = in_frame_of(first, axis);
    if (is_hinge_) {
      start_turn(first, second);
    } else {
      reference_.sign = second == nullptr && is_reversed ? -1.0 : 1.0;
      start_offset(first, second);
    }
  }

  /// Returns the position. For a hinge, this is the angle in (−π, π] by which the first body has
  /// turned against the second, or the world, about −n: the negative of the angle that ODE gives a
  /// joint that is not reversed [rad]. For a slider, it is the position that ODE gives [m].
  double position() const {
    if (is_hinge_) {
      const Quaternion first = turn_of(*first_);
      const Quaternion second = second_ != nullptr ? turn_of(*second_) : Quaternion{};
      return angle_of(half_turn<Vec3>(first, second_ != nullptr ? &second : nullptr,
                                      reference_.start, reference_.axis));
    }
    const BodyFrame first = place_of_center(*first_);
    const BodyFrame second = second_ != nullptr ? place_of_center(*second_) : BodyFrame{};
    return slider_position<Vec3>(first, second_ != nullptr ? &second : nullptr, reference_.offset,
                                 reference_.axis, reference_.sign);
  }

  /// Returns whether this is the first body in ODE's order.
  bool has_first(const Body& body) const { return first_ == &body; }
  /// Returns position() for other poses of the bodies, in ODE's order. `second` is null for the
  /// world.
  double position_in(const BodyFrame& first, const BodyFrame* second) const {
    return is_hinge_
               ? angle_of(half_turn<Vec3>(first.turn, second != nullptr ? &second->turn : nullptr,
                                          reference_.start, reference_.axis))
               : slider_position<Vec3>(first, second, reference_.offset, reference_.axis,
                                       reference_.sign);
  }

  /// Returns the rate of the position [rad/s|m/s].
  double rate() const {
    const Vec3 first = motion_of(*first_);
    const Vec3 second = second_ != nullptr ? motion_of(*second_) : Vec3{};
    return coordinate_rate<Vec3>(is_hinge_, to_mat3(first_->rotation), reference_.axis,
                                 reference_.sign, first, second_ != nullptr ? &second : nullptr);
  }

  /// Returns what lanes need for joints of several trees.
  [[gnu::always_inline]] const CoordinateReference& reference() const { return reference_; }

 private:
  // These read the state of a body in ODE's order of numbers.
  static Quaternion turn_of(const Body& body) {
    const double* const q = body.quaternion;
    return {q[0], q[1], q[2], q[3]};
  }
  Vec3 motion_of(const Body& body) const { return to_vec3(is_hinge_ ? body.spin : body.velocity); }
  static BodyFrame place_of_center(const Body& body) {
    return {to_mat3(body.rotation), {}, to_vec3(body.position)};
  }
  // Stores s = a*·b.
  void start_turn(const Body& first, const Body* second) {
    dQuaternion q{first.quaternion[0], -first.quaternion[1], -first.quaternion[2],
                  -first.quaternion[3]};
    if (second != nullptr) {
      dQMultiply1(q, first.quaternion, second->quaternion);
    }
    reference_.start = {q[0], q[1], q[2], q[3]};
  }
  // Stores offset = R_bᵀ·(x_a − x_b), or x_a without a second body.
  void start_offset(const Body& first, const Body* second) {
    Vec3 offset = to_vec3(first.position);
    if (second != nullptr) {
      const Vec3 apart = offset - to_vec3(second->position);
      const dVector3 from_second{apart.x, apart.y, apart.z};
      dVector3 in_second;
      dMultiply1_331(in_second, second->rotation, from_second);
      offset = to_vec3(in_second);
    }
    reference_.offset = offset;
  }

  const Body* first_ = nullptr;
  const Body* second_ = nullptr;
  CoordinateReference reference_;
  bool is_hinge_ = false;
};

}  // namespace servosim
