// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/client.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/controller.h"
#include "support/worlds.h"

namespace servosim {
namespace controller_client_test {

/// Returns answers that a test has prepared, and stores what was sent.
class ScriptedLink : public Link {
 public:
  bool send(Bytes message) noexcept override {
    sent.assign(message.begin(), message.end());
    return alive;
  }
  Bytes receive() noexcept override { return answer.bytes(); }

  std::vector<std::byte> sent;
  Writer answer;
  bool alive = true;
};

/// A client whose robot has two motors.
struct Scripted {
  explicit Scripted(bool synchronization = true) {
    auto owned = std::make_unique<ScriptedLink>();
    link = owned.get();
    Welcome welcome;
    welcome.robot_name = "scripted";
    welcome.basic_time_step_ms = 20.0;
    welcome.synchronization = synchronization;
    for (const char* name : {"a", "b"}) {
      WelcomeDevice device;
      device.name = name;
      device.node_type = "RotationalMotor";
      device.has_motor = true;
      device.motor.max_force = 8.5;
      device.motor.available_force = 8.5;
      welcome.devices.push_back(device);
    }
    encode_welcome(link->answer, welcome);
    client = std::make_unique<ControllerClient>(std::move(owned));
    lock = ControllerClient::Lock(client->mutex());
    encode_answer(link->answer, {0, 0.02});
  }

  std::vector<DeviceCommand> sent() {
    std::vector<DeviceCommand> commands;
    const Request request = decode_request(link->sent, commands);
    EXPECT_TRUE(std::holds_alternative<StepRequest>(request));
    return commands;
  }

  /// Returns the question that was sent last, or nothing if none was sent.
  std::optional<SupervisorRequest> asked() {
    std::vector<DeviceCommand> commands;
    if (link->sent.empty()) {
      return std::nullopt;
    }
    const Request request = decode_request(std::exchange(link->sent, {}), commands);
    EXPECT_TRUE(std::holds_alternative<SupervisorRequest>(request));
    return std::get<SupervisorRequest>(request);
  }

