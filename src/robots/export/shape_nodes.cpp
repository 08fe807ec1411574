// SPDX-License-Identifier: Apache-2.0
#include "robots/export/shape_nodes.h"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "robots/mjcf_settings.h"
#include "scene/mesh_triangles.h"
#include "scene/solid_builders.h"

namespace servosim::robots {

std::optional<MeshOrigin> origin_of(const wbt::Node& node, const Vec3& scale,
                                    const MeshFiles& files) {
  const std::vector<std::string>& urls = node.strings("url");
  const bool is_part = node.type->name == "Mesh" &&
                       (!node.string("name").empty() || node.integer("materialIndex") >= 0);
  const std::string path = urls.empty() ? "" : files.name_of(node, urls.front());
  std::error_code ignored;
  if (is_part || (node.has("ccw") && !node.boolean("ccw")) ||
      !std::filesystem::path(path).is_absolute() ||
      !std::filesystem::is_regular_file(path, ignored)) {
    return std::nullopt;
  }
  return MeshOrigin{path, scaled(scale, mesh_scale(node))};
}

Material material_of(const wbt::Node& shape) {
  Material material{{1.0, 1.0, 1.0}, 1.0, {}};
  const wbt::NodePtr& appearance = shape.node("appearance");
  if (!appearance) {
    return material;
  }
  const wbt::Node* node = appearance.get();
  std::string_view color = "baseColor";
  if (node->type->name == "Appearance") {
    node = node->node("material").get();
    color = "diffuseColor";
  }
  if (node != nullptr && (node->type->name == "PBRAppearance" || node->type->name == "Material")) {
    const Vec3 c = node->vec3(color);
    set_color(material, {c.x, c.y, c.z, 1.0 - node->number("transparency")});
  }
  return material;
}

MeshNodes::MeshNodes(const wbt::WorldFile& world) {
  for (const wbt::NodePtr& node : world.nodes) {
    look_at(*node, 0);
  }
}

const wbt::Node* MeshNodes::find(std::uint32_t solid, const SourceLocation& where) const {
  const auto found = nodes_.find({solid, where.file, where.offset});
  return found == nodes_.end() ? nullptr : found->second;
}

void MeshNodes::look_at(const wbt::Node& node, std::uint32_t solid) {
  if (node.type->field("scale") != nullptr && node.type->name != "Mesh" && node.has("scale")) {
    return;
  }
  if (solid != 0 && node.type->name == "Mesh") {
    nodes_.emplace(std::tuple{solid, node.where.file, node.where.offset}, &node);
  }
  for (const wbt::Field& field : node.fields) {
    const bool bounds = node.type->is_solid && field.type->name == "boundingObject";
    wbt::for_each_node(
        field.value, [&](const wbt::NodePtr& child) { look_at(*child, bounds ? node.id : solid); });
  }
}

}  // namespace servosim::robots
