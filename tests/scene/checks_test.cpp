// SPDX-License-Identifier: Apache-2.0
// Checks of the whole scene: duplicate names, Solids with and without Physics, replaced values.
#include "scene/checks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/scenes.h"

namespace servosim::test {
namespace {

TEST(DuplicateNames, OfDevicesAreReportedOncePerRobotAndName) {
  EXPECT_EQ(
      load_scene(R"(Robot { name "r" children [
HingeJoint { device [ RotationalMotor { name "arm" } PositionSensor { name "pos" } ] }
GPS { name "arm" }
LED { name "arm" }
HingeJoint { device PositionSensor { name "pos" } }
LED { name "" } LED { name "" } LED { name "Arm" }
Robot { name "inner" children [ GPS { name "arm" } ] } ] }
Robot { name "s" children [ GPS { name "arm" } ] })")
          .messages,
      (Messages{"4:1: warning: robot \"r\" has a RotationalMotor \"arm\" and a GPS \"arm\"; a "
                "controller finds the first",
                "6:21: warning: robot \"r\" has a PositionSensor \"pos\" and a "
                "PositionSensor \"pos\"; a controller finds the first"}));
  EXPECT_EQ(load_scene(R"(Robot { name "r" children [ GPS { name "a" }
Servo { name "a" } ] })",
                       "V6.0")
                .messages,
            Messages{"3:1: warning: robot \"r\" has a GPS \"a\" and a Servo \"a\"; a controller "
                     "finds the first"});
}

std::vector<std::string> robot_names(const Scene& scene) {
  std::vector<std::string> names;
  for (const RobotSpec& robot : scene.robots) {
    names.push_back(robot.name);
  }
  return names;
}

TEST(DuplicateNames, OfRobotsGetNumbersInFileOrderAndAreReportedOnce) {
  const LoadedScene loaded = load_scene(R"(Robot { name "r" children [
Robot { name "r" } ] }
Robot { name "r" }
Robot { name "s" }
Robot { }
  Robot { name "s" })");
  EXPECT_EQ(loaded.messages,
            (Messages{"3:1: warning: the robot at w:2:1 is called \"r\" too; this one is \"r#2\" "
                      "here, and so on: 3 robots have that name",
                      "7:3: warning: the robot at w:5:1 is called \"s\" too; this one is \"s#2\" "
                      "here"}));
  EXPECT_EQ(robot_names(loaded.scene),
            (std::vector<std::string>{"r", "r#2", "r#3", "s", "robot", "s#2"}));
  EXPECT_EQ(loaded.scene.robots[2].given_name, "r");
}

TEST(DuplicateNames, OfRobotsKeepARealNameWithANumber) {
  const LoadedScene loaded = load_scene(
      R"(Robot { name "r" } Robot { name "r" } Robot { name "r" } Robot { name "r#2" }
Robot { name "r#2" } Robot { name "" } Robot { name "" })");
  EXPECT_EQ(loaded.messages.size(), 3u);
  EXPECT_EQ(robot_names(loaded.scene),
            (std::vector<std::string>{"r", "r#3", "r#4", "r#2", "r#2#2", "", "#2"}));
}

TEST(DuplicateNames, OfJointsFollowTheRobots) {
  const LoadedScene loaded = load_scene(
      R"(Robot { name "r" children [ HingeJoint { device RotationalMotor { name "m" } } ] }
Robot { name "r" children [ HingeJoint { device RotationalMotor { name "m" } }
HingeJoint { device RotationalMotor { name "m" } } ] })");
  std::vector<std::string> names;
  for (const JointSpec& joint : loaded.scene.joints) {
    names.push_back(joint.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"r/m", "r#2/m", "r#2/m#2"}));
}

Messages solids(const std::string& text) { return load_scene(text).messages; }

