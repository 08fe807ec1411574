// SPDX-License-Identifier: Apache-2.0
// Sessions while the tree changes and while time is reset.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "controller_api/server/custom_data.h"
#include "controller_api/server/session.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

using Outcome = Session::Outcome;

std::string text(const std::string& motor, const std::string& name = "r",
                 const std::string& eye = "", const std::string& camera = "") {
  return R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name ")" +
         name + R"(" children [
  HingeJoint { jointParameters HingeJointParameters { }
    device [ RotationalMotor { name "m" )" +
         motor + R"( } PositionSensor { name "s" } ]
    endPoint Solid { name "e" } }
  DistanceSensor { name "eye" )" +
         eye + " }\n  Camera { name \"camera\" " + camera + " } ] }\n";
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
  void request_step(int duration_ms, const std::vector<DeviceCommand>& commands = {}) {
    encode_step(writer_, duration_ms);
    for (const DeviceCommand& command : commands) {
      encode_command(writer_, command);
    }
    EXPECT_EQ(session_.receive(writer_.bytes()), Outcome::Pending);
  }
  // Steps until the answer, and returns the number of steps.
  int finish() {
    int steps = 0;
    do {
      simulation_.step();
      ++steps;
    } while (!session_.after_step());
    Reader readings({});
    const SimulationReply reply = decode_reply(session_.reply(), readings);
    result_ = std::get<StepAnswer>(reply).result;
    readings_.clear();
    for (Reading reading; readings.left() > 0;) {
      EXPECT_TRUE(next_reading(readings, reading));
      readings_.push_back(reading);
    }
    return steps;
  }

  // Returns the only reading, which is about that device.
  WelcomeDevice only_setup(std::uint16_t tag) {
    WelcomeDevice setup;
    EXPECT_EQ(readings_.size(), 1u);
    EXPECT_TRUE(!readings_.empty() && readings_[0].tag == tag &&
                readings_[0].kind == ReadingKind::Setup && decode_setup(readings_[0].text, setup));
    return setup;
  }

  Simulation simulation_ = Simulation::from_text(text(""));
  Session session_{simulation_, 0};
  Writer writer_;
  int result_ = 0;
  std::vector<Reading> readings_;
};

TEST_F(SessionTree, TellsNewLimitsOnce) {
  request_step(8);
  WorldControl(simulation_).rebuild(tree(text("maxVelocity 3 minPosition -1 maxPosition 2")));
  finish();
  const WelcomeMotor motor = only_setup(1).motor;
  EXPECT_EQ(motor.min_position, -1.0);
  EXPECT_EQ(motor.max_position, 2.0);
  EXPECT_EQ(motor.max_velocity, 3.0);
  request_step(8);
  WorldControl(simulation_).rebuild(WorldInspector(simulation_).world_file());
  finish();
  EXPECT_TRUE(readings_.empty());
}

TEST_F(SessionTree, TellsWhenOnlyGainsOrTheAccelerationChange) {
  request_step(8);
  WorldControl(simulation_).rebuild(tree(text("acceleration 2.5")));
  finish();
  EXPECT_EQ(only_setup(1).motor.acceleration, 2.5);
  request_step(8);
  WorldControl(simulation_).rebuild(tree(text("acceleration 2.5 controlPID 7 1 0.5")));
  finish();
  EXPECT_EQ(only_setup(1).motor.pid, (std::array{7.0, 1.0, 0.5}));
  request_step(8);
  simulation_.robot(0).motor("m").set_acceleration(4.5);  // leaves the tree as it is
  finish();
  EXPECT_EQ(only_setup(1).motor.acceleration, 4.5);
}

TEST_F(SessionTree, TellsTheFieldsThatChangeAndNoOthers) {
  request_step(8);
  WorldControl(simulation_)
      .rebuild(tree(text("", "r", "lookupTable [ 0 5 0.5, 2 7 0 ] aperture 0.25")));
  finish();
  const std::vector<WelcomeField> fields = only_setup(3).fields;
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[0].name, "lookupTable");
  EXPECT_EQ(fields[0].numbers, (std::vector{0.0, 5.0, 0.5, 2.0, 7.0, 0.0}));
  EXPECT_EQ(fields[1].name, "aperture");
  EXPECT_EQ(fields[1].numbers, std::vector{0.25});
  request_step(8);
  WorldControl(simulation_).rebuild(WorldInspector(simulation_).world_file());
  finish();
  EXPECT_TRUE(readings_.empty());
}

TEST_F(SessionTree, TellsThatAFieldIsGone) {
  request_step(8);
  WorldControl(simulation_).rebuild(tree(text("", "r", "", "focus Focus { focalDistance 3 }")));
  finish();
  const std::vector<WelcomeField> come = only_setup(4).fields;
  ASSERT_FALSE(come.empty());
  EXPECT_EQ(come[0].name, "focus.focalDistance");
  EXPECT_EQ(come[0].numbers, std::vector{3.0});
  const std::size_t count = come.size();
  request_step(8);
  WorldControl(simulation_).rebuild(tree(text("")));
  finish();
  const std::vector<WelcomeField> gone = only_setup(4).fields;
  ASSERT_EQ(gone.size(), count);
  EXPECT_EQ(gone[0].name, "focus.focalDistance");
  EXPECT_TRUE(gone[0].numbers.empty());
}

TEST_F(SessionTree, EndsWithItsRobot) {
  request_step(80, {{2, CommandKind::Sampling, {}, 8, {}}});
  WorldControl(simulation_).rebuild(tree("#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n"));
  EXPECT_EQ(session_.robot(), -1);
  EXPECT_EQ(finish(), 1);
  EXPECT_EQ(result_, -1);
  encode_step(writer_, 8);
  encode_command(writer_, {1, CommandKind::Position, {0.5}, 0, {}});
  EXPECT_EQ(session_.receive(writer_.bytes()), Outcome::Answered);
}

TEST_F(SessionTree, ADurationGoesOnWhenTimeGoesBack) {
  request_step(8, {{2, CommandKind::Sampling, {}, 16, {}}});
  finish();
  for (int i = 0; i < 5; ++i) {
    request_step(8);
    finish();
  }
  request_step(24);
  WorldControl(simulation_).restart();
  session_.after_reset();
  EXPECT_EQ(finish(), 3);
  EXPECT_EQ(result_, 0);
  ASSERT_EQ(readings_.size(), 1u);  // the sensor goes on
  EXPECT_EQ(readings_[0].tag, 2);
}

using TimeStep = std::pair<double, int>;  // basicTimeStep and duration of a step [ms]

class ResetAfter : public testing::TestWithParam<TimeStep> {};

// The reset takes the place of one step, however many steps there were before.
TEST_P(ResetAfter, AnyNumberOfStepsTakesNoStepMore) {
  const double ms = GetParam().first;
  const int duration_ms = GetParam().second;
  Simulation simulation =
      Simulation::from_text(fmt::format("#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep {} }}\n"
                                        "Robot {{ }}\n",
                                        ms));
  Session session(simulation, 0);
  Writer writer;
  encode_hello(writer, Hello{});
  ASSERT_EQ(session.receive(writer.bytes()), Outcome::Answered);
  const auto request_step = [&] {
    encode_step(writer, duration_ms);
    return session.receive(writer.bytes());
  };
  // These are lengths of the episode. For most of them 1000 * (n * ms / 1000) is less than n * ms.
  for (const int length : {0, 7, 200, 202, 401, 405, 802, 1000, 1002, 1004}) {
    for (int step = 0; step < length; ++step) {
      ASSERT_EQ(request_step(), Outcome::Pending);
      simulation.step();
      ASSERT_TRUE(session.after_step());
    }
    ASSERT_EQ(request_step(), Outcome::Pending);
    simulation.step();
    WorldControl(simulation).restart();
    session.after_reset();
    ASSERT_TRUE(session.after_step()) << "after " << length << " steps";
    Reader readings({});
    const SimulationReply reply = decode_reply(session.reply(), readings);
    EXPECT_EQ(std::get<StepAnswer>(reply).time, ms / 1000.0);
    EXPECT_EQ(std::get<StepAnswer>(reply).result, 0);
  }
}
INSTANTIATE_TEST_SUITE_P(
    SessionTree, ResetAfter,
    testing::Values(TimeStep{5, 5}, TimeStep{10, 10}, TimeStep{16, 16}, TimeStep{33.3, 33}),
    [](const auto& test) {
      return "Of" + std::to_string(static_cast<int>(1000.0 * test.param.first)) + "Microseconds";
    });

// A clone has what a controller has written before the clone was made.
TEST(CustomDataOf, AClone) {
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { }\n"
      "Robot { name \"boss\" supervisor TRUE customData \"first\" }\n");
  CustomData(simulation, simulation.robot("boss"), {}).set("second");
  Simulation twin = simulation.clone();
  EXPECT_EQ(CustomData(twin, twin.robot("boss"), {}).text(), "second");
}

}  // namespace
}  // namespace servosim
