// SPDX-License-Identifier: Apache-2.0
#include "base/mass_properties.h"

#include <algorithm>
#include <functional>

namespace servosim {

Mat3 operator+(const Mat3& a, const Mat3& b) {
  Mat3 sum;
  std::transform(a.m.begin(), a.m.end(), b.m.begin(), sum.m.begin(), std::plus<>());
  return sum;
}

Mat3 operator*(double s, const Mat3& a) {
  Mat3 product;
  std::transform(a.m.begin(), a.m.end(), product.m.begin(), [s](double x) { return s * x; });
  return product;
}

Mat3 diagonal(double x, double y, double z) { return {{x, 0, 0, 0, y, 0, 0, 0, z}}; }

Mat3 outer(const Vec3& a, const Vec3& b) {
  return {{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y,
           a.z * b.z}};
}

Mat3 point_inertia(const Vec3& r) {
  const double r2 = dot(r, r);
  return diagonal(r2, r2, r2) + -1.0 * outer(r, r);
}

// The sums are m = m₁ + m₂ and c = (m₁·c₁ + m₂·c₂)/m, and the parallel axis theorem moves both
// inertias to c.
MassProperties operator+(const MassProperties& a, const MassProperties& b) {
  const double m = a.mass + b.mass;
  if (!(m > 0.0)) {
    return a;
  }
  const Vec3 center = (1.0 / m) * (a.mass * a.center + b.mass * b.center);
  return {m, center,
          a.inertia + a.mass * point_inertia(a.center - center) + b.inertia +
              b.mass * point_inertia(b.center - center)};
}

// In the new frame the inertia is R·I·Rᵀ.
MassProperties placed(const MassProperties& mass, const Pose& pose) {
  return {mass.mass, pose * mass.center, pose.rotation * mass.inertia * transposed(pose.rotation)};
}

}  // namespace servosim
