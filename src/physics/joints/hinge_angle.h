// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <cmath>
#include <numbers>

#include "servosim/math.h"

namespace servosim {

/// The angle of an ODE hinge, bit for bit that of dJointGetHingeAngle() of stock ODE 0.16, without
/// its calls across libraries, which cost more than the angle.
class HingeAngle {
 public:
  HingeAngle() = default;
  /// When ODE's axis is set: both bodies are where the angle is 0. `first` and `second`: as ODE
  /// counts them; `second` is null for the world. `axis`: that of ODE, in the world's frame.
  HingeAngle(dBodyID first, dBodyID second, const Vec3& axis)
      : first_(dBodyGetQuaternion(first)),
        second_(second != nullptr ? dBodyGetQuaternion(second) : nullptr) {
    if (second_ != nullptr) {
      dQMultiply1(start_, first_, second_);
    } else {
      start_[0] = first_[0];
      for (int i = 1; i < 4; ++i) {
        start_[i] = -first_[i];
      }
    }
    dVector3 unit{axis.x, axis.y, axis.z};
    dNormalize3(unit);
    dMultiply1_331(axis_, dBodyGetRotation(first), unit);
  }

  /// How far the first body has turned against the second, or the world, about −axis: −π to π, the
  /// angle that ODE gives a joint that is not reversed, negated [rad].
  double now() const {
    const double* const a = first_;
    const double* const s = start_;
    double w = 0.0;
    Vec3 v;
    if (const double* const b = second_; b != nullptr) {  // (a*·b)·s*
      const double q = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
      const Vec3 p{a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
                   a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3],
                   a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]};
      w = q * s[0] + p.x * s[1] + p.y * s[2] + p.z * s[3];
      v = {-q * s[1] + p.x * s[0] - p.y * s[3] + p.z * s[2],
           -q * s[2] + p.y * s[0] - p.z * s[1] + p.x * s[3],
           -q * s[3] + p.z * s[0] - p.x * s[2] + p.y * s[1]};
    } else {  // a*·s*
      w = a[0] * s[0] - a[1] * s[1] - a[2] * s[2] - a[3] * s[3];
      v = {-a[0] * s[1] - a[1] * s[0] + a[2] * s[3] - a[3] * s[2],
           -a[0] * s[2] - a[2] * s[0] + a[3] * s[1] - a[1] * s[3],
           -a[0] * s[3] - a[3] * s[0] + a[1] * s[2] - a[2] * s[1]};
    }
    const double sine = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    const bool along = v.x * axis_[0] + v.y * axis_[1] + v.z * axis_[2] >= 0.0;
    const double angle = 2.0 * std::atan2(sine, along ? w : -w);
    return angle > std::numbers::pi ? angle - 2.0 * std::numbers::pi : angle;
  }

 private:
  const double* first_ = nullptr;   // quaternions
  const double* second_ = nullptr;  // likewise
  dQuaternion start_{};             // of the second from the first when the angle is 0
  dVector3 axis_{};                 // in the first's frame
};

}  // namespace servosim
