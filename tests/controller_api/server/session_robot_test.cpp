// SPDX-License-Identifier: Apache-2.0
// A session and its robot: requests of a supervisor, battery, custom data, URDF.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "controller_api/server/session_support.h"

namespace servosim {
namespace {

using Outcome = Session::Outcome;
using test::Answered;
using test::arm;
using test::decode;
using test::kMotor;
using test::one_joint;
using test::SessionClient;

TEST(Session, ASupervisorQuits) {
  SessionClient client(arm());
  client.hello();
  EXPECT_EQ(client.request_step(0, {{0, CommandKind::Quit, {}, -9, {}}}), Outcome::Quit);
  EXPECT_EQ(decode(client.session.reply()).result, 0);
  EXPECT_EQ(client.session.quit_status(), -9);

  SessionClient stepping(arm());
  stepping.hello();
  EXPECT_EQ(stepping.request_step(16, {{0, CommandKind::Quit, {}, 4, {}}}), Outcome::Quit);
  EXPECT_EQ(decode(stepping.session.reply()).result, -1);
  EXPECT_FALSE(stepping.session.pending());
}

TEST(Session, TheBatteryDrains) {
  LoadOptions quiet;  // a notice says that the battery is empty
  quiet.notice = [](std::string_view) {};
  SessionClient client(Simulation::from_text(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 16 }
Robot { name "r" battery [ 70 100 0 ] cpuConsumption 25 })",
                                             std::move(quiet)));
  client.hello();
  const Answered first = client.step(48, {{0, CommandKind::BatterySampling, {}, 32, {}}});
  ASSERT_EQ(first.readings.size(), 1u);
  EXPECT_EQ(first.readings[0].kind, ReadingKind::Battery);
  EXPECT_EQ(first.readings[0].tag, 0);
  // This is the value at the time of the sample.
  EXPECT_DOUBLE_EQ(first.readings[0].numbers[0], 70.0 - 25.0 * 0.032);
  const Answered last = client.step(16 * 200);
  ASSERT_EQ(last.readings.size(), 1u);
  EXPECT_EQ(last.readings[0].numbers[0], 0.0);  // the battery is empty after 2.8 s
}

TEST(Session, ABatteryThatIsNotSimulatedStaysAsItIs) {
  SessionClient client(test::load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 16 }
Robot { name "r" battery [ -7 100 0 ] cpuConsumption 25 })"));
  client.hello();
  const Answered answer = client.step(48, {{0, CommandKind::BatterySampling, {}, 32, {}}});
  ASSERT_EQ(answer.readings.size(), 1u);
  EXPECT_EQ(answer.readings[0].numbers[0], -7.0);
}

TEST(Session, KeepsCustomDataForAnotherController) {
  SessionClient client(arm());
  client.hello();
  client.step(0, {{0, CommandKind::CustomData, {}, 0, "new words"}});
  EXPECT_EQ(client.session.custom_data(), "new words");
}

TEST(Session, PinsTheRobotToTheWorld) {
  const std::string world = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 16 }
Robot {
  name "stone"
  translation 0 0 30
  boundingObject Sphere { radius 0.25 }
  physics Physics { density -1 mass 3 }
}
)";
  SessionClient client(test::load(world));
  client.hello();
  client.step(160, {{0, CommandKind::Pin, {}, 1, {}}});
  // The pin yields under the weight of 29.4 N, by CFM·F·h/ERP with the world's 1e-5 and 0.2.
  EXPECT_NEAR(client.simulation.solid("stone").pose().translation.z, 30.0,
              1e-5 * 29.4 * 0.016 / 0.2);
  client.step(160, {{0, CommandKind::Pin, {}, 0, {}}});
  // 0.16 s of free fall are 0.126 m. The rounding to steps and the damping change this by less than
  // 20 %.
  EXPECT_NEAR(client.simulation.solid("stone").pose().translation.z, 30.0 - 0.126, 0.025);
}

TEST(Session, GivesTheRobotAsUrdf) {
  SessionClient client(one_joint());
  client.hello();
  Writer writer;
  encode_urdf_request(writer, "my_");
  ASSERT_EQ(client.session.receive(writer.bytes()), Outcome::Answered);
  Reader readings({});
  const SimulationReply reply = decode_reply(client.session.reply(), readings);
  EXPECT_NE(std::get<Text>(reply).text.find("<joint name=\"my_m\" type=\"revolute\">"),
            std::string_view::npos);
}

std::string failure_of(const Session& session) {
  Reader readings({});
  const SimulationReply reply = decode_reply(session.reply(), readings);
  const Failure* failure = std::get_if<Failure>(&reply);
  return failure != nullptr ? std::string(failure->text) : "no failure";
}

TEST(Session, AnAnswerNobodyWouldTakeIsAFailureInWords) {
  const std::string limit = " bytes is too long; the limit is 16777216";
  SessionClient client(one_joint());
  client.hello();
  Writer writer;
  encode_urdf_request(writer, std::string(12u << 20, 'x'));  // precedes several names
  ASSERT_EQ(client.session.receive(writer.bytes()), Outcome::Answered);
  EXPECT_LT(client.session.reply().size(), 200u);
  EXPECT_NE(failure_of(client.session).find(limit), std::string::npos);
  EXPECT_EQ(client.step(16).result, 0);  // the session goes on

  SessionClient wordy(test::load("#VRML_SIM R2023b utf8\nRobot { name \"r\" customData \"" +
                                 std::string(kMaxMessage, 'y') + "\" }"));
  EXPECT_EQ(wordy.hello(), Outcome::Answered);
  EXPECT_NE(failure_of(wordy.session).find(limit), std::string::npos);
}

TEST(Session, DescribesADeviceOnceHoweverManyCommandsThereWere) {
  SessionClient client(arm());
  client.hello();
  constexpr std::uint16_t kOther = 5;  // tag of the lift
  std::vector<DeviceCommand> commands;
  for (int n = 0; n < 200000; ++n) {
    commands.push_back({kMotor, CommandKind::Acceleration, {2.5}, 0, {}});
    commands.push_back({kOther, CommandKind::Acceleration, {2.5}, 0, {}});
  }
  const test::Answered answer = client.step(0, commands);
  ASSERT_EQ(answer.readings.size(), 2u);
  EXPECT_EQ(answer.readings[0].tag, kMotor);
  EXPECT_EQ(answer.readings[1].tag, kOther);
}

}  // namespace
}  // namespace servosim
