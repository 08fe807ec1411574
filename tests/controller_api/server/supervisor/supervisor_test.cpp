// SPDX-License-Identifier: Apache-2.0
// The simulation's side of the Supervisor functions, message by message.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "controller_api/server/session.h"
#include "controller_api/server/supervisor/supervisor_client.h"
#include "physics/mass.h"
#include "sim/world_inspector.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

constexpr const char* kWorld = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 16 }
DEF BOSS Robot { name "boss" supervisor TRUE controller "<none>" customData "b" }
DEF BALL Solid {
  translation 1 0 5
  boundingObject Sphere { radius 0.1 }
  physics DEF P Physics { density -1 mass 2 }
}
DEF OTHER Robot { translation 9 9 9 name "other" controller "<none>" customData "first" }
)";

using test::kFloat;
using test::kNode;
using test::kString;
using test::kVec3f;
using test::SupervisorClient;

double number(const SupervisorResponse& response, std::size_t i = 0) {
  std::vector<double> numbers(response.count());
  response.copy_to(numbers);
  return numbers.at(i);
}

TEST(SupervisorSession, AnswersNothingElseWhenARobotIsNoSupervisor) {
  Simulation simulation = Simulation::from_text(kWorld);
  Session session(simulation, 1);
  Writer writer;
  encode_hello(writer, {});
  session.receive(writer.bytes());
  encode_supervisor_request(writer, {});
  EXPECT_EQ(session.receive(writer.bytes()), Session::Outcome::Garbage);
}

TEST(SupervisorSession, ChangesReachTheWorldBeforeTheNextStepAndAtOnce) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorClient client(simulation, 0);
  const std::uint64_t version = WorldInspector(simulation).tree_version();
  SupervisorRequest mass = client.field(SupervisorRequestKind::Set, "P", "mass", kFloat);
  mass.count = 1;
  for (const double value : {3.0, 4.0, 5.0}) {
    mass.numbers[0] = value;
    client.call(mass);
  }
  EXPECT_EQ(client.failure(), "");
  EXPECT_EQ(WorldInspector(simulation).tree_version(), version);  // not yet
  mass.kind = SupervisorRequestKind::Get;
  EXPECT_EQ(number(client.call(mass)), 5.0);
  EXPECT_EQ(WorldInspector(simulation).tree_version(), version);  // still not
  Writer writer;
  encode_step(writer, 16);
  client.session().receive(writer.bytes());
  EXPECT_EQ(WorldInspector(simulation).tree_version(), version + 1);  // once for all three
}

// Returns how many tracked answers come with a step.
int tracked_in_a_step(Simulation& simulation, Session& session) {
  Writer writer;
  encode_step(writer, 16);
  EXPECT_EQ(session.receive(writer.bytes()), Session::Outcome::Pending);
  simulation.step();
  EXPECT_TRUE(session.after_step());
  Reader readings({});
  EXPECT_TRUE(std::holds_alternative<StepAnswer>(decode_reply(session.reply(), readings)));
  int count = 0;
  for (Reading reading; readings.left() > 0;) {
    EXPECT_TRUE(next_reading(readings, reading));
    count += reading.kind == ReadingKind::Tracked ? 1 : 0;
  }
  return count;
}

TEST(SupervisorSession, WhatIsTrackedComesWithTheStepsThatItIsDueIn) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorClient client(simulation, 0);
  SupervisorRequest pose;
  pose.kind = SupervisorRequestKind::Pose;
  pose.node = client.find("BALL");
  pose.slot = 3;
  pose.period_ms = 32;
  EXPECT_EQ(client.call(pose).count(), 16u);
  EXPECT_EQ(tracked_in_a_step(simulation, client.session()), 0);
  EXPECT_EQ(tracked_in_a_step(simulation, client.session()), 1);
  EXPECT_EQ(tracked_in_a_step(simulation, client.session()), 0);
  SupervisorRequest end;
  end.kind = SupervisorRequestKind::Untrack;
  end.index = 3;
  client.call(end);
  EXPECT_EQ(tracked_in_a_step(simulation, client.session()), 0);
  pose.kind = SupervisorRequestKind::Remove;
  client.call(pose);
  EXPECT_EQ(client.failure(), "this cannot be tracked.");
}

TEST(SupervisorSession, APlaceIsSetWithoutMakingTheWorldAnew) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorClient client(simulation, 0);
  const std::uint64_t version = WorldInspector(simulation).tree_version();
  SupervisorRequest place = client.field(SupervisorRequestKind::Set, "BALL", "translation", kVec3f);
  place.count = 3;
  place.numbers = {7.0, 8.0, 9.0};
  client.call(place);
  EXPECT_EQ(simulation.solid("solid").pose().translation, (Vec3{7.0, 8.0, 9.0}));
  EXPECT_EQ(WorldInspector(simulation).tree_version(), version);
}

