// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/limits.h"
#include "controller_api/server/session_support.h"

namespace servosim {
namespace {

using Outcome = Session::Outcome;
using test::Answered;
using test::arm;
using test::decode;
using test::kBrake;
using test::kMotor;
using test::kSensor;
using test::one_joint;
using test::one_joint_with_notices;
using test::SessionClient;

TEST(Session, BeginsWithAHello) {
  SessionClient client(one_joint());
  EXPECT_FALSE(client.session.started());
  EXPECT_EQ(client.request_step(16), Outcome::Garbage);
  EXPECT_EQ(client.session.error(), "a message before the hello");
  EXPECT_EQ(client.hello(), Outcome::Answered);
  EXPECT_TRUE(client.session.started());
  EXPECT_EQ(client.hello(), Outcome::Garbage);
}

TEST(Session, WelcomesWithTheRobot) {
  SessionClient client(arm());
  ASSERT_EQ(client.hello(), Outcome::Answered);
  Reader readings({});
  const SimulationReply reply = decode_reply(client.session.reply(), readings);
  const Welcome& welcome = std::get<Welcome>(reply);
  EXPECT_TRUE(welcome.spin);
  EXPECT_EQ(welcome.robot_name, "arm");
  EXPECT_EQ(welcome.controller_arguments, "left right hand");
  ASSERT_EQ(welcome.devices.size(), 7u);
  EXPECT_TRUE(welcome.devices[0].has_motor);
  EXPECT_FALSE(welcome.devices[0].has_sensor);
  EXPECT_TRUE(welcome.devices[1].has_sensor);
  EXPECT_TRUE(welcome.devices[2].has_brake);
  EXPECT_EQ(welcome.devices[0].joint, welcome.devices[2].joint);
  EXPECT_NE(welcome.devices[0].joint, welcome.devices[3].joint);
}

TEST(Session, TellsTheNameThatTheFileGives) {
  LoadOptions options;
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nRobot { name \"x\" }\nRobot { name \"x\" }\n", options);
  EXPECT_EQ(simulation.robot("x#2").name(), "x#2");
  Session session(simulation, 1);
  Writer hello;
  encode_hello(hello, Hello{});
  ASSERT_EQ(session.receive(hello.bytes()), Outcome::Answered);
  Reader readings({});
  const SimulationReply reply = decode_reply(session.reply(), readings);
  EXPECT_EQ(std::get<Welcome>(reply).robot_name, "x");
}

TEST(Session, RefusesAnotherVersion) {
  SessionClient client(one_joint());
  Writer writer;
  encode_hello(writer, Hello{kProtocolVersion + 3});
  EXPECT_EQ(client.session.receive(writer.bytes()), Outcome::Garbage);
  Reader readings({});
  EXPECT_TRUE(std::holds_alternative<Failure>(decode_reply(client.session.reply(), readings)));
}

TEST(Session, AStepIsOverAtTheFirstBasicStepNotBeforeItsEnd) {
  std::vector<std::string> notices;
  SessionClient client(one_joint_with_notices(notices));
  client.hello();
  ASSERT_EQ(client.request_step(33), Outcome::Pending);
  for (const bool due : {false, false, true}) {
    EXPECT_TRUE(client.session.pending());
    client.simulation.step();
    EXPECT_EQ(client.session.after_step(), due);
  }
  EXPECT_FALSE(client.session.pending());
  const Answered answer = decode(client.session.reply());
  EXPECT_EQ(answer.result, 0);
  EXPECT_DOUBLE_EQ(answer.time, 0.048);
}

TEST(Session, ReturnsWhatTheLastStepTookTooLong) {
  std::vector<std::string> notices;
  SessionClient client(one_joint_with_notices(notices));
  client.hello();
  EXPECT_EQ(client.step(33).result, 0);
  EXPECT_EQ(client.step(33).result, 15);  // 48 ms since the last request
  EXPECT_EQ(client.step(0).result, 0);    // a flush is no step
  EXPECT_EQ(client.step(40).result, 8);
  EXPECT_EQ(client.step(60).result, 0);
  ASSERT_EQ(notices.size(), 1u);  // once
  EXPECT_NE(notices[0].find("step of 33 ms is no multiple of basicTimeStep, 16 ms"),
            std::string::npos);
}

// 0.7 is no binary fraction. A step of 7 ms must not last eleven basic steps because of that.
TEST(Session, WholeMultiplesOfAFractionalTimeStepAreExact) {
  SessionClient client(one_joint(0.7));
  client.hello();
  for (int i = 1; i <= 400; ++i) {
    EXPECT_EQ(client.step(7).result, 0);
    ASSERT_EQ(client.simulation.step_count(), 10 * i);
  }
}

// This holds at any time. After 81 days a time is rounded by 1e-6 ms, which is more than a fixed
// tolerance for the first second could allow.
TEST(Session, SamplesAndStepsAreDueAtTheSameMoment) {
  int rounded = 0;
  for (double n = 419161677.0; n < 419161877.0; ++n) {
    const double start = n * 0.0167 * 1000.0;  // computed from a time in s
    Sampler sampler;
    sampler.enable(167, start);
    for (const int steps : {9, 10}) {
      const double now = (n + steps) * 16.7;
      EXPECT_EQ(sampler.due(now), steps == 10) << n;
      EXPECT_EQ(is_due(now, start + 167), steps == 10) << n;
    }
    rounded += (n + 10) * 16.7 < start + 167 - 1e-9 ? 1 : 0;
  }
  EXPECT_GT(rounded, 10) << "the case does occur";
}

// Two pictures of 8 MiB are more than any other message may have.
TEST(Session, SendsLargePicturesInOneAnswer) {
  const auto finder = [](const std::string& name) {
    return "RangeFinder { name \"" + name + "\" width 2048 height 1024 maxRange 9 }\n";
  };
  SessionClient client(test::load(std::string("#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 "
                                              "}\nRobot { name \"r\" children [ ") +
                                  finder("a") + finder("b") + "] }\n"));
  client.hello();
  std::vector<int> tags;
  for (int i = 0; i < 2; ++i) {
    const Answered answer = i > 0 ? client.step(32)
                                  : client.step(32, {{1, CommandKind::Sampling, {}, 32, {}},
                                                     {2, CommandKind::Sampling, {}, 32, {}}});
    for (const Reading& reading : answer.readings) {
      if (reading.kind == ReadingKind::Distances) {
        tags.push_back(reading.tag);
      }
    }
  }
  EXPECT_EQ(tags, (std::vector{1, 2, 1, 2}));
}

TEST(Session, AppliesCommandsAtOnceInTheirOrder) {
  SessionClient client(one_joint());
  client.hello();
  const Motor& motor = client.simulation.robot(0).motor("m");
  client.request_step(16, {{kMotor, CommandKind::Position, {0.75}, 0, {}},
                           {kMotor, CommandKind::Velocity, {2.5}, 0, {}},
                           {kMotor, CommandKind::AvailableForce, {3.5}, 0, {}},
                           {kMotor, CommandKind::Force, {-1.25}, 0, {}},
                           {kBrake, CommandKind::BrakeDamping, {0.5}, 0, {}}});
  EXPECT_EQ(motor.targets().position, 0.75);
  EXPECT_EQ(motor.targets().velocity, 2.5);
  EXPECT_EQ(motor.targets().available_force, 3.5);
  EXPECT_TRUE(motor.targets().force_control);
  EXPECT_EQ(motor.targets().force, -1.25);
  EXPECT_EQ(client.simulation.robot(0).brake("b").damping_constant(), 0.5);
  client.finish();
  client.step(0, {{kMotor, CommandKind::Position, {0.5}, 0, {}}});
  EXPECT_FALSE(motor.targets().force_control);
  EXPECT_EQ(motor.targets().position, 0.5);
}

TEST(Session, SendsEachSampleOnce) {
  SessionClient client(one_joint());
  client.hello();
  EXPECT_TRUE(client
                  .step(32, {{kSensor, CommandKind::Sampling, {}, 40, {}},
                             {kMotor, CommandKind::Position, {0.5}, 0, {}}})
                  .readings.empty());
  const Answered second = client.step(16);  // 48 ms
  ASSERT_EQ(second.readings.size(), 1u);
  EXPECT_EQ(second.readings[0].tag, kSensor);
  EXPECT_EQ(second.readings[0].kind, ReadingKind::Sample);
  EXPECT_EQ(second.readings[0].numbers[0], client.simulation.joint(0).position());
  EXPECT_GT(second.readings[0].numbers[0], 0.01);
  EXPECT_TRUE(client.step(32).readings.empty());
  EXPECT_EQ(client.step(16).readings.size(), 1u);
}

TEST(Session, RepeatsTheSetupOfAMotorAfterGainsOrAcceleration) {
  test::OneJoint world;
  world.motor = "maxVelocity 3 multiplier 2";
  SessionClient client(test::load(world));
  client.hello();
  EXPECT_TRUE(client
                  .step(8, {{kMotor, CommandKind::Position, {0.25}, 0, {}},
                            {kMotor, CommandKind::Velocity, {1.25}, 0, {}}})
                  .readings.empty());
  const Answered answer =
      client.step(8, {{kMotor, CommandKind::Acceleration, {6.5}, 0, {}},
                      {kMotor, CommandKind::ControlPid, {7.5, 0.5, 0.25}, 0, {}}});
  ASSERT_EQ(answer.readings.size(), 1u);
  EXPECT_EQ(answer.readings[0].tag, kMotor);
  EXPECT_EQ(answer.readings[0].kind, ReadingKind::Setup);
  WelcomeDevice setup;
  ASSERT_TRUE(decode_setup(answer.readings[0].text, setup));
  EXPECT_EQ(setup.motor.position, 0.5);
  EXPECT_EQ(setup.motor.velocity, 2.5);
  EXPECT_EQ(setup.motor.acceleration, 6.5);
  EXPECT_EQ(setup.motor.pid, (std::array{7.5, 0.5, 0.25}));
  EXPECT_TRUE(client.step(8).readings.empty());
}

TEST(Session, WhatFitsNoDeviceIsGarbage) {
  const std::vector<DeviceCommand> bad = {
      {0, CommandKind::Position, {0.5}, 0, {}},
      {4, CommandKind::Position, {0.5}, 0, {}},
      {kSensor, CommandKind::Velocity, {0.5}, 0, {}},
      {kMotor, CommandKind::BrakeDamping, {0.5}, 0, {}},
      {kBrake, CommandKind::Sampling, {}, 32, {}},
      {kMotor, CommandKind::Pin, {}, 1, {}},
      {kMotor, CommandKind::AvailableForce, {-0.5}, 0, {}},
      {kMotor, CommandKind::Acceleration, {-0.5}, 0, {}},
      {kMotor, CommandKind::ControlPid, {0.0, 1.5, 1.5}, 0, {}},
      {0, CommandKind::Quit, {}, 3, {}},  // this robot is no supervisor
      {kMotor, CommandKind::Send, {-1.0}, 0, "packet"},
      {kSensor, CommandKind::Channel, {}, 1, {}},
      {kSensor, CommandKind::Range, {1.5}, 0, {}},
      {kMotor, CommandKind::Lock, {}, 1, {}},
      {0, CommandKind::Lock, {}, 1, {}},
      {kMotor, CommandKind::Led, {}, 1, {}},
      {kMotor, CommandKind::BlindRead, {}, 0, {}},
      {kMotor, CommandKind::Frequency, {12.5}, 0, {}},
      {0, CommandKind::WheelSpeeds, {1.5, 1.5}, 0, {}},
      {kSensor, CommandKind::EncoderSampling, {}, 16, {}},
  };
  for (const DeviceCommand& command : bad) {
    SessionClient client(one_joint());
    client.hello();
    EXPECT_EQ(client.request_step(16, {command}), Outcome::Garbage)
        << static_cast<int>(command.kind);
    EXPECT_FALSE(client.session.error().empty());
    EXPECT_FALSE(client.session.pending());
    EXPECT_FALSE(client.session.quit_status().has_value());
  }
}

TEST(Session, OneMessageAtATime) {
  SessionClient client(one_joint());
  client.hello();
  ASSERT_EQ(client.request_step(32), Outcome::Pending);
  EXPECT_EQ(client.request_step(32), Outcome::Garbage);
}

TEST(Session, EndsWithMinusOne) {
  SessionClient client(one_joint());
  client.hello();
  ASSERT_EQ(client.request_step(32), Outcome::Pending);
  client.simulation.step();
  EXPECT_FALSE(client.session.after_step());
  EXPECT_EQ(decode(client.session.ending_answer()).result, -1);
  EXPECT_FALSE(client.session.pending());
  EXPECT_EQ(client.request_step(32), Outcome::Answered);
  EXPECT_EQ(decode(client.session.reply()).result, -1);
  EXPECT_EQ(client.request_step(0), Outcome::Answered);
  EXPECT_EQ(decode(client.session.reply()).result, -1);
  EXPECT_TRUE(client.session.ending_answer().empty());
}

TEST(Session, GoodbyeNeedsNoAnswer) {
  SessionClient client(one_joint());
  client.hello();
  Writer writer;
  encode_goodbye(writer);
  EXPECT_EQ(client.session.receive(writer.bytes()), Outcome::Bye);
  EXPECT_TRUE(client.session.reply().empty());
}

}  // namespace
}  // namespace servosim
