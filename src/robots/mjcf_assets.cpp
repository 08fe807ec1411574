// SPDX-License-Identifier: Apache-2.0
#include "robots/mjcf_assets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quaternion.h"
#include "robots/robot_files.h"
#include "scene/mesh_triangles.h"

namespace servosim::robots {
namespace {

namespace fs = std::filesystem;

std::variant<MassProperties, std::string> read_mass(const MjcfMesh& mesh, MeshHelper& helper) {
  const std::shared_ptr<const MeshParts> read = read_triangles(mesh.file, helper);
  if (const auto* fault = std::get_if<std::string>(read.get())) {
    return *fault;
  }
  // A mirrored mesh would have its triangles inside out.
  const bool mirrored = mesh.scale.x * mesh.scale.y * mesh.scale.z < 0.0;
  std::vector<Triangle> triangles;
  for (const MeshPart& part : std::get<std::vector<MeshPart>>(*read)) {
    for (const auto& corners : part.mesh.triangles) {
      Triangle triangle;
      std::ranges::transform(corners, triangle.begin(), [&](std::uint32_t corner) {
        return scaled(mesh.turn * (part.mesh.vertices[corner] - mesh.origin), mesh.scale);
      });
      if (mirrored) {
        std::swap(triangle[1], triangle[2]);
      }
      triangles.push_back(triangle);
    }
  }
  return mass_of_mesh(triangles, mesh.inertia);
}

std::variant<MassProperties, std::string> mass_of_faces(const MjcfMesh& mesh) {
  std::vector<Triangle> triangles;
  for (const auto& corners : mesh.faces->triangles) {
    Triangle triangle;
    std::ranges::transform(corners, triangle.begin(),
                           [&](std::uint32_t corner) { return mesh.faces->vertices[corner]; });
    triangles.push_back(triangle);
  }
  return mass_of_mesh(triangles, mesh.inertia);
}

// Returns the numbers of an attribute; nothing if a word is no number.
std::optional<std::vector<double>> all_numbers(const MjcfElement& element, const char* name) {
  const std::string text = element.text(name);
  const std::optional<std::size_t> count = parse_numbers(text, {});
  if (!count) {
    return std::nullopt;
  }
  std::vector<double> numbers(*count);
  parse_numbers(text, numbers);
  return numbers;
}

// Returns the triangles that are written in an element, in the frame of a geom; null if their
// numbers make none.
std::shared_ptr<const Mesh> read_faces(const MjcfElement& element, const MjcfMesh& mesh) {
  const auto numbers = all_numbers(element, "vertex");
  const auto corners = all_numbers(element, "face");
  if (!numbers || !corners || numbers->size() % 3 != 0 || corners->size() % 3 != 0 ||
      numbers->size() > 9 * kMaxTriangles || corners->size() > 3 * kMaxTriangles) {
    return nullptr;
  }
  auto made = std::make_shared<Mesh>();
  for (std::size_t i = 0; i < numbers->size(); i += 3) {
    const Vec3 vertex{(*numbers)[i], (*numbers)[i + 1], (*numbers)[i + 2]};
    made->vertices.push_back(scaled(mesh.turn * (vertex - mesh.origin), mesh.scale));
    if (!is_in_range(made->vertices.back())) {
      return nullptr;
    }
  }
  // A mirrored mesh would have its triangles inside out.
  const bool mirrored = mesh.scale.x * mesh.scale.y * mesh.scale.z < 0.0;
  for (std::size_t i = 0; i < corners->size(); i += 3) {
    std::array<std::uint32_t, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double corner = (*corners)[i + k];
      if (!(corner >= 0.0 && corner < static_cast<double>(made->vertices.size()))) {
        return nullptr;
      }
      triangle[k] = static_cast<std::uint32_t>(corner);
    }
    add_triangle(*made, triangle, !mirrored);
  }
  return made->triangles.empty() ? nullptr : made;
}

}  // namespace

MjcfAssets::MjcfAssets(const MjcfContext& context) : context_(context) {
  const std::vector<pugi::xml_node> assets = context.document.sections("asset");
  for (const pugi::xml_node node : assets) {
    const std::string_view name = node.name();
    if (name == "mesh") {
      read_mesh(node);
    } else if (name == "texture") {
      read_texture(node);
    } else if (name == "model") {
      context.xml.fail(node,
                       "<model> in <asset> is not read: include the file, or save the model "
                       "as one file with MuJoCo");
    }
  }
  for (const pugi::xml_node node : assets) {  // they refer to textures
    if (std::string_view(node.name()) == "material") {
      read_material(node);
    }
  }
}

