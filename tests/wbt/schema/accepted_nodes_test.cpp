// SPDX-License-Identifier: Apache-2.0
#include "wbt/schema/accepted_nodes.h"

#include <gtest/gtest.h>

namespace servosim::wbt {
namespace {

bool takes(const char* owner, const char* field, const char* type, bool collides = false) {
  return accepts({owner != nullptr ? find_node_type(owner) : nullptr, field, collides},
                 *find_node_type(type));
}

TEST(AcceptedNodes, StandWhereWebotsLetsThem) {
  EXPECT_TRUE(takes("Solid", "children", "HingeJoint"));
  EXPECT_TRUE(takes("Robot", "children", "Gyro"));
  EXPECT_TRUE(takes("Group", "children", "PointLight"));
  EXPECT_TRUE(takes("HingeJoint", "device", "RotationalMotor"));
  EXPECT_TRUE(takes("SliderJoint", "device", "LinearMotor"));
  EXPECT_TRUE(takes("BallJoint", "device3", "Brake"));
  EXPECT_TRUE(takes("HingeJoint", "endPoint", "Robot"));
  EXPECT_TRUE(takes("HingeJoint", "endPoint", "SolidReference"));
  EXPECT_TRUE(takes("HingeJoint", "jointParameters", "HingeJointParameters"));
  EXPECT_TRUE(takes("BallJoint", "jointParameters", "BallJointParameters"));
  EXPECT_TRUE(takes("BallJoint", "jointParameters2", "JointParameters"));
  EXPECT_TRUE(takes("Solid", "boundingObject", "Pose"));
  EXPECT_TRUE(takes("Pose", "children", "Box", true));
  EXPECT_TRUE(takes("Shape", "appearance", "PBRAppearance"));
  EXPECT_TRUE(takes("Propeller", "fastHelix", "Solid"));
  EXPECT_TRUE(takes(nullptr, "children", "Fog"));
}

TEST(AcceptedNodes, StandNowhereElse) {
  EXPECT_FALSE(takes("Solid", "children", "Physics"));
  EXPECT_FALSE(takes("Solid", "children", "Box"));
  EXPECT_FALSE(takes("Solid", "children", "Fog"));
  EXPECT_FALSE(takes("Pose", "children", "Solid", true));
  EXPECT_FALSE(takes("Solid", "boundingObject", "Cone"));
  EXPECT_FALSE(takes("Solid", "physics", "Damping"));
  EXPECT_FALSE(takes("HingeJoint", "device", "LinearMotor"));
  EXPECT_FALSE(takes("SliderJoint", "device", "RotationalMotor"));
  EXPECT_FALSE(takes("Propeller", "device", "PositionSensor"));
  EXPECT_FALSE(takes("HingeJoint", "endPoint", "Shape"));
  EXPECT_FALSE(takes("SliderJoint", "jointParameters", "HingeJointParameters"));
  EXPECT_FALSE(takes("Shape", "geometry", "Shape"));
  EXPECT_FALSE(takes(nullptr, "children", "Material"));
}

}  // namespace
}  // namespace servosim::wbt
