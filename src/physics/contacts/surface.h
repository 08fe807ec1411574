// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace servosim {

struct ContactProperties;

/// Holds the contact parameters of two materials in the format of ODE. There is one for each pair
/// of materials in ContactProperties, and for each order of the two.
///
/// With n the normal into the first body, t₁ and t₂ = n × t₁ the friction directions, u the
/// velocity of the first body at the contact point relative to the second one, d the depth and h
/// the length of a step, ODE solves these rows (its source contact.cpp; ODE manual, "Contact"):
///
///     n·u⁺ + soft_cfm·λ ≥ erp/h·d,     λ ≥ 0, and one of the two is an equality
///     t₁·u⁺ + slip₁·λ₁ = motion₁,      |λ₁| ≤ μ₁·λ
///     t₂·u⁺ + slip₂·λ₂ = motion₂,      |λ₂| ≤ μ₂·λ
///
/// λ, λ₁ and λ₂ are the forces on the first body along n, t₁ and t₂ [N]. A positive n·u means that
/// the bodies separate. If the bodies approach with −n·u > bounce_velocity, the right side of the
/// first row is at least −bounce·n·u. Rolling friction adds rows for the relative angular velocity
/// about t₁, t₂ and n, with torques of at most ρ·λ. The λ in the bounds is that of a solution
/// without friction.
struct Surface {
  /// Describes a coefficient along and perpendicular to the friction direction of the first
  /// surface. It is the sum of a fixed part and a part of the second surface, which the angle
  /// between the two directions turns. at_angle() in surface.cpp has the equation.
  struct Directional {
    /// This part, along and across, does not depend on the other surface.
    std::array<double, 2> fixed{};
    /// This part belongs to the other surface, along and across that surface's own direction.
    std::array<double, 2> turned{};
    /// Tells whether `turned` is added.
    bool by_angle = false;
  };

  dSurfaceParameters parameters{};  ///< complete unless `directional` is set
  /// Two shapes have at most this many contact joints. The deepest points are used.
  int max_joints = 10;
  /// Tells whether friction or slip depends on the direction, so that set_directions() must be
  /// called.
  bool directional = false;
  /// Tells whether ContactProperties.material2 is the material of the contact's first geom.
  bool first_is_second = false;
  Directional friction;
  Directional slip;
  std::array<double, 2> rotation{};  ///< frictionRotation of material1 and material2 [rad]
};

/// Returns the surface of the two materials of `p`. `first_is_second` becomes
/// Surface::first_is_second.
Surface surface_of(const ContactProperties& p, bool first_is_second);

/// Sets the friction direction, friction and slip of a contact with a directional surface. The
/// normal of the contact must point into `a`, and both geoms must have a GeomInfo.
void set_directions(const Surface& surface, dGeomID a, dGeomID b, dContact& contact);

/// Sets the surface velocities [m/s] of a contact with Tracks; one or both geoms may be Tracks.
/// This must be called after set_directions(). The normal of the contact must point into `a`.
void set_belt_motion(dGeomID a, dGeomID b, dContact& contact);

struct Scene;

/// Holds the contact materials of a scene and the surfaces between them. All pairs without
/// ContactProperties share one surface, so the size of the table is that of the lists in the file.
///
/// Threads: any; worlds of one scene share a table, which does not change.
class SurfaceTable {
 public:
  explicit SurfaceTable(const Scene& scene);

  /// Returns the names of the Solids' materials, each once, in the order of the Solids.
  const std::vector<std::string>& materials() const { return materials_; }
  /// Returns the index of a material. @throws std::out_of_range if no Solid has it
  int material(const std::string& name) const { return numbers_.at(name); }
  /// Returns the surface between a first geom with material `a` and a second geom with material
  /// `b`.
  const Surface& between(int a, int b) const {
    if (pairs_.empty()) {
      return surfaces_.front();
    }
    const auto found = pairs_.find(key(a, b));
    return surfaces_[found != pairs_.end() ? found->second : 0];
  }

 private:
  /// Returns the key of an ordered pair of materials.
  static std::uint64_t key(int a, int b) {
    return std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
  }

  std::vector<std::string> materials_;
  std::unordered_map<std::string, int> numbers_;  // index of each material in materials_
  std::vector<Surface> surfaces_;  // the first one is for pairs without ContactProperties
  // This is the index in surfaces_ by key(), for each order of two materials.
  std::unordered_map<std::uint64_t, std::uint32_t> pairs_;
};

}  // namespace servosim
