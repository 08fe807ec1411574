// SPDX-License-Identifier: Apache-2.0
// Messages from a controller to the simulation.
#include "controller_api/protocol/protocol.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace servosim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool is_error(const Request& request) { return std::holds_alternative<ProtocolError>(request); }

std::string error_text(const Request& request) { return std::get<ProtocolError>(request).text; }

Request step_with(const DeviceCommand& command, Writer& writer,
                  std::vector<DeviceCommand>& commands) {
  encode_step(writer, 24);
  encode_command(writer, command);
  return decode_request(writer.bytes(), commands);
}

const std::vector<DeviceCommand> kCommands = {
    {3, CommandKind::Position, {-kInfinity}, 0, {}},
    {4, CommandKind::Velocity, {-2.5}, 0, {}},
    {5, CommandKind::AvailableForce, {7.25}, 0, {}},
    {6, CommandKind::Force, {-0.125}, 0, {}},
    {7, CommandKind::ForceFeedback, {}, 37, {}},
    {8, CommandKind::Acceleration, {-1.0}, 0, {}},
    {9, CommandKind::ControlPid, {11.5, 0.75, 0.0625}, 0, {}},
    {65534, CommandKind::Sampling, {}, 2000000, {}},
    {11, CommandKind::BrakeDamping, {-3.5}, 0, {}},
    {12, CommandKind::Lock, {}, 1, {}},
    {0, CommandKind::BatterySampling, {}, 96, {}},
    {0, CommandKind::Pin, {}, 1, {}},
    {0, CommandKind::CustomData, {}, 0, "zwei\nZeilen"},
    {0, CommandKind::Quit, {}, -17, {}},
    {12, CommandKind::Channel, {}, -1, {}},
    {12, CommandKind::Range, {3.5}, 0, {}},
    {13, CommandKind::Send, {2.5}, 6, "packet"},
    {0, CommandKind::WheelSpeeds, {1.5, -kInfinity}, 0, {}},
    {0, CommandKind::SetEncoders, {-200.5, 7.0}, 0, {}},
    {0, CommandKind::EncoderSampling, {}, 48, {}},
    {14, CommandKind::Led, {}, -0x7fffffff, {}},
    {15, CommandKind::BlindRead, {}, 0, {}},
    {16, CommandKind::Frequency, {12.5}, 0, {}},
    {19, CommandKind::Draw, {}, 0, "line"},
    {20, CommandKind::Ink, {255.0, 0.5}, 0, {}},
};

TEST(Protocol, EveryCommandArrivesAsItWasSent) {
  Writer writer;
  encode_step(writer, 2500);
  for (const DeviceCommand& command : kCommands) {
    encode_command(writer, command);
  }
  std::vector<DeviceCommand> commands;
  const Request request = decode_request(writer.bytes(), commands);
  const auto& step = std::get<StepRequest>(request);
  EXPECT_EQ(step.duration_ms, 2500);
  ASSERT_EQ(step.commands.size(), kCommands.size());
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    EXPECT_EQ(step.commands[i].tag, kCommands[i].tag) << i;
    EXPECT_EQ(step.commands[i].kind, kCommands[i].kind) << i;
    EXPECT_EQ(step.commands[i].numbers, kCommands[i].numbers) << i;
    EXPECT_EQ(step.commands[i].integer, kCommands[i].integer) << i;
    EXPECT_EQ(step.commands[i].text, kCommands[i].text) << i;
  }
}

TEST(Protocol, ATruncatedCommandIsAnError) {
  for (const DeviceCommand& command : kCommands) {
    Writer writer;
    std::vector<DeviceCommand> commands;
    encode_step(writer, 24);
    const std::size_t head = writer.size();
    encode_command(writer, command);
    for (std::size_t length = head + 1; length < writer.size(); ++length) {
      EXPECT_TRUE(is_error(decode_request(writer.bytes().first(length), commands))) << length;
    }
    EXPECT_FALSE(is_error(decode_request(writer.bytes(), commands)));
  }
}

TEST(Protocol, NumbersThatAreNoneAreRefused) {
  Writer writer;
  std::vector<DeviceCommand> commands;
  for (const CommandKind kind : {CommandKind::Position, CommandKind::Velocity, CommandKind::Force,
                                 CommandKind::AvailableForce, CommandKind::Acceleration}) {
    EXPECT_TRUE(is_error(step_with({3, kind, {kNan}, 0, {}}, writer, commands)));
    EXPECT_FALSE(is_error(step_with({3, kind, {kInfinity}, 0, {}}, writer, commands)));
  }
  for (const CommandKind kind : {CommandKind::WheelSpeeds, CommandKind::SetEncoders}) {
    EXPECT_TRUE(is_error(step_with({0, kind, {kNan, 1.5}, 0, {}}, writer, commands)));
    EXPECT_TRUE(is_error(step_with({0, kind, {1.5, kNan}, 0, {}}, writer, commands)));
  }
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    EXPECT_TRUE(
        is_error(step_with({3, CommandKind::BrakeDamping, {bad}, 0, {}}, writer, commands)));
    for (int place = 0; place < 3; ++place) {
      DeviceCommand pid{3, CommandKind::ControlPid, {4.5, 2.5, 1.5}, 0, {}};
      pid.numbers[place] = bad;
      EXPECT_TRUE(is_error(step_with(pid, writer, commands))) << place;
    }
  }
}

