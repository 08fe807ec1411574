// SPDX-License-Identifier: Apache-2.0
// The Solid of a SolidReference, and joints that cannot be simulated.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/near.h"
#include "support/scenes.h"
#include "support/worlds.h"

namespace servosim::test {
namespace {

std::string reference(const std::string& name, const std::string& parameters = "") {
  return fmt::format(
      "HingeJoint {{ jointParameters HingeJointParameters {{ {} }} device RotationalMotor {{ name "
      "\"m\" }} endPoint\nSolidReference {{ solidName \"{}\" }} }}",
      parameters, name);
}

// Returns a rotated and moved robot with an arm that carries `joint`, a kinematic flag, and a
// second arm at its end. All of them have Physics except for the flag.
std::string robot(const std::string& joint) {
  return R"(Robot { name "base" translation 4 5 6 rotation 0 0 1 1.5707963267948966
physics Physics { } boundingObject Box { } children [
HingeJoint { endPoint Solid { name "arm" translation 0.5 0 0 boundingObject Box { } physics Physics { } children [
)" + joint +
         R"( Solid { name "part" boundingObject Box { } physics Physics { } } ] } }
HingeJoint { endPoint Solid { name "flag" } }
HingeJoint { endPoint Solid { name "other" translation 0 0.25 2 rotation 0 0 1 0.5 boundingObject Box { } physics Physics { } } }
] }
)";
}

constexpr int kJoint = 1;  // index of the reference joint, after the joint of the arm

TEST(SolidReference, IsTheChildAnywhereInTheTree) {
  const LoadedScene loaded =
      load_scene(robot(reference("other", "axis 0 0 1 anchor 1 0 0 position 0.25")));
  EXPECT_EQ(loaded.messages, Messages{});
  const JointSpec& joint = loaded.scene.joints.at(kJoint);
  EXPECT_TRUE(joint.reference);
  EXPECT_EQ(loaded.scene.solids.at(joint.parent).name, "arm");
  ASSERT_GE(joint.child, 0);
  const SolidSpec& child = loaded.scene.solids.at(joint.child);
  EXPECT_EQ(child.name, "other");
  EXPECT_TRUE(child.referenced);
  EXPECT_EQ(child.joint, 3) << "its own place in the tree is kept";
  expect_near(child.pose.translation, {0, 0.25, 2});
  // In the frame of the arm the Solid is at (-0.5, 0.25, 2) at position 0.25.
  expect_near(motion_of(joint, 0.25) * joint.zero_pose,
              {rotation_matrix({{0, 0, 1}, 0.5}), {-0.5, 0.25, 2}});
}

TEST(SolidReference, MayBeInASlot) {
  std::string joint = reference("other");
  joint.replace(joint.find("endPoint\n"), 9, "endPoint Slot { endPoint ");
  const LoadedScene loaded = load_scene(robot(joint + " }"));
  EXPECT_EQ(loaded.messages, Messages{});
  EXPECT_EQ(loaded.scene.solids.at(loaded.scene.joints.at(kJoint).child).name, "other");
}

TEST(SolidReference, NamesAJointWithoutAnotherName) {
  for (const std::string def : {"", "DEF ROD "}) {
    const LoadedScene loaded =
        load_scene(robot(def + "HingeJoint { endPoint SolidReference { solidName \"other\" } }"));
    EXPECT_EQ(loaded.messages, Messages{});
    EXPECT_EQ(loaded.scene.joints.at(kJoint).name, def.empty() ? "base/other" : "base/ROD");
  }
}

TEST(SolidReference, IsSearchedBelowTheSameTopSolidOnly) {
  const std::string stranger = "Solid { name \"stranger\" physics Physics { } }\n";
  EXPECT_EQ(load_scene(stranger + robot(reference("stranger"))).messages,
            Messages{"7:1: warning: no other Solid below the same top Solid is called "
                     "\"stranger\"; joint \"base/m\" moves nothing"});
}

TEST(SolidReference, LeavesOutTheSolidThatCarriesTheJoint) {
  const LoadedScene itself = load_scene(robot(reference("arm")));
  EXPECT_EQ(itself.messages,
            Messages{"6:1: warning: no other Solid below the same top Solid is called \"arm\"; "
                     "joint \"base/m\" moves nothing"});
  const LoadedScene above = load_scene(robot(reference("base")));
  EXPECT_EQ(above.messages, Messages{}) << "what is higher up may be named";
  EXPECT_EQ(above.scene.joints.at(kJoint).child, 0);
}

TEST(SolidReference, OfTheWorldHasNoChild) {
  const LoadedScene loaded =
      load_scene(robot(reference("<static environment>", "axis 0 0 1 position 0.25")));
  EXPECT_EQ(loaded.messages, Messages{});
  const JointSpec& joint = loaded.scene.joints.at(kJoint);
  EXPECT_TRUE(joint.reference);
  EXPECT_EQ(joint.child, -1);
  // This is the world's origin in the frame of the arm, which is at (4, 5.5, 6) and rotated.
  expect_near(motion_of(joint, 0.25) * joint.zero_pose,
              {rotation_matrix({{0, 0, 1}, -M_PI / 2}), {-5.5, 4, -6}});
}

TEST(SolidReference, ThatCannotMoveAnythingIsReported) {
  struct Case {
    std::string name;
    const char* message;
  };
  for (const Case& c :
       {Case{"flag", "this joint moves nothing: Solid \"flag\" has no Physics"},
        Case{"part",
             "this joint moves nothing: Solid \"part\" is one body with Solid \"arm\", which "
             "carries the joint"},
        Case{"",
             "no other Solid below the same top Solid is called \"\"; joint \"base/m\" moves "
             "nothing"}}) {
    const LoadedScene loaded = load_scene(robot(reference(c.name)));
    EXPECT_EQ(loaded.messages, Messages{fmt::format("6:1: warning: {}", c.message)});
    EXPECT_EQ(loaded.scene.joints.at(kJoint).child, -1);
    EXPECT_FALSE(loaded.scene.joints.at(kJoint).reference);
  }
  EXPECT_EQ(load_scene("Robot { children [ " + reference("<static environment>") + " ] }").messages,
            Messages{"3:1: warning: this joint moves nothing: the Solid above it has no Physics "
                     "and its endPoint is the static environment"});
}

// A BallJoint may end in the world, a Hinge2Joint may not.
TEST(SolidReference, OfTheWorldIsForAllJointsButHinge2) {
  const auto joint = [](const char* type, const char* second) {
    std::string text = reference("<static environment>", "position 0.25");
    text.replace(0, std::string("HingeJoint").size(), type);
    return load_scene(robot(text.insert(text.find("device"), second)));
  };
  const LoadedScene ball = joint("BallJoint", "");
  for (int axis = kJoint; axis < kJoint + 3; ++axis) {
    EXPECT_TRUE(ball.scene.joints.at(axis).reference);
    EXPECT_EQ(ball.scene.joints[axis].child, -1);
  }
  const LoadedScene hinge2 =
      joint("Hinge2Joint", "jointParameters2 JointParameters { axis 0 1 0 } ");
  EXPECT_EQ(hinge2.messages, Messages{"6:1: warning: a Hinge2Joint cannot end in the static "
                                      "environment; this joint moves nothing"});
  EXPECT_FALSE(hinge2.scene.joints.at(kJoint).reference);
}

// A motor whose joint has no endpoint rotates nothing, and its sensor does not move.
TEST(SolidReference, AJointThatMovesNothingKeepsItsPosition) {
  Simulation simulation = Simulation::from_text("#VRML_SIM R2023b utf8\n" +
                                                robot(reference("nobody", "position 0.25")));
  Motor& motor = simulation.robot(0).motor("m");
  motor.set_position(2.0);
  simulation.step(20);
  EXPECT_EQ(simulation.joint(kJoint).position(), 0.25);
  EXPECT_EQ(simulation.joint(kJoint).velocity(), 0.0);
}

TEST(SolidReference, ItsJointPositionCannotBeSet) {
  Simulation simulation = load("#VRML_SIM R2023b utf8\n" + robot(reference("other")));
  try {
    simulation.joint(kJoint).set_state(0.5);
    FAIL() << "the loop would be torn";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()),
              "joint \"base/m\" closes a loop: its position follows from the others");
  }
  simulation.joint(0).set_state(0.5);
  EXPECT_EQ(simulation.joint(0).position(), 0.5) << "others can";
}