TEST(SupervisorSession, RefusesNumbersThatAreNone) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorClient client(simulation, 0);
  SupervisorRequest place = client.field(SupervisorRequestKind::Set, "BALL", "translation", kVec3f);
  place.count = 3;
  place.numbers = {7.0, std::numeric_limits<double>::quiet_NaN(), 9.0};
  client.call(place);
  EXPECT_EQ(client.failure(), "called with a NaN value.");
  place.numbers[1] = std::numeric_limits<double>::infinity();
  client.call(place);
  EXPECT_EQ(client.failure(), "called with an infinite value.");
  EXPECT_EQ(simulation.solid("solid").pose().translation.x, 1.0);
}

TEST(SupervisorSession, EveryQuestionAboutAnythingHasAnAnswer) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorClient client(simulation, 0);
  for (int kind = 0; kind <= static_cast<int>(kLastSupervisorRequest); ++kind) {
    for (const int node : {-1, 0, 1, client.find("BALL"), 1 << 30}) {
      for (const int level : {0, 1, 255}) {
        for (const int index : {-1, 0, 77, std::numeric_limits<int>::min()}) {
          SupervisorRequest request;
          request.kind = static_cast<SupervisorRequestKind>(kind);
          request.node = node;
          request.level = static_cast<std::uint8_t>(level);
          request.field = static_cast<std::uint16_t>(index);
          request.index = index;
          request.type = 9;
          request.text = index == 77 ? "Solid {" : "";
          if (request.kind != SupervisorRequestKind::Remove &&
              request.kind != SupervisorRequestKind::RemoveItem) {
            client.call(request);
          }
        }
      }
    }
  }
  EXPECT_GT(client.find("BALL"), 0);
}

TEST(SupervisorSession, TwoSupervisorsDoNotUndoEachOther) {
  std::string world = kWorld;
  world.replace(world.find("name \"other\""), 12, "name \"other\" supervisor TRUE");
  Simulation simulation = Simulation::from_text(world);
  SupervisorClient one(simulation, 0);
  SupervisorClient two(simulation, 1);
  SupervisorRequest root;
  root.kind = SupervisorRequestKind::Import;
  root.node = 0;
  root.index = -1;
  root.text = "DEF A Solid { name \"a\" }";
  one.call(root);
  root.text = "DEF B Solid { name \"b\" }";
  two.call(root);
  EXPECT_NE(one.find("A"), two.find("B"));
  SupervisorRequest place =
      one.field(SupervisorRequestKind::Get, "A", "translation", kVec3f);  // settles
  one.call(place);
  EXPECT_EQ(one.failure(), "");
  place = two.field(SupervisorRequestKind::Get, "B", "translation", kVec3f);
  two.call(place);
  EXPECT_EQ(two.failure(), "");
  EXPECT_GT(two.find("A"), 0);
  EXPECT_GT(one.find("B"), 0);
  EXPECT_EQ(simulation.solids().size(), 5);
}

// Two supervisors, whose changes wait for the same step.
class TwoSupervisors : public testing::Test {
 protected:
  static std::string world() {
    std::string text = kWorld;
    text.replace(text.find("name \"other\""), 12, "name \"other\" supervisor TRUE");
    text.replace(text.find("basicTimeStep 16"), 16,
                 "basicTimeStep 16 contactProperties DEF CONTACT ContactProperties { "
                 "coulombFriction [ 1 2 3 ] }");
    return text +
           "DEF LIST Group { children [ DEF A Solid { name \"a\" } DEF B Solid { name \"b\" } DEF "
           "C Solid { name \"c\" } ] }\n";
  }
  static void import(SupervisorClient& client, int index, const char* text) {
    SupervisorRequest request =
        client.field(SupervisorRequestKind::Import, "LIST", "children", kNode);
    request.index = index;
    request.text = text;
    client.call(request);
    EXPECT_EQ(client.failure(), "");
  }
  static void friction(SupervisorClient& client, SupervisorRequestKind kind, int index,
                       double value = 0.0) {
    SupervisorRequest request = client.field(kind, "CONTACT", "coulombFriction", kFloat);
    request.index = index;
    request.count = 1;
    request.numbers[0] = value;
    client.call(request);
    EXPECT_EQ(client.failure(), "");
  }
  void step(SupervisorClient& client) {
    Writer writer;
    encode_step(writer, 16);
    EXPECT_EQ(client.session().receive(writer.bytes()), Session::Outcome::Pending);
    do {
      simulation_.step();
    } while (!client.session().after_step());
  }
  std::string names() {
    std::string all;
    for (const wbt::NodePtr& node : WorldInspector(simulation_).world_file()->nodes) {
      if (node->def == "LIST") {
        for (const wbt::NodePtr& child : node->nodes("children")) {
          all += child->def;
        }
      }
    }
    return all;
  }
  std::vector<double> frictions() {
    const wbt::NodePtr info = WorldInspector(simulation_).world_file()->nodes.front();
    return info->nodes("contactProperties").front()->numbers("coulombFriction");
  }

