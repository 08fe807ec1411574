// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene/drawn_shape.h"
#include "scene/looks.h"
#include "scene/mesh_file.h"
#include "scene/scene.h"
#include "servosim/math.h"

// What a world looks like, for programs that draw it.

namespace servosim {

namespace wbt {
struct WorldFile;
}
struct FarSolids;

struct Drawing {
  std::vector<DrawnShape> shapes;
  std::optional<Vec3> background;    ///< colour of the sky
  std::optional<Sky> sky;            ///< for Cameras
  std::optional<Fog> fog;            ///< for Cameras
  std::vector<std::string> missing;  ///< what cannot be drawn: one sentence each, without
                                     ///< repetitions
  std::vector<std::string> faults;   ///< forms that Webots does not show either, and for Cameras
                                     ///< effects that are not drawn, with their places: one
                                     ///< sentence each; empty for a page
};

/// The files that a drawing was made from, so that they need not be read again.
struct DrawingStore {
  struct OfPicture {
    std::shared_ptr<const Picture> picture;  ///< null if it cannot be used
    std::string fault;                       ///< the reason why it cannot be used
  };
  MeshStore looks;                            ///< files that were read for MeshUse::Look
  std::map<std::string, OfPicture> pictures;  ///< by name
};

/// Larger pictures and meshes are left out, because a page holds all of them.
inline constexpr std::size_t kMaxPictureSize = 512 * 1024;  // [bytes]
inline constexpr std::size_t kMaxDrawnTriangles = 300'000;  // of one mesh
inline constexpr std::size_t kMaxDrawnInAll = 1'000'000;    // triangles
/// The triangles of all meshes that sensors see. With what finds them along rays they take 2 GB.
inline constexpr std::size_t kMaxSeenInAll = 10'000'000;
inline constexpr std::size_t kMaxPicturesInAll = 8u << 20;  // [bytes]

/// What a drawing is for.
enum class DrawingUse : std::uint8_t {
  Page,     ///< a page, which also shows boundingObjects and pictures
  Sensors,  ///< sensors of distances, which need forms alone
  Cameras   ///< those that also see finishes, sky and fog
};

/// Draws the world that `scene` was built from.
/// @param meshes  the mesh files of its boundingObjects, and pictures that were read; or null
/// @param sources  the texts of the file
Drawing draw(const wbt::WorldFile& file, const Scene& scene, const FarSolids& far,
             const MeshStore* meshes, const SourceMap& sources, DrawingStore& store,
             DrawingUse use = DrawingUse::Page);

}  // namespace servosim