  ScriptedLink* link;
  std::unique_ptr<ControllerClient> client;
  ControllerClient::Lock lock;
};

SupervisorRequest pose_of(int node) {
  SupervisorRequest pose;
  pose.kind = SupervisorRequestKind::Pose;
  pose.node = node;
  return pose;
}

SupervisorResponse height(double z) {
  static std::array<double, 1> number;
  number[0] = z;
  SupervisorResponse response;
  response.numbers = std::as_bytes(std::span<const double>(number));
  return response;
}

double height_of(const SupervisorResponse& response) {
  std::array<double, 1> number{};
  response.copy_to(number);
  return number[0];
}

// A read of values that come with the steps sends nothing until the value may have changed.
TEST(ControllerClient, AsksNothingForWhatIsTracked) {
  Scripted s;
  const SupervisorRequest pose = pose_of(7);
  const TrackedAnswers::User user{&pose, nullptr};
  encode_supervisor_response(s.link->answer, height(2.5));
  EXPECT_EQ(height_of(s.client->track(s.lock, pose, 20, user)), 2.5);
  s.link->sent.clear();
  EXPECT_EQ(height_of(s.client->call(s.lock, pose)), 2.5);
  EXPECT_TRUE(s.link->sent.empty());

  Writer text;
  encode_supervisor_response_body(text, height(3.5));
  encode_answer(s.link->answer, {0, 0.04});
  encode_reading(s.link->answer, {1, ReadingKind::Tracked, {}, 0, as_text(text.bytes())});
  EXPECT_EQ(s.client->step(s.lock, 20), 0);
  s.link->sent.clear();
  EXPECT_EQ(height_of(s.client->call(s.lock, pose)), 3.5);
  EXPECT_TRUE(s.link->sent.empty());

  encode_answer(s.link->answer, {0, 0.06});  // the period is not over in this step
  EXPECT_EQ(s.client->step(s.lock, 20), 0);
  encode_supervisor_response(s.link->answer, height(4.5));
  EXPECT_EQ(height_of(s.client->call(s.lock, pose)), 4.5);
  s.link->sent.clear();
  s.client->untrack(s.lock, pose, user);
  const auto end = s.asked();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, SupervisorRequestKind::Untrack);
  EXPECT_EQ(end->index, 1);
}

// A user that asks twice, is refused, or stops what it has not started counts as often as it
// tracks.
TEST(ControllerClient, TracksUntilItsLastUserStops) {
  Scripted s;
  const SupervisorRequest pose = pose_of(7);
  const TrackedAnswers::User first{&s, nullptr};
  const TrackedAnswers::User second{&s, &pose};
  encode_supervisor_response(s.link->answer, height(2.5));
  s.client->track(s.lock, pose, 20, first);
  s.client->track(s.lock, pose, 40, first);
  s.client->track(s.lock, pose, 20, second);
  encode_failure(s.link->answer, "gone");
  EXPECT_THROW(s.client->track(s.lock, pose_of(8), 20, second), CallError);
  EXPECT_THROW(s.client->track(s.lock, pose, 60, first), CallError);
  s.link->sent.clear();
  encode_supervisor_response(s.link->answer, {});
  s.client->untrack(s.lock, pose_of(8), second);
  s.client->untrack(s.lock, pose, first);
  s.client->untrack(s.lock, pose, first);
  EXPECT_FALSE(s.asked()) << "the other one still wants it";

  s.client->begin_step(s.lock, 20);
  s.link->sent.clear();
  EXPECT_THROW(s.client->untrack(s.lock, pose, second), CallError) << "within a step";
  encode_answer(s.link->answer, {0, 0.04});
  s.client->end_step(s.lock);
  encode_supervisor_response(s.link->answer, {});
  s.client->untrack(s.lock, pose, second);
  const auto end = s.asked();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, SupervisorRequestKind::Untrack);
  s.client->untrack(s.lock, pose, second);
  EXPECT_FALSE(s.asked());
}

// The world of such a robot goes on between its steps.
TEST(ControllerClient, AlwaysAsksForARobotThatIsNotSynchronous) {
  Scripted s(false);
  const SupervisorRequest pose = pose_of(7);
  encode_supervisor_response(s.link->answer, height(2.5));
  EXPECT_EQ(height_of(s.client->track(s.lock, pose, 20, {&pose, nullptr})), 2.5);
  EXPECT_EQ(s.asked()->slot, 0) << "nothing comes with its steps that nobody reads";
  encode_supervisor_response(s.link->answer, height(3.5));
  EXPECT_EQ(height_of(s.client->call(s.lock, pose)), 3.5);
  s.link->sent.clear();
  s.client->untrack(s.lock, pose, {&pose, nullptr});
  EXPECT_FALSE(s.asked());
}

TEST(ControllerClient, SendsWhatIsMarkedOnceInAFixedOrder) {
  Scripted s;
  ClientDevice& a = s.client->devices().motor(1);
  ClientDevice& b = s.client->devices().motor(2);
  b.motor.position = 0.5;
  ControllerClient::request(b, CommandKind::Position);
  a.motor.pid = {4.5, 0.5, 0.25};
  ControllerClient::request(a, CommandKind::ControlPid);
  a.motor.force = 2.5;
  ControllerClient::request(a, CommandKind::Force);
  a.motor.position = 1.5;
  ControllerClient::request(a, CommandKind::Position);
  a.motor.position = 1.75;
  ControllerClient::request(a, CommandKind::Position);
  s.client->robot().custom_data = "data";
  s.client->request(CommandKind::CustomData);
  EXPECT_EQ(s.client->step(s.lock, 20), 0);
  const std::vector<DeviceCommand> sent = s.sent();
  ASSERT_EQ(sent.size(), 5u);
  EXPECT_EQ(sent[0].kind, CommandKind::CustomData);
  EXPECT_EQ(sent[1].kind, CommandKind::Position);
  EXPECT_EQ(sent[1].numbers[0], 1.75);
  EXPECT_EQ(sent[2].kind, CommandKind::Force);
  EXPECT_EQ(sent[3].kind, CommandKind::ControlPid);
  EXPECT_EQ(sent[4].tag, 2);
  EXPECT_EQ(sent[4].numbers[0], 0.5);
  s.client->step(s.lock, 20);
  EXPECT_TRUE(s.sent().empty());
}