// Without the SolidReference the lamp would be fixed to the world.
TEST(SolidReference, HoldsASolidInsteadOfTheWorld) {
  const std::string text = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0 }
Solid { name "table" children [
  Solid { name "lamp" translation 0.5 0 0 boundingObject Box { size 0.2 0.3 0.4 } physics Physics { } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } endPoint SolidReference { solidName "%" } }
] })";
  std::string held = text;
  held.replace(held.find('%'), 1, "lamp");
  Simulation swinging = load(held);
  std::string loose = text;
  loose.replace(loose.find('%'), 1, "nothing");
  Simulation fixed = Simulation::from_text(loose);
  swinging.step(40);
  fixed.step(40);
  const Vec3 at = swinging.solid("lamp").pose().translation;
  EXPECT_LT(at.z, -0.2) << "it falls";
  // Each step leaves the circle by (v·h)²/2r, and a fifth of that is corrected: 3 mm at 3 m/s.
  EXPECT_NEAR(std::hypot(at.x, at.z), 0.5, 4e-3) << "about the hinge";
  EXPECT_GT(swinging.joint(0).position(), 0.4);
  EXPECT_NEAR(fixed.solid("lamp").pose().translation.z, 0.0, 1e-4);
}

// A Solid that is part of another body stays part of it, and the joint holds that body.
TEST(SolidReference, OfAPartHoldsTheBodyItBelongsTo) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }
Robot { name "base" boundingObject Box { } physics Physics { } children [
  Solid { name "hook" translation 2 0 0 boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
    endPoint Solid { name "arm" boundingObject Box { } physics Physics { } children [
      HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 2 0 0 }
        endPoint SolidReference { solidName "hook" } } ] } }
] })");
  // Two parallel hinges lock the arm to the base.
  simulation.joint(0).set_state(0.0, 1.0);
  simulation.step(200);
  EXPECT_NEAR(simulation.joint(0).position(), 0.0, 2e-2);
  const Pose base = simulation.solid("base").pose();
  const Pose hook = inverse(base) * simulation.solid("hook").pose();
  EXPECT_NEAR(norm(hook.translation - Vec3{2, 0, 0}), 0.0, 1e-14) << "one body";
}

}  // namespace
}  // namespace servosim::test
