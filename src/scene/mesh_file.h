// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assets/library.h"
#include "base/assert.h"
#include "base/limits.h"
#include "scene/mesh_helper.h"
#include "scene/scene.h"
#include "scene/surface_look.h"
#include "servosim/diagnostics.h"
#include "wbt/node.h"

// Mesh files: the triangles of a file, as the program mesh_reader writes them, and the meshes of
// Mesh nodes. Both programs contain this code.

namespace servosim {

/// The triangles of one object of a mesh file that have one material. Coordinates may be any
/// numbers.
struct MeshPart {
  std::string name;
  std::int32_t material = 0;
  Mesh mesh;
  // These are filled if the file is read for its look. They are by vertex, and empty if the file
  // has none.
  std::vector<Vec3> normals = {};
  std::vector<std::array<double, 2>> uvs = {};  ///< v points upwards
  std::vector<double> color = {};      ///< red, green, blue and opacity of the material, or empty
  std::vector<double> emission = {};   ///< red, green and blue of the material, or empty
  std::vector<double> shininess = {};  ///< of the material, one number, or empty
  std::string picture = {};  ///< the file that the material names for the colour, or empty
  /// A file of materials that the OBJ file names and that is not there, or empty.
  std::string absent_materials = {};
};

/// The purpose for which a mesh file is read. Form has each point as one vertex. Look also has
/// normals and places in a picture by vertex.
enum class MeshUse { Form, Look };

/// All triangles of a file, or a clause with the reason why there are none.
using MeshParts = std::variant<std::vector<MeshPart>, std::string>;

/// The last argument of the program mesh_reader for a file that is read for its look.
inline constexpr const char* kMeshLook = "look";

/// The first argument of the program for a PNG or JPEG picture.
inline constexpr std::string_view kPicture = "picture";
/// The same for a picture of light, a Radiance file: see read_light().
inline constexpr std::string_view kLight = "light";
/// The reason why a file is no picture.
inline constexpr std::string_view kNoPicture = "is no PNG or JPEG file: convert it";

/// Returns the bytes that the program mesh_reader writes for a result.
std::string encode(const MeshParts& parts);
/// Returns the result in `bytes`, or nothing if it is incomplete or a triangle has an invalid
/// index.
std::optional<MeshParts> decode_mesh_parts(std::string_view bytes);

/// The largest number of triangles of a file. With more, loading takes minutes and a step takes
/// seconds.
inline constexpr std::size_t kMaxTriangles = 1'000'000;
/// Returns the processor time for one file [s]: 30, or the limit of this process (ulimit -t).
unsigned max_read_seconds();

inline bool is_in_range(const Vec3& v) {
  return is_finite(v) &&
         std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) < kMaxFileCoordinate;
}

/// Adds a triangle whose corners are counter-clockwise seen from outside, or clockwise if not
/// `ccw`. A triangle without an area is left out. The corners are indices of vertices.
inline void add_triangle(Mesh& mesh, std::array<std::uint32_t, 3> corners, bool ccw) {
  SERVOSIM_ASSERT(std::max({corners[0], corners[1], corners[2]}) < mesh.vertices.size(),
                  "corners {} {} {} of {} vertices", corners[0], corners[1], corners[2],
                  mesh.vertices.size());
  if (!ccw) {
    std::swap(corners[1], corners[2]);
  }
  const Vec3& a = mesh.vertices[corners[0]];
  const Vec3 edge1 = mesh.vertices[corners[1]] - a;
  const Vec3 edge2 = mesh.vertices[corners[2]] - a;
  if (norm(cross(edge1, edge2)) > 1e-20) {
    mesh.triangles.push_back(corners);
  }
}

/// A picture, which is not null, or a clause with the reason why there is none.
using ReadImage = std::variant<std::shared_ptr<const Image>, std::string>;

/// The largest number of pixels of one picture, and of all pictures of a world: of those that
/// infra-red sensors see, and of those that Cameras see. A pixel takes 4 bytes.
inline constexpr std::size_t kMaxPixels = std::size_t{1} << 24;
inline constexpr std::size_t kMaxPixelsInAll = std::size_t{1} << 26;
inline constexpr std::size_t kMaxPixelsSeen = std::size_t{1} << 28;
/// The largest number of pictures of a world. It includes those that cannot be read, because each
/// takes a process.
inline constexpr std::size_t kMaxPictures = 1000;
/// Convert a picture to and from the bytes that the program mesh_reader writes. Decoding returns
/// nothing if they are incomplete.
std::string encode_picture(const std::variant<Image, std::string>& picture);
std::optional<std::variant<Image, std::string>> decode_picture(std::string_view bytes);