std::string MjcfAssets::path_of(const std::string& file, const std::string& folder) const {
  const fs::path given = context_.settings.strip_path ? fs::path(file).filename() : fs::path(file);
  return given.is_absolute() ? given.string() : (fs::path(folder) / given).string();
}

void MjcfAssets::read_mesh(pugi::xml_node node) {
  context_.attributes.check(node);
  const MjcfElement element = context_.element(node);
  MjcfMesh mesh;
  const std::string file = element.text("file");
  mesh.scale = element.vector("scale", mesh.scale);
  mesh.origin = element.vector("refpos", {});
  std::array<double, 4> quat{1.0, 0.0, 0.0, 0.0};
  element.numbers("refquat", quat, 4);
  mesh.turn = transposed(quaternion_matrix({quat[1], quat[2], quat[3], quat[0]}));
  const std::string mode = element.text("inertia", "legacy");
  mesh.inertia = mode == "exact"   ? MeshInertia::Exact
                 : mode == "shell" ? MeshInertia::Shell
                                   : MeshInertia::Legacy;
  if (mode == "convex") {
    element.lose("the mass of the mesh is that of itself, not that of its convex hull", true);
  } else if (mode != "legacy" && mode != "exact" && mode != "shell") {
    element.fail(fmt::format("inertia '{:.60}' should be legacy, exact, convex or shell", mode));
  }
  if (file.empty()) {
    mesh.faces = read_faces(element, mesh);
    mesh.fault = mesh.faces ? "" : "has no file, and no vertices and faces that make triangles";
  } else {
    mesh.file = path_of(file, context_.settings.mesh_folder);
  }
  const std::string name = element.text("name");
  const std::string key = name.empty() ? fs::path(file).stem().string() : name;
  if (key.empty()) {
    element.fail("<mesh> has neither a name nor a file");
  } else if (!meshes_.emplace(key, std::move(mesh)).second) {
    element.fail(fmt::format("a second mesh is called '{:.60}'", key));
  }
}

void MjcfAssets::read_texture(pugi::xml_node node) {
  const MjcfElement element = context_.element(node);
  const std::string file = element.text("file");
  const std::string name = element.text("name");
  if (file.empty() || element.text("type", "cube") != "2d") {
    return;  // the sky, and pictures on cubes, which no world shows
  }
  textures_[name.empty() ? fs::path(file).stem().string() : name] =
      path_of(file, context_.settings.texture_folder);
}

void MjcfAssets::read_material(pugi::xml_node node) {
  const MjcfElement element = context_.element(node);
  Material material;
  std::array<double, 4> rgba{1.0, 1.0, 1.0, 1.0};
  element.numbers("rgba", rgba, 4);
  set_color(material, rgba);
  const auto texture = textures_.find(element.text("texture"));
  if (texture != textures_.end() && ending_of(texture->second) != ".ktx") {
    RobotFiles::Found found = context_.files.find(texture->second);
    if (found.path.empty()) {
      element.lose("the texture " + found.fault, false);
    }
    material.texture = std::move(found.path);
  }
  const std::string name = element.text("name");
  if (!materials_.emplace(name, std::move(material)).second) {
    element.fail(fmt::format("a second material is called '{:.60}'", name));
  }
}

MjcfMesh* MjcfAssets::mesh(const std::string& name) {
  const auto known = meshes_.find(name);
  if (known == meshes_.end()) {
    return nullptr;
  }
  MjcfMesh& mesh = known->second;
  if (std::exchange(mesh.is_found, true) || mesh.faces) {
    return &mesh;
  }
  if (mesh.fault.empty()) {
    RobotFiles::Found found = context_.files.find(mesh.file);
    mesh.file = std::move(found.path);
    mesh.fault = std::move(found.fault);
  }
  if (const std::string ending = ending_of(mesh.file);
      !mesh.file.empty() && ending != ".stl" && ending != ".obj") {
    mesh.fault = fmt::format("'{}' is no STL or OBJ file: convert it", mesh.file);
    mesh.file.clear();
  }
  const Vec3& scale = mesh.scale;
  if (!mesh.file.empty() && (scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0)) {
    mesh.fault = "has the scale 0";
    mesh.file.clear();
  }
  return &mesh;
}

const std::variant<MassProperties, std::string>& MjcfAssets::mass_of(MjcfMesh& mesh) {
  if (!mesh.mass) {
    mesh.mass = mesh.faces          ? mass_of_faces(mesh)
                : mesh.file.empty() ? std::variant<MassProperties, std::string>(mesh.fault)
                                    : read_mass(mesh, helper_);
  }
  return *mesh.mass;
}

const Material* MjcfAssets::material(const std::string& name) const {
  const auto found = materials_.find(name);
  return found == materials_.end() ? nullptr : &found->second;
}

}  // namespace servosim::robots