  Simulation simulation_ = Simulation::from_text(world());
  SupervisorClient one_{simulation_, 0};
  SupervisorClient two_{simulation_, 1};
};

TEST_F(TwoSupervisors, InsertIntoTheSameList) {
  import(one_, -1, "DEF X Solid { name \"x\" }");
  import(two_, 0, "DEF Y Solid { name \"y\" }");
  import(two_, -1, "DEF Z Solid { name \"z\" }");
  step(one_);
  EXPECT_EQ(names(), "ABCX");
  step(two_);
  EXPECT_EQ(names(), "YABCXZ");
}

TEST_F(TwoSupervisors, RemoveNodesAndNotPlaces) {
  SupervisorRequest request =
      one_.field(SupervisorRequestKind::RemoveItem, "LIST", "children", kNode);
  request.index = 0;
  one_.call(request);
  request.index = 1;  // B for this supervisor, but C for the other one, which has removed A
  two_.call(request);
  import(two_, 2, "DEF X Solid { name \"x\" }");
  step(one_);
  EXPECT_EQ(names(), "BC");
  step(two_);
  EXPECT_EQ(names(), "CX");
  request.index = -1;
  one_.call(request);
  two_.call(request);
  step(one_);
  step(two_);  // the node is gone already
  EXPECT_EQ(names(), "C");
}

TEST_F(TwoSupervisors, ChangeItemsOfTheSameList) {
  friction(one_, SupervisorRequestKind::Set, 0, 10.0);
  friction(two_, SupervisorRequestKind::Set, 2, 30.0);
  friction(two_, SupervisorRequestKind::Insert, -1, 40.0);
  step(one_);
  step(two_);
  EXPECT_EQ(frictions(), (std::vector{10.0, 2.0, 30.0, 40.0}));
}

TEST_F(TwoSupervisors, AreToldWhenAnItemIsNoLongerThere) {
  friction(one_, SupervisorRequestKind::RemoveItem, 0);
  friction(one_, SupervisorRequestKind::RemoveItem, 0);
  friction(two_, SupervisorRequestKind::Set, 2, 30.0);
  SupervisorRequest mass = two_.field(SupervisorRequestKind::Set, "P", "mass", kFloat);
  mass.count = 1;
  mass.numbers[0] = 7.0;
  two_.call(mass);
  step(one_);
  SupervisorRequest place;
  place.kind = SupervisorRequestKind::Pose;
  place.node = two_.find("BALL");
  two_.call(place);  // the first question that needs the world
  EXPECT_EQ(two_.failure(),
            "a change is lost, as another one came first: called with an out-of-bound index: 2 "
            "(should be between -1 and 0).");
  EXPECT_EQ(frictions(), std::vector{3.0});
  EXPECT_EQ(WorldInspector(simulation_).bodies()[0].mass.mass, 7.0);
  two_.call(place);
  EXPECT_EQ(two_.failure(), "");
}

TEST(SupervisorSession, CustomDataIsTheRobotsAndTheSupervisors) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorClient client(simulation, 0);
  Session other(simulation, 1);
  Writer writer;
  encode_hello(writer, {});
  other.receive(writer.bytes());
  encode_step(writer, 0);
  encode_command(writer, {0, CommandKind::CustomData, {}, 0, "told"});
  other.receive(writer.bytes());
  SupervisorRequest data = client.field(SupervisorRequestKind::Get, "OTHER", "customData", kString);
  EXPECT_EQ(client.call(data).text, "told");
  data.kind = SupervisorRequestKind::Set;
  data.text = "answered";
  client.call(data);
  encode_step(writer, 0);
  other.receive(writer.bytes());
  EXPECT_EQ(other.custom_data(), "answered");
  Reader readings({});
  decode_reply(other.reply(), readings);
  Reading reading;
  ASSERT_TRUE(next_reading(readings, reading));
  EXPECT_EQ(reading.kind, ReadingKind::CustomData);
  EXPECT_EQ(reading.text, "answered");
}

}  // namespace
}  // namespace servosim
