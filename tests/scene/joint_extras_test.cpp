// SPDX-License-Identifier: Apache-2.0
// Muscles and backlash: values that are read, replaced or left out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scene/solid_builders.h"
#include "support/near.h"
#include "support/scenes.h"

namespace servosim::test {
namespace {

LoadedScene muscles(const std::string& list, const std::string& version = "R2023b") {
  return load_scene(
      "Robot { children [ HingeJoint { device RotationalMotor {\n" + list + "\n} } ] }", version);
}

const std::vector<MuscleSpec>& muscles_of(const Scene& scene) {
  return scene.robots.at(0).devices.at(0).motor->muscles;
}

TEST(Muscle, IsRead) {
  const LoadedScene loaded =
      muscles("muscles [ Muscle { volume 0.002 startOffset 1 2 3 endOffset 4 5 6 } Muscle { } ]");
  EXPECT_EQ(loaded.messages, Messages{});
  ASSERT_EQ(muscles_of(loaded.scene).size(), 2u);
  const MuscleSpec& first = muscles_of(loaded.scene)[0];
  EXPECT_EQ(first.volume, 0.002);
  EXPECT_EQ(first.start_offset, (Vec3{1, 2, 3}));
  EXPECT_EQ(first.end_offset, (Vec3{4, 5, 6}));
  EXPECT_EQ(muscles_of(loaded.scene)[1].volume, 0.01);
}

TEST(Muscle, OfV86IsASingleNode) {
  const LoadedScene loaded = muscles("muscle Muscle { volume 0.003 }", "V8.6");
  EXPECT_EQ(loaded.messages, Messages{});
  ASSERT_EQ(muscles_of(loaded.scene).size(), 1u);
  EXPECT_EQ(muscles_of(loaded.scene)[0].volume, 0.003);
}

TEST(Muscle, StartsInTheFrameOfItsJoint) {
  const LoadedScene loaded = load_scene(
      "Robot { children [ Pose { translation 10 0 0 rotation 0 0 1 1.5707963267948966 children [ "
      "HingeJoint { device RotationalMotor { muscles [ Muscle { startOffset 1 2 3 endOffset 4 5 6 "
      "} ] } } ] } ] }");
  const MuscleSpec& muscle = muscles_of(loaded.scene).at(0);
  expect_near(muscle.start_offset, {8, 1, 3});
  expect_near(muscle.end_offset, {4, 5, 6});
}

TEST(Muscle, BadValuesAreReplaced) {
  EXPECT_EQ(muscles("muscles [ Muscle {\nvolume -2 } ]").messages,
            Messages{"4:1: warning: volume is -2, but it must be > 0; 0.01 is used"});
  EXPECT_EQ(muscles("muscles [ Muscle {\nvolume 0 } ]").messages,
            Messages{"4:1: warning: volume is 0, but it must be > 0; 0.01 is used"});
  const LoadedScene other = muscles("muscles [\nSolid { } ]");
  EXPECT_EQ(other.messages, Messages{"4:1: warning: a Solid is not a Muscle node; it is left out"});
  EXPECT_TRUE(muscles_of(other.scene).empty());
}

// The parameters are on line 3, the endPoint on line 5.
std::string loose(const std::string& parameters, const std::string& device,
                  const std::string& endpoint = "Physics { density -1 mass 2 }") {
  return fmt::format(
      "Robot {{ name \"r\" children [\nHingeJoint {{ jointParameters HingeJointParameters "
      "{{\n{}\n}} "
      "device {}\nendPoint Solid {{ boundingObject Box {{ }} physics {} }} }} ] }}",
      parameters, device, endpoint);
}

const std::string kMotor = "RotationalMotor { name \"m\" }";

TEST(BacklashField, IsReadAsAFieldOrAHiddenOne) {
  for (const char* spelling :
       {"backlash 0.02", "#servosim backlash 0.02", "#servosim backlash\n0.02"}) {
    const LoadedScene loaded = load_scene(loose(spelling, kMotor));
    EXPECT_EQ(loaded.messages, Messages{}) << spelling;
    EXPECT_EQ(loaded.scene.joints.at(0).backlash, 0.02) << spelling;
  }
  EXPECT_EQ(load_scene(loose("# backlash 0.02", kMotor)).scene.joints.at(0).backlash, 0.0);
}

TEST(BacklashField, OfASlider) {
  const LoadedScene loaded = load_scene(
      "Robot { children [ SliderJoint { jointParameters JointParameters { backlash 0.02 } device "
      "LinearMotor { } endPoint Solid { boundingObject Box { } physics Physics { } } } ] }");
  EXPECT_EQ(loaded.messages, Messages{});
  EXPECT_EQ(loaded.scene.joints.at(0).backlash, 0.02);
}

TEST(BacklashField, IsNotNegative) {
  const LoadedScene loaded = load_scene(loose("backlash -0.02", kMotor));
  EXPECT_EQ(loaded.messages,
            Messages{"4:1: warning: backlash is -0.02, but it must be >= 0; 0.02 is used"});
  EXPECT_EQ(loaded.scene.joints.at(0).backlash, 0.02);
}

TEST(BacklashField, ActsOnlyWhereAMotorMovesABody) {
  const LoadedScene idle = load_scene(loose("backlash 0.02", "PositionSensor { name \"s\" }"));
  EXPECT_EQ(idle.messages, Messages{"3:1: warning: backlash of joint \"r/s\" is not simulated: no "
                                    "motor drives it"});
  EXPECT_EQ(idle.scene.joints.at(0).backlash, 0.0);
  const LoadedScene kinematic = load_scene(loose("backlash 0.02", kMotor, "NULL"));
  EXPECT_EQ(
      kinematic.messages,
      Messages{"3:1: warning: backlash of joint \"r/m\" is not simulated: its endPoint has no "
               "Physics"});
  EXPECT_EQ(kinematic.scene.joints.at(0).backlash, 0.0);
}

TEST(BacklashField, IsNotForSeveralAxes) {
  Scene scene = load_scene(loose("backlash 0.02", kMotor)).scene;
  scene.joints.at(0).kind = JointKind::Hinge2;
  Diagnostics diagnostics;
  remove_impossible_backlash(scene, diagnostics);
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_EQ(diagnostics.list()[0].message,
            "backlash of joint \"r/m\" is not simulated: a joint with several axes cannot have it");
  EXPECT_EQ(scene.joints.at(0).backlash, 0.0);
}

TEST(ArmatureField, IsReadAndChecked) {
  const LoadedScene loaded = load_scene(loose("#servosim armature 0.02", kMotor));
  EXPECT_EQ(loaded.messages, Messages{});
  EXPECT_EQ(loaded.scene.joints.at(0).armature, 0.02);
  const LoadedScene negative = load_scene(loose("armature -0.02", kMotor));
  EXPECT_EQ(negative.messages,
            Messages{"4:1: warning: armature is -0.02, but it must be >= 0; 0.02 is used"});
  EXPECT_EQ(negative.scene.joints.at(0).armature, 0.02);
  EXPECT_EQ(load_scene(loose("armature 3e18", kMotor)).scene.joints.at(0).armature, 1e18);
}

TEST(ArmatureField, NeedsOneAxisThatMovesABody) {
  const LoadedScene kinematic = load_scene(loose("armature 0.02", kMotor, "NULL"));
  EXPECT_EQ(kinematic.messages, Messages{"3:1: warning: armature of joint \"r/m\" is not "
                                         "simulated: its endPoint has no Physics"});
  EXPECT_EQ(kinematic.scene.joints.at(0).armature, 0.0);
  const LoadedScene several = load_scene(
      "Robot { name \"r\" physics Physics { } children [ Hinge2Joint { jointParameters2 "
      "JointParameters {\narmature 0.02 } device RotationalMotor { name \"m\" } endPoint Solid { "
      "physics Physics { } } } ] }");
  ASSERT_EQ(several.messages.size(), 1u);
  EXPECT_NE(several.messages[0].find("is not simulated: a joint with several axes cannot have it"),
            std::string::npos)
      << several.messages[0];
  EXPECT_EQ(several.scene.joints.at(1).armature, 0.0);
}

// An axle that gives way is a Hinge2 of ODE.
TEST(ArmatureField, IsNotForASuspendedAxle) {
  const LoadedScene loaded = load_scene(
      "Robot { name \"r\" physics Physics { } children [ HingeJoint { jointParameters "
      "HingeJointParameters { axis 0 1 0 suspensionAxis 0 0 1 suspensionSpringConstant 30 "
      "suspensionDampingConstant 2 armature 0.02 } device RotationalMotor { name \"m\" } endPoint "
      "Solid { physics Physics { } } } ] }");
  ASSERT_EQ(loaded.messages.size(), 1u);
  EXPECT_NE(loaded.messages[0].find("is not simulated: its axle is suspended"), std::string::npos)
      << loaded.messages[0];
  EXPECT_EQ(loaded.scene.joints.at(0).armature, 0.0);
}

}  // namespace
}  // namespace servosim::test
