// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "wbt/eras/legacy.h"
#include "wbt/test_support.h"

namespace servosim::wbt::test {
namespace {

TEST(HiddenFields, NamesHoldIndices) {
  const auto turn = parse_hidden_name("rotation_12");
  ASSERT_TRUE(turn.has_value());
  EXPECT_EQ(turn->field, "rotation");
  EXPECT_EQ(turn->type, ValueType::SFRotation);
  EXPECT_EQ(turn->solid, 12);
  EXPECT_EQ(turn->joint, -1);
  const auto position = parse_hidden_name("position2_3_4");
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->field, "position2");
  EXPECT_EQ(position->solid, 3);
  EXPECT_EQ(position->joint, 4);
}

TEST(HiddenFields, OtherNamesAreNone) {
  for (const char* name :
       {"translation", "translation_", "translation_x", "translation_2_3", "position_2",
        "position_2_3_4", "scale_2", "_2", "rotation_-2", "translation_99999999999"}) {
    EXPECT_FALSE(parse_hidden_name(name).has_value()) << name;
  }
}

// Solids in depth-first order: body 0, thigh 1, foot 2, head 3.
constexpr const char* kLegs = R"(#VRML_SIM R2021b utf8
PROTO Legs [ field MFNode extra [ ] ]
{
  Robot { name "body" children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 2 position 0.25 }
      endPoint Solid { name "thigh" children [
        SliderJoint { endPoint Solid { name "foot" } }
      ] }
    }
    Hinge2Joint {
      jointParameters2 JointParameters { axis 0 2 0 }
      endPoint Solid { name "head" }
    }
    Group { children IS extra }
  ] boundingObject Box { } }
}
)";

TEST(HiddenFields, ReachTheSolidsOfAnInstance) {
  const TemporaryProject project;
  project.write("protos/Legs.proto", kLegs);
  const ReadWorld w = project.read(R"(Legs {
  hidden translation_2 2 3 4
  hidden rotation_1 0 1 0 0.5
  hidden linearVelocity_0 5 6 7
  hidden angularVelocity_3 8 9 10
}
Legs { })");
  EXPECT_EQ(w.messages, Messages{});
  const auto& joints = w.node(0).nodes("children");
  const Node& thigh = *joints[0]->node("endPoint");
  EXPECT_EQ(w.node(0).vec3("linearVelocity"), (Vec3{5, 6, 7}));
  EXPECT_EQ(thigh.rotation("rotation"), (AxisAngle{{0, 1, 0}, 0.5}));
  EXPECT_EQ(thigh.nodes("children")[0]->node("endPoint")->vec3("translation"), (Vec3{2, 3, 4}));
  EXPECT_EQ(joints[1]->node("endPoint")->vec3("angularVelocity"), (Vec3{8, 9, 10}));
  EXPECT_FALSE(w.node(1).has("linearVelocity"));
}

TEST(HiddenFields, ReachTheJoints) {
  const TemporaryProject project;
  project.write("protos/Legs.proto", kLegs);
  const ReadWorld w = project.read(R"(Legs {
  hidden position_0_0 0.5
  hidden position_0_1 0.75
  hidden position2_0_1 -0.5
  hidden position_1_0 0.125
})");
  EXPECT_EQ(w.messages, Messages{});
  const auto& joints = w.node().nodes("children");
  EXPECT_EQ(joints[0]->node("jointParameters")->number("position"), 0.5);
  EXPECT_EQ(joints[1]->number("position"), 0.75);  // it has no jointParameters
  EXPECT_EQ(joints[1]->node("jointParameters2")->number("position"), -0.5);
  EXPECT_EQ(joints[0]->node("endPoint")->nodes("children")[0]->number("position"), 0.125);
}

// A Solid passed as parameter belongs to the world; only this instance's copy changes.
TEST(HiddenFields, DoNotTouchSharedNodes) {
  const TemporaryProject project;
  project.write("protos/Legs.proto", kLegs);
  const ReadWorld w = project.read(R"(DEF S Solid { name "own" }
Legs { extra [ USE S ] hidden translation_4 2 3 4 })");
  EXPECT_FALSE(w.node(0).has("translation"));
  const Node& copy = *w.node(1).nodes("children")[2]->nodes("children")[0];
  EXPECT_EQ(copy.string("name"), "own");
  EXPECT_EQ(copy.vec3("translation"), (Vec3{2, 3, 4}));
}

TEST(HiddenFields, OthersAreSkippedSilently) {
  const TemporaryProject project;
  project.write("protos/Legs.proto", kLegs);
  EXPECT_EQ(
      project.read("Legs { hidden scale_2 2 2 2 hidden translation_99 2 3 4 extra [ ] }").messages,
      Messages{});
}

}  // namespace
}  // namespace servosim::wbt::test
