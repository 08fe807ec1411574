// SPDX-License-Identifier: Apache-2.0
// Nodes of a type that their field does not accept: the message, and the values that are used.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "support/scenes.h"

namespace servosim::test {
namespace scene_wrong_nodes_test {

const std::string kSolid = "Solid { name \"end\" physics Physics { } boundingObject Box { } }";

// Returns a joint of a dynamic robot. Its `slot` begins line 3.
LoadedScene with(const std::string& joint, const std::string& slot, const std::string& parameters) {
  return load_scene(
      fmt::format("Robot {{ physics Physics {{ }} boundingObject Box {{ }} children [ "
                  "{} {{ {}\n{} endPoint {} }} ] }}",
                  joint, slot, parameters, kSolid));
}

TEST(WrongParameters, OfASecondAxisTakeNoAnchorAndNoStopSoftness) {
  for (const std::string joint : {"Hinge2Joint", "BallJoint"}) {
    const LoadedScene loaded = with(
        joint, "jointParameters2",
        "HingeJointParameters { axis 0 1 0 position 0.25 anchor 3 4 5 stopERP 0.5 stopCFM 0.25 }");
    EXPECT_EQ(loaded.messages,
              Messages{fmt::format("3:1: warning: jointParameters2 of a {} should be "
                                   "JointParameters, not HingeJointParameters; ignored: anchor, "
                                   "stopERP, stopCFM",
                                   joint)});
    const JointSpec& axis = loaded.scene.joints.at(1);
    EXPECT_EQ(axis.position, 0.25);
    EXPECT_EQ(axis.anchor, Vec3{});
    EXPECT_EQ(axis.stops.erp, -1.0);
    EXPECT_EQ(axis.stops.cfm, -1.0);
  }
}

TEST(WrongParameters, OfAHingeAreUsedWhereTheyApply) {
  const LoadedScene plain = with("HingeJoint", "jointParameters",
                                 "JointParameters { axis 0 1 0 maxStop 0.75 backlash 0 }");
  EXPECT_EQ(plain.messages, Messages{"3:1: warning: jointParameters of a HingeJoint should be "
                                     "HingeJointParameters, not JointParameters"});
  EXPECT_EQ(plain.scene.joints.at(0).axis, (Vec3{0, 1, 0}));
  EXPECT_EQ(plain.scene.joints[0].stops.max, 0.75);
  const LoadedScene ball =
      with("Hinge2Joint", "jointParameters", "BallJointParameters { anchor 3 4 5 }");
  EXPECT_EQ(ball.messages, Messages{"3:1: warning: jointParameters of a Hinge2Joint should be "
                                    "HingeJointParameters, not BallJointParameters"});
  EXPECT_EQ(ball.scene.joints.at(1).anchor, (Vec3{3, 4, 5}));
}

TEST(WrongParameters, OfABallOrSliderLoseTheirAxisOrAnchor) {
  const LoadedScene ball =
      with("BallJoint", "jointParameters",
           "HingeJointParameters { axis 0 3 4 anchor 3 4 5 suspensionSpringConstant 7 }");
  EXPECT_EQ(ball.messages,
            Messages{"3:1: warning: jointParameters of a BallJoint should be BallJointParameters, "
                     "not HingeJointParameters; ignored: axis, suspensionSpringConstant"});
  EXPECT_EQ(ball.scene.joints.at(0).anchor, (Vec3{3, 4, 5}));
  EXPECT_FALSE(ball.scene.joints[0].suspension.is_elastic());
  const LoadedScene slider =
      with("SliderJoint", "jointParameters", "HingeJointParameters { axis 0 1 0 anchor 3 4 5 }");
  EXPECT_EQ(
      slider.messages,
      Messages{"3:1: warning: jointParameters of a SliderJoint should be JointParameters, not "
               "HingeJointParameters; ignored: anchor"});
  EXPECT_EQ(slider.scene.joints.at(0).axis, (Vec3{0, 1, 0}));
}

TEST(WrongPlaces, AreReportedWithTheRightOnes) {
  struct Case {
    const char* type;
    const char* place;
  };
  for (const Case& c :
       {Case{"SolidReference", "the endPoint of a joint"}, Case{"Muscle", "the muscles of a motor"},
        Case{"JointParameters", "the jointParameters of a joint"},
        Case{"HingeJointParameters", "the jointParameters of a joint"},
        Case{"BallJointParameters", "the jointParameters of a joint"},
        Case{"Physics", "the physics of a Solid"},
        Case{"Damping", "the damping of a Physics node or the defaultDamping of WorldInfo"},
        Case{"ImmersionProperties", "the immersionProperties of a Solid"},
        Case{"ContactProperties", "the contactProperties of WorldInfo"}}) {
    const Messages expected{
        fmt::format("3:1: warning: a {} has no effect here; it belongs in {}", c.type, c.place)};
    for (const char* around : {"\n{} {{ }}", "Group {{ children [\n{} {{ }} ] }}",
                               "Robot {{ children [\n{} {{ }} ] }}"}) {
      EXPECT_EQ(load_scene(fmt::format(fmt::runtime(around), c.type)).messages, expected) << around;
    }
  }
}

TEST(WrongPlaces, AChildThatIsAllowedIsNotReported) {
  EXPECT_EQ(load_scene(R"(Group { children [ Shape { } Pose { } Solid { children [ Slot { } ] }
PointLight { } SpotLight { } Transform { } ] }
Robot { name "r" children [ GPS { } Receiver { } Group { } DirectionalLight { } Charger { } ] }
Fog { } Background { } Viewpoint { })")
                .messages,
            Messages{});
}

TEST(WrongNodes, OfPhysicsAndContactFieldsAreReported) {
  EXPECT_EQ(load_scene("Solid { name \"s\" physics\nDamping { } }").messages,
            Messages{"3:1: warning: a Damping is not a Physics node; Solid \"s\" has none"});
  const LoadedScene damping =
      load_scene("Solid { boundingObject Box { } physics Physics { damping\nPhysics { } } }");
  EXPECT_EQ(damping.messages,
            Messages{"3:1: warning: a Physics is not a Damping node; the defaults are used"});
  EXPECT_EQ(damping.scene.solids.at(0).physics->damping->linear, 0.2);
  EXPECT_EQ(load_scene("WorldInfo { contactProperties [\nDamping { } ] }").messages,
            Messages{"3:1: warning: a Damping is not a ContactProperties node; it is left out"});
}

}  // namespace scene_wrong_nodes_test
}  // namespace servosim::test
