// SPDX-License-Identifier: Apache-2.0
// Messages from the simulation to a controller.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "controller_api/protocol/protocol.h"

namespace servosim {
namespace {

bool is_error(const SimulationReply& reply) { return std::holds_alternative<ProtocolError>(reply); }

TEST(Protocol, AnAnswerToAQuestionArrivesWhole) {
  const std::array<double, 4> numbers{0.5, 1.5, -2.5, 1e-300};
  SupervisorResponse sent;
  sent.integer = -5;
  sent.node = 9;
  sent.type = 21;
  sent.flags = 3;
  sent.level = 1;
  sent.numbers = std::as_bytes(std::span(numbers));
  sent.text = "one";
  sent.more = {"two", "three"};
  Writer writer;
  encode_supervisor_response(writer, sent);
  Reader readings({});
  const SimulationReply reply = decode_reply(writer.bytes(), readings);
  const auto& got = std::get<SupervisorResponse>(reply);
  EXPECT_EQ(got.integer, -5);
  EXPECT_EQ(got.node, 9);
  EXPECT_EQ(got.type, 21);
  EXPECT_EQ(got.flags, 3);
  EXPECT_EQ(got.level, 1);
  std::array<double, 4> back{};
  ASSERT_EQ(got.count(), 4u);
  got.copy_to(back);
  EXPECT_EQ(back, numbers);
  EXPECT_EQ(got.text, "one");
  EXPECT_EQ(got.more[1], "three");
  for (std::size_t size = 1; size < writer.size(); ++size) {
    const SimulationReply cut = decode_reply(writer.bytes().first(size), readings);
    EXPECT_TRUE(std::holds_alternative<ProtocolError>(cut)) << size;
  }
}

Welcome sample_welcome() {
  Welcome welcome;
  welcome.spin = true;
  welcome.robot_name =
      "r\xc3\xb6"
      "bot";
  welcome.model = "model";
  welcome.custom_data = "custom";
  welcome.controller = "walk";
  welcome.controller_arguments = "a b";
  welcome.world_path = "/w/worlds/x.wbt";
  welcome.project_path = "/w";
  welcome.basic_time_step_ms = 12.5;
  welcome.time = 3.25;
  welcome.synchronization = false;
  welcome.supervisor = true;
  welcome.has_battery = true;
  WelcomeDevice motor;
  motor.name = "hip";
  motor.model = "strong";
  motor.node_type = "Servo";
  motor.joint = 7;
  motor.has_motor = motor.has_sensor = true;
  motor.sensor_linear = 1;
  motor.motor = {1, 5, -1.5, 2.5, 3.5, 4.5, -2.0, 0.25, 0.75, -1.0, 4.25, {9.5, 0.5, 0.125}};
  WelcomeDevice brake;
  brake.name = "hip brake";
  brake.node_type = "Brake";
  brake.joint = 7;
  brake.has_brake = true;
  brake.brake_linear = 1;
  WelcomeDevice gyro;
  gyro.name = "gyro";
  gyro.fields = {{"type", "fast", {}}, {"lookupTable", "", {1.0, 2.5, 0.5}}};
  welcome.devices = {motor, brake, gyro};
  welcome.gps_in_degrees = true;
  return welcome;
}

TEST(Protocol, AWelcomeArrivesWhole) {
  Writer writer;
  const Welcome sent = sample_welcome();
  encode_welcome(writer, sent);
  Reader readings({});
  const SimulationReply reply = decode_reply(writer.bytes(), readings);
  const auto& got = std::get<Welcome>(reply);
  EXPECT_TRUE(got.spin);
  EXPECT_EQ(got.robot_name, sent.robot_name);
  EXPECT_EQ(got.model, "model");
  EXPECT_EQ(got.custom_data, "custom");
  EXPECT_EQ(got.controller, "walk");
  EXPECT_EQ(got.controller_arguments, "a b");
  EXPECT_EQ(got.world_path, "/w/worlds/x.wbt");
  EXPECT_EQ(got.project_path, "/w");
  EXPECT_EQ(got.basic_time_step_ms, 12.5);
  EXPECT_EQ(got.time, 3.25);
  EXPECT_FALSE(got.synchronization);
  EXPECT_TRUE(got.supervisor);
  EXPECT_TRUE(got.has_battery);
  EXPECT_TRUE(got.gps_in_degrees);
  ASSERT_EQ(got.devices.size(), 3u);
  const WelcomeDevice& motor = got.devices[0];
  EXPECT_EQ(motor.name, "hip");
  EXPECT_EQ(motor.model, "strong");
  EXPECT_EQ(motor.node_type, "Servo");
  EXPECT_EQ(motor.joint, 7);
  EXPECT_TRUE(motor.has_motor && motor.has_sensor && !motor.has_brake);
  EXPECT_EQ(motor.sensor_linear, 1);
  const WelcomeMotor& m = motor.motor;
  EXPECT_EQ(m.linear, 1);
  EXPECT_EQ(m.coupling, 5);
  EXPECT_EQ(m.min_position, -1.5);
  EXPECT_EQ(m.max_position, 2.5);
  EXPECT_EQ(m.max_velocity, 3.5);
  EXPECT_EQ(m.max_force, 4.5);
  EXPECT_EQ(m.multiplier, -2.0);
  EXPECT_EQ(m.position, 0.25);
  EXPECT_EQ(m.velocity, 0.75);
  EXPECT_EQ(m.acceleration, -1.0);
  EXPECT_EQ(m.available_force, 4.25);
  EXPECT_EQ(m.pid, (std::array{9.5, 0.5, 0.125}));
  EXPECT_TRUE(got.devices[1].has_brake && !got.devices[1].has_motor);
  EXPECT_EQ(got.devices[1].brake_linear, 1);
  const std::vector<WelcomeField>& fields = got.devices[2].fields;
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[0].name, "type");
  EXPECT_EQ(fields[0].text, "fast");
  EXPECT_EQ(fields[1].numbers, (std::vector{1.0, 2.5, 0.5}));
}

TEST(Protocol, AWelcomeCutAnywhereIsAnError) {
  Writer writer;
  encode_welcome(writer, sample_welcome());
  Reader readings({});
  for (std::size_t length = 0; length < writer.size(); ++length) {
    EXPECT_TRUE(is_error(decode_reply(writer.bytes().first(length), readings))) << length;
  }
}

TEST(Protocol, AWelcomeHasAsManyDevicesAsThereAreTags) {
  Writer writer;
  Reader readings({});
  Welcome welcome = sample_welcome();
  welcome.devices.resize(kMaxDevices);
  encode_welcome(writer, welcome);
  const SimulationReply most = decode_reply(writer.bytes(), readings);
  EXPECT_EQ(std::get<Welcome>(most).devices.size(), 65534u);
  welcome.devices.resize(kMaxDevices + 3);  // as a number of 16 bits this would be one device
  encode_welcome(writer, welcome);
  const SimulationReply refused = decode_reply(writer.bytes(), readings);
  EXPECT_EQ(std::get<Failure>(refused).text, "the robot has more than 65534 devices");
}

TEST(Protocol, AnAnswerArrivesWithItsReadings) {
  Writer writer;
  encode_answer(writer, {5, 1.125});
  encode_reading(writer, {9, ReadingKind::Sample, {-0.75}});
  encode_reading(writer, {11, ReadingKind::ForceFeedback, {1.5}});
  Reader readings({});
  const SimulationReply reply = decode_reply(writer.bytes(), readings);
  EXPECT_EQ(std::get<StepAnswer>(reply).result, 5);
  EXPECT_EQ(std::get<StepAnswer>(reply).time, 1.125);
  Reading reading;
  ASSERT_TRUE(next_reading(readings, reading));
  EXPECT_EQ(reading.tag, 9);
  EXPECT_EQ(reading.kind, ReadingKind::Sample);
  EXPECT_EQ(reading.numbers[0], -0.75);
  ASSERT_TRUE(next_reading(readings, reading));
  EXPECT_EQ(reading.tag, 11);
  EXPECT_EQ(reading.kind, ReadingKind::ForceFeedback);
  EXPECT_EQ(reading.numbers[0], 1.5);
  EXPECT_EQ(readings.left(), 0u);
  EXPECT_FALSE(next_reading(readings, reading));
}

TEST(Protocol, ASampleHasAsManyNumbersAsItSays) {
  Writer writer;
  encode_answer(writer, {0, 1.0});
  encode_reading(writer, {9, ReadingKind::Sample, {1, 2, 3, 4, 5, 6, 7}, 7});
  Reader readings({});
  EXPECT_FALSE(is_error(decode_reply(writer.bytes(), readings)));
  Reading reading;
  ASSERT_TRUE(next_reading(readings, reading));
  EXPECT_EQ(reading.count, 7);
  EXPECT_EQ(reading.numbers, (std::array{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0}));
  encode_answer(writer, {0, 1.0});
  writer.u16(9);
  writer.u8(static_cast<std::uint8_t>(ReadingKind::Sample));
  writer.u8(8);
  for (int i = 0; i < 8; ++i) {
    writer.f64(i);
  }
  EXPECT_FALSE(is_error(decode_reply(writer.bytes(), readings)));
  EXPECT_FALSE(next_reading(readings, reading)) << "one more than there is room for";
}

TEST(Protocol, AMalformedReadingIsAnError) {
  Writer writer;
  encode_answer(writer, {5, 1.125});
  writer.u16(9);
  writer.u8(77);
  Reader readings({});
  EXPECT_FALSE(is_error(decode_reply(writer.bytes(), readings)));
  Reading reading;
  EXPECT_FALSE(next_reading(readings, reading));
}

TEST(Protocol, ASetupArrivesWholeAndIsRefusedWhenCut) {
  Writer setup;
  const WelcomeDevice sent = sample_welcome().devices[2];
  encode_setup(setup, sent);
  Writer writer;
  encode_answer(writer, {0, 1.0});
  encode_reading(writer, {12, ReadingKind::Setup, {}, 0, as_text(setup.bytes())});
  Reader readings({});
  EXPECT_FALSE(is_error(decode_reply(writer.bytes(), readings)));
  Reading reading;
  ASSERT_TRUE(next_reading(readings, reading));
  EXPECT_EQ(reading.tag, 12);
  EXPECT_EQ(reading.kind, ReadingKind::Setup);
  WelcomeDevice got;
  ASSERT_TRUE(decode_setup(reading.text, got));
  EXPECT_EQ(got.name, "gyro");
  ASSERT_EQ(got.fields.size(), 2u);
  EXPECT_EQ(got.fields[1].numbers, sent.fields[1].numbers);
  for (std::size_t size = 0; size < reading.text.size(); ++size) {
    EXPECT_FALSE(decode_setup(reading.text.substr(0, size), got)) << size;
  }
  EXPECT_FALSE(decode_setup(std::string(reading.text) + "x", got));
}

// memcpy() from null is undefined even for a size of 0, and UBSan reports it.
TEST(Protocol, AnAnswerWithoutNumbersChangesNothing) {
  std::array<double, 2> kept{0.25, -7.5};
  SupervisorResponse{}.copy_to(kept);
  EXPECT_EQ(kept, (std::array<double, 2>{0.25, -7.5}));
}

TEST(Protocol, TextsAndFailuresArrive) {
  Writer writer;
  Reader readings({});
  encode_text(writer, "<robot/>");
  EXPECT_EQ(std::get<Text>(decode_reply(writer.bytes(), readings)).text, "<robot/>");
  encode_failure(writer, "it broke");
  EXPECT_EQ(std::get<Failure>(decode_reply(writer.bytes(), readings)).text, "it broke");
}

TEST(Protocol, PacketsArriveAndAreRefusedWhereMalformed) {
  Writer writer;
  encode_answer(writer, {0, 1.0});
  encode_reading(writer, {9, ReadingKind::Packet, {0.25, 0.0, -0.6, 0.8}, 0, "packet"});
  Reader readings({});
  EXPECT_FALSE(is_error(decode_reply(writer.bytes(), readings)));
  Reading reading;
  ASSERT_TRUE(next_reading(readings, reading));
  EXPECT_EQ(reading.text, "packet");
  EXPECT_EQ(reading.numbers[3], 0.8);
  decode_reply(writer.bytes().first(writer.bytes().size() - 1), readings);
  EXPECT_FALSE(next_reading(readings, reading));
}

}  // namespace
}  // namespace servosim