TEST(ControllerClient, SharesWhatACoupledMotorIsTold) {
  Simulation simulation = test::load(R"(#VRML_SIM R2023b utf8
Robot { name "r" children [
  HingeJoint { device RotationalMotor { name "g::a" multiplier 2 maxVelocity 20 } }
  HingeJoint { device RotationalMotor { name "alone" } }
  HingeJoint { device RotationalMotor { name "g::b" multiplier -0.5 maxVelocity 5 } } ] })");
  Session session(simulation, 0);
  ControllerClient client(std::make_unique<test::DirectLink>(simulation, session));
  ControllerClient::Lock lock(client.mutex());
  ClientDevice& a = client.devices().motor(1);
  ClientDevice& alone = client.devices().motor(2);
  ClientDevice& b = client.devices().motor(3);
  EXPECT_EQ(a.motor.coupling, b.motor.coupling);
  EXPECT_EQ(alone.motor.coupling, 0);

  b.motor.position = 0.5;
  ControllerClient::request(b, CommandKind::Position);
  a.motor.position = 0.75;
  ControllerClient::request(a, CommandKind::Position);
  client.devices().share(a, CommandKind::Position, 0.75);
  EXPECT_EQ(a.motor.position, 0.75) << "raw";
  EXPECT_EQ(b.motor.position, -0.375);
  EXPECT_EQ(alone.motor.position, 0.0);
  client.step(lock, 32);
  // The older value for b was not sent after the newer one.
  EXPECT_EQ(simulation.robot(0).motor("g::a").targets().position, 1.5);
  EXPECT_EQ(simulation.robot(0).motor("g::b").targets().position, -0.375);

  client.devices().share(b, CommandKind::Velocity, 3.0);
  EXPECT_EQ(a.motor.velocity, 6.0);
  client.devices().share(b, CommandKind::Force, -2.5);
  EXPECT_EQ(a.motor.force, -5.0);
  client.devices().share(b, CommandKind::Position, -INFINITY);
  EXPECT_EQ(a.motor.position, -INFINITY);
  EXPECT_EQ(a.motor.velocity, 6.0);
}

TEST(ControllerClient, IgnoresReadingsOfDevicesItDoesNotHave) {
  Scripted s;
  encode_answer(s.link->answer, {0, 0.04});
  for (const std::uint16_t tag : {0, 3, 65535}) {
    encode_reading(s.link->answer, {tag, ReadingKind::Sample, {0.25}});
    encode_reading(s.link->answer, {tag, ReadingKind::Setup, {}, 0, "nothing"});
  }
  encode_reading(s.link->answer, {2, ReadingKind::Sample, {0.75}});
  EXPECT_EQ(s.client->step(s.lock, 20), 0);
  EXPECT_EQ(s.client->devices().motor(2).values[0], 0.75);
  EXPECT_EQ(s.client->robot().time, 0.04);
}

