// SPDX-License-Identifier: Apache-2.0
#include "wbt/eras/legacy.h"

#include <gtest/gtest.h>

#include "wbt/test_support.h"

namespace servosim::wbt::test {
namespace {

using Words = std::vector<std::string>;

TEST(Legacy, ArgumentsSplitAtSpacesOutsideQuotes) {
  EXPECT_EQ(split_arguments(""), Words{});
  EXPECT_EQ(split_arguments("  2   98 "), (Words{"2", "98"}));
  EXPECT_EQ(split_arguments("-n 'a b' \"c 'd\" e''f"), (Words{"-n", "a b", "c 'd", "ef"}));
  EXPECT_EQ(split_arguments("''"), (Words{""}));
}

TEST(Legacy, ControllerArgsAreSplitBeforeR2020b) {
  const char* body = R"(Robot { controllerArgs "2 98" })";
  EXPECT_EQ(read_body(body, "V6.0").node().strings("controllerArgs"), (Words{"2", "98"}));
  EXPECT_EQ(read_body(body, "R2020a").node().strings("controllerArgs"), (Words{"2", "98"}));
  EXPECT_EQ(read_body(body, "R2020b").node().strings("controllerArgs"), (Words{"2 98"}));
}

TEST(Legacy, SupervisorIsARobot) {
  const ReadWorld w = read_body("Supervisor { }\nSupervisor { name \"boss\" }", "R2025a");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node(0).type->name, "Robot");
  EXPECT_TRUE(w.node(0).boolean("supervisor"));
  EXPECT_EQ(w.node(0).string("name"), "supervisor");
  EXPECT_EQ(w.node(0).string("controller"), "void");
  EXPECT_EQ(w.node(1).string("name"), "boss");
  EXPECT_FALSE(read_body("CustomRobot { }", "V5.0").node().boolean("supervisor"));
}

TEST(Legacy, FilteringWasABoolean) {
  EXPECT_EQ(read_body("ImageTexture { filtering TRUE }", "V8.5").node().integer("filtering"), 4);
  EXPECT_EQ(read_body("ImageTexture { filtering FALSE }", "V8.5").node().integer("filtering"), 0);
  EXPECT_EQ(read_body("ImageTexture { filtering 3 }").node().integer("filtering"), 3);
}

TEST(Legacy, GravityIsAVectorOrANumber) {
  EXPECT_EQ(read_body("WorldInfo { gravity 2 3 -9.5 }", "V6.0").node().vec3("gravity"),
            (Vec3{2, 3, -9.5}));
  EXPECT_EQ(read_body("WorldInfo { }", "R2020a").node().vec3("gravity"), (Vec3{0, -9.81, 0}));
  EXPECT_EQ(read_body("WorldInfo { gravity 3.5 }", "R2020b").node().number("gravity"), 3.5);
  EXPECT_EQ(read_body("WorldInfo { }", "R2020b").node().number("gravity"), 9.81);
}

TEST(Legacy, PhysicsOfV6) {
  const ReadWorld w = read_body(R"(Physics {
  density -1 mass 2.5
  centerOfMass 0.2 0.3 0.4
  inertiaMatrix [ 2 3 4 5 6 7 8 9 10 ]
  orientation 0 1 0 0.5
  coulombFriction 0.75 bounce 0.25 bounceVelocity 0.5 forceDependentSlip 0.125
})",
                                "V6.0");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node().vec3s("centerOfMass"), (std::vector<Vec3>{{0.2, 0.3, 0.4}}));
  EXPECT_EQ(w.node().vec3s("inertiaMatrix"), (std::vector<Vec3>{{2, 3, 4}, {5, 6, 7}, {8, 9, 10}}));
  EXPECT_EQ(w.node().number("coulombFriction"), 0.75);
  EXPECT_TRUE(read_body("Physics { }", "V6.0").node().vec3s("centerOfMass").empty());
}

TEST(Legacy, ServoKeepsItsFields) {
  const ReadWorld w = read_body(R"(Servo {
  type "linear" maxForce 25 controlP 8 position 0.25 minStop -0.5 scale 2 2 2 author "me"
})",
                                "V6.0");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node().string("type"), "linear");
  EXPECT_EQ(w.node().number("maxVelocity"), 10.0);
  EXPECT_EQ(w.node().number("position"), 0.25);
}

TEST(Legacy, WorldInfoOfV6) {
  EXPECT_EQ(
      read_body("WorldInfo { displayRefresh 3 runRealTime TRUE sound \"a\" }", "V6.0").messages,
      Messages{});
  EXPECT_EQ(
      read_body("WorldInfo { displayRefresh 3 }", "V7.3.0").messages,
      (Messages{"2:13: warning: unknown field 'displayRefresh' in WorldInfo (skipped); Webots "
                "dropped it after V7.2.1"}));
}

TEST(Legacy, SavedVelocities) {
  const ReadWorld w = read_body("Solid { linearVelocity 2 3 4 angularVelocity 5 6 7 }");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node().vec3("angularVelocity"), (Vec3{5, 6, 7}));
}

}  // namespace
}  // namespace servosim::wbt::test
