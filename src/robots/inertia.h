// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "base/mass_properties.h"
#include "servosim/math.h"

namespace servosim::robots {

/// The largest mass [kg] and moment of inertia [kg·m²] that files may give: beyond them ODE's
/// arithmetic overflows.
inline constexpr double kHeaviestBody = 1e15;
inline constexpr double kLargestMoment = 1e30;
/// Returns whether a number of the matrix is kLargestMoment or more, or NaN.
bool has_huge_moment(const Mat3& inertia);

/// The eigenvalues of a symmetric matrix, the smallest first, and its eigenvectors as columns.
struct PrincipalAxes {
  std::array<double, 3> moments{};
  Mat3 axes;
};
PrincipalAxes principal_axes(const Mat3& symmetric);

/// Returns whether a solver can work with the inertia of a body of this mass: it is positive
/// definite, and not nearly 0.
bool is_solid(const MassProperties& mass);

/// Makes an inertia that is_solid() refuses positive definite: it keeps its axes and the largest
/// moment, and the others become those of a body. An inertia of nearly 0 becomes that of a ball of
/// water with the mass.
/// @returns what was changed, as a clause
std::string repair_inertia(MassProperties& mass);

/// Returns whether one of the moments is larger than the sum of the others, beyond the digits of a
/// file: no distribution of mass has such moments. Solvers can work with them.
bool has_impossible_moments(const Mat3& inertia);

}  // namespace servosim::robots
