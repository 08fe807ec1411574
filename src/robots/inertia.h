// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "base/mass_properties.h"
#include "servosim/math.h"

namespace servosim::robots {

/// The eigenvalues of a symmetric matrix, the smallest first, and its eigenvectors as columns.
struct PrincipalAxes {
  std::array<double, 3> moments{};
  Mat3 axes;
};
PrincipalAxes principal_axes(const Mat3& symmetric);

/// Makes an inertia that no solver accepts positive definite, and keeps its axes: each moment
/// becomes at least a millionth of the largest one. An inertia of nearly 0 becomes that of a ball
/// of water with the mass.
/// @returns what was changed, as a clause; empty if nothing was
std::string repair_inertia(MassProperties& mass);

/// Returns a clause if no distribution of mass has these moments, as one of them is larger than the
/// sum of the others; an empty text otherwise.
std::string fault_of_moments(const Mat3& inertia);

}  // namespace servosim::robots
