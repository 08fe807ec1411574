// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/math.h"

namespace servosim {

/// Holds the mass of a rigid body, in the axes of some frame:
///
///     m = ∫ρ dV,   c = ∫ρ·x dV/m,   I = ∫ρ·(|r|²·1 − r·rᵀ) dV   with r = x − c.
///
/// The products of inertia have the signs of this equation: I_xy is −∫ρ·r_x·r_y dV.
struct MassProperties {
  double mass = 0.0;  ///< [kg]
  Vec3 center;        ///< centre of mass [m]
  Mat3 inertia{{}};   ///< about the centre; symmetric except for rounding [kg·m²]
};

/// Joins two bodies whose masses are given in the same frame. Returns `a` if the sum of the masses
/// is not positive.
MassProperties operator+(const MassProperties& a, const MassProperties& b);
/// Transforms a mass from its own frame, which is at `pose`, to the frame in which `pose` is given.
MassProperties placed(const MassProperties& mass, const Pose& pose);
/// Adds two matrices, or scales one.
Mat3 operator+(const Mat3& a, const Mat3& b);
Mat3 operator*(double s, const Mat3& a);
/// Returns the inertia of a point mass of 1 kg at r about the origin: |r|²·1 − r·rᵀ (parallel axis
/// theorem).
Mat3 point_inertia(const Vec3& r);
/// Returns a matrix with these numbers on its diagonal.
Mat3 diagonal(double x, double y, double z);
/// Returns a·bᵀ.
Mat3 outer(const Vec3& a, const Vec3& b);

}  // namespace servosim
