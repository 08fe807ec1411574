// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_surface_table.h"

#include "scene/scene.h"

namespace servosim {

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
    // The first that names both materials counts.
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