TEST(Collisions, WithoutPhysicsBelowPhysicsAreReported) {
  EXPECT_EQ(solids(R"(Solid { name "car" children [
Solid { name "bumper" boundingObject Box { } }
Solid { name "mirror" }
Solid { name "door" boundingObject Box { } physics Physics { } }
] physics Physics { } })"),
            Messages{"3:1: warning: Solid \"bumper\" has a boundingObject but no Physics: its "
                     "collisions have no effect on Solid \"car\" above it"});
  EXPECT_EQ(solids(R"(Solid { name "house" children [
Solid { name "wall" boundingObject Box { } } ] })"),
            Messages{});
}

TEST(Kinematics, AVelocityWithoutPhysicsDoesNotMoveBodiesBelow) {
  EXPECT_EQ(solids(R"(Solid { name "belt" linearVelocity 0 0.5 0 }
Solid { name "fan" angularVelocity 0 0 7 children [
Solid { name "ball" linearVelocity 3 0 0 physics Physics { } boundingObject Sphere { } }
HingeJoint { endPoint Solid { name "door" angularVelocity 0 2 0 } } ] })"),
            (Messages{"3:1: warning: Solid \"fan\" is moved by its velocity but has no Physics: "
                      "Solid \"ball\" below it has Physics and is not carried along"}));
}

TEST(Kinematics, DoNotMoveBodiesBelow) {
  EXPECT_EQ(solids(R"(Robot { children [ HingeJoint { endPoint
Solid { name "base" children [
  Solid { name "plate" children [
    Solid { name "cup" physics Physics { } }
    SliderJoint { endPoint Solid { name "rod" physics Physics { } } }
  ] } ] } } ] })"),
            Messages{"3:1: warning: Solid \"base\" is moved by its joint but has no Physics: Solid "
                     "\"cup\" below it has Physics and is not carried along"});
}

TEST(Kinematics, WithoutPhysicsBelowAreNotReported) {
  for (const char* quiet : {
           "Solid { children [ Solid { name \"a\" physics Physics { } } ] }",
           "Robot { children [ HingeJoint { endPoint Solid { children [ Solid { } ] } } ] }",
           "Robot { children [ HingeJoint { endPoint Solid { physics Physics { } children [ Solid "
           "{ "
           "name \"a\" physics Physics { } } ] } } ] }",
       }) {
    EXPECT_EQ(solids(quiet), Messages{}) << quiet;
  }
}

wbt::WorldFile robot_with(const std::string& motors) {
  Diagnostics diagnostics;
  return wbt::read_world_text(
      "#VRML_SIM R2023b utf8\nRobot { name \"r\" children [ " + motors + " ] }", "w", ".",
      without_places_here({}), diagnostics);
}

std::string joint_with_motor(const std::string& fields) {
  return "HingeJoint { device RotationalMotor { " + fields + " } }\n";
}

// Returns `field = value` of each substitute.
std::vector<std::string> texts(const std::vector<Substitute>& substitutes) {
  std::vector<std::string> list;
  for (const Substitute& one : substitutes) {
    list.push_back(fmt::format("{} = {}", one.field, std::get<double>(one.value)));
  }
  return list;
}

TEST(Substitutes, BelongToTheSceneWhoseChecksFindThem) {
  const wbt::WorldFile bad = robot_with(joint_with_motor("name \"m\" maxVelocity -3"));
  const wbt::WorldFile coupled = robot_with(joint_with_motor("name \"g::a\" maxVelocity 1.5") +
                                            joint_with_motor("name \"g::b\" maxVelocity 2.5"));
  Diagnostics diagnostics;
  SceneBuilder of_bad(bad, diagnostics, {}, nullptr);
  SceneBuilder of_coupled(coupled, diagnostics, {}, nullptr);
  const Scene first = of_coupled.build();
  const Scene second = of_bad.build();
  EXPECT_EQ(texts(of_bad.substitutes()), std::vector<std::string>{"maxVelocity = 3"});
  EXPECT_EQ(texts(of_coupled.substitutes()), std::vector<std::string>{"maxVelocity = 1.5"});
  EXPECT_EQ(of_coupled.substitutes().at(0).node, first.robots.at(0).devices.at(1).node);
  EXPECT_EQ(of_bad.substitutes().at(0).node, second.robots.at(0).devices.at(0).node);
}

}  // namespace
}  // namespace servosim::test
