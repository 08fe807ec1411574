// SPDX-License-Identifier: Apache-2.0
// What a supervisor's changes do to the world: exchanged parameters, states, pictures, far places.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "controller/server/supervisor/supervisor_talk.h"
#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/node_states.h"
#include "wbt/world_file.h"

namespace servosim::test {
namespace {

constexpr double kQuarter = 1.5707963267948966;

std::string world(const std::string& nodes, const std::string& boss = "") {
  return "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 16 gravity 0 }\n"
         "DEF BOSS Robot { name \"boss\" supervisor TRUE controller \"<none>\" " +
         boss + " }\n" + nodes;
}

std::string arm(const std::string& physics) {
  return "Robot { name \"r\" translation 1 0 0 rotation 0 0 1 1.5707963267948966 "
         "controller \"<none>\" children [ DEF J HingeJoint { "
         "jointParameters DEF P HingeJointParameters { axis 0 0 1 position 0.25 } "
         "endPoint DEF E Solid { name \"e\" translation 0.5 0 0 boundingObject Box { size 1 0.1 "
         "0.1 "
         "} " +
         physics + " } } ] " + physics + " boundingObject Box { size 0.1 0.1 0.1 } }\n";
}

// About the anchor, in the parent's frame: the endpoint is at 0.5 0 0 when the position is 0.25.
Vec3 place_at(double angle) {
  return {0.5 * std::cos(angle - 0.25), 0.5 * std::sin(angle - 0.25), 0.0};
}

void expect_place(SupervisorTalk& talk, const Vec3& place, const char* when) {
  const std::vector<double> now = talk.get("E", "translation", kVec3f);
  ASSERT_EQ(now.size(), 3u) << when;
  EXPECT_NEAR(norm(Vec3{now[0], now[1], now[2]} - place), 0.0, 1e-6) << when;
}

TEST(ExchangedParameters, PutTheEndpointAtTheirPosition) {
  for (const char* physics : {"", "physics Physics { density -1 mass 1 }"}) {
    Simulation simulation = Simulation::from_text(world(arm(physics)));
    SupervisorTalk talk(simulation, 0);
    simulation.set_joint_state(0, 0.6);
    simulation.step();
    expect_place(talk, place_at(0.6), physics);
    talk.clear("J", "jointParameters", kNode);
    talk.import("J", "jointParameters", kNode,
                "DEF P HingeJointParameters { axis 0 0 1 position 1.0 }");
    EXPECT_EQ(talk.failure(), "");
    EXPECT_NEAR(talk.get("P", "position", kFloat).at(0), 1.0, 1e-9) << physics;
    expect_place(talk, place_at(1.0), physics);
    simulation.step();
    EXPECT_NEAR(simulation.joint(0).position, 1.0, 1e-6) << physics;
    expect_place(talk, place_at(1.0), physics);
    // Later changes find it there.
    talk.set("P", "dampingConstant", kFloat, {0.5});
    talk.settle();
    expect_place(talk, place_at(1.0), physics);
    EXPECT_NEAR(simulation.joint(0).position, 1.0, 1e-6) << physics;
  }
}

TEST(JointPosition, IsClampedToTheHardStopsWithAWarning) {
  for (const char* physics : {"", "physics Physics { density -1 mass 1 }"}) {
    std::string text = arm(physics);
    text.insert(text.find("position 0.25"), "minStop -0.5 maxStop 1.5 ");
    Simulation simulation = Simulation::from_text(world(text));
    SupervisorTalk talk(simulation, 0);
    Ask question;
    question.kind = AskKind::SetJointPosition;
    question.node = talk.find("J");
    question.index = 1;
    question.count = 1;
    const auto put = [&](double position) {
      question.numbers[0] = position;
      return std::string(talk.ask(question).text);
    };
    EXPECT_EQ(put(1.25), "");
    EXPECT_NEAR(simulation.joint(0).position, 1.25, 1e-12) << physics;
    EXPECT_EQ(put(2.0), "warning: the joint's position 2 is above maxStop 1.5, which is used.");
    EXPECT_NEAR(simulation.joint(0).position, 1.5, 1e-12) << physics;
    EXPECT_EQ(put(-7.0), "warning: the joint's position -7 is below minStop -0.5, which is used.");
    EXPECT_NEAR(simulation.joint(0).position, -0.5, 1e-12) << physics;
  }
}

TEST(Velocity, OfASolidWithoutBodyIsThatOfWhatCarriesIt) {
  Simulation simulation = Simulation::from_text(world(
      R"(DEF CAR Solid { name "car" linearVelocity 1 2 0 angularVelocity 0 0 0.5 physics Physics { }
        boundingObject Box { size 1 1 1 } children [ DEF SEAT Solid { name "seat" translation 3 0 0
          children [ DEF LAMP Solid { name "lamp" } ] } ] }
      DEF HOUSE Solid { name "house" children [ DEF DOOR Solid { name "door" } ] })"));
  SupervisorTalk talk(simulation, 0);
  const auto velocity = [&](const char* def) {
    Ask question;
    question.kind = AskKind::Velocity;
    question.node = talk.find(def);
    std::vector<double> numbers(6);
    talk.ask(question).copy_to(numbers);
    return numbers;
  };
  EXPECT_EQ(velocity("CAR"), (std::vector<double>{1.0, 2.0, 0.0, 0.0, 0.0, 0.5}));
  EXPECT_EQ(velocity("SEAT"), velocity("CAR"));
  EXPECT_EQ(velocity("LAMP"), velocity("CAR"));
  EXPECT_EQ(velocity("DOOR"), std::vector<double>(6));
  // Half of its velocity is set: the other half stays its own.
  talk.set("SEAT", "linearVelocity", kVec3f, {0.0, 0.0, 4.0});
  EXPECT_EQ(velocity("SEAT"), (std::vector<double>{0.0, 0.0, 4.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(velocity("LAMP"), velocity("SEAT"));
}

TEST(ExchangedParameters, OfTheSamePositionBringBackWhatHasMoved) {
  Simulation simulation = Simulation::from_text(world(arm("")));
  SupervisorTalk talk(simulation, 0);
  simulation.set_joint_state(0, 0.9);
  talk.clear("J", "jointParameters", kNode);
  talk.import("J", "jointParameters", kNode,
              "DEF P HingeJointParameters { axis 0 0 1 position 0.25 }");
  EXPECT_EQ(talk.get("P", "position", kFloat).at(0), 0.25);
  expect_place(talk, place_at(0.25), "");
}

TEST(ExchangedParameters, ThatAreTakenAwayLeaveTheJointWhereItIs) {
  Simulation simulation = Simulation::from_text(world(arm("")));
  SupervisorTalk talk(simulation, 0);
  simulation.set_joint_state(0, 0.5);
  talk.clear("J", "jointParameters", kNode);
  talk.settle();
  EXPECT_EQ(talk.failure(), "");
  EXPECT_EQ(simulation.joint(0).position, 0.5);
}

TEST(ExchangedParameters, ThatAreRemovedAsANodeDoSoToo) {
  Simulation simulation = Simulation::from_text(world(arm("")));
  SupervisorTalk talk(simulation, 0);
  simulation.set_joint_state(0, 0.5);
  talk.remove("P");
  talk.settle();
  EXPECT_EQ(talk.failure(), "");
  EXPECT_EQ(simulation.joint(0).position, 0.5);
}

TEST(ExchangedParameters, OfOneAxisKeepTheOther) {
  Simulation simulation = Simulation::from_text(
      world("Robot { name \"r\" controller \"<none>\" children DEF J Hinge2Joint { "
            "jointParameters HingeJointParameters { axis 0 0 1 } "
            "jointParameters2 DEF P JointParameters { axis 1 0 0 } "
            "endPoint DEF E Solid { name \"e\" translation 1 0 0 } } }\n"));
  SupervisorTalk talk(simulation, 0);
  simulation.set_joint_state(0, kQuarter);
  talk.clear("J", "jointParameters2", kNode);
  talk.import("J", "jointParameters2", kNode, "JointParameters { axis 1 0 0 position 0.5 }");
  talk.settle();
  EXPECT_EQ(talk.failure(), "");
  EXPECT_NEAR(simulation.joint(0).position, kQuarter, 1e-12);
  EXPECT_NEAR(simulation.joint(1).position, 0.5, 1e-12);
  expect_place(talk, {0.0, 1.0, 0.0}, "");
}

constexpr const char* kThings =
    "DEF BALL Solid { name \"ball\" translation 0 0 5 boundingObject Sphere { radius 0.1 } "
    "physics Physics { density -1 mass 2 } }\n"
    "Robot { name \"second\" supervisor TRUE controller \"<none>\" }\n";

double height(const Simulation& simulation) { return simulation.solid_pose("ball").translation.z; }

TEST(NodeStates, InitIsThatOfTheLoadedWorldForWhoeverComesLater) {
  Simulation simulation = Simulation::from_text(world(kThings));
  simulation.set_solid_pose(simulation.solid_index("ball"), {{}, {0.0, 0.0, 9.0}});
  simulation.set_solid_velocity(simulation.solid_index("ball"), {{1.0, 0.0, 0.0}, {}});
  simulation.step(10);
  SupervisorTalk late(simulation, 0);
  late.state(AskKind::LoadState, "BALL", "__init__");
  EXPECT_EQ(late.failure(), "");
  EXPECT_EQ(simulation.solid_pose("ball").translation, (Vec3{0.0, 0.0, 5.0}));
  EXPECT_EQ(simulation.solid_velocity(simulation.solid_index("ball")).linear, Vec3{});
}

TEST(NodeStates, OutliveTheSupervisorAndAreEverybodys) {
  Simulation simulation = Simulation::from_text(world(kThings));
  const int ball = simulation.solid_index("ball");
  {
    SupervisorTalk talk(simulation, 0);
    simulation.set_solid_pose(ball, {{}, {0.0, 0.0, 6.0}});
    talk.state(AskKind::SaveState, "BALL", "six");
  }
  simulation.set_solid_pose(ball, {{}, {0.0, 0.0, 7.0}});
  SupervisorTalk again(simulation, 0);
  again.state(AskKind::LoadState, "BALL", "six");
  EXPECT_EQ(again.failure(), "");
  EXPECT_EQ(height(simulation), 6.0);
  simulation.set_solid_pose(ball, {{}, {0.0, 0.0, 7.0}});
  again.import(nullptr, "", kNode, "DEF NEW Solid { name \"new\" translation 3 0 0 }");
  again.settle();
  SupervisorTalk other(simulation, 1);
  other.state(AskKind::LoadState, "BALL", "six");
  EXPECT_EQ(height(simulation), 6.0);
  other.state(AskKind::LoadState, "BALL", "none");
  EXPECT_EQ(other.failure(), "the node has no state called 'none'.");
  Simulation twin = simulation.clone();
  twin.set_solid_pose(ball, {{}, {0.0, 0.0, 8.0}});
  SupervisorTalk of_twin(twin, 0);
  of_twin.state(AskKind::LoadState, "BALL", "six");
  EXPECT_EQ(height(twin), 6.0);
}

TEST(NodeStates, InitOfWhatCameLaterIsHowItCame) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorTalk talk(simulation, 0);
  talk.import(nullptr, "", kNode, "DEF NEW Solid { name \"new\" translation 3 0 0 }");
  talk.settle();
  simulation.set_solid_pose(simulation.solid_index("new"), {{}, {4.0, 0.0, 0.0}});
  SupervisorTalk other(simulation, 1);
  other.state(AskKind::LoadState, "NEW", "__init__");
  EXPECT_EQ(other.failure(), "");
  EXPECT_EQ(simulation.solid_pose("new").translation.x, 3.0);
}

TEST(NodeStates, OfWhatHasLeftAreForgottenUnlessItMayComeBack) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorTalk talk(simulation, 0);
  const std::size_t loaded = simulation.node_states().initial.solids.size();
  for (int i = 0; i < 3; ++i) {
    talk.import(nullptr, "", kNode,
                "DEF NEW Solid { name \"new\" children HingeJoint { endPoint Solid { } } }");
    talk.state(AskKind::SaveState, "NEW", "mine");
    talk.remove("NEW");
    talk.settle();
  }
  EXPECT_EQ(talk.failure(), "");
  EXPECT_EQ(simulation.node_states().initial.solids.size(), loaded);
  EXPECT_TRUE(simulation.node_states().initial.joints.empty());
  talk.state(AskKind::SaveState, "BALL", "five");
  EXPECT_EQ(simulation.node_states().named.size(), 1u) << "that of BALL";
  talk.remove("BALL");
  talk.settle();
  simulation.reset();
  simulation.set_solid_pose(simulation.solid_index("ball"), {{}, {0.0, 0.0, 9.0}});
  SupervisorTalk again(simulation, 0);
  again.state(AskKind::LoadState, "BALL", "__init__");
  EXPECT_EQ(again.failure(), "");
  EXPECT_EQ(height(simulation), 5.0);
  again.state(AskKind::LoadState, "BALL", "five");
  EXPECT_EQ(again.failure(), "");
}

TEST(NodeStates, OfWhatComesBackWithASavedStateAreThoseOfThatMoment) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorTalk talk(simulation, 0);
  talk.import(nullptr, "", kNode, "DEF NEW Solid { name \"new\" translation 3 0 0 }");
  talk.settle();
  simulation.set_solid_pose(simulation.solid_index("new"), {{}, {4.0, 0.0, 0.0}});
  const SimulationState with_it = simulation.save();
  talk.remove("NEW");
  talk.settle();
  simulation.restore(with_it);
  simulation.set_solid_pose(simulation.solid_index("new"), {{}, {5.0, 0.0, 0.0}});
  talk.state(AskKind::LoadState, "NEW", "__init__");
  EXPECT_EQ(talk.failure(), "");
  EXPECT_EQ(simulation.solid_pose("new").translation.x, 4.0);
}

// A decoration and a Solid, at the top and below: they come and go with every episode.
class Imported : public testing::TestWithParam<const char*> {};

TEST_P(Imported, IsForgottenWhenItLeaves) {
  Simulation simulation =
      Simulation::from_text(world(std::string(kThings) + "DEF STAND Solid { name \"stand\" }"));
  SupervisorTalk talk(simulation, 0);
  const auto known = [&] { return simulation.world_file()->imported.size(); };
  for (const char* parent : {"", "STAND"}) {
    const bool at_top = *parent == '\0';
    for (int episode = 0; episode < 3; ++episode) {
      talk.import(at_top ? nullptr : parent, at_top ? "" : "children", kNodes, GetParam());
      talk.settle();
      ASSERT_EQ(talk.failure(), "");
      EXPECT_EQ(known(), 1u);
      talk.state(AskKind::SaveState, "NEW", "mine");
      talk.state(AskKind::SaveState, "BALL", "mine");
      EXPECT_EQ(simulation.node_states().named.size(), 2u);
      if (episode == 0) {
        simulation.restart();
      } else {
        talk.remove("NEW");
        talk.settle();
      }
      EXPECT_EQ(talk.find("NEW"), kNoNode);
      EXPECT_EQ(known(), 0u);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(NodeStates, Imported,
                         testing::Values("DEF NEW Pose { children Pose { } }",
                                         "DEF NEW Solid { name \"new\" }"),
                         [](const auto& test) {
                           return std::string(test.param).find("Solid") != std::string::npos
                                      ? "Solid"
                                      : "Pose";
                         });

TEST(NodeStates, WhatWasRefusedIsNotKnownAsImported) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorTalk talk(simulation, 0);
  talk.import(nullptr, "", kNode,
              "DEF NEW Solid { name \"new\" translation 1e10 0 0 boundingObject Box { } "
              "physics Physics { } }");
  talk.settle();
  EXPECT_NE(talk.failure(), "");
  EXPECT_TRUE(simulation.world_file()->imported.empty());
}

TEST(NodeStates, AResetTakesOutWhatCameBackWithASavedState) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorTalk talk(simulation, 0);
  talk.import(nullptr, "", kNode, "DEF NEW Solid { name \"new\" }");
  talk.settle();
  const SimulationState with_it = simulation.save();
  talk.remove("NEW");
  talk.settle();
  simulation.restore(with_it);
  EXPECT_NE(talk.find("NEW"), kNoNode);
  simulation.restart();
  EXPECT_EQ(talk.find("NEW"), kNoNode);
}

// Its motor has no joint of the scene.
TEST(NodeStates, APropellerIsAtRestAfterThem) {
  Simulation simulation = Simulation::from_text(world(
      "DEF DRONE Robot { name \"drone\" controller \"<none>\" children [ Propeller { "
      "thrustConstants 0.001 0 torqueConstants 0 0 device RotationalMotor { name \"rotor\" "
      "maxVelocity 100 maxTorque 1e6 } "
      "fastHelix Solid { } } ] boundingObject Box { } physics Physics { density -1 mass 2 } }"));
  SupervisorTalk talk(simulation, 0);
  Motor& rotor = simulation.robot("drone").motor("rotor");
  rotor.set_position(std::numeric_limits<double>::infinity());
  rotor.set_velocity(80.0);
  simulation.step(50);
  ASSERT_NEAR(simulation.propeller(0).thrust, 6.4, 1e-9);
  talk.state(AskKind::SaveState, "DRONE", "mine");
  for (const char* name : {"__init__", "mine"}) {
    rotor.set_position(std::numeric_limits<double>::infinity());
    rotor.set_velocity(80.0);
    simulation.step(20);
    ASSERT_NEAR(simulation.propeller(0).thrust, 6.4, 1e-9);
    talk.state(AskKind::LoadState, "DRONE", name);
    ASSERT_EQ(talk.failure(), "");
    for (int i = 0; i < 20; ++i) {
      simulation.step();
      EXPECT_EQ(simulation.propeller(0).thrust, 0.0);
    }
  }
}

// Controllers refer to nodes by number.
TEST(NodeNumbers, AreGivenOnceWhoeverAsksAndAlsoAfterAReset) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorTalk one(simulation, 0);
  SupervisorTalk two(simulation, 1);
  std::vector<int> numbers;
  for (SupervisorTalk* talk : {&one, &two, &two, &one}) {
    talk->import(nullptr, "", kNode, "DEF NEW Solid { name \"new\" }");
    talk->settle();
    numbers.push_back(talk->find("NEW"));
    simulation.reset();
  }
  EXPECT_EQ(one.failure(), "");
  EXPECT_LT(one.find("NEW"), 0);
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    EXPECT_GT(numbers[i], numbers[i - 1]);
  }
}

constexpr const char* kPictures =
    "DEF MARK Pose { children DEF S Shape { appearance DEF A PBRAppearance { } geometry DEF G Box "
    "{ "
    "} } }\n"
    "DEF GROUP Group { children [ DEF IN Pose { children Solid { name \"inside\" } } ] }\n"
    "DEF LIGHT PointLight { }\n"
    "DEF BODY Solid { name \"body\" children DEF SHOWN Shape { geometry Box { } } "
    "boundingObject DEF B Pose { children Shape { geometry DEF BOX Box { } } } }\n";

class Pictures : public testing::Test {
 protected:
  // How often the world was made anew for what was asked.
  std::uint64_t rebuilds() {
    talk_.settle();
    EXPECT_EQ(talk_.failure(), "");
    const std::uint64_t before = version_;
    version_ = simulation_.tree_version();
    return version_ - before;
  }

