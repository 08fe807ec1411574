// SPDX-License-Identifier: Apache-2.0
#include "wbt/schema/node_types.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "wbt/values.h"

namespace servosim::wbt {
namespace {

const Version kV6{6, 0, 0};
const Version kR2018a{2018, 0, 0};
const Version kR2021b{2021, 1, 0};
const Version kR2025a{2025, 0, 0};

std::string_view default_of(std::string_view node, std::string_view field, const Version& version) {
  return find_node_type(node)->field(field, version)->default_text;
}

TEST(NodeTypes, EveryDefaultIsAValueOfItsType) {
  for (const NodeType& type : all_node_types()) {
    for (const FieldType* field : type.fields) {
      EXPECT_NO_THROW(default_value(*field)) << type.name << '.' << field->name;
    }
  }
}

TEST(NodeTypes, EveryRowHasOneSentence) {
  for (const NodeType& type : all_node_types()) {
    for (const FieldType* field : type.fields) {
      EXPECT_TRUE(field->doc.ends_with('.')) << type.name << '.' << field->name;
    }
  }
}

// A number without dimension has a dash as its unit.
TEST(NodeTypes, NumbersHaveUnitsAndNothingElseHas) {
  for (const NodeType& type : all_node_types()) {
    for (const FieldType* field : type.fields) {
      const std::string_view value = to_string(field->type).substr(2);
      const bool number = value != "Bool" && value != "String" && value != "Node";
      EXPECT_EQ(field->unit.empty(), !number) << type.name << '.' << field->name;
    }
  }
}

TEST(NodeTypes, FieldsKnowWhereTheyComeFrom) {
  const auto origin = [](std::string_view node, std::string_view field) {
    const NodeType* type = find_node_type(node);
    for (std::size_t f = 0; f < type->fields.size(); ++f) {
      if (type->fields[f]->name == field) {
        return type->origins[f];
      }
    }
    return std::string_view();
  };
  EXPECT_EQ(origin("Camera", "width"), "Camera");
  EXPECT_EQ(origin("Camera", "boundingObject"), "Solid");
  EXPECT_EQ(origin("Camera", "translation"), "Pose");
  EXPECT_EQ(origin("Camera", "children"), "Group");
  EXPECT_EQ(origin("RotationalMotor", "maxVelocity"), "Motor");
  EXPECT_EQ(origin("BallJoint", "device2"), "Hinge2Joint");
  EXPECT_EQ(origin("BallJoint", "endPoint"), "Joint");
  EXPECT_EQ(origin("BallJointParameters", "minStop"), "JointParameters");
  EXPECT_EQ(origin("JointParameters", "minStop"), "JointParameters");
  EXPECT_EQ(origin("HingeJointParameters", "springConstant"), "JointParameters");
}

TEST(NodeTypes, OldNodesEnd) {
  EXPECT_EQ(find_node_type("Servo")->until, (Version{8, 6, 0}));
  EXPECT_EQ(find_node_type("Cubemap")->until, (Version{2019, 0, 0}));
  EXPECT_EQ(find_node_type("HingeJoint")->until, kNewestVersion);
}

// At most one row of a name may exist in any version.
TEST(NodeTypes, RowsOfAFieldDoNotOverlap) {
  for (const NodeType& type : all_node_types()) {
    for (const FieldType* a : type.fields) {
      for (const FieldType* b : type.fields) {
        EXPECT_FALSE(a < b && a->name == b->name && a->since <= b->until && b->since <= a->until)
            << type.name << '.' << a->name;
      }
    }
  }
}

TEST(NodeTypes, RowsOfAFieldHaveTheSameEditEffect) {
  for (const NodeType& type : all_node_types()) {
    for (const FieldType* field : type.fields) {
      EXPECT_EQ(field->edit, type.field(field->name)->edit) << type.name << '.' << field->name;
    }
  }
}

// Supervisors find the fields where the code that sets them searches for them.
TEST(NodeTypes, EditEffectsFitTheirNodes) {
  for (const NodeType& type : all_node_types()) {
    const bool has_devices = type.field("jointParameters") != nullptr;
    for (const FieldType* field : type.fields) {
      const std::string name = std::string(type.name) + '.' + std::string(field->name);
      switch (field->edit) {
        case EditEffect::Setting:
          EXPECT_TRUE(type.is_device) << name;
          break;
        case EditEffect::Frame:
          EXPECT_NE(type.field("children"), nullptr) << name;
          break;
        case EditEffect::JointParameters:
          EXPECT_TRUE(has_devices && field->type == ValueType::SFNode) << name;
          break;
        case EditEffect::CoupledLimit:
        case EditEffect::PositionLimit:
          EXPECT_EQ(field->type, ValueType::SFFloat) << name;
          EXPECT_TRUE(type.is_device) << name;
          break;
        default:
          EXPECT_TRUE(type.kind != NodeKind::Abstract) << name;
      }
    }
  }
  const auto edit = [](std::string_view node, std::string_view field) {
    return find_node_type(node)->field(field)->edit;
  };
  EXPECT_EQ(edit("Robot", "translation"), EditEffect::Place);
  EXPECT_EQ(edit("Robot", "angularVelocity"), EditEffect::Live);
  EXPECT_EQ(edit("Robot", "customData"), EditEffect::None);
  EXPECT_EQ(edit("Robot", "controllerArgs"), EditEffect::Rebuild);
  EXPECT_EQ(edit("HingeJointParameters", "anchor"), EditEffect::JointFrame);
  EXPECT_EQ(edit("HingeJointParameters", "dampingConstant"), EditEffect::Rebuild);
  EXPECT_EQ(edit("LinearMotor", "minPosition"), EditEffect::PositionLimit);
  EXPECT_EQ(edit("Connector", "isLocked"), EditEffect::Setting);
  EXPECT_EQ(edit("PBRAppearance", "roughness"), EditEffect::Reflection);
}

TEST(NodeTypes, HaveAKind) {
  const auto kind = [](std::string_view node) { return find_node_type(node)->kind; };
  EXPECT_EQ(kind("Transform"), NodeKind::Grouping);
  EXPECT_EQ(kind("Solid"), NodeKind::Plain);
  EXPECT_EQ(kind("Fog"), NodeKind::View);
  EXPECT_EQ(kind("Cone"), NodeKind::Shape);
  EXPECT_EQ(kind("Material"), NodeKind::Appearance);
  EXPECT_EQ(kind("SpotLight"), NodeKind::Light);
  EXPECT_EQ(kind("Brake"), NodeKind::Device);
}

TEST(NodeTypes, AreSortedAndUnique) {
  std::string_view last;
  for (const NodeType& type : all_node_types()) {
    EXPECT_LT(last, type.name);
    last = type.name;
  }
  EXPECT_EQ(all_node_types().size(), 90u);
}

TEST(NodeTypes, KnowSolidsAndDevices) {
  for (const char* name :
       {"Solid", "Robot", "Servo", "DifferentialWheels", "TouchSensor", "Track"}) {
    EXPECT_TRUE(find_node_type(name)->is_solid) << name;
  }
  for (const char* name : {"Transform", "Fluid", "HingeJoint", "Skin", "RotationalMotor"}) {
    EXPECT_FALSE(find_node_type(name)->is_solid) << name;
  }
  for (const char* name : {"Servo", "RotationalMotor", "PositionSensor", "Brake", "Gyro", "Skin"}) {
    EXPECT_TRUE(find_node_type(name)->is_device) << name;
  }
  for (const char* name : {"Solid", "Robot", "Charger", "Connector"}) {
    EXPECT_EQ(find_node_type(name)->is_device, std::string_view(name) == "Connector") << name;
  }
}

TEST(NodeTypes, InheritFields) {
  const NodeType* camera = find_node_type("Camera");
  for (const char* name :
       {"children", "translation", "boundingObject", "linearVelocity", "width"}) {
    EXPECT_NE(camera->field(name), nullptr) << name;
  }
  EXPECT_EQ(find_node_type("BallJointParameters")->field("axis"), nullptr);
  EXPECT_EQ(find_node_type("HingeJoint")->field("device2"), nullptr);
  EXPECT_EQ(find_node_type("DifferentialWheels")->field("controllerArgs")->type,
            ValueType::MFString);
}

// The list of fields that Webots does not know is short. docs/reference/extensions.md has it.
TEST(NodeTypes, ExtensionsAreFew) {
  std::vector<std::string> ours;
  std::set<std::string> based;
  for (const NodeType& type : all_node_types()) {
    for (std::size_t f = 0; f < type.fields.size(); ++f) {
      const std::string name(type.fields[f]->name);
      const std::string_view origin = type.origins[f];
      // Nodes have the fields of Solid and Joint from there.
      if (type.fields[f]->extension && (origin == "Solid" || origin == "Joint")) {
        based.insert(std::string(origin) + '.' + name);
      } else if (type.fields[f]->extension) {
        ours.push_back(std::string(type.name) + '.' + name);
      }
    }
  }
  EXPECT_EQ(based, (std::set<std::string>{"Joint.forceTorqueSensor", "Solid.forceTorqueSensor"}));
  EXPECT_EQ(ours, (std::vector<std::string>{"BallJointParameters.springReference",
                                            "HingeJointParameters.backlash",
                                            "HingeJointParameters.armature",
                                            "HingeJointParameters.coupling",
                                            "HingeJointParameters.couplingCompliance",
                                            "HingeJointParameters.couplingBacklash",
                                            "HingeJointParameters.springReference",
                                            "JointParameters.backlash",
                                            "JointParameters.armature",
                                            "JointParameters.coupling",
                                            "JointParameters.couplingCompliance",
                                            "JointParameters.couplingBacklash",
                                            "JointParameters.springReference",
                                            "LinearMotor.servo",
                                            "Mesh.scale",
                                            "RotationalMotor.servo",
                                            "Servo.servo",
                                            "WorldInfo.integrator",
                                            "WorldInfo.evaluations",
                                            "WorldInfo.accuracy"}));
}

TEST(NodeTypes, OwnRowsHideInheritedOnes) {
  EXPECT_EQ(default_of("Camera", "name", kR2021b), "\"camera\"");
  EXPECT_EQ(default_of("HingeJointParameters", "axis", kR2025a), "1 0 0");
  EXPECT_EQ(default_of("JointParameters", "axis", kR2025a), "0 0 1");
  EXPECT_EQ(default_of("Servo", "rotation", kR2025a), "0 1 0 0");
}

TEST(NodeTypes, DefaultsFollowTheVersion) {
  EXPECT_EQ(default_of("WorldInfo", "gravity", kV6), "0 -9.81 0");
  EXPECT_EQ(default_of("WorldInfo", "gravity", kR2020b), "9.81");
  EXPECT_EQ(default_of("Solid", "rotation", kR2021b), "0 1 0 0");
  EXPECT_EQ(default_of("Solid", "rotation", kR2022a), "0 0 1 0");
  EXPECT_EQ(default_of("Robot", "controller", kR2021b), "\"void\"");
  EXPECT_EQ(default_of("Robot", "controller", kR2022a), "\"<generic>\"");
  EXPECT_EQ(default_of("Robot", "cpuConsumption", kV6), "0");
  EXPECT_EQ(default_of("Robot", "cpuConsumption", kR2018a), "10");
  EXPECT_EQ(default_of("Cylinder", "subdivision", Version{8, 6, 2}), "12");
  EXPECT_EQ(default_of("Cylinder", "subdivision", kR2018a), "36");
  EXPECT_EQ(default_of("Viewpoint", "position", kR2021b), "0 0 10");
  EXPECT_EQ(default_of("Solid", "name", Version{5, 0, 0}), "\"\"");
  EXPECT_EQ(default_of("Physics", "centerOfMass", kV6), "[]");
}

TEST(NodeTypes, FieldsComeAndGo) {
  const NodeType* solid = find_node_type("Solid");
  EXPECT_TRUE(solid->field("scale")->exists_in(Version{2023, 1, 1}));  // R2023b revision 1
  EXPECT_TRUE(solid->field("scale")->removed_by(Version{2025, 0, 0}));
  const NodeType* world = find_node_type("WorldInfo");
  EXPECT_TRUE(world->field("displayRefresh")->exists_in(kV6));
  EXPECT_TRUE(world->field("displayRefresh")->exists_in(Version{7, 2, 1}));
  EXPECT_TRUE(world->field("displayRefresh")->removed_by(Version{7, 2, 2}));
  EXPECT_FALSE(world->field("coordinateSystem")->removed_by(Version{2030, 0, 0}));
}

TEST(NodeTypes, OldNamesFindTheirSuccessors) {
  EXPECT_EQ(find_node_type("CameraZoom")->name, "Zoom");
  EXPECT_EQ(find_node_type("CameraFocus")->name, "Focus");
  EXPECT_EQ(find_node_type("CameraLensDistortion")->name, "Lens");
  EXPECT_EQ(find_node_type("CustomRobot")->name, "Robot");
  EXPECT_EQ(find_node_type("Supervisor")->name, "Robot");
  EXPECT_EQ(find_node_type("Hinge2JointParameters")->name, "HingeJointParameters");
  EXPECT_EQ(find_node_type("Joint"), nullptr);
  EXPECT_EQ(find_node_type("TransmissionJoint"), nullptr);
  EXPECT_EQ(removed_node_since("Gripper"), "V6.2");
  EXPECT_EQ(removed_node_since("Solid"), "");
}

}  // namespace
}  // namespace servosim::wbt
