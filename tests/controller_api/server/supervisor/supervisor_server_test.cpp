// SPDX-License-Identifier: Apache-2.0
// Effects of a supervisor's changes on the world: exchanged parameters, states, pictures, distant
// poses.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "controller_api/server/supervisor/supervisor_client.h"
#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/node_states.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
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

// Returns the endpoint's place in the parent's frame, about the anchor. The endpoint is at 0.5 0 0
// when the position is 0.25.
Vec3 place_at(double angle) {
  return {0.5 * std::cos(angle - 0.25), 0.5 * std::sin(angle - 0.25), 0.0};
}

void expect_place(SupervisorClient& client, const Vec3& place, const char* when) {
  const std::vector<double> now = client.get("E", "translation", kVec3f);
  ASSERT_EQ(now.size(), 3u) << when;
  EXPECT_NEAR(norm(Vec3{now[0], now[1], now[2]} - place), 0.0, 1e-6) << when;
}

TEST(ExchangedParameters, PutTheEndpointAtTheirPosition) {
  for (const char* physics : {"", "physics Physics { density -1 mass 1 }"}) {
    Simulation simulation = Simulation::from_text(world(arm(physics)));
    SupervisorClient client(simulation, 0);
    simulation.joint(0).set_state(0.6);
    simulation.step();
    expect_place(client, place_at(0.6), physics);
    client.clear("J", "jointParameters", kNode);
    client.import("J", "jointParameters", kNode,
                  "DEF P HingeJointParameters { axis 0 0 1 position 1.0 }");
    EXPECT_EQ(client.failure(), "");
    EXPECT_NEAR(client.get("P", "position", kFloat).at(0), 1.0, 1e-9) << physics;
    expect_place(client, place_at(1.0), physics);
    simulation.step();
    EXPECT_NEAR(simulation.joint(0).position(), 1.0, 1e-6) << physics;
    expect_place(client, place_at(1.0), physics);
    // Later changes continue from this place.
    client.set("P", "dampingConstant", kFloat, {0.5});
    client.settle();
    expect_place(client, place_at(1.0), physics);
    EXPECT_NEAR(simulation.joint(0).position(), 1.0, 1e-6) << physics;
  }
}

TEST(JointPosition, IsClampedToTheHardStopsWithAWarning) {
  for (const char* physics : {"", "physics Physics { density -1 mass 1 }"}) {
    std::string text = arm(physics);
    text.insert(text.find("position 0.25"), "minStop -0.5 maxStop 1.5 ");
    Simulation simulation = Simulation::from_text(world(text));
    SupervisorClient client(simulation, 0);
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::SetJointPosition;
    request.node = client.find("J");
    request.index = 1;
    request.count = 1;
    const auto put = [&](double position) {
      request.numbers[0] = position;
      return std::string(client.call(request).text);
    };
    EXPECT_EQ(put(1.25), "");
    EXPECT_NEAR(simulation.joint(0).position(), 1.25, 1e-12) << physics;
    EXPECT_EQ(put(2.0), "warning: the joint's position 2 is above maxStop 1.5, which is used.");
    EXPECT_NEAR(simulation.joint(0).position(), 1.5, 1e-12) << physics;
    EXPECT_EQ(put(-7.0), "warning: the joint's position -7 is below minStop -0.5, which is used.");
    EXPECT_NEAR(simulation.joint(0).position(), -0.5, 1e-12) << physics;
  }
}

