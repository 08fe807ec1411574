// SPDX-License-Identifier: Apache-2.0
#include "wbt/schema/accepted_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/text.h"

namespace servosim::wbt {
namespace {

using TypeNames = std::span<const std::string_view>;

// One row: a field, either of any node or only of `owner`, and the node types that it accepts.
struct AcceptedRow {
  std::string_view field;
  std::string_view owner;  ///< empty means any other node
  TypeNames types;
};

constexpr std::string_view kAppearancesTypes[] = {"Appearance", "PBRAppearance"};
constexpr std::string_view kBallParametersTypes[] = {"BallJointParameters"};
constexpr std::string_view kBeltTypes[] = {"Shape", "Group", "Slot", "Pose", "Transform"};
constexpr std::string_view kColorTypes[] = {"Color"};
constexpr std::string_view kContactTypes[] = {"ContactProperties"};
constexpr std::string_view kCoordinateTypes[] = {"Coordinate"};
constexpr std::string_view kDampingTypes[] = {"Damping"};
constexpr std::string_view kFocusTypes[] = {"Focus"};
constexpr std::string_view kGeometryTypes[] = {
    "Box",  "Capsule", "Cone",     "Cylinder", "ElevationGrid", "IndexedFaceSet", "IndexedLineSet",
    "Mesh", "Plane",   "PointSet", "Sphere"};
constexpr std::string_view kHingeParametersTypes[] = {"HingeJointParameters"};
constexpr std::string_view kImageTypes[] = {"ImageTexture"};
constexpr std::string_view kImmersionTypes[] = {"ImmersionProperties"};
constexpr std::string_view kLensTypes[] = {"Lens"};
constexpr std::string_view kLensFlareTypes[] = {"LensFlare"};
constexpr std::string_view kLinearDevicesTypes[] = {"LinearMotor", "PositionSensor", "Brake"};
constexpr std::string_view kMaterialTypes[] = {"Material"};
constexpr std::string_view kMuscleTypes[] = {"Muscle"};
constexpr std::string_view kNormalTypes[] = {"Normal"};
constexpr std::string_view kParametersTypes[] = {"JointParameters"};
constexpr std::string_view kPhysicsTypes[] = {"Physics"};
constexpr std::string_view kPropellerDeviceTypes[] = {"RotationalMotor"};
constexpr std::string_view kRecognitionTypes[] = {"Recognition"};
constexpr std::string_view kReferenceTypes[] = {"SolidReference"};
constexpr std::string_view kTextureCoordinateTypes[] = {"TextureCoordinate"};
constexpr std::string_view kTextureTransformTypes[] = {"TextureTransform"};
constexpr std::string_view kTurningDevicesTypes[] = {"RotationalMotor", "PositionSensor", "Brake"};
constexpr std::string_view kZoomTypes[] = {"Zoom"};

// The first row that fits is used.
constexpr AcceptedRow kAcceptedRows[] = {
    {"animatedGeometry", "", kBeltTypes},
    {"appearance", "", kAppearancesTypes},
    {"baseColorMap", "", kImageTypes},
    {"bones", "", kReferenceTypes},
    {"color", "", kColorTypes},
    {"contactProperties", "", kContactTypes},
    {"coord", "", kCoordinateTypes},
    {"damping", "", kDampingTypes},
    {"defaultDamping", "", kDampingTypes},
    {"device", "Propeller", kPropellerDeviceTypes},
    {"device", "SliderJoint", kLinearDevicesTypes},
    {"device", "Track", kLinearDevicesTypes},
    {"device", "", kTurningDevicesTypes},
    {"device2", "", kTurningDevicesTypes},
    {"device3", "", kTurningDevicesTypes},
    {"emissiveColorMap", "", kImageTypes},
    {"focus", "", kFocusTypes},
    {"geometry", "", kGeometryTypes},
    {"immersionProperties", "", kImmersionTypes},
    {"jointParameters", "BallJoint", kBallParametersTypes},
    {"jointParameters", "SliderJoint", kParametersTypes},
    {"jointParameters", "", kHingeParametersTypes},
    {"jointParameters2", "", kParametersTypes},
    {"jointParameters3", "", kParametersTypes},
    {"lens", "", kLensTypes},
    {"lensFlare", "", kLensFlareTypes},
    {"material", "", kMaterialTypes},
    {"metalnessMap", "", kImageTypes},
    {"muscles", "", kMuscleTypes},
    {"normal", "", kNormalTypes},
    {"normalMap", "", kImageTypes},
    {"occlusionMap", "", kImageTypes},
    {"physics", "", kPhysicsTypes},
    {"recognition", "", kRecognitionTypes},
    {"roughnessMap", "", kImageTypes},
    {"texCoord", "", kTextureCoordinateTypes},
    {"texture", "", kImageTypes},
    {"textureTransform", "", kTextureTransformTypes},
    {"zoom", "", kZoomTypes},
};

// Returns whether a node may be a boundingObject, or a node among the children there.
bool may_collide(std::string_view type) {
  static constexpr std::string_view kNotCollidingTypes[] = {"Cone", "IndexedLineSet", "PointSet"};
  static constexpr std::string_view kGroupingTypes[] = {"Shape", "Group", "Pose", "Transform"};
  return (is_one_of(kGeometryTypes, type) && !is_one_of(kNotCollidingTypes, type)) ||
         is_one_of(kGroupingTypes, type);
}

// Returns whether a node may be anywhere among children.
bool stands_alone(const NodeType& type) {
  static constexpr std::string_view kTopLevelTypes[] = {
      "Group",      "Pose",        "Transform",   "Billboard",        "Slot",       "Shape",
      "CadShape",   "Propeller",   "TrackWheel",  "DirectionalLight", "PointLight", "SpotLight",
      "HingeJoint", "SliderJoint", "Hinge2Joint", "BallJoint",        "Skin",       "Fluid"};
  return type.is_solid || is_one_of(kTopLevelTypes, type.name);
}

}  // namespace

bool accepts(const NodeSlot& slot, const NodeType& type) {
  if (slot.owner == nullptr) {
    static constexpr std::string_view kTopLevelOnlyTypes[] = {"Background", "Fog"};
    return stands_alone(type) || is_one_of(kTopLevelOnlyTypes, type.name);
  }
  if (slot.field == "boundingObject") {
    return may_collide(type.name);
  }
  if (slot.field == "children") {
    return slot.collides ? may_collide(type.name) : stands_alone(type);
  }
  if (slot.field.ends_with("Helix") || slot.field == "rotatingHead") {
    return type.is_solid;
  }
  if (slot.field == "endPoint") {
    const bool any = slot.owner->name == "Slot";
    return type.is_solid || type.name == "Slot" || type.name == "SolidReference" ||
           (any && stands_alone(type));
  }
  for (const AcceptedRow& row : kAcceptedRows) {
    if (row.field == slot.field && (row.owner.empty() || row.owner == slot.owner->name)) {
      return is_one_of(row.types, type.name);
    }
  }
  return true;  // the field is of a version whose manual does not restrict it
}

bool slot_types_match(std::string_view one, std::string_view other) {
  const auto opposite = [](char end) { return end == '+' ? '-' : end == '-' ? '+' : '\0'; };
  if (one.empty() || other.empty()) {
    return true;
  }
  const char wanted = opposite(one.back());
  return wanted == '\0' ? one == other
                        : other.back() == wanted &&
                              one.substr(0, one.size() - 1) == other.substr(0, other.size() - 1);
}

namespace {

// From R2023b on a Transform with a scale other than 1 is only visible; one without is a Pose.
bool is_stretched_transform(const Node& node) {
  constexpr Version kR2023b{2023, 1, 0};
  return node.type->name == "Transform" && node.version >= kR2023b &&
         node.vec3("scale") != Vec3{1.0, 1.0, 1.0};
}

// Returns a replacement for a node that Webots does not permit in a boundingObject.
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