TEST(ControllerClient, TakesASetupButNotForWhatWasSetSince) {
  Scripted s;
  ClientDevice& a = s.client->devices().motor(1);
  a.motor.position = 0.5;
  ControllerClient::request(a, CommandKind::Position);
  s.client->begin_step(s.lock, 20);
  a.motor.acceleration = 2.5;
  ControllerClient::request(a, CommandKind::Acceleration);
  a.setting("range") = 4.0;
  ControllerClient::request(a, CommandKind::Range);
  WelcomeDevice now;
  now.has_motor = true;
  now.motor.max_velocity = 6.0;
  now.motor.max_force = now.motor.available_force = 9.5;
  now.motor.position = 0.25;
  now.motor.acceleration = 7.0;
  now.fields = {{"range", "", {1.5}}, {"lookupTable", "", {1.0, 2.0, 3.0}}, {"type", "laser", {}}};
  Writer setup;
  encode_setup(setup, now);
  encode_reading(s.link->answer, {1, ReadingKind::Setup, {}, 0, as_text(setup.bytes())});
  s.client->end_step(s.lock);
  EXPECT_EQ(a.motor.max_velocity, 6.0);
  EXPECT_EQ(a.motor.available_force, 9.5) << "all there is, as before";
  EXPECT_EQ(a.motor.position, 0.25);
  EXPECT_EQ(a.motor.acceleration, 2.5);
  EXPECT_EQ(a.number("range"), 4.0);
  EXPECT_EQ(a.field("lookupTable").numbers, (std::vector{1.0, 2.0, 3.0}));
  EXPECT_EQ(a.field("type").text, "laser");
}

// Steps as a function of the C API does: what ends a process sets the exit status here.
int step_as_in_c(Scripted& s) {
  try {
    return s.client->step(s.lock, 20);
  } catch (const Ending& ending) {
    conclude(ending);
    return 0;
  }
}

TEST(ControllerClient, ALostSimulatorIsTheEnd) {
  Scripted s;
  s.link->answer.clear();
  testing::internal::CaptureStderr();
  EXPECT_EQ(s.client->step(s.lock, 20), -1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "Warning: the simulator is gone.\n");
  EXPECT_EXIT(step_as_in_c(s), testing::ExitedWithCode(0), "");

  Scripted dead;
  dead.link->alive = false;
  testing::internal::CaptureStderr();
  EXPECT_EQ(dead.client->step(dead.lock, 20), -1);
  testing::internal::GetCapturedStderr();
}

TEST(ControllerClient, TheEndIsToldOnceEvenIfAFlushLearnedIt) {
  Scripted s;
  encode_answer(s.link->answer, {-1, 0.04});
  s.client->flush(s.lock);
  EXPECT_EQ(s.client->step(s.lock, 20), -1);
  EXPECT_EXIT(step_as_in_c(s), testing::ExitedWithCode(0), "");
}

TEST(ControllerClient, AFailureEndsTheProcess) {
  Scripted s;
  encode_failure(s.link->answer, "the simulation diverged at 3 s");
  EXPECT_EXIT(step_as_in_c(s), testing::ExitedWithCode(1), "Error: the simulation diverged at 3 s");
}

/// The client throws endings instead of exiting, as in Python.
class ReportedEndings : public testing::Test {
 protected:
  ReportedEndings() {
    texts.clear();
    servosim_report_endings(&take);
  }
  ~ReportedEndings() override { servosim_report_endings(nullptr); }

  static void take(int kind, const char* why) { texts.push_back(std::to_string(kind) + ' ' + why); }

  static inline std::vector<std::string> texts;
};

const std::string kLost =
    "4 the connection of robot \"scripted\" to its simulator is lost after 0.040 s of simulated "
    "time.";

TEST_F(ReportedEndings, ALostSimulatorIsReportedByEachCallThatNeedsIt) {
  Scripted s;
  encode_answer(s.link->answer, {0, 0.04});
  EXPECT_EQ(step_as_in_c(s), 0);
  s.link->answer.clear();
  step_as_in_c(s);
  step_as_in_c(s);
  EXPECT_EQ(texts, (std::vector{kLost, kLost}));
  EXPECT_THROW(s.client->urdf(s.lock, ""), Ending);
  EXPECT_THROW(s.client->call(s.lock, SupervisorRequest{}), Ending);
  EXPECT_THROW(s.client->flush(s.lock), Ending);
  s.client->leave(s.lock);
  EXPECT_TRUE(s.client->left());
}