TEST(Velocity, OfASolidWithoutBodyIsThatOfWhatCarriesIt) {
  Simulation simulation = Simulation::from_text(world(
      R"(DEF CAR Solid { name "car" linearVelocity 1 2 0 angularVelocity 0 0 0.5 physics Physics { }
        boundingObject Box { size 1 1 1 } children [ DEF SEAT Solid { name "seat" translation 3 0 0
          children [ DEF LAMP Solid { name "lamp" } ] } ] }
      DEF HOUSE Solid { name "house" children [ DEF DOOR Solid { name "door" } ] })"));
  SupervisorClient client(simulation, 0);
  const auto velocity = [&](const char* def) {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::Velocity;
    request.node = client.find(def);
    std::vector<double> numbers(6);
    client.call(request).copy_to(numbers);
    return numbers;
  };
  EXPECT_EQ(velocity("CAR"), (std::vector<double>{1.0, 2.0, 0.0, 0.0, 0.0, 0.5}));
  EXPECT_EQ(velocity("SEAT"), velocity("CAR"));
  EXPECT_EQ(velocity("LAMP"), velocity("CAR"));
  EXPECT_EQ(velocity("DOOR"), std::vector<double>(6));
  // Half of its velocity is set. The other half stays as it is.
  client.set("SEAT", "linearVelocity", kVec3f, {0.0, 0.0, 4.0});
  EXPECT_EQ(velocity("SEAT"), (std::vector<double>{0.0, 0.0, 4.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(velocity("LAMP"), velocity("SEAT"));
}

TEST(ExchangedParameters, OfTheSamePositionBringBackWhatHasMoved) {
  Simulation simulation = Simulation::from_text(world(arm("")));
  SupervisorClient client(simulation, 0);
  simulation.joint(0).set_state(0.9);
  client.clear("J", "jointParameters", kNode);
  client.import("J", "jointParameters", kNode,
                "DEF P HingeJointParameters { axis 0 0 1 position 0.25 }");
  EXPECT_EQ(client.get("P", "position", kFloat).at(0), 0.25);
  expect_place(client, place_at(0.25), "");
}

TEST(ExchangedParameters, ThatAreTakenAwayLeaveTheJointWhereItIs) {
  Simulation simulation = Simulation::from_text(world(arm("")));
  SupervisorClient client(simulation, 0);
  simulation.joint(0).set_state(0.5);
  client.clear("J", "jointParameters", kNode);
  client.settle();
  EXPECT_EQ(client.failure(), "");
  EXPECT_EQ(simulation.joint(0).position(), 0.5);
}

TEST(ExchangedParameters, ThatAreRemovedAsANodeDoSoToo) {
  Simulation simulation = Simulation::from_text(world(arm("")));
  SupervisorClient client(simulation, 0);
  simulation.joint(0).set_state(0.5);
  client.remove("P");
  client.settle();
  EXPECT_EQ(client.failure(), "");
  EXPECT_EQ(simulation.joint(0).position(), 0.5);
}

TEST(ExchangedParameters, OfOneAxisKeepTheOther) {
  Simulation simulation = Simulation::from_text(
      world("Robot { name \"r\" controller \"<none>\" children DEF J Hinge2Joint { "
            "jointParameters HingeJointParameters { axis 0 0 1 } "
            "jointParameters2 DEF P JointParameters { axis 1 0 0 } "
            "endPoint DEF E Solid { name \"e\" translation 1 0 0 } } }\n"));
  SupervisorClient client(simulation, 0);
  simulation.joint(0).set_state(kQuarter);
  client.clear("J", "jointParameters2", kNode);
  client.import("J", "jointParameters2", kNode, "JointParameters { axis 1 0 0 position 0.5 }");
  client.settle();
  EXPECT_EQ(client.failure(), "");
  EXPECT_NEAR(simulation.joint(0).position(), kQuarter, 1e-12);
  EXPECT_NEAR(simulation.joint(1).position(), 0.5, 1e-12);
  expect_place(client, {0.0, 1.0, 0.0}, "");
}

constexpr const char* kThings =
    "DEF BALL Solid { name \"ball\" translation 0 0 5 boundingObject Sphere { radius 0.1 } "
    "physics Physics { density -1 mass 2 } }\n"
    "Robot { name \"second\" supervisor TRUE controller \"<none>\" }\n";

double height(const Simulation& simulation) {
  return simulation.solid("ball").pose().translation.z;
}

TEST(NodeStates, InitIsThatOfTheLoadedWorldForWhoeverComesLater) {
  Simulation simulation = Simulation::from_text(world(kThings));
  simulation.solid("ball").set_pose({{}, {0.0, 0.0, 9.0}});
  simulation.solid("ball").set_velocity({{1.0, 0.0, 0.0}, {}});
  simulation.step(10);
  SupervisorClient late(simulation, 0);
  late.state(SupervisorRequestKind::LoadState, "BALL", "__init__");
  EXPECT_EQ(late.failure(), "");
  EXPECT_EQ(simulation.solid("ball").pose().translation, (Vec3{0.0, 0.0, 5.0}));
  EXPECT_EQ(simulation.solid("ball").velocity().linear, Vec3{});
}

TEST(NodeStates, OutliveTheSupervisorAndAreEverybodys) {
  Simulation simulation = Simulation::from_text(world(kThings));
  const int ball = simulation.solid("ball").index();
  {
    SupervisorClient client(simulation, 0);
    simulation.solid(ball).set_pose({{}, {0.0, 0.0, 6.0}});
    client.state(SupervisorRequestKind::SaveState, "BALL", "six");
  }
  simulation.solid(ball).set_pose({{}, {0.0, 0.0, 7.0}});
  SupervisorClient again(simulation, 0);
  again.state(SupervisorRequestKind::LoadState, "BALL", "six");
  EXPECT_EQ(again.failure(), "");
  EXPECT_EQ(height(simulation), 6.0);
  simulation.solid(ball).set_pose({{}, {0.0, 0.0, 7.0}});
  again.import(nullptr, "", kNode, "DEF NEW Solid { name \"new\" translation 3 0 0 }");
  again.settle();
  SupervisorClient other(simulation, 1);
  other.state(SupervisorRequestKind::LoadState, "BALL", "six");
  EXPECT_EQ(height(simulation), 6.0);
  other.state(SupervisorRequestKind::LoadState, "BALL", "none");
  EXPECT_EQ(other.failure(), "the node has no state called 'none'.");
  Simulation twin = simulation.clone();
  twin.solid(ball).set_pose({{}, {0.0, 0.0, 8.0}});
  SupervisorClient of_twin(twin, 0);
  of_twin.state(SupervisorRequestKind::LoadState, "BALL", "six");
  EXPECT_EQ(height(twin), 6.0);
}

TEST(NodeStates, InitOfWhatCameLaterIsHowItCame) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorClient client(simulation, 0);
  client.import(nullptr, "", kNode, "DEF NEW Solid { name \"new\" translation 3 0 0 }");
  client.settle();
  simulation.solid("new").set_pose({{}, {4.0, 0.0, 0.0}});
  SupervisorClient other(simulation, 1);
  other.state(SupervisorRequestKind::LoadState, "NEW", "__init__");
  EXPECT_EQ(other.failure(), "");
  EXPECT_EQ(simulation.solid("new").pose().translation.x, 3.0);
}

TEST(NodeStates, OfWhatHasLeftAreForgottenUnlessItMayComeBack) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorClient client(simulation, 0);
  const std::size_t loaded = WorldControl(simulation).node_states().initial().solids.size();
  for (int i = 0; i < 3; ++i) {
    client.import(nullptr, "", kNode,
                  "DEF NEW Solid { name \"new\" children HingeJoint { endPoint Solid { } } }");
    client.state(SupervisorRequestKind::SaveState, "NEW", "mine");
    client.remove("NEW");
    client.settle();
  }
  EXPECT_EQ(client.failure(), "");
  EXPECT_EQ(WorldControl(simulation).node_states().initial().solids.size(), loaded);
  EXPECT_TRUE(WorldControl(simulation).node_states().initial().joints.empty());
  client.state(SupervisorRequestKind::SaveState, "BALL", "five");
  EXPECT_EQ(WorldControl(simulation).node_states().count(), 1u) << "that of BALL";
  client.remove("BALL");
  client.settle();
  simulation.reset();
  simulation.solid("ball").set_pose({{}, {0.0, 0.0, 9.0}});
  SupervisorClient again(simulation, 0);
  again.state(SupervisorRequestKind::LoadState, "BALL", "__init__");
  EXPECT_EQ(again.failure(), "");
  EXPECT_EQ(height(simulation), 5.0);
  again.state(SupervisorRequestKind::LoadState, "BALL", "five");
  EXPECT_EQ(again.failure(), "");
}

TEST(NodeStates, OfWhatComesBackWithASavedStateAreThoseOfThatMoment) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorClient client(simulation, 0);
  client.import(nullptr, "", kNode, "DEF NEW Solid { name \"new\" translation 3 0 0 }");
  client.settle();
  simulation.solid("new").set_pose({{}, {4.0, 0.0, 0.0}});
  const SimulationState with_it = simulation.save();
  client.remove("NEW");
  client.settle();
  simulation.restore(with_it);
  simulation.solid("new").set_pose({{}, {5.0, 0.0, 0.0}});
  client.state(SupervisorRequestKind::LoadState, "NEW", "__init__");
  EXPECT_EQ(client.failure(), "");
  EXPECT_EQ(simulation.solid("new").pose().translation.x, 4.0);
}

