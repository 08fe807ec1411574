// SPDX-License-Identifier: Apache-2.0
// Sessions while the tree changes and time goes back.
#include <gtest/gtest.h>

#include "controller/session.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

using Outcome = Session::Outcome;

std::string text(const std::string& motor, const std::string& name = "r") {
  return R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name ")" +
         name + R"(" children HingeJoint { jointParameters HingeJointParameters { }
  device [ RotationalMotor { name "m" )" +
         motor + R"( } PositionSensor { name "s" } ]
  endPoint Solid { name "e" } } }
)";
}

std::shared_ptr<const wbt::WorldFile> tree(const std::string& world) {
  Diagnostics diagnostics;
  return std::make_shared<const wbt::WorldFile>(
      wbt::read_world_text(world, "world", ".", {}, diagnostics));
}

class SessionTree : public testing::Test {
 protected:
  SessionTree() {
    encode_hello(writer_, Hello{});
    EXPECT_EQ(session_.receive(writer_.bytes()), Outcome::Answered);
  }
  void ask(int duration_ms, const std::vector<Command>& commands = {}) {
    encode_step(writer_, duration_ms);
    for (const Command& command : commands) {
      encode_command(writer_, command);
    }
    EXPECT_EQ(session_.receive(writer_.bytes()), Outcome::Pending);
  }
  // Steps until the answer; how many it took.
  int finish() {
    int steps = 0;
    do {
      simulation_.step();
      ++steps;
    } while (!session_.after_step());
    Reader readings({});
    const Reply reply = decode_reply(session_.reply(), readings);
    result_ = std::get<Answer>(reply).result;
    readings_.clear();
    for (Reading reading; readings.left() > 0;) {
      EXPECT_TRUE(next_reading(readings, reading));
      readings_.push_back(reading);
    }
    return steps;
  }

  Simulation simulation_ = Simulation::from_text(text(""));
  Session session_{simulation_, 0};
  Writer writer_;
  int result_ = 0;
  std::vector<Reading> readings_;
};

TEST_F(SessionTree, TellsNewLimitsOnce) {
  ask(8);
  simulation_.rebuild(tree(text("maxVelocity 3 minPosition -1 maxPosition 2")));
  finish();
  ASSERT_EQ(readings_.size(), 2u);
  EXPECT_EQ(readings_[0].kind, ReadingKind::MotorSetup);
  EXPECT_EQ(readings_[1].kind, ReadingKind::MotorLimits);
  EXPECT_EQ(readings_[1].tag, 1);
  EXPECT_EQ(readings_[1].count, 5);
  EXPECT_EQ(readings_[1].numbers[0], -1.0);
  EXPECT_EQ(readings_[1].numbers[1], 2.0);
  EXPECT_EQ(readings_[1].numbers[2], 3.0);
  ask(8);
  simulation_.rebuild(simulation_.world_file());
  finish();
  EXPECT_TRUE(readings_.empty());
}

TEST_F(SessionTree, EndsWithItsRobot) {
  ask(80, {{2, CommandKind::Sampling, {}, 8, {}}});
  simulation_.rebuild(tree("#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n"));
  EXPECT_EQ(session_.robot(), -1);
  EXPECT_EQ(finish(), 1);
  EXPECT_EQ(result_, -1);
  encode_step(writer_, 8);
  encode_command(writer_, {1, CommandKind::Position, {0.5}, 0, {}});
  EXPECT_EQ(session_.receive(writer_.bytes()), Outcome::Answered);
}

TEST_F(SessionTree, ADurationGoesOnWhenTimeGoesBack) {
  ask(8, {{2, CommandKind::Sampling, {}, 16, {}}});
  finish();
  for (int i = 0; i < 5; ++i) {
    ask(8);
    finish();
  }
  ask(24);
  simulation_.restart();
  session_.after_reset();
  EXPECT_EQ(finish(), 3);
  EXPECT_EQ(result_, 0);
  ASSERT_EQ(readings_.size(), 1u);  // the sensor goes on
  EXPECT_EQ(readings_[0].tag, 2);
}

}  // namespace
}  // namespace servosim
