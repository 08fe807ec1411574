// SPDX-License-Identifier: Apache-2.0
// Servos and modern joints: axes, anchors and poses at position 0.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "scene/solid_builders.h"
#include "support/near.h"
#include "support/scenes.h"

namespace servosim::test {
namespace {

// Returns a robot with one child. Loading must report nothing.
Scene robot(const std::string& child, const std::string& version) {
  const LoadedScene loaded = load_scene("Robot { name \"r\" children [ " + child + " ] }", version);
  EXPECT_EQ(loaded.messages, Messages{}) << child;
  return loaded.scene;
}

Scene servo(const std::string& fields) { return robot("Servo { " + fields + " }", "V6.0"); }

TEST(JointKinds, AreThoseOfTheirNodeTypes) {
  for (const JointKind kind :
       {JointKind::Hinge, JointKind::Slider, JointKind::Hinge2, JointKind::Ball}) {
    EXPECT_EQ(joint_kind(type_name(kind)), kind) << type_name(kind);
  }
  EXPECT_EQ(joint_kind("Hinge2Joint"), JointKind::Hinge2);
  for (const char* other : {"Servo", "Joint", "Propeller", "Track"}) {
    EXPECT_EQ(joint_kind(other), std::nullopt) << other;
  }
}

TEST(ServoJoint, TurnsAboutTheAxisOfItsRotationThroughItsOrigin) {
  const Scene scene = servo("translation 2 3 4 rotation 0 0 1 0.5");
  const JointSpec& joint = scene.joints.at(0);
  EXPECT_EQ(joint.type, JointType::Rotational);
  EXPECT_EQ(joint.axis, (Vec3{0, 0, 1}));
  EXPECT_EQ(joint.anchor, (Vec3{2, 3, 4}));
  expect_near(joint.zero_pose, {rotation_matrix({{0, 0, 1}, 0.5}), {2, 3, 4}});
  EXPECT_EQ(joint.parent, 0);
  EXPECT_EQ(joint.child, 1);
  EXPECT_EQ(scene.solids.at(1).joint, 0);
}

TEST(ServoJoint, DefaultsToTheYAxis) { EXPECT_EQ(servo("").joints.at(0).axis, (Vec3{0, 1, 0})); }

TEST(ServoJoint, AcceptsAnAxisOfAnyLength) {
  expect_near(servo("rotation 0 -3 4 0.5").joints.at(0).axis, {0, -0.6, 0.8});
  expect_near(servo("rotation 1e-200 0 0 0.5").joints.at(0).axis, {1, 0, 0});
}

TEST(ServoJoint, SlidesAlongItsOwnZAfterItsRotation) {
  const Scene scene = servo("type \"linear\" translation 2 3 4 rotation 0 1 0 0.5");
  const JointSpec& joint = scene.joints.at(0);
  EXPECT_EQ(joint.type, JointType::Linear);
  expect_near(joint.axis, {std::sin(0.5), 0, std::cos(0.5)});
  EXPECT_EQ(servo("type \"linear\"").joints.at(0).axis, (Vec3{0, 0, 1})) << "not the default y";
}

TEST(ServoJoint, ItsFieldsAreThoseAtPositionZero) {
  const Scene turned = servo("translation 2 3 4 rotation 0 0 1 0.5 position 0.25");
  EXPECT_EQ(turned.joints.at(0).position, 0.25);
  expect_near(turned.joints.at(0).zero_pose, {rotation_matrix({{0, 0, 1}, 0.5}), {2, 3, 4}});
  expect_near(turned.solids.at(1).pose, {rotation_matrix({{0, 0, 1}, 0.75}), {2, 3, 4}});
  const Scene slid =
      servo("type \"linear\" translation 2 3 4 rotation 1 0 0 1.5707963267948966 position 0.25");
  expect_near(slid.solids.at(1).pose.translation, {2, 3 - 0.25, 4});
}

TEST(ServoJoint, OfOldFilesStartsAtZero) {
  const std::string text = "Robot { children [ Servo {\nposition 0.25 translation 2 3 4 } ] }";
  const LoadedScene old = load_scene(text, "V5.10");
  EXPECT_EQ(old.messages, Messages{"3:1: warning: position 0.25 is no start position in files "
                                   "before V6.0; the Servo starts at 0"});
  EXPECT_EQ(old.scene.joints.at(0).position, 0.0);
  expect_near(old.scene.solids.at(1).pose, {Mat3{}, {2, 3, 4}});
  EXPECT_EQ(load_scene("Robot { children [ Servo { position 0 } ] }", "V5.0").messages, Messages{});
  EXPECT_EQ(load_scene(text, "V6.0").scene.joints.at(0).position, 0.25);
}

TEST(ServoJoint, IsInTheFrameOfTheTransformAbove) {
  const Scene scene = robot(
      "Transform { translation 5 0 0 rotation 0 0 1 1.5707963267948966 scale 2 2 2 children [ "
      "Servo { translation 1.5 0 0 rotation 1 0 0 0.5 type \"rotational\" } ] }",
      "V6.0");
  const JointSpec& joint = scene.joints.at(0);
  expect_near(joint.axis, {0, 1, 0});
  expect_near(joint.anchor, {5, 3, 0});
  expect_near(joint.zero_pose * Vec3{}, {5, 3, 0});
}

TEST(ServoJoint, NestsAndIsAMotorAndASensorUnderOneTag) {
  const Scene scene = servo(
      "name \"hip\" model \"big\" maxForce 7 controlP 3 children [ Servo { name "
      "\"knee\" translation 0 -2 0 children [ Servo { name \"foot\" } ] } ]");
  ASSERT_EQ(scene.joints.size(), 3u);
  EXPECT_EQ(scene.joints[1].parent, 1);
  EXPECT_EQ(scene.joints[2].parent, 2);
  expect_near(scene.joints[1].anchor, {0, -2, 0});
  const std::vector<DeviceSpec>& devices = scene.robots.at(0).devices;
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].name, "hip");
  EXPECT_EQ(devices[0].model, "big");
  EXPECT_EQ(devices[0].node_type, "Servo");
  EXPECT_EQ(devices[2].joint, 2);
  ASSERT_TRUE(devices[0].motor && devices[0].sensor);
  EXPECT_EQ(devices[0].motor->max_force, 7.0);
  EXPECT_EQ(devices[0].motor->gains.p, 3.0);
}

