// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/diagnostics.h"
#include "servosim/math.h"

namespace servosim {

struct SolidSpec;

/// A rigid distribution of mass, seen from some frame.
struct MassProperties {
  double mass = 0.0;  ///< [kg]
  Vec3 center;        ///< centre of mass [m]
  Mat3 inertia{{}};  ///< about the centre, in the frame's axes; symmetric but for rounding [kg·m²]
};

/// Two distributions, seen from the same frame, as one.
MassProperties operator+(const MassProperties& a, const MassProperties& b);
/// The same distribution seen from the frame in which its own frame stands at `pose`.
MassProperties placed(const MassProperties& mass, const Pose& pose);
/// True if ODE can take it: finite, positive, the upper triangle of the inertia positive definite
/// by a margin.
bool is_acceptable(const MassProperties& mass);

/// The mass of a dynamic Solid (one with Physics) in its own frame, by Webots' three modes: given
/// in full, from the bounding object, or the fall-back of an inertia without a centre. What cannot
/// be is replaced with a warning; the result is always acceptable.
MassProperties solid_mass(const SolidSpec& solid, Diagnostics& diagnostics);

/// Sum of the volumes of the Solid's shapes, overlaps counted twice [m³].
double bounding_volume(const SolidSpec& solid);

}  // namespace servosim
