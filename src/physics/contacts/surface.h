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

/// The contact parameters of two materials, ready for ODE: made once per pair that
/// ContactProperties name, and order.
struct Surface {
  /// A coefficient along and across the friction direction of the first surface: its own part, and
  /// what the second one adds by the angle between the two directions.
  struct Directional {
    std::array<double, 2> fixed{};
    std::array<double, 2> turned{};
    bool by_angle = false;
  };

  dSurfaceParameters parameters{};  ///< complete unless `directional`
  int max_joints = 10;
  bool directional = false;
  bool first_is_second = false;  ///< the contact's first geom has ContactProperties.material2
  Directional friction;
  Directional slip;
  std::array<double, 2> rotation{};  ///< of material1 and material2 [rad]
};

/// The surface of two materials that `p` names; `first_is_second`: see Surface.
Surface surface_of(const ContactProperties& p, bool first_is_second);

/// Completes a contact of a directional surface: friction direction, friction and slip. Both geoms
/// carry a GeomInfo.
void set_directions(const Surface& surface, dGeomID a, dGeomID b, dContact& contact);

/// Lets the surfaces of Tracks run, of one geom or both. After set_directions().
void set_belt_motion(dGeomID a, dGeomID b, dContact& contact);

struct Scene;

/// The contact materials of a scene and the surfaces between them. Pairs that no ContactProperties
/// name share one surface, so that its size is that of the lists in the file.
class SurfaceTable {
 public:
  explicit SurfaceTable(const Scene& scene);

  /// The names of the materials of Solids, each once.
  const std::vector<std::string>& materials() const { return materials_; }
  /// Number of a material that some Solid has.
  int material(const std::string& name) const { return numbers_.at(name); }
  /// Between a first geom of material `a` and a second one of material `b`.
  const Surface& between(int a, int b) const {
    if (pairs_.empty()) {
      return surfaces_.front();
    }
    const auto found = pairs_.find(key(a, b));
    return surfaces_[found != pairs_.end() ? found->second : 0];
  }

 private:
  static std::uint64_t key(int a, int b) {
    return std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
  }

  std::vector<std::string> materials_;
  std::unordered_map<std::string, int> numbers_;            // of materials
  std::vector<Surface> surfaces_;                           // the first: of all other pairs
  std::unordered_map<std::uint64_t, std::uint32_t> pairs_;  // by both materials, in both orders
};

}  // namespace servosim