  Simulation simulation_ = Simulation::from_text(world(kPictures));
  SupervisorTalk talk_{simulation_, 0};
  std::uint64_t version_ = simulation_.tree_version();
};

TEST_F(Pictures, ChangeWithoutMakingTheWorldAnew) {
  talk_.set("MARK", "translation", kVec3f, {1.0, 2.0, 3.0});
  talk_.set("MARK", "rotation", kRotation, {0.0, 0.0, 1.0, 1.0});
  talk_.set("A", "baseColor", kColor, {1.0, 0.0, 0.0});
  talk_.set("G", "size", kVec3f, {3.0, 3.0, 3.0});
  talk_.set("LIGHT", "location", kVec3f, {3.0, 3.0, 3.0});
  EXPECT_EQ(rebuilds(), 0u);
  EXPECT_EQ(talk_.get("MARK", "translation", kVec3f), (std::vector<double>{1.0, 2.0, 3.0}));
  talk_.clear("S", "geometry", kNode);
  talk_.import("S", "geometry", kNode, "DEF G Sphere { radius 2 }");
  talk_.import(nullptr, "", kNode, "DEF NEW Pose { children Shape { geometry Cone { } } }");
  talk_.import("GROUP", "children", kNodes, "Shape { }");
  talk_.import("BODY", "children", kNodes, "DEF MORE Pose { children [ Shape { } ] }");
  talk_.remove("SHOWN");
  EXPECT_EQ(rebuilds(), 0u);
  EXPECT_EQ(talk_.get("G", "radius", kFloat).at(0), 2.0);
  EXPECT_GT(talk_.find("NEW"), 0);
  EXPECT_GT(talk_.find("MORE"), 0);
  EXPECT_LT(talk_.find("SHOWN"), 0);
}

TEST_F(Pictures, ThatCarryOrTouchSomethingMakeItAnew) {
  talk_.set("IN", "translation", kVec3f, {1.0, 0.0, 0.0});
  EXPECT_EQ(rebuilds(), 1u);
  EXPECT_EQ(simulation_.solid_pose("inside").translation.x, 1.0);
  talk_.set("BOX", "size", kVec3f, {3.0, 3.0, 3.0});
  EXPECT_EQ(rebuilds(), 1u);
  talk_.set("B", "translation", kVec3f, {0.0, 0.0, 1.0});
  EXPECT_EQ(rebuilds(), 1u);
  talk_.import("MARK", "children", kNodes, "Solid { name \"on mark\" translation 5 0 0 }");
  EXPECT_EQ(rebuilds(), 1u);
  EXPECT_EQ(simulation_.solid_pose("on mark").translation.x, 5.0);
  talk_.remove("B");
  EXPECT_EQ(rebuilds(), 1u);
}

TEST_F(Pictures, LightsCountForThoseWhoMeasureThem) {
  talk_.import("BODY", "children", kNodes, "Robot { name \"eye\" children LightSensor { } }");
  EXPECT_EQ(rebuilds(), 1u);
  talk_.set("LIGHT", "location", kVec3f, {3.0, 3.0, 3.0});
  EXPECT_EQ(rebuilds(), 1u);
  EXPECT_EQ(simulation_.scene().world.lights.at(0).location, (Vec3{3.0, 3.0, 3.0}));
}

TEST_F(Pictures, CountForInfraRedSensors) {
  talk_.import("BODY", "children", kNodes,
               "Robot { name \"eye\" children DistanceSensor { type \"infra-red\" } }");
  EXPECT_EQ(rebuilds(), 1u);
  const auto seen = [this]() -> const VisibleShape& {
    return simulation_.scene().visible_shapes.at(0);
  };
  talk_.set("A", "baseColor", kColor, {0.25, 1.0, 1.0});
  EXPECT_EQ(rebuilds(), 1u);
  EXPECT_NEAR(seen().reflection, 0.4, 1e-12);
  talk_.set("G", "size", kVec3f, {3.0, 4.0, 5.0});
  EXPECT_EQ(rebuilds(), 1u);
  EXPECT_EQ(seen().shape.size, (Vec3{3.0, 4.0, 5.0}));
  talk_.set("A", "emissiveColor", kColor, {1.0, 0.0, 0.0});
  EXPECT_EQ(rebuilds(), 0u) << "nobody sees it";
}

TEST(FarAway, IsRefusedAndTheWorldGoesOn) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorTalk talk(simulation, 0);
  Simulation twin = simulation.clone();
  talk.import(nullptr, "", kNode,
              "DEF FAR Solid { name \"far\" translation 1e12 0 0 boundingObject Box { } physics "
              "Physics { } }");
  EXPECT_EQ(talk.failure(), "");  // the world is made anew later
  talk.get("BALL", "translation", kVec3f);
  EXPECT_NE(talk.failure().find("they are undone"), std::string::npos) << talk.failure();
  EXPECT_NE(talk.failure().find("Solid \"far\" is too far away"), std::string::npos)
      << talk.failure();
  EXPECT_LT(talk.find("FAR"), 0);
  simulation.step(5);
  twin.step(5);
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
}

TEST(FarAway, IsAllowedWhereItMovesNothing) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorTalk talk(simulation, 0);
  talk.import(nullptr, "", kNode,
              "DEF FAR Solid { name \"far\" translation 1e12 0 0 boundingObject Box { } }");
  talk.settle();
  EXPECT_EQ(simulation.solid_pose("far").translation.x, 1e12);
  simulation.step(5);
}

}  // namespace
}  // namespace servosim::test