TEST(Hinge, HasItsAxisAndAnchorInTheParentsFrame) {
  const Scene scene = robot(
      "Pose { translation 5 0 0 rotation 0 0 1 1.5707963267948966 children [ HingeJoint { "
      "jointParameters HingeJointParameters { axis 3 0 4 anchor 1.5 0 2 } endPoint Solid { "
      "translation 1.5 0 2 } } ] }",
      "R2023b");
  expect_near(scene.joints.at(0).axis, {0, 0.6, 0.8});
  expect_near(scene.joints.at(0).anchor, {5, 1.5, 2});
  expect_near(scene.solids.at(1).pose.translation, {5, 1.5, 2});
}

TEST(Hinge, DefaultsDifferFromTheSliders) {
  EXPECT_EQ(robot("HingeJoint { endPoint Solid { } }", "R2023b").joints.at(0).axis,
            (Vec3{1, 0, 0}));
  EXPECT_EQ(robot("SliderJoint { endPoint Solid { } }", "R2023b").joints.at(0).axis,
            (Vec3{0, 0, 1}));
}

TEST(Hinge, ItsEndPointsPoseContainsThePosition) {
  const Scene scene = robot(
      "HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 2 0 0 position 0.5 } "
      "endPoint Solid { translation 3 0.25 0 rotation 0 0 1 0.75 } }",
      "R2023b");
  const JointSpec& joint = scene.joints.at(0);
  EXPECT_EQ(joint.position, 0.5);
  expect_near(scene.solids.at(1).pose, {rotation_matrix({{0, 0, 1}, 0.75}), {3, 0.25, 0}});
  // The pose is turned back by 0.5 about (2, 0).
  const double c = std::cos(0.5);
  const double s = std::sin(0.5);
  expect_near(joint.zero_pose,
              {rotation_matrix({{0, 0, 1}, 0.25}), {2 + c * 1 + s * 0.25, -s * 1 + c * 0.25, 0}});
  expect_near(motion_of(joint, 0.5) * joint.zero_pose, scene.solids.at(1).pose);
}

TEST(Slider, ItsZeroPoseIsBackAlongTheAxis) {
  const Scene scene = robot(
      "SliderJoint { jointParameters JointParameters { axis 0 2 0 position 0.5 } "
      "endPoint Solid { translation 3 0.25 0 } }",
      "R2023b");
  expect_near(scene.joints.at(0).zero_pose.translation, {3, -0.25, 0});
}

