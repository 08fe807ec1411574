// SPDX-License-Identifier: Apache-2.0
// The simulation's end of the Supervisor functions, message by message.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "controller/server/session.h"
#include "controller/server/supervisor/supervisor_talk.h"
#include "physics/bodies.h"
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
using test::SupervisorTalk;

double number(const Told& told, std::size_t i = 0) {
  std::vector<double> numbers(told.count());
  told.copy_to(numbers);
  return numbers.at(i);
}

TEST(SupervisorSession, AnswersNothingElseWhenARobotIsNoSupervisor) {
  Simulation simulation = Simulation::from_text(kWorld);
  Session session(simulation, 1);
  Writer writer;
  encode_hello(writer, {});
  session.receive(writer.bytes());
  encode_ask(writer, {});
  EXPECT_EQ(session.receive(writer.bytes()), Session::Outcome::Garbage);
}

TEST(SupervisorSession, ChangesReachTheWorldBeforeTheNextStepAndAtOnce) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorTalk talk(simulation, 0);
  const std::uint64_t version = simulation.tree_version();
  Ask mass = talk.field(AskKind::Set, "P", "mass", kFloat);
  mass.count = 1;
  for (const double value : {3.0, 4.0, 5.0}) {
    mass.numbers[0] = value;
    talk.ask(mass);
  }
  EXPECT_EQ(talk.failure(), "");
  EXPECT_EQ(simulation.tree_version(), version);  // not yet
  mass.kind = AskKind::Get;
  EXPECT_EQ(number(talk.ask(mass)), 5.0);
  EXPECT_EQ(simulation.tree_version(), version);  // still not
  Writer writer;
  encode_step(writer, 16);
  talk.session().receive(writer.bytes());
  EXPECT_EQ(simulation.tree_version(), version + 1);  // once for all three
}

// How many answers that are tracked come with a step.
int tracked_in_a_step(Simulation& simulation, Session& session) {
  Writer writer;
  encode_step(writer, 16);
  EXPECT_EQ(session.receive(writer.bytes()), Session::Outcome::Pending);
  simulation.step();
  EXPECT_TRUE(session.after_step());
  Reader readings({});
  EXPECT_TRUE(std::holds_alternative<Answer>(decode_reply(session.reply(), readings)));
  int count = 0;
  for (Reading reading; readings.left() > 0;) {
    EXPECT_TRUE(next_reading(readings, reading));
    count += reading.kind == ReadingKind::Tracked ? 1 : 0;
  }
  return count;
}

TEST(SupervisorSession, WhatIsTrackedComesWithTheStepsThatItIsDueIn) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorTalk talk(simulation, 0);
  Ask pose;
  pose.kind = AskKind::Pose;
  pose.node = talk.find("BALL");
  pose.slot = 3;
  pose.period_ms = 32;
  EXPECT_EQ(talk.ask(pose).count(), 16u);
  EXPECT_EQ(tracked_in_a_step(simulation, talk.session()), 0);
  EXPECT_EQ(tracked_in_a_step(simulation, talk.session()), 1);
  EXPECT_EQ(tracked_in_a_step(simulation, talk.session()), 0);
  Ask end;
  end.kind = AskKind::Untrack;
  end.index = 3;
  talk.ask(end);
  EXPECT_EQ(tracked_in_a_step(simulation, talk.session()), 0);
  pose.kind = AskKind::Remove;
  talk.ask(pose);
  EXPECT_EQ(talk.failure(), "this cannot be tracked.");
}

TEST(SupervisorSession, APlaceIsSetWithoutMakingTheWorldAnew) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorTalk talk(simulation, 0);
  const std::uint64_t version = simulation.tree_version();
  Ask place = talk.field(AskKind::Set, "BALL", "translation", kVec3f);
  place.count = 3;
  place.numbers = {7.0, 8.0, 9.0};
  talk.ask(place);
  EXPECT_EQ(simulation.solid_pose("solid").translation, (Vec3{7.0, 8.0, 9.0}));
  EXPECT_EQ(simulation.tree_version(), version);
}

TEST(SupervisorSession, RefusesNumbersThatAreNone) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorTalk talk(simulation, 0);
  Ask place = talk.field(AskKind::Set, "BALL", "translation", kVec3f);
  place.count = 3;
  place.numbers = {7.0, std::numeric_limits<double>::quiet_NaN(), 9.0};
  talk.ask(place);
  EXPECT_EQ(talk.failure(), "called with a NaN value.");
  place.numbers[1] = std::numeric_limits<double>::infinity();
  talk.ask(place);
  EXPECT_EQ(talk.failure(), "called with an infinite value.");
  EXPECT_EQ(simulation.solid_pose("solid").translation.x, 1.0);
}

TEST(SupervisorSession, EveryQuestionAboutAnythingHasAnAnswer) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorTalk talk(simulation, 0);
  for (int kind = 0; kind <= static_cast<int>(kLastAsk); ++kind) {
    for (const int node : {-1, 0, 1, talk.find("BALL"), 1 << 30}) {
      for (const int level : {0, 1, 255}) {
        for (const int index : {-1, 0, 77, std::numeric_limits<int>::min()}) {
          Ask question;
          question.kind = static_cast<AskKind>(kind);
          question.node = node;
          question.level = static_cast<std::uint8_t>(level);
          question.field = static_cast<std::uint16_t>(index);
          question.index = index;
          question.type = 9;
          question.text = index == 77 ? "Solid {" : "";
          if (question.kind != AskKind::Remove && question.kind != AskKind::RemoveItem) {
            talk.ask(question);
          }
        }
      }
    }
  }
  EXPECT_GT(talk.find("BALL"), 0);
}

