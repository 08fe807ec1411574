// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "wbt/schema/node_types.h"
#include "wbt/tree.h"

namespace servosim::wbt {
namespace {

using Names = std::vector<std::string>;

// Returns the names of the fields that a node of this version has, by index.
Names names_of(const NodeType& type, const Version& version) {
  Node node;
  node.type = &type;
  node.version = version;
  Names names;
  for (const FieldKey& key : field_keys(node, 0)) {
    names.emplace_back(type.fields[key.number]->name);
  }
  return names;
}

Names names_of(std::string_view node, const Version& version = kNewestVersion) {
  return names_of(*find_node_type(node), version);
}

TEST(FieldOrder, IsThatOfWebots) {
  EXPECT_EQ(names_of("Solid"),
            (Names{"translation", "rotation", "children", "name", "model", "description",
                   "contactMaterial", "immersionProperties", "boundingObject", "physics", "locked",
                   "translationStep", "rotationStep", "radarCrossSection", "recognitionColors",
                   "linearVelocity", "angularVelocity"}));
  EXPECT_EQ(names_of("Pose"),
            (Names{"translation", "rotation", "children", "translationStep", "rotationStep"}));
  EXPECT_EQ(names_of("HingeJointParameters"),
            (Names{"position", "axis", "anchor", "minStop", "maxStop", "springConstant",
                   "dampingConstant", "staticFriction", "suspensionSpringConstant",
                   "suspensionDampingConstant", "suspensionAxis", "stopERP", "stopCFM"}));
  EXPECT_EQ(names_of("BallJoint"),
            (Names{"jointParameters", "jointParameters2", "jointParameters3", "device", "device2",
                   "device3", "endPoint", "position", "position2", "position3"}));
  EXPECT_EQ(names_of("Physics"),
            (Names{"density", "mass", "centerOfMass", "inertiaMatrix", "damping"}));
}

TEST(FieldOrder, HasANodesOwnFieldsBeforeTheVelocitiesAndOldOnesLast) {
  const Names robot = names_of("Robot");
  EXPECT_EQ(Names(robot.begin() + 14, robot.begin() + 17),
            (Names{"recognitionColors", "controller", "controllerArgs"}));
  EXPECT_EQ(Names(robot.end() - 4, robot.end()),
            (Names{"remoteControl", "linearVelocity", "angularVelocity", "data"}));
}

TEST(FieldOrder, HasTheFieldsOfOtherErasWhereTheyWere) {
  const Names solid = names_of("Solid", Version{2021, 1, 0});
  EXPECT_EQ(Names(solid.begin(), solid.begin() + 5),
            (Names{"translation", "rotation", "scale", "children", "name"}));
  EXPECT_EQ(solid.back(), "angularVelocity");
}

TEST(FieldOrder, IsThatOfTheListOfNodes) {
  std::ifstream file(SERVOSIM_TEST_DIR "/data/webots/node_fields.txt");
  std::size_t compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) {
      continue;
    }
    std::istringstream words(line);
    std::string node;
    words >> node;
    const NodeType* const type = find_node_type(node);
    ASSERT_NE(type, nullptr) << node;
    const Names ours = names_of(*type, kNewestVersion);
    Names theirs;
    for (std::string name; words >> name;) {
      if (std::find(ours.begin(), ours.end(), name) != ours.end()) {
        theirs.push_back(name);  // the list also has names of other releases
      }
    }
    EXPECT_EQ(ours, theirs) << node;
    ++compared;
  }
  EXPECT_EQ(compared, 87u);
}

}  // namespace
}  // namespace servosim::wbt
