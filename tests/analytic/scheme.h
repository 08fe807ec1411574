// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

// The discrete scheme itself, written again for few dimensions: semi-implicit Euler with constraint
// rows J·v⁺ + CFM·λ = c and bounds on λ. A simulation must follow it to rounding.

namespace servosim::test {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Models a joint that has a static parent and a child whose centre of mass is on the axis: one
/// degree of freedom and at most one row.
struct OneDof {
  bool hinge = false;
  double inertia = 0.0;  ///< [kg·m²|kg]
  double h = 0.008;      ///< [s]
  double cfm = 1e-5;
  double erp = 0.2;
  double p = 0.0;
  double v = 0.0;
  double lambda = 0.0;  ///< the row's force on the child in the last step [N·m|N]

  /// Steps once under `force`, with a row of target velocity `c` whose effort is between `low` and
  /// `high`.
  void step(double force, double c, double low, double high) {
    lambda = std::clamp(((c - v) / h - force / inertia) / (1.0 / inertia + cfm / h), low, high);
    v += h * (force + lambda) / inertia;
    move();
  }
  void step(double force) { step(force, 0.0, 0.0, 0.0); }
  /// ODE adds h/2·ω·q to a body's quaternion q, which turns the body by 2·atan(h·ω/2).
  void move() { p += hinge ? 2.0 * std::atan(0.5 * h * v) : h * v; }
};

/// Solves a·x = b for a positive definite a.
template <int N>
std::array<double, N> solve(std::array<std::array<double, N>, N> a, std::array<double, N> b) {
  for (int i = 0; i < N; ++i) {
    for (int k = i + 1; k < N; ++k) {
      const double factor = a[k][i] / a[i][i];
      for (int j = i; j < N; ++j) {
        a[k][j] -= factor * a[i][j];
      }
      b[k] -= factor * b[i];
    }
  }
  for (int i = N - 1; i >= 0; --i) {
    for (int j = i + 1; j < N; ++j) {
      b[i] -= a[i][j] * b[j];
    }
    b[i] /= a[i][i];
  }
  return b;
}

/// Models a body in the x-z plane on a hinge about y at the origin, with a damper. It has three
/// free coordinates, and the hinge's two rows take two of them. A positive θ turns +x down.
struct Pendulum {
  double mass = 2.0;
  double inertia = 0.0;  ///< about the centre of the body
  double arm = 0.3;      ///< from the hinge to the centre of the body
  double damping = 0.0;
  double h = 0.008;
  double cfm = 1e-5;
  double erp = 0.2;
  double x = 0.3;
  double z = 0.0;
  double theta = 0.0;
  double vx = 0.0;
  double vz = 0.0;
  double omega = 0.0;

  /// Steps once under the weight and `torque`.
  void step(double torque) {
    // (rx, rz) points from the centre to the hinge.
    const double rx = -arm * std::cos(theta);
    const double rz = arm * std::sin(theta);
    const double ux = vx;
    const double uz = vz - h * 9.81;
    const double uw = omega + h * torque / inertia;
    const double jm = 1.0 / mass;
    const double ji = 1.0 / inertia;
    // The rows are: hinge along x, hinge along z, damper. Without damping the last row has no
    // effect.
    const double soft = damping > 0.0 ? 1.0 / damping : 1e30;
    const std::array<std::array<double, 3>, 3> a{
        {{jm + ji * rz * rz + cfm / h, -ji * rx * rz, ji * rz},
         {-ji * rx * rz, jm + ji * rx * rx + cfm / h, -ji * rx},
         {ji * rz, -ji * rx, ji + soft / h}}};
    const std::array<double, 3> b{(-erp / h * (x + rx) - ux - uw * rz) / h,
                                  (-erp / h * (z + rz) - uz + uw * rx) / h, -uw / h};
    const std::array<double, 3> lambda = solve<3>(a, b);
    vx = ux + h * jm * lambda[0];
    vz = uz + h * jm * lambda[1];
    omega = uw + h * ji * (rz * lambda[0] - rx * lambda[1] + lambda[2]);
    x += h * vx;
    z += h * vz;
    theta += 2.0 * std::atan(0.5 * h * omega);
  }
};

}  // namespace servosim::test