TEST(SupervisorSession, TwoSupervisorsDoNotUndoEachOther) {
  std::string world = kWorld;
  world.replace(world.find("name \"other\""), 12, "name \"other\" supervisor TRUE");
  Simulation simulation = Simulation::from_text(world);
  SupervisorTalk one(simulation, 0);
  SupervisorTalk two(simulation, 1);
  Ask root;
  root.kind = AskKind::Import;
  root.node = 0;
  root.index = -1;
  root.text = "DEF A Solid { name \"a\" }";
  one.ask(root);
  root.text = "DEF B Solid { name \"b\" }";
  two.ask(root);
  EXPECT_NE(one.find("A"), two.find("B"));
  Ask place = one.field(AskKind::Get, "A", "translation", kVec3f);  // settles
  one.ask(place);
  EXPECT_EQ(one.failure(), "");
  place = two.field(AskKind::Get, "B", "translation", kVec3f);
  two.ask(place);
  EXPECT_EQ(two.failure(), "");
  EXPECT_GT(two.find("A"), 0);
  EXPECT_GT(one.find("B"), 0);
  EXPECT_EQ(simulation.solid_count(), 5);
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
  static void import(SupervisorTalk& talk, int index, const char* text) {
    Ask ask = talk.field(AskKind::Import, "LIST", "children", kNode);
    ask.index = index;
    ask.text = text;
    talk.ask(ask);
    EXPECT_EQ(talk.failure(), "");
  }
  static void friction(SupervisorTalk& talk, AskKind kind, int index, double value = 0.0) {
    Ask ask = talk.field(kind, "CONTACT", "coulombFriction", kFloat);
    ask.index = index;
    ask.count = 1;
    ask.numbers[0] = value;
    talk.ask(ask);
    EXPECT_EQ(talk.failure(), "");
  }
  void step(SupervisorTalk& talk) {
    Writer writer;
    encode_step(writer, 16);
    EXPECT_EQ(talk.session().receive(writer.bytes()), Session::Outcome::Pending);
    do {
      simulation_.step();
    } while (!talk.session().after_step());
  }
  std::string names() {
    std::string all;
    for (const wbt::NodePtr& node : simulation_.world_file()->nodes) {
      if (node->def == "LIST") {
        for (const wbt::NodePtr& child : node->nodes("children")) {
          all += child->def;
        }
      }
    }
    return all;
  }
  std::vector<double> frictions() {
    const wbt::NodePtr info = simulation_.world_file()->nodes.front();
    return info->nodes("contactProperties").front()->numbers("coulombFriction");
  }

  Simulation simulation_ = Simulation::from_text(world());
  SupervisorTalk one_{simulation_, 0};
  SupervisorTalk two_{simulation_, 1};
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
  Ask ask = one_.field(AskKind::RemoveItem, "LIST", "children", kNode);
  ask.index = 0;
  one_.ask(ask);
  ask.index = 1;  // C for the other one, B as it is now
  two_.ask(ask);
  import(two_, 2, "DEF X Solid { name \"x\" }");
  step(one_);
  EXPECT_EQ(names(), "BC");
  step(two_);
  EXPECT_EQ(names(), "CX");
  ask.index = -1;
  one_.ask(ask);
  two_.ask(ask);
  step(one_);
  step(two_);  // it is gone already
  EXPECT_EQ(names(), "C");
}

TEST_F(TwoSupervisors, ChangeItemsOfTheSameList) {
  friction(one_, AskKind::Set, 0, 10.0);
  friction(two_, AskKind::Set, 2, 30.0);
  friction(two_, AskKind::Insert, -1, 40.0);
  step(one_);
  step(two_);
  EXPECT_EQ(frictions(), (std::vector{10.0, 2.0, 30.0, 40.0}));
}

TEST_F(TwoSupervisors, AreToldWhenAnItemIsNoLongerThere) {
  friction(one_, AskKind::RemoveItem, 0);
  friction(one_, AskKind::RemoveItem, 0);
  friction(two_, AskKind::Set, 2, 30.0);
  Ask mass = two_.field(AskKind::Set, "P", "mass", kFloat);
  mass.count = 1;
  mass.numbers[0] = 7.0;
  two_.ask(mass);
  step(one_);
  Ask place;
  place.kind = AskKind::Pose;
  place.node = two_.find("BALL");
  two_.ask(place);  // the first question that needs the world
  EXPECT_EQ(two_.failure(),
            "a change is lost, as another one came first: called with an out-of-bound index: 2 "
            "(should be between -1 and 0).");
  EXPECT_EQ(frictions(), std::vector{3.0});
  EXPECT_EQ(simulation_.bodies()[0].mass.mass, 7.0);
  two_.ask(place);
  EXPECT_EQ(two_.failure(), "");
}

TEST(SupervisorSession, CustomDataIsTheRobotsAndTheSupervisors) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorTalk talk(simulation, 0);
  Session other(simulation, 1);
  Writer writer;
  encode_hello(writer, {});
  other.receive(writer.bytes());
  encode_step(writer, 0);
  encode_command(writer, {0, CommandKind::CustomData, {}, 0, "told"});
  other.receive(writer.bytes());
  Ask data = talk.field(AskKind::Get, "OTHER", "customData", kString);
  EXPECT_EQ(talk.ask(data).text, "told");
  data.kind = AskKind::Set;
  data.text = "answered";
  talk.ask(data);
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
