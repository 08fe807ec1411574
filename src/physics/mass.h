// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/mass_properties.h"
#include "servosim/diagnostics.h"
#include "servosim/math.h"

namespace servosim {

struct Scene;
struct SolidSpec;

/// Returns whether ODE accepts the mass: it is finite and positive, and the upper triangle of the
/// inertia is positive definite with a margin.
bool is_acceptable(const MassProperties& mass);

/// Returns the mass of a Solid with Physics in its own frame. As in Webots there are three ways:
/// all values are given; they follow from the bounding object; or an inertia is given without a
/// centre and is taken about the Solid's origin. Impossible values are replaced with a warning, so
/// the result is always acceptable.
MassProperties solid_mass(const SolidSpec& solid, Diagnostics& diagnostics);

/// Returns the sum of the volumes of the Solid's shapes [m³]. Overlaps count twice.
double bounding_volume(const SolidSpec& solid);

/// Describes a rigid body: a Solid with Physics, and the Solids with Physics that are merged into
/// it.
struct RigidBody {
  struct Part {
    int solid;
    Pose in_owner;  ///< pose of the Solid in the owner's frame
    double mass;    ///< mass of this Solid alone [kg]
    Vec3 center;    ///< its centre of mass in the Solid's frame [m]
  };
  std::vector<Part> parts;  ///< the first is the owner, whose axes the body has
  MassProperties mass;      ///< sum of all parts, in the owner's frame

  int owner() const { return parts.front().solid; }
};

/// Returns the bodies of a scene with their masses, in the order of their owners. ODE accepts all
/// of the masses. Each value that was replaced is reported.
std::vector<RigidBody> weigh_bodies(const Scene& scene, Diagnostics& diagnostics);

/// Returns whether a point, projected along `down` (not 0), is inside the convex hull of others or
/// on its rim, within 1 nm. The hull may be a line or a point, and is empty without others.
bool is_supported(const Vec3& point, const std::vector<Vec3>& others, const Vec3& down);

}  // namespace servosim
