// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "physics/ode_surface.h"

namespace servosim {

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