TEST_F(ReportedEndings, ASupervisorLearnsOfALostSimulator) {
  Scripted s;
  s.link->alive = false;
  EXPECT_THROW(s.client->call(s.lock, SupervisorRequest{}), Ending);
  EXPECT_THROW(s.client->step(s.lock, 20), Ending);
}

TEST_F(ReportedEndings, AStepAfterTheLastOneIsReportedWithoutAText) {
  Scripted s;
  encode_answer(s.link->answer, {-1, 0.04});
  EXPECT_EQ(step_as_in_c(s), -1);
  step_as_in_c(s);
  EXPECT_EQ(texts, (std::vector<std::string>{"0 "}));
}

TEST_F(ReportedEndings, AFailureIsReportedAndItsTextIsFitForATerminal) {
  Scripted s;
  encode_failure(s.link->answer, "the simulation\x1b[2J diverged at 3 s");
  step_as_in_c(s);
  step_as_in_c(s);
  const std::string text = "5 the simulation\\x1b[2J diverged at 3 s";
  EXPECT_EQ(texts, (std::vector{text, text}));
}

TEST(ControllerClient, AFailureToGiveTheUrdfIsOfThatCallOnly) {
  Scripted s;
  encode_failure(s.link->answer, "the text has no end");
  try {
    s.client->urdf(s.lock, "left_");
    ADD_FAILURE() << "nothing thrown";
  } catch (const CallError& error) {
    EXPECT_STREQ(error.what(), "the text has no end");
  }
  encode_answer(s.link->answer, {0, 0.04});
  EXPECT_EQ(s.client->step(s.lock, 20), 0);
}

TEST(ControllerClient, AMalformedAnswerIsNoAnswer) {
  Scripted s;
  s.link->answer.clear();
  s.link->answer.u8(0x81);
  testing::internal::CaptureStderr();
  EXPECT_EQ(s.client->step(s.lock, 20), -1);
  testing::internal::GetCapturedStderr();
}

TEST(ControllerClient, AWrongWelcomeIsRefused) {
  auto link = std::make_unique<ScriptedLink>();
  encode_text(link->answer, "hello yourself");
  EXPECT_THROW(ControllerClient{std::move(link)}, std::runtime_error);
  EXPECT_THROW(ControllerClient{std::make_unique<ScriptedLink>()}, std::runtime_error);
}

TEST(ControllerClient, DrivesARealSession) {
  Simulation simulation = test::load(test::OneJoint{});
  Session session(simulation, 0);
  ControllerClient client(std::make_unique<test::DirectLink>(simulation, session));
  ControllerClient::Lock lock(client.mutex());
  ClientDevice& motor = client.devices().motor(1);
  ClientDevice& sensor = client.devices().sensor(2);
  EXPECT_EQ(client.devices().sibling(motor, &ClientJoint::has_sensor), 2);
  EXPECT_THROW(client.devices().sensor(1), CallError);
  sensor.period_ms = 8;
  ControllerClient::request(sensor, CommandKind::Sampling);
  motor.motor.position = 0.1;
  ControllerClient::request(motor, CommandKind::Position);
  EXPECT_EQ(client.step(lock, 80), 0);
  EXPECT_EQ(sensor.values[0], simulation.joint(0).position());
  // With P = 10 each step of 8 ms leaves 0.92 of the error. The start needs 8 of the motor's 10
  // N·m. The world's CFM of 1e-5 lets the speed lag by about 1e-3 of it.
  EXPECT_NEAR(sensor.values[0], 0.1 * (1.0 - std::pow(0.92, 10)), 1e-4);
  EXPECT_NE(client.urdf(lock, "p_").find("\"p_m\""), std::string::npos);
  client.leave(lock);
  EXPECT_EQ(client.step(lock, 80), -1);
  EXPECT_THROW(client.urdf(lock, ""), CallError);
}

}  // namespace controller_client_test
}  // namespace servosim