TEST(Joint, BelowAScaledTransformHasItsLengthsScaled) {
  const Scene scene = robot(
      "Transform { scale 2 2 2 children [ HingeJoint { jointParameters HingeJointParameters { axis "
      "0 "
      "1 0 anchor 0.5 0 0.25 } endPoint Solid { translation 1.5 0 0 boundingObject Box { size 0.1 "
      "0.2 0.3 } } } ] }",
      "R2021b");
  expect_near(scene.joints.at(0).anchor, {1, 0, 0.5});
  expect_near(scene.joints.at(0).axis, {0, 1, 0});
  expect_near(scene.solids.at(1).pose.translation, {3, 0, 0});
  expect_near(scene.solids.at(1).shapes.at(0).size, {0.2, 0.4, 0.6});
}

TEST(Joint, WithoutParametersKeepsItsSavedPosition) {
  EXPECT_EQ(robot("HingeJoint { position 0.5 endPoint Solid { } }", "R2023b").joints.at(0).position,
            0.5);
}

TEST(Joint, WithoutAnEndPointMovesNothing) {
  const Scene scene = robot("HingeJoint { device RotationalMotor { name \"fan\" } }", "R2023b");
  EXPECT_EQ(scene.joints.at(0).child, -1);
  EXPECT_EQ(scene.joints.at(0).name, "r/fan");
}

TEST(Joint, NamesAreUnique) {
  const LoadedScene loaded = load_scene(R"(Robot { name "a" children [
HingeJoint { device [ PositionSensor { name "s" } RotationalMotor { name "m" } ] endPoint Solid { } }
HingeJoint { device [ PositionSensor { name "s" } Brake { name "b" } ] endPoint Solid { name "s1" } }
DEF KNEE HingeJoint { endPoint Solid { name "s2" } }
SliderJoint { endPoint Solid { name "lift" } }
SliderJoint { device LinearMotor { name "m" } endPoint Solid { name "s3" } }
SliderJoint { }
] }
Robot { name "a" children [ HingeJoint { device RotationalMotor { name "m" } endPoint Solid { } } ] }
Solid { name "door" children [ HingeJoint { endPoint Solid { name "leaf" } } ] }
)");
  std::vector<std::string> names;
  for (const JointSpec& joint : loaded.scene.joints) {
    names.push_back(joint.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a/m", "a/s", "a/KNEE", "a/lift", "a/m#2", "a/joint",
                                             "a#2/m", "world/leaf"}));
}

TEST(Joint, HasOneDeviceOfAKindOnEachAxis) {
  const LoadedScene loaded = load_scene(R"(Robot { children [
HingeJoint { device [ RotationalMotor { name "a" } PositionSensor { name "b" } Brake { name "c" }
RotationalMotor { name "d" }
PositionSensor { name "e" }
Brake { name "f" } ] endPoint Solid { } }
Hinge2Joint { device RotationalMotor { name "g" } device2 [ RotationalMotor { name "h" }
RotationalMotor { name "i" } ] } ] }
)");
  EXPECT_EQ(
      loaded.messages,
      (Messages{
          "4:1: warning: device of a HingeJoint takes one RotationalMotor; this one is left out",
          "5:1: warning: device of a HingeJoint takes one PositionSensor; this one is left out",
          "6:1: warning: device of a HingeJoint takes one Brake; this one is left out",
          "8:1: warning: device2 of a Hinge2Joint takes one RotationalMotor; this one is left "
          "out"}));
  std::string names;
  for (const DeviceSpec& device : loaded.scene.robots.at(0).devices) {
    names += device.name;
  }
  EXPECT_EQ(names, "abcgh");
  EXPECT_EQ(loaded.scene.joints.at(0).name, "robot/a");
}

TEST(Joint, WrongDevicesAndEndPointsAreReported) {
  EXPECT_EQ(
      load_scene("Robot { children [ HingeJoint { device [\nLinearMotor { } ] } ] }").messages,
      Messages{"3:1: warning: a LinearMotor cannot be a device of a HingeJoint; it is left "
               "out"});
  EXPECT_EQ(load_scene("Robot { children [ SliderJoint { endPoint\nGroup { } } ] }").messages,
            Messages{"3:1: warning: Group cannot be the endPoint of a joint; this joint moves "
                     "nothing"});
}

}  // namespace
}  // namespace servosim::test