// A decoration or a Solid, at the top level or below, is imported and removed in every episode.
class Imported : public testing::TestWithParam<std::string> {};

TEST_P(Imported, IsForgottenWhenItLeaves) {
  Simulation simulation =
      Simulation::from_text(world(std::string(kThings) + "DEF STAND Solid { name \"stand\" }"));
  SupervisorClient client(simulation, 0);
  const auto known = [&] { return WorldInspector(simulation).world_file()->imported.size(); };
  for (const char* parent : {"", "STAND"}) {
    const bool at_top = *parent == '\0';
    for (int episode = 0; episode < 3; ++episode) {
      client.import(at_top ? nullptr : parent, at_top ? "" : "children", kNodes,
                    GetParam().c_str());
      client.settle();
      ASSERT_EQ(client.failure(), "");
      EXPECT_EQ(known(), 1u);
      client.state(SupervisorRequestKind::SaveState, "NEW", "mine");
      client.state(SupervisorRequestKind::SaveState, "BALL", "mine");
      EXPECT_EQ(WorldControl(simulation).node_states().count(), 2u);
      if (episode == 0) {
        WorldControl(simulation).restart();
      } else {
        client.remove("NEW");
        client.settle();
      }
      EXPECT_EQ(client.find("NEW"), kNoNode);
      EXPECT_EQ(known(), 0u);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(NodeStates, Imported,
                         testing::Values("DEF NEW Pose { children Pose { } }",
                                         "DEF NEW Solid { name \"new\" }"),
                         [](const auto& test) {
                           return test.param.find("Solid") != std::string::npos ? "Solid" : "Pose";
                         });

TEST(NodeStates, WhatWasRefusedIsNotKnownAsImported) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorClient client(simulation, 0);
  client.import(nullptr, "", kNode,
                "DEF NEW Solid { name \"new\" translation 1e10 0 0 boundingObject Box { } "
                "physics Physics { } }");
  client.settle();
  EXPECT_NE(client.failure(), "");
  EXPECT_TRUE(WorldInspector(simulation).world_file()->imported.empty());
}

TEST(NodeStates, AResetTakesOutWhatCameBackWithASavedState) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorClient client(simulation, 0);
  client.import(nullptr, "", kNode, "DEF NEW Solid { name \"new\" }");
  client.settle();
  const SimulationState with_it = simulation.save();
  client.remove("NEW");
  client.settle();
  simulation.restore(with_it);
  EXPECT_NE(client.find("NEW"), kNoNode);
  WorldControl(simulation).restart();
  EXPECT_EQ(client.find("NEW"), kNoNode);
}

// The motor of a Propeller has no joint in the scene.
TEST(NodeStates, APropellerIsAtRestAfterThem) {
  Simulation simulation = Simulation::from_text(world(
      "DEF DRONE Robot { name \"drone\" controller \"<none>\" children [ Propeller { "
      "thrustConstants 0.001 0 torqueConstants 0 0 device RotationalMotor { name \"rotor\" "
      "maxVelocity 100 maxTorque 1e6 } "
      "fastHelix Solid { } } ] boundingObject Box { } physics Physics { density -1 mass 2 } }"));
  SupervisorClient client(simulation, 0);
  Motor& rotor = simulation.robot("drone").motor("rotor");
  rotor.set_position(std::numeric_limits<double>::infinity());
  rotor.set_velocity(80.0);
  simulation.step(50);
  ASSERT_NEAR(simulation.propellers()[0].reading().thrust, 6.4, 1e-9);
  client.state(SupervisorRequestKind::SaveState, "DRONE", "mine");
  for (const char* name : {"__init__", "mine"}) {
    rotor.set_position(std::numeric_limits<double>::infinity());
    rotor.set_velocity(80.0);
    simulation.step(20);
    ASSERT_NEAR(simulation.propellers()[0].reading().thrust, 6.4, 1e-9);
    client.state(SupervisorRequestKind::LoadState, "DRONE", name);
    ASSERT_EQ(client.failure(), "");
    for (int i = 0; i < 20; ++i) {
      simulation.step();
      EXPECT_EQ(simulation.propellers()[0].reading().thrust, 0.0);
    }
  }
}

// Controllers refer to nodes by number.
TEST(NodeNumbers, AreGivenOnceWhoeverAsksAndAlsoAfterAReset) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorClient one(simulation, 0);
  SupervisorClient two(simulation, 1);
  std::vector<int> numbers;
  for (SupervisorClient* client : {&one, &two, &two, &one}) {
    client->import(nullptr, "", kNode, "DEF NEW Solid { name \"new\" }");
    client->settle();
    numbers.push_back(client->find("NEW"));
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
  // Returns how many rebuilds the requests have caused.
  std::uint64_t rebuilds() {
    client_.settle();
    EXPECT_EQ(client_.failure(), "");
    const std::uint64_t before = version_;
    version_ = WorldInspector(simulation_).tree_version();
    return version_ - before;
  }

  Simulation simulation_ = Simulation::from_text(world(kPictures));
  SupervisorClient client_{simulation_, 0};
  std::uint64_t version_ = WorldInspector(simulation_).tree_version();
};

TEST_F(Pictures, ChangeWithoutMakingTheWorldAnew) {
  client_.set("MARK", "translation", kVec3f, {1.0, 2.0, 3.0});
  client_.set("MARK", "rotation", kRotation, {0.0, 0.0, 1.0, 1.0});
  client_.set("A", "baseColor", kColor, {1.0, 0.0, 0.0});
  client_.set("G", "size", kVec3f, {3.0, 3.0, 3.0});
  client_.set("LIGHT", "location", kVec3f, {3.0, 3.0, 3.0});
  EXPECT_EQ(rebuilds(), 0u);
  EXPECT_EQ(client_.get("MARK", "translation", kVec3f), (std::vector<double>{1.0, 2.0, 3.0}));
  client_.clear("S", "geometry", kNode);
  client_.import("S", "geometry", kNode, "DEF G Sphere { radius 2 }");
  client_.import(nullptr, "", kNode, "DEF NEW Pose { children Shape { geometry Cone { } } }");
  client_.import("GROUP", "children", kNodes, "Shape { }");
  client_.import("BODY", "children", kNodes, "DEF MORE Pose { children [ Shape { } ] }");
  client_.remove("SHOWN");
  EXPECT_EQ(rebuilds(), 0u);
  EXPECT_EQ(client_.get("G", "radius", kFloat).at(0), 2.0);
  EXPECT_GT(client_.find("NEW"), 0);
  EXPECT_GT(client_.find("MORE"), 0);
  EXPECT_LT(client_.find("SHOWN"), 0);
}

TEST_F(Pictures, ThatCarryOrTouchSomethingMakeItAnew) {
  client_.set("IN", "translation", kVec3f, {1.0, 0.0, 0.0});
  EXPECT_EQ(rebuilds(), 1u);
  EXPECT_EQ(simulation_.solid("inside").pose().translation.x, 1.0);
  client_.set("BOX", "size", kVec3f, {3.0, 3.0, 3.0});
  EXPECT_EQ(rebuilds(), 1u);
  client_.set("B", "translation", kVec3f, {0.0, 0.0, 1.0});
  EXPECT_EQ(rebuilds(), 1u);
  client_.import("MARK", "children", kNodes, "Solid { name \"on mark\" translation 5 0 0 }");
  EXPECT_EQ(rebuilds(), 1u);
  EXPECT_EQ(simulation_.solid("on mark").pose().translation.x, 5.0);
  client_.remove("B");
  EXPECT_EQ(rebuilds(), 1u);
}

TEST_F(Pictures, LightsCountForThoseWhoMeasureThem) {
  client_.import("BODY", "children", kNodes, "Robot { name \"eye\" children LightSensor { } }");
  EXPECT_EQ(rebuilds(), 1u);
  client_.set("LIGHT", "location", kVec3f, {3.0, 3.0, 3.0});
  EXPECT_EQ(rebuilds(), 1u);
  EXPECT_EQ(WorldInspector(simulation_).scene().world.lights.at(0).location, (Vec3{3.0, 3.0, 3.0}));
}

TEST_F(Pictures, CountForInfraRedSensors) {
  client_.import("BODY", "children", kNodes,
                 "Robot { name \"eye\" children DistanceSensor { type \"infra-red\" } }");
  EXPECT_EQ(rebuilds(), 1u);
  const auto seen = [this]() -> const VisibleShape& {
    return WorldInspector(simulation_).scene().visible_shapes.at(0);
  };
  client_.set("A", "baseColor", kColor, {0.25, 1.0, 1.0});
  EXPECT_EQ(rebuilds(), 1u);
  EXPECT_NEAR(seen().surface->reflection_at({0.5, 0.5}), 0.4, 1e-12);
  client_.set("G", "size", kVec3f, {3.0, 4.0, 5.0});
  EXPECT_EQ(rebuilds(), 1u);
  EXPECT_EQ(seen().shape.size, (Vec3{3.0, 4.0, 5.0}));
  client_.set("A", "emissiveColor", kColor, {1.0, 0.0, 0.0});
  EXPECT_EQ(rebuilds(), 0u) << "nobody sees it";
}

TEST_F(Pictures, CountForCameras) {
  client_.import("BODY", "children", kNodes, "Robot { name \"eye\" children Camera { } }");
  EXPECT_EQ(rebuilds(), 1u);
  client_.set("A", "emissiveColor", kColor, {1.0, 0.0, 0.0});
  EXPECT_EQ(rebuilds(), 1u);
  client_.set("LIGHT", "location", kVec3f, {3.0, 3.0, 3.0});
  EXPECT_EQ(rebuilds(), 1u);
  client_.set("MARK", "translation", kVec3f, {1.0, 2.0, 3.0});
  EXPECT_EQ(rebuilds(), 1u);
}

TEST(FarAway, IsRefusedAndTheWorldGoesOn) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorClient client(simulation, 0);
  Simulation twin = simulation.clone();
  client.import(nullptr, "", kNode,
                "DEF FAR Solid { name \"far\" translation 1e12 0 0 boundingObject Box { } physics "
                "Physics { } }");
  EXPECT_EQ(client.failure(), "");  // the world is rebuilt later
  client.get("BALL", "translation", kVec3f);
  EXPECT_NE(client.failure().find("they are undone"), std::string::npos) << client.failure();
  EXPECT_NE(client.failure().find("Solid \"far\" is too far away"), std::string::npos)
      << client.failure();
  EXPECT_LT(client.find("FAR"), 0);
  simulation.step(5);
  twin.step(5);
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
}

TEST(FarAway, IsAllowedWhereItMovesNothing) {
  Simulation simulation = Simulation::from_text(world(kThings));
  SupervisorClient client(simulation, 0);
  client.import(nullptr, "", kNode,
                "DEF FAR Solid { name \"far\" translation 1e12 0 0 boundingObject Box { } }");
  client.settle();
  EXPECT_EQ(simulation.solid("far").pose().translation.x, 1e12);
  simulation.step(5);
}

}  // namespace
}  // namespace servosim::test
