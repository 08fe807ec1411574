// SPDX-License-Identifier: Apache-2.0
// Writes the parameters of contact joints in ODE's format. surface.h has the equations of their
// rows.
#include "physics/contacts/surface.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "physics/contacts/geoms.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// Returns the coefficient for one to four values of a field by Webots' rules: one value for all
// directions; one along and one across for both surfaces; these two for the first surface and a
// third one for the second surface; or two for each surface. From two values on, the coefficients
// of the two surfaces are added.
Surface::Directional directional(const std::vector<double>& m) {
  switch (m.size()) {
    case 1:
      return {{m[0], m[0]}, {}, false};
    case 2:
      return {{m[0], m[1]}, {m[0], m[1]}, true};
    case 3:
      return {{m[0] + m[2], m[1] + m[2]}, {}, false};
    default:
      return {{m[0], m[1]}, {m[2], m[3]}, true};
  }
}

// Returns the coefficients along and across the first surface's direction. The directions of the
// two surfaces have an angle θ with this cosine and sine:
//
//     along  = fixed₁ + |cos θ|·turned₁ + |sin θ|·turned₂
//     across = fixed₂ + |sin θ|·turned₁ + |cos θ|·turned₂
std::array<double, 2> at_angle(const Surface::Directional& d, double cosine, double sine) {
  if (!d.by_angle) {
    return d.fixed;
  }
  // A coefficient may be infinite. A weight that is 0 except for rounding must not make it act, and
  // 0·∞ must not become NaN.
  const auto part = [](double weight, double m) { return weight > 1e-9 ? weight * m : 0.0; };
  const double c = std::abs(cosine);
  const double s = std::abs(sine);
  return {d.fixed[0] + part(c, d.turned[0]) + part(s, d.turned[1]),
          d.fixed[1] + part(s, d.turned[0]) + part(c, d.turned[1])};
}

// Returns the geom's x axis projected onto the contact plane, or the y or z axis if x is too steep.
// The result is turned about the outward normal by `turn` [rad]
// (docs/explanation/deviations.md#friction-directions).
Vec3 friction_direction(dGeomID geom, const Vec3& outward, double turn) {
  constexpr double kTooSteep = 0.9;  // cosine of 26°; at most one axis is steeper
  const Mat3 axes =
      dGeomGetClass(geom) == dPlaneClass ? info_of(geom).plane_axes : geom_pose(geom).rotation;
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis{axes(0, i), axes(1, i), axes(2, i)};
    const double along = dot(axis, outward);
    if (std::abs(along) < kTooSteep) {
      const Vec3 flat = unit_or(axis - along * outward, {});
      return std::cos(turn) * flat + std::sin(turn) * cross(outward, flat);
    }
  }
  return {};
}

}  // namespace

// dContactApprox1 makes μ a coefficient of the normal force; without it, μ would be a force.
// Bounce, slip and rolling friction that are 0 set no flag, so they cost nothing in a step.
Surface surface_of(const ContactProperties& p, bool first_is_second) {
  Surface surface;
  surface.max_joints = p.max_contact_joints;
  surface.first_is_second = first_is_second;
  surface.directional = p.coulomb_friction.size() > 1 || p.force_dependent_slip.size() > 1;
  surface.friction = directional(p.coulomb_friction);
  surface.slip = directional(p.force_dependent_slip);
  surface.rotation = p.friction_rotation;
  dSurfaceParameters& s = surface.parameters;
  s.mode = dContactSoftCFM | dContactSoftERP | dContactApprox1;
  s.mu = p.coulomb_friction.front();
  s.soft_cfm = p.soft_cfm;
  s.soft_erp = p.soft_erp;
  if (p.bounce != 0.0) {
    s.mode |= dContactBounce;
    s.bounce = p.bounce;
    s.bounce_vel = p.bounce_velocity;
  }
  if (std::any_of(p.force_dependent_slip.begin(), p.force_dependent_slip.end(),
                  [](double slip) { return slip != 0.0; })) {
    s.mode |= dContactSlip1 | dContactSlip2;
    s.slip1 = s.slip2 = p.force_dependent_slip.front();
  }
  const auto& [rho, rho2, rho_n] = p.rolling_friction;
  if (rho != 0.0 || rho2 != 0.0 || rho_n != 0.0) {
    // If only rho is given, it is used for every axis.
    s.mode |= dContactRolling | (rho2 > 0.0 || rho_n > 0.0 ? dContactAxisDep : 0);
    // ODE reads mu2 with rolling friction; see docs/explanation/deviations.md#rolling-friction.
    s.mu2 = s.mu;
    s.rho = rho;
    s.rho2 = rho2;
    s.rhoN = rho_n;
  }
  if (surface.directional) {
    s.mode |= dContactFDir1 | dContactMu2;
  }
  return surface;
}

