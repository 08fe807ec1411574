// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "rendering/rays/float3.h"
#include "rendering/rays/pyramid.h"
#include "scene/looks.h"

namespace servosim::rays {

/// The pictures of a sky, and the light that comes from them.
///
/// Threads: any number at a time.
class SkyCube {
 public:
  using Faces = Sky::Faces;
  /// @param faces, light  as those of a Sky; not both are empty
  SkyCube(const Faces& faces, const Faces& light);

  /// Whether it has pictures that are seen.
  bool is_seen() const { return !pictures_.empty(); }
  /// Returns the pixels in directions in the frame of the sky, as they are coded. Only if
  /// is_seen().
  Texels at(const Floats3& directions) const;
  /// Returns the light around a direction that a surface mirrors: 0 is a mirror, and 1 the roughest
  /// surface.
  Float3 mirrored(const Float3& direction, float roughness) const;
  /// Returns the light that a dull surface with that normal gathers.
  Float3 gathered(const Float3& normal) const;

 private:
  // The six faces of a cube, side * side colours each.
  struct Level {
    int side = 1;
    std::vector<Float3> colors;
  };
  static Level level_of(const Faces& light);
  static Level filtered(const Level& source, int side, double roughness);
  static Float3 sample(const Level& level, const Float3& direction);

  Faces light_;                   // held, so that no other picture has their addresses
  std::deque<Pyramid> pictures_;  // six, if it is seen
  std::vector<Level> levels_;
};

/// The cubes of skies, each made once for all who hold it.
///
/// Threads: any number at a time.
class SkyCubes {
 public:
  /// Returns null for a sky without pictures.
  std::shared_ptr<const SkyCube> of(const Sky& sky);

 private:
  std::mutex lock_;
  // A SkyCube holds its pictures.
  std::map<std::array<const Image*, 12>, std::weak_ptr<const SkyCube>> known_;
};

/// The share of the light of the surroundings that surfaces mirror: F0 * scale + offset.
struct MirrorShare {
  Floats scale{};
  Floats offset{};
};

/// @param cosine  of the angle between normal and view, in [0, 1]
/// @param roughness  in [0, 1]
MirrorShare mirror_share(const Floats& cosine, const Floats& roughness);

}  // namespace servosim::rays
