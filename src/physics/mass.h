// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/diagnostics.h"
#include "servosim/math.h"

namespace servosim {

struct Scene;
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
/// in full, from the bounding object, or the fall-back of an inertia without a centre. Impossible
/// values are replaced with a warning; the result is always acceptable.
MassProperties solid_mass(const SolidSpec& solid, Diagnostics& diagnostics);

/// Sum of the volumes of the Solid's shapes, overlaps counted twice [m³].
double bounding_volume(const SolidSpec& solid);

/// A rigid body: a Solid with Physics and the dynamic Solids merged into it.
struct RigidBody {
  struct Part {
    int solid;
    Pose in_owner;  ///< where the Solid stands in the frame of the body's first
    double mass;    ///< its own [kg]
    Vec3 center;    ///< of that, in its own frame [m]
  };
  std::vector<Part> parts;  ///< the Solid that owns the body and gives its axes comes first
  MassProperties mass;      ///< of all parts, in the owner's frame

  int owner() const { return parts.front().solid; }
};

/// The bodies of a scene with their masses, in the order of their owners. The masses are acceptable
/// to ODE; replaced values are reported.
std::vector<RigidBody> weigh_bodies(const Scene& scene, Diagnostics& diagnostics);

/// Whether a point, seen along `down` (not 0), lies in the convex hull of others or on its rim. A
/// hull may be a line or a point.
bool is_supported(const Vec3& point, const std::vector<Vec3>& others, const Vec3& down);

}  // namespace servosim
