// SPDX-License-Identifier: Apache-2.0
// The simulation's end of the Supervisor functions, message by message.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "controller/session.h"
#include "unit/supervisor_talk.h"

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
using test::kString;
using test::kVec3f;
using test::Talk;

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
  Talk talk(simulation, 0);
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

TEST(SupervisorSession, APlaceIsSetWithoutMakingTheWorldAnew) {
  Simulation simulation = Simulation::from_text(kWorld);
  Talk talk(simulation, 0);
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
  Talk talk(simulation, 0);
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
  Talk talk(simulation, 0);
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
  Talk one(simulation, 0);
  Talk two(simulation, 1);
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

TEST(SupervisorSession, CustomDataIsTheRobotsAndTheSupervisors) {
  Simulation simulation = Simulation::from_text(kWorld);
  Talk talk(simulation, 0);
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