// With several values, μ and slip depend on the directions of both surfaces. The direction t₁ is
// that of the surface of material1, whichever geom has this material.
void set_directions(const Surface& surface, dGeomID a, dGeomID b, dContact& contact) {
  const Vec3 into_a = to_vec3(contact.geom.normal);
  const dGeomID first = surface.first_is_second ? b : a;
  const dGeomID second = surface.first_is_second ? a : b;
  // friction_direction() needs the normal that points out of its surface.
  const Vec3 outward = surface.first_is_second ? into_a : -into_a;
  const Vec3 along = friction_direction(first, outward, surface.rotation[0]);
  const Vec3 other = friction_direction(second, -outward, surface.rotation[1]);
  const double cosine = dot(along, other);
  const double sine = norm(cross(along, other));
  contact.fdir1[0] = along.x;
  contact.fdir1[1] = along.y;
  contact.fdir1[2] = along.z;
  dSurfaceParameters& s = contact.surface;
  const auto [mu, mu2] = at_angle(surface.friction, cosine, sine);
  const auto [slip1, slip2] = at_angle(surface.slip, cosine, sine);
  s.mu = mu;
  s.mu2 = mu2;
  s.slip1 = slip1;
  s.slip2 = slip2;
}

// The surface of a belt with the outward normal n moves with speed·(axis × n). The target u of the
// friction rows is the velocity of the second surface minus that of the first one: motion₁ = u·t₁,
// motion₂ = u·t₂.
void set_belt_motion(dGeomID a, dGeomID b, dContact& contact) {
  const Vec3 into_a = to_vec3(contact.geom.normal);
  Vec3 direction;
  Vec3 relative;  // velocity of b's surface relative to a's surface [m/s]
  for (const auto& [geom, outward, sign] :
       {std::tuple(a, -into_a, -1.0), std::tuple(b, into_a, 1.0)}) {
    if (const Belt* const belt = info_of(geom).belt) {
      const Vec3 along = cross(belt->axis, outward);
      relative = relative + sign * belt->speed * along;
      direction = unit_or(along, direction);
    }
  }
  dSurfaceParameters& s = contact.surface;
  if ((s.mode & dContactFDir1) == 0) {
    if (direction == Vec3{}) {
      return;  // the contact is at the side of a belt
    }
    contact.fdir1[0] = direction.x;
    contact.fdir1[1] = direction.y;
    contact.fdir1[2] = direction.z;
  }
  // ODE exchanges the bodies if only the second geom has one. It then reverses the normal but not
  // these speeds.
  const bool reversed = dGeomGetBody(a) == nullptr;
  const Vec3 wanted = reversed ? -relative : relative;
  const Vec3 first = to_vec3(contact.fdir1);
  const Vec3 second = cross(reversed ? -into_a : into_a, first);
  s.mode |= dContactFDir1 | dContactMotion1 | dContactMotion2;
  s.motion1 = dot(wanted, first);
  s.motion2 = dot(wanted, second);
}

// Only materials of Solids get an index, so ContactProperties of other materials take no memory.
SurfaceTable::SurfaceTable(const Scene& scene) {
  for (const SolidSpec& solid : scene.solids) {
    if (numbers_.emplace(solid.contact_material, static_cast<int>(materials_.size())).second) {
      materials_.push_back(solid.contact_material);
    }
  }
  surfaces_.push_back(surface_of(ContactProperties{}, false));
  for (const ContactProperties& p : scene.world.contact_properties) {
    const auto first = numbers_.find(p.material1);
    const auto second = numbers_.find(p.material2);
    if (first == numbers_.end() || second == numbers_.end()) {
      continue;
    }
    // If several ContactProperties name both materials, the first one counts.
    const int a = first->second;
    const int b = second->second;
    if (pairs_.try_emplace(key(a, b), static_cast<std::uint32_t>(surfaces_.size())).second) {
      surfaces_.push_back(surface_of(p, false));
    }
    if (pairs_.try_emplace(key(b, a), static_cast<std::uint32_t>(surfaces_.size())).second) {
      surfaces_.push_back(surface_of(p, true));
    }
  }
}

}  // namespace servosim
