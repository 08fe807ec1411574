// SPDX-License-Identifier: Apache-2.0
#include "wbt/accepted_nodes.h"

#include <algorithm>
#include <span>

namespace servosim::wbt {
namespace {

using Names = std::span<const std::string_view>;

bool is_one_of(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// One row: a field, wherever it stands or only in `owner`, and the node types it takes.
struct Row {
  std::string_view field;
  std::string_view owner;  ///< empty for any other
  Names types;
};

constexpr std::string_view kAppearances[] = {"Appearance", "PBRAppearance"};
constexpr std::string_view kBallParameters[] = {"BallJointParameters"};
constexpr std::string_view kBelt[] = {"Shape", "Group", "Slot", "Pose", "Transform"};
constexpr std::string_view kColor[] = {"Color"};
constexpr std::string_view kContact[] = {"ContactProperties"};
constexpr std::string_view kCoordinate[] = {"Coordinate"};
constexpr std::string_view kDamping[] = {"Damping"};
constexpr std::string_view kFocus[] = {"Focus"};
constexpr std::string_view kGeometries[] = {
    "Box",  "Capsule", "Cone",     "Cylinder", "ElevationGrid", "IndexedFaceSet", "IndexedLineSet",
    "Mesh", "Plane",   "PointSet", "Sphere"};
constexpr std::string_view kHingeParameters[] = {"HingeJointParameters"};
constexpr std::string_view kImage[] = {"ImageTexture"};
constexpr std::string_view kImmersion[] = {"ImmersionProperties"};
constexpr std::string_view kLens[] = {"Lens"};
constexpr std::string_view kLensFlare[] = {"LensFlare"};
constexpr std::string_view kLinearDevices[] = {"LinearMotor", "PositionSensor", "Brake"};
constexpr std::string_view kMaterial[] = {"Material"};
constexpr std::string_view kMuscle[] = {"Muscle"};
constexpr std::string_view kNormal[] = {"Normal"};
constexpr std::string_view kParameters[] = {"JointParameters"};
constexpr std::string_view kPhysics[] = {"Physics"};
constexpr std::string_view kPropellerDevice[] = {"RotationalMotor"};
constexpr std::string_view kRecognition[] = {"Recognition"};
constexpr std::string_view kReference[] = {"SolidReference"};
constexpr std::string_view kTextureCoordinate[] = {"TextureCoordinate"};
constexpr std::string_view kTextureTransform[] = {"TextureTransform"};
constexpr std::string_view kTurningDevices[] = {"RotationalMotor", "PositionSensor", "Brake"};
constexpr std::string_view kZoom[] = {"Zoom"};

// The first row that fits counts.
constexpr Row kRows[] = {
    {"animatedGeometry", "", kBelt},
    {"appearance", "", kAppearances},
    {"baseColorMap", "", kImage},
    {"bones", "", kReference},
    {"color", "", kColor},
    {"contactProperties", "", kContact},
    {"coord", "", kCoordinate},
    {"damping", "", kDamping},
    {"defaultDamping", "", kDamping},
    {"device", "Propeller", kPropellerDevice},
    {"device", "SliderJoint", kLinearDevices},
    {"device", "Track", kLinearDevices},
    {"device", "", kTurningDevices},
    {"device2", "", kTurningDevices},
    {"device3", "", kTurningDevices},
    {"emissiveColorMap", "", kImage},
    {"focus", "", kFocus},
    {"geometry", "", kGeometries},
    {"immersionProperties", "", kImmersion},
    {"jointParameters", "BallJoint", kBallParameters},
    {"jointParameters", "SliderJoint", kParameters},
    {"jointParameters", "", kHingeParameters},
    {"jointParameters2", "", kParameters},
    {"jointParameters3", "", kParameters},
    {"lens", "", kLens},
    {"lensFlare", "", kLensFlare},
    {"material", "", kMaterial},
    {"metalnessMap", "", kImage},
    {"muscles", "", kMuscle},
    {"normal", "", kNormal},
    {"normalMap", "", kImage},
    {"occlusionMap", "", kImage},
    {"physics", "", kPhysics},
    {"recognition", "", kRecognition},
    {"roughnessMap", "", kImage},
    {"texCoord", "", kTextureCoordinate},
    {"texture", "", kImage},
    {"textureTransform", "", kTextureTransform},
    {"zoom", "", kZoom},
};

// What a boundingObject may be, or a node among the children there.
bool may_collide(std::string_view type) {
  static constexpr std::string_view kNot[] = {"Cone", "IndexedLineSet", "PointSet"};
  static constexpr std::string_view kOthers[] = {"Shape", "Group", "Pose", "Transform"};
  return (is_one_of(kGeometries, type) && !is_one_of(kNot, type)) || is_one_of(kOthers, type);
}

// What may stand anywhere among children.
bool stands_alone(const NodeType& type) {
  static constexpr std::string_view kTypes[] = {
      "Group",      "Pose",        "Transform",   "Billboard",        "Slot",       "Shape",
      "CadShape",   "Propeller",   "TrackWheel",  "DirectionalLight", "PointLight", "SpotLight",
      "HingeJoint", "SliderJoint", "Hinge2Joint", "BallJoint",        "Skin",       "Fluid"};
  return type.is_solid || is_one_of(kTypes, type.name);
}

}  // namespace

bool accepts(const NodeSlot& slot, const NodeType& type) {
  if (slot.owner == nullptr) {
    static constexpr std::string_view kOnlyThere[] = {"Background", "Fog"};
    return stands_alone(type) || is_one_of(kOnlyThere, type.name);
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
  for (const Row& row : kRows) {
    if (row.field == slot.field && (row.owner.empty() || row.owner == slot.owner->name)) {
      return is_one_of(row.types, type.name);
    }
  }
  return true;  // of a version whose manual does not say
}

}  // namespace servosim::wbt
