// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "robots/geom_mass.h"
#include "robots/mjcf_parts.h"
#include "robots/robot_model.h"
#include "scene/mesh_helper.h"
#include "scene/scene.h"
#include "servosim/math.h"

namespace servosim::robots {

/// A mesh of an MJCF file. A corner v of its file is at scale·turn·(v − origin) in the frame of
/// a geom.
struct MjcfMesh {
  bool is_found = false;  ///< somebody has asked for it, so that its file was looked for
  std::string file;       ///< then its absolute path; empty if there is none
  std::string fault;      ///< then a clause that says why
  /// The triangles of a mesh that is written in the MJCF, in the frame of a geom; null if there is
  /// a file.
  std::shared_ptr<const Mesh> faces;
  Vec3 scale{1.0, 1.0, 1.0};
  Mat3 turn;
  Vec3 origin;
  MeshInertia inertia = MeshInertia::Legacy;
  /// This is the mass at 1 kg/m³, or at 1 kg/m² of a shell; or why there is none. It is empty until
  /// somebody asks.
  std::optional<std::variant<MassProperties, std::string>> mass;
};

/// The meshes and materials of an MJCF file.
///
/// Threads: one at a time.
class MjcfAssets {
 public:
  explicit MjcfAssets(const MjcfContext& context);

  /// Returns the mesh of that name, whose file is looked for; null if there is none.
  MjcfMesh* mesh(const std::string& name);
  /// Returns the mass of a mesh, which is read at the first call.
  const std::variant<MassProperties, std::string>& mass_of(MjcfMesh& mesh);
  /// Returns the material of that name; null if there is none.
  const Material* material(const std::string& name) const;

 private:
  void read_mesh(pugi::xml_node node);
  void read_texture(pugi::xml_node node);
  void read_material(pugi::xml_node node);
  std::string path_of(const std::string& file, const std::string& folder) const;

  const MjcfContext& context_;
  MeshHelper helper_;
  std::map<std::string, MjcfMesh> meshes_;
  std::map<std::string, std::string> textures_;  // the files, by name
  std::map<std::string, Material> materials_;
};

}  // namespace servosim::robots