/// Returns the picture in the bytes of a PNG or JPEG file, which is decoded in a separate process.
ReadImage read_image(std::string_view bytes);

/// The mesh files and pictures that were read, by path or address, so that a rebuild of the world
/// does not read them again. It may have pictures that the world no longer shows, as long as there
/// is room.
struct MeshStore {
  std::map<std::pair<std::string, MeshUse>, std::shared_ptr<const MeshParts>> files;
  std::map<std::string, ReadImage> images;
  std::map<std::string, std::size_t> too_large;  ///< the pixels of pictures for which was no room
};

/// Some of the parts of a file.
using MeshPartList = std::vector<const MeshPart*>;

/// Reads the files of Mesh and CadShape nodes, and pictures, each once and in a separate process.
/// While this object exists, the program that reads meshes may run.
///
/// Invariant: known() has no null entry.
class MeshFiles {
 public:
  /// Relative urls of the world begin at `world_folder`. `library` is that of the world; if it is
  /// null, only files that urls name directly are found.
  MeshFiles(std::string world_folder, Diagnostics& diagnostics, MeshStore known = {},
            std::shared_ptr<const assets::Library> library = nullptr, MeshUse use = MeshUse::Form)
      : use_(use),
        world_folder_(std::move(world_folder)),
        diagnostics_(diagnostics),
        known_(std::move(known)),
        library_(library ? std::move(library)
                         : std::make_shared<const assets::Library>(assets::Places{})) {}

  /// Returns the triangles of a Mesh node, scaled by `scale`. Returns null, with a warning, if it
  /// has none.
  std::shared_ptr<const Mesh> read(const wbt::Node& node, const Vec3& scale);
  /// Returns the same mesh for infra-red sensors that see a picture on it. `places` receives the
  /// place of each vertex in the picture, with v downwards; it is empty if the file has none.
  std::shared_ptr<const Mesh> read_look(const wbt::Node& node, const Vec3& scale,
                                        std::vector<std::array<double, 2>>& places);
  /// Returns the parts of its file that a Mesh or CadShape node shows, or none with a warning. The
  /// result is valid as long as this object and known().
  MeshPartList parts(const wbt::Node& node) { return parts(node, use_); }
  /// Returns the name, for the library, of the file to which a url of a node leads. Without such a
  /// file it returns the path at which the file should be, or an empty text.
  std::string name_of(const wbt::Node& node, const std::string& url) const;
  /// Returns, for the library, a file that the file of a Mesh or CadShape node names. It must be in
  /// the same folder or below. Returns an empty text if there is none.
  std::string name_beside(const wbt::Node& node, const std::string& reference) const;
  /// Returns the pixels of a PNG or JPEG file or, if `is_light`, of a Radiance file, whose name
  /// ends in .hdr. `name` comes from name_of() and may be empty. The pictures for which this object
  /// was asked are those of the world, and count for its limits.
  ReadImage image(const std::string& name, bool is_light = false);
  const assets::Library& library() const { return *library_; }
  /// Returns all files that were read so far.
  const MeshStore& known() const { return known_; }

 private:
  ReadImage admit(const std::string& name);
  MeshPartList parts(const wbt::Node& node, MeshUse use);
  std::shared_ptr<const Mesh> merged(const wbt::Node& node, const MeshPartList& chosen,
                                     const Vec3& scale) const;
  std::vector<std::string> folders_of(const wbt::Node& node) const;
  const MeshParts& parts_of(const std::string& path, const std::string& format, MeshUse use);
  void leave_out(const wbt::Node& node, std::string_view field, const std::string& reason,
                 const std::string& remedy = {}) const;

  MeshUse use_;
  MeshHelper helper_;
  std::string world_folder_;
  Diagnostics& diagnostics_;
  MeshStore known_;
  std::map<std::string, ReadImage> images_;  // those that image() has returned
  std::size_t pixels_ = 0;                   // of all of them
  bool is_full_ = false;                     // one did not fit, so no other one is read
  std::shared_ptr<const assets::Library> library_;
};

}  // namespace servosim
