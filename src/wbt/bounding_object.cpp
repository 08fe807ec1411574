// SPDX-License-Identifier: Apache-2.0
#include "wbt/bounding_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace servosim::wbt {
namespace {

// From R2023b on a Transform that is stretched is only to be looked at; one that is not, is a Pose.
bool is_stretched_transform(const Node& node) {
  constexpr Version kR2023b{2023, 1, 0};
  return node.type->name == "Transform" && node.version >= kR2023b &&
         node.vec3("scale") != Vec3{1.0, 1.0, 1.0};
}

// What to use instead of a node that Webots allows in no boundingObject.
std::string_view substitute_for(const Node& node) {
  const std::string_view type = node.type->name;
  if (type == "Cone") {
    return "use a Cylinder, a Capsule or an IndexedFaceSet";
  }
  if (type == "CadShape") {
    return "use a Mesh with this url";
  }
  if (type == "Transform") {
    return "use a Pose, and shapes of the size they shall have";
  }
  if (type == "Billboard" || type == "Slot" || node.type->field("boundingObject") != nullptr) {
    return "use a Group or a Pose of shapes";
  }
  return "use Box, Sphere, Cylinder, Capsule, Plane, ElevationGrid, IndexedFaceSet or Mesh";
}

}  // namespace

bool groups_shapes(const Node& node) {
  const std::string_view type = node.type->name;
  return (type == "Group" || type == "Pose" || type == "Transform") &&
         !is_stretched_transform(node);
}

std::string fault_in_bounding_object(const Node& node) {
  static constexpr std::array<std::string_view, 9> kAllowed{
      "Shape", "Box",           "Sphere",         "Cylinder", "Capsule",
      "Plane", "ElevationGrid", "IndexedFaceSet", "Mesh"};
  const std::string_view type = node.type->name;
  if (groups_shapes(node) || std::find(kAllowed.begin(), kAllowed.end(), type) != kAllowed.end()) {
    return {};
  }
  return fmt::format("Webots allows no {}{} in a boundingObject, so it is left out; {}",
                     type == "Transform" ? "stretched " : "", type, substitute_for(node));
}

}  // namespace servosim::wbt