TEST(Protocol, NegativeTimesAreRefused) {
  Writer writer;
  std::vector<DeviceCommand> commands;
  for (const CommandKind kind : {CommandKind::ForceFeedback, CommandKind::Sampling,
                                 CommandKind::BatterySampling, CommandKind::EncoderSampling}) {
    EXPECT_TRUE(is_error(step_with({3, kind, {}, -1, {}}, writer, commands)));
  }
  encode_step(writer, -24);
  EXPECT_TRUE(is_error(decode_request(writer.bytes(), commands)));
}

TEST(Protocol, UnknownKindsAreRefused) {
  Writer writer;
  std::vector<DeviceCommand> commands;
  // There is no byte at all.
  EXPECT_TRUE(is_error(decode_request(writer.bytes(), commands)));
  for (int kind = 0; kind < 256; ++kind) {
    writer.clear();
    writer.u8(static_cast<std::uint8_t>(kind));
    // Only the goodbye is complete with its first byte.
    const bool goodbye = std::holds_alternative<Goodbye>(decode_request(writer.bytes(), commands));
    EXPECT_EQ(goodbye, kind == 0x13) << kind;
  }
  encode_step(writer, 24);
  writer.u16(3);
  writer.u8(200);
  EXPECT_EQ(error_text(decode_request(writer.bytes(), commands)), "a malformed command");
}

TEST(Protocol, ATextLongerThanItsMessageIsRefused) {
  Writer writer;
  std::vector<DeviceCommand> commands;
  encode_step(writer, 24);
  writer.u16(0);
  writer.u8(static_cast<std::uint8_t>(CommandKind::CustomData));
  writer.u32(0xffffffff);
  writer.u8('x');
  EXPECT_TRUE(is_error(decode_request(writer.bytes(), commands)));
}

TEST(Protocol, OtherRequestsArriveAndMayNotBeLonger) {
  Writer writer;
  std::vector<DeviceCommand> commands;
  encode_hello(writer, Hello{5});
  EXPECT_EQ(std::get<Hello>(decode_request(writer.bytes(), commands)).version, 5u);
  writer.u8(0);
  EXPECT_TRUE(is_error(decode_request(writer.bytes(), commands)));

  encode_urdf_request(writer, "left_");
  EXPECT_EQ(std::get<UrdfRequest>(decode_request(writer.bytes(), commands)).prefix, "left_");
  EXPECT_TRUE(is_error(decode_request(writer.bytes().first(writer.size() - 1), commands)));

  encode_goodbye(writer);
  EXPECT_TRUE(std::holds_alternative<Goodbye>(decode_request(writer.bytes(), commands)));
  writer.u8(0);
  EXPECT_TRUE(is_error(decode_request(writer.bytes(), commands)));
}

TEST(Protocol, AStrangersHelloIsRefused) {
  Writer writer;
  std::vector<DeviceCommand> commands;
  writer.u8(0x10);
  writer.u32(0x20544547);  // "GET "
  writer.u32(kProtocolVersion);
  EXPECT_EQ(error_text(decode_request(writer.bytes(), commands)), "not a controller of servosim");
}

TEST(Protocol, AQuestionArrivesWhole) {
  SupervisorRequest sent;
  sent.kind = SupervisorRequestKind::Insert;
  sent.node = 77;
  sent.level = 2;
  sent.field = 513;
  sent.type = 5;
  sent.index = -3;
  sent.integer = 1 << 20;
  sent.count = 3;
  sent.numbers = {1.5, -2.5, 1e300};
  sent.text = "first";
  sent.more = "second";
  Writer writer;
  encode_supervisor_request(writer, sent);
  std::vector<DeviceCommand> commands;
  const Request request = decode_request(writer.bytes(), commands);
  const auto& got = std::get<SupervisorRequest>(request);
  EXPECT_EQ(got.kind, sent.kind);
  EXPECT_EQ(got.node, 77);
  EXPECT_EQ(got.level, 2);
  EXPECT_EQ(got.field, 513);
  EXPECT_EQ(got.type, 5);
  EXPECT_EQ(got.index, -3);
  EXPECT_EQ(got.integer, 1 << 20);
  EXPECT_EQ(got.count, 3);
  EXPECT_EQ(got.numbers, sent.numbers);
  EXPECT_EQ(got.text, "first");
  EXPECT_EQ(got.more, "second");
  for (std::size_t size = 1; size < writer.size(); ++size) {
    const Request cut = decode_request(writer.bytes().first(size), commands);
    EXPECT_TRUE(std::holds_alternative<ProtocolError>(cut)) << size;
  }
}

TEST(Protocol, PacketsToSendAreRefusedWhereMalformed) {
  Writer writer;
  std::vector<DeviceCommand> commands;
  for (const DeviceCommand& bad : {DeviceCommand{4, CommandKind::Send, {2.5}, -2, "data"},
                                   DeviceCommand{4, CommandKind::Send, {-0.5}, 0, "data"},
                                   DeviceCommand{4, CommandKind::Send, {kNan}, 0, "data"},
                                   DeviceCommand{4, CommandKind::Range, {-0.5}, 0, {}},
                                   DeviceCommand{4, CommandKind::Channel, {}, -2, {}}}) {
    EXPECT_TRUE(is_error(step_with(bad, writer, commands)));
  }
}

}  // namespace
}  // namespace servosim
