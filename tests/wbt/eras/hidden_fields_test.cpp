// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

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

// A Solid that is passed as a parameter belongs to the world. Only this instance's copy changes.
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

// --- in the axes before R2022a

// An E-puck had x to the right, y up and z backward. Its wheels are Solids 1 and 2.
const Node& wheel_of(const ReadWorld& world, std::size_t number) {
  std::size_t found = 0;
  for (const NodePtr& child : world.node(1).nodes("children")) {
    if (child->type->name == "HingeJoint" && found++ == number) {
      return *child->node("endPoint");
    }
  }
  throw std::out_of_range("no such wheel");
}

ReadWorld read_old(const std::string& instance) {
  return read_body("WorldInfo { }\n" + instance, "R2019a");
}

TEST(HiddenFields, OfStandInsAreInTheAxesOfTheirTime) {
  const ReadWorld w = read_old(R"(E-puck {
  hidden translation_1 -0.026 0.02 0
  hidden rotation_1 -1 0 0 0.75
  hidden rotation_2 1 0 0 0.5
  hidden linearVelocity_0 2 3 4
})");
  // A turn about the old -x axis is a turn about y.
  const Node& left = wheel_of(w, 0);
  EXPECT_NEAR(norm(left.vec3("translation") - Vec3{0, 0.026, 0.02}), 0.0, 1e-9);
  EXPECT_NEAR(norm(left.rotation("rotation").axis - Vec3{0, 1, 0}), 0.0, 1e-9);
  EXPECT_NEAR(left.rotation("rotation").angle, 0.75, 1e-9);
  EXPECT_NEAR(norm(wheel_of(w, 1).rotation("rotation").axis - Vec3{0, -1, 0}), 0.0, 1e-9);
  EXPECT_EQ(w.node(1).vec3("linearVelocity"), (Vec3{2, 3, 4}));  // in the world's axes
}

// In these cases the Solid is another one, or its own axes were different.
TEST(HiddenFields, OfStandInsThatDoNotFitAreLeftOut) {
  const ReadWorld w = read_old(R"(E-puck {
  hidden translation_1 -0.5 0.02 0
  hidden rotation_2 0 1 0 0.5
  hidden position_0_1 0.5
})");
  EXPECT_FALSE(wheel_of(w, 0).has("rotation"));
  EXPECT_EQ(wheel_of(w, 0).vec3("translation"), (Vec3{0, 0.026, 0.02}));
  EXPECT_FALSE(wheel_of(w, 1).has("rotation"));
  ASSERT_FALSE(w.messages.empty());
  EXPECT_TRUE(w.messages.back().find("joint positions in hidden lines of 'E-puck' do not fit its "
                                     "stand-in") != std::string::npos)
      << w.messages.back();
}

TEST(HiddenFields, OfStandInsSayThePositionsOfTheirJoints) {
  const auto position = [](const char* line) {
    const ReadWorld w =
        read_old(fmt::format("E-puck {{ hidden rotation_1 -1 0 0 0.75 {} }}", line));
    for (const NodePtr& child : w.node(1).nodes("children")) {
      if (child->type->name == "HingeJoint") {
        return child->node("jointParameters")->number("position");
      }
    }
    return -1.0;
  };
  // This position is one turn more.
  EXPECT_EQ(position("hidden position_0_0 7.033185307179586"), 7.033185307179586);
  EXPECT_EQ(position("hidden position_0_0 2"), 0.0);
}

TEST(HiddenFields, OfStandInsOfTodayStayAsTheyAre) {
  const ReadWorld w =
      read_body("WorldInfo { }\nE-puck { hidden rotation_1 -1 0 0 0.75 }", "R2023b");
  EXPECT_EQ(wheel_of(w, 0).rotation("rotation"), (AxisAngle{{-1, 0, 0}, 0.75}));
}

}  // namespace
}  // namespace servosim::wbt::test
